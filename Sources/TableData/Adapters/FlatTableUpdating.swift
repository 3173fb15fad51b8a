#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A view of rows without sections that takes one change after the other: NSTableView.
protocol FlatTableUpdating {
  func reloadData() throws
  /// Carries out what `body` tells as one animation.
  func performBatch(_ body: () throws -> Void) throws
  func insertRows(at rows: Range<Int>) throws
  func removeRows(at rows: Range<Int>) throws
  /// - Parameter newRow: counted without the row.
  func moveRow(at row: Int, to newRow: Int) throws
  func reloadRow(at row: Int) throws
}

extension FlatTableUpdating {
  /// Shows what happened to the content, step by step.
  ///
  /// - Parameters:
  ///   - rows: what the view shows.
  ///   - newCounts: the number of rows of each section now.
  ///   - setRows: told what the view shows from then on, before it asks for any of it.
  func show(
    _ changes: TableChanges, in rows: FlatRows, newCounts: [Int], setRows: (FlatRows) -> Void
  ) throws {
    guard !changes.isEmpty else { return }
    if changes.reset != nil {
      setRows(FlatRows(newCounts, hasHeaders: rows.hasHeaders))
      return try reloadData()
    }
    let listed = Set(changes.insertedRows.lazy.map(\.section))
    var rows = rows
    try performBatch {
      for operation in changes.sequential {
        switch operation {
        case .deleteRow(let path): try removeRow(at: rows.removeRow(at: path))
        case .deleteSection(let section): try removeRows(at: rows.removeSection(section))
        case .insertSection(let section):
          // Its rows follow, or come with it.
          let count = listed.contains(section) ? 0 : newCounts[section]
          try insertRows(at: rows.insertSection(section, rowCount: count))
        case .insertRow(let path, _): try insertRow(at: rows.insertRow(at: path))
        case .moveRow(let from, let to, _):
          try moveRow(at: rows.removeRow(at: from), to: rows.insertRow(at: to))
        case .updateRow, .reset: break
        }
      }
      setRows(rows)
      // A move implies new content, and the view keeps what it has of a row.
      for path in changes.updatedRows.map(\.new) + changes.movedRows.map(\.to) {
        try reloadRow(at: rows.row(of: path))
      }
    }
  }

  private func insertRow(at row: Int) throws { try insertRows(at: row..<row + 1) }
  private func removeRow(at row: Int) throws { try removeRows(at: row..<row + 1) }
}
