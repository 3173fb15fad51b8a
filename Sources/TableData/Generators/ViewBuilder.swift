/// What shows itself in a view: a cell of a headless table, or one of UIKit or AppKit.
///
/// ```swift
/// final class VolumeGenerator: TableCellGenerator, ViewBuilder {
///   var volume = 5
///   func build(view: VolumeCell) { view.level = volume }
/// }
/// ```
///
/// A view of UIKit or AppKit belongs to the main actor, and so does the conformance:
/// `extension VolumeGenerator: @MainActor ViewBuilder`.
public protocol ViewBuilder<View>: AnyObject {
  /// What it shows itself in.
  associatedtype View: AnyObject

  /// Shows everything in a view, which may have shown something else before.
  func build(view: View)
}
