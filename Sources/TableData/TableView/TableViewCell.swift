#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What shows a row of a ``TableView``, and shows another one later.
///
/// A cell knows its row: ``indexPath`` follows when rows come, go or move, and is nil once the cell
/// has left the table. So whoever has an answer for a cell can see whether it still shows what was
/// asked for.
///
/// ```swift
/// final class NameCell: TableViewCell {
///   var name = ""
///   override func prepareForReuse() { name = "" }
/// }
/// ```
///
/// Not Sendable: it belongs where its table belongs.
open class TableViewCell {
  /// What a cell of its kind is asked for by; nil for one that is not used again.
  public let reuseIdentifier: String?
  /// The row the cell shows; nil while it shows none.
  public internal(set) var indexPath: IndexPath?
  /// Whether the row is selected.
  public internal(set) var isSelected = false
  /// Whether the table holds it for another row.
  var isInPool = false
  /// The object that the cell shows, if its data source says so; nil while the cell shows none.
  weak var shownObject: AnyObject?

  /// Makes a cell that shows nothing yet.
  public required init(reuseIdentifier: String?) {
    self.reuseIdentifier = reuseIdentifier
  }

  /// Forgets the last row, before the cell is given out for another one. Does nothing by default.
  open func prepareForReuse() {}
}
