/// A cell that shows a view model.
///
/// ```swift
/// final class TrackCell: TableViewCell, Configurable {
///   private(set) var title = ""
///   func configure(with viewModel: TrackViewModel) { title = viewModel.title }
/// }
/// ```
///
/// It must set all that it shows: it may have shown another row before.
///
/// A cell of UIKit or AppKit belongs to the main actor, and so does its conformance:
/// `extension TrackCell: @MainActor Configurable`.
public protocol Configurable<ViewModel>: AnyObject {
  /// What it shows.
  associatedtype ViewModel

  /// Shows a view model.
  func configure(with viewModel: ViewModel)
}
