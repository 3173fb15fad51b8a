#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension TableView {
  /// Scrolls. An offset beyond the content ends at its border.
  ///
  /// - Parameter rows: the number of rows before the first one in the window, headers not counted.
  /// - Throws: `TableUpdateError` of code `.updateInProgress` during an update, of `.wrongCell`; what
  ///   the data source throws.
  public func setContentOffset(_ rows: Int) throws {
    try requireIdle("scroll")
    contentOffset = rows
    try layout()
  }

  /// Changes how many rows fit into the window; less than 0 counts as 0.
  ///
  /// - Throws: as ``setContentOffset(_:)``.
  public func setHeight(_ rows: Int) throws {
    try requireIdle("change the height")
    height = max(0, rows)
    try layout()
  }

  /// Scrolls until a row is the first in the window, or as near to it as the end of the content
  /// allows.
  ///
  /// - Throws: `TableUpdateError` of code `.outOfRange` where there is no such row, else as
  ///   ``setContentOffset(_:)``.
  public func scrollToRow(at indexPath: IndexPath) throws {
    try requireIdle("scroll")
    try requireRow(at: indexPath, "scroll to")
    try setContentOffset(counts.position(of: indexPath))
  }

  func requireRow(at indexPath: IndexPath, _ action: String) throws {
    guard counts.contains(indexPath) else {
      throw TableUpdateError(
        .outOfRange,
        "attempt to \(action) the row (\(indexPath.uikitDescription)), which is not there: the "
          + "sections have \(counts.rows) rows")
    }
  }

  /// Gives the rows in the window a cell and takes it from all others. O(height log sections).
  func layout() throws {
    contentOffset = max(0, min(contentOffset, counts.total - height))
    let end = min(contentOffset + height, counts.total)
    let window = (contentOffset..<end).map(counts.indexPath(at:))
    let visible = Set(window)
    let hidden = cells.filter { !visible.contains($0.key) }
    for path in hidden.keys { cells[path] = nil }
    retire(Array(hidden.values))
    for path in window where cells[path] == nil {
      guard let cell = try makeCell(for: path) else { continue }
      cell.indexPath = path
      cells[path] = cell
    }
    markSelectedCells()
  }

  private func makeCell(for indexPath: IndexPath) throws -> TableViewCell? {
    let cell = try ask { try $0.tableView(self, cellForRowAt: indexPath) }
    guard let cell else { return nil }
    if let shown = cell.indexPath {
      throw TableUpdateError(
        .wrongCell,
        "the data source's cell for the row (\(indexPath.uikitDescription)) already shows the row "
          + "(\(shown.uikitDescription))")
    }
    if cell.isInPool {
      throw TableUpdateError(
        .wrongCell,
        "the data source's cell for the row (\(indexPath.uikitDescription)) was kept by it and not "
          + "dequeued: the table would use it for another row too")
    }
    return cell
  }
}
