/// A table that shows a batch of changes: UITableView, UICollectionView, or the headless one.
package protocol TableUpdating {
  func reloadData() throws
  /// Makes the inserts, deletes and moves of changes that are no reset, as one batch.
  func showBatch(_ changes: TableChanges) throws
  /// Shows the content of rows again, in their cells if possible. The index paths are new.
  func showAgain(rowsAt indexPaths: [IndexPath]) throws
  /// Draws the headers and footers of sections again, and nothing else. The numbers are new.
  func showAgain(headersOfSections sections: [Int]) throws
}

extension TableUpdating {
  /// Shows changes of the content. The data source must already have its new state.
  ///
  /// Updated and moved rows keep their cells, which show them again after the batch: a move implies new content. The
  /// headers of updated sections are drawn after it too: a reload of a section would reload its rows.
  package func show(_ changes: TableChanges) throws {
    guard !changes.isEmpty else { return }
    if changes.reset != nil { return try reloadData() }
    try showBatch(changes)
    let rows = changes.movedRows.map(\.to) + changes.updatedRows.map(\.new)
    if !rows.isEmpty { try showAgain(rowsAt: rows) }
    if !changes.updatedSections.isEmpty {
      try showAgain(headersOfSections: changes.updatedSections.map(\.new))
    }
  }
}

/// A table with cells that it reuses. This is how each of them shows a row.
package protocol CellTable {
  associatedtype Cell: AnyObject

  func register(_ cell: TableCell) throws
  /// A cell for a row: the one that the row has, if it is configured again; else one that shows no row now, or a new
  /// one.
  func dequeue(_ cell: TableCell, for indexPath: IndexPath) throws -> Cell
  /// The cell of a row; nil if it is not on the screen.
  func cell(at indexPath: IndexPath) -> Cell?
  func identifier(of cell: Cell) -> String?
  /// Asks for the cells of rows again, which the rows keep.
  func reconfigureRows(at indexPaths: [IndexPath]) throws
  /// Asks for other cells for rows.
  func reloadRows(at indexPaths: [IndexPath]) throws
}

extension CellTable {
  /// A cell of the table that shows a row.
  package func makeCell(
    for row: TableRow, at indexPath: IndexPath, prepared: inout PreparedCells
  ) throws -> Cell {
    let cell = try row.cell
    if try prepared.add(cell) { try register(cell) }
    let view = try dequeue(cell, for: indexPath)
    try cell.show(row.viewModel, in: view)
    return view
  }

  /// Shows rows again. A row keeps its cell, unless it has a cell of another kind now, or went to another list that
  /// must be notified that the row is displayed.
  package func showAgain(
    rowsAt indexPaths: [IndexPath], row: (IndexPath) throws -> TableRow?,
    displayed: (Cell) -> TableRow?
  ) throws {
    var kept: [IndexPath] = []
    var others: [IndexPath] = []
    for path in indexPaths {
      if keepsCell(path, row, displayed) { kept.append(path) } else { others.append(path) }
    }
    if !kept.isEmpty { try reconfigureRows(at: kept) }
    if !others.isEmpty { try reloadRows(at: others) }
  }

  private func keepsCell(
    _ indexPath: IndexPath, _ row: (IndexPath) throws -> TableRow?, _ displayed: (Cell) -> TableRow?
  ) -> Bool {
    do {
      guard let row = try row(indexPath), let cell = cell(at: indexPath),
        try row.cell.identifier == identifier(of: cell)
      else { return false }
      return try displayed(cell).map { try $0.identity == row.identity } ?? true
    } catch {
      // The error of that row alone: it is thrown again where the row gets another cell.
      return false
    }
  }
}

/// The rows that cells display, which are notified when they no longer do.
package struct DisplayedRows {
  private var rows: [ObjectIdentifier: TableRow] = [:]

  package init() {}

  package func row(of cell: AnyObject) -> TableRow? { rows[ObjectIdentifier(cell)] }

  /// Notes that a cell displays a row, before the row is notified: it may change the content.
  package mutating func add(_ row: TableRow, in cell: AnyObject) throws -> TableRow {
    let row = try row.identified()
    rows[ObjectIdentifier(cell)] = row
    return row
  }

  /// The cells that display a row.
  package var cells: [ObjectIdentifier] { Array(rows.keys) }

  /// Removes a cell that is no longer displayed, and returns the row to notify: none if another cell displays it. If
  /// a row is reloaded, its new cell is displayed before the old one no longer is.
  package mutating func remove(_ cell: AnyObject) throws -> TableRow? {
    try remove(ObjectIdentifier(cell))
  }

  package mutating func remove(_ cell: ObjectIdentifier) throws -> TableRow? {
    guard let row = rows.removeValue(forKey: cell) else { return nil }
    let identity = try row.identity
    return try rows.values.contains { try $0.identity == identity } ? nil : row
  }
}
