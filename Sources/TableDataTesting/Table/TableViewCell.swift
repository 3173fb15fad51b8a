public import TableData

/// A view of one row of a ``TableView``, which is reused for other rows.
///
/// ``indexPath`` is the current row of the cell. It is updated when rows are inserted, deleted or moved,
/// and is nil when the cell is not in the table. So an asynchronous task, which loads an image for
/// example, can check that the cell still shows the same row.
///
/// ```swift
/// final class NameCell: TableViewCell {
///   var name = ""
///   override func prepareForReuse() { name = "" }
/// }
/// ```
///
/// Not Sendable: use it on the actor of its table.
open class TableViewCell {
  /// The identifier that the cell is reused by; nil for a cell that is not reused.
  public let reuseIdentifier: String?
  /// The row that the cell shows; nil if it shows none.
  public internal(set) var indexPath: IndexPath?
  /// Whether the row is selected.
  public internal(set) var isSelected = false
  /// The row that was notified that it is displayed.
  var displayedRow: TableRow?
  /// Whether it is in the place of a cell that could not be made.
  var isSubstitute = false

  /// Makes an empty cell.
  public required init(reuseIdentifier: String?) {
    self.reuseIdentifier = reuseIdentifier
  }

  /// Clears the cell before it is reused for another row. The default does nothing.
  open func prepareForReuse() {}

  /// Notifies the row that it is no longer displayed.
  func endDisplaying() {
    let row = displayedRow
    displayedRow = nil
    row?.didEndDisplaying()
  }
}
