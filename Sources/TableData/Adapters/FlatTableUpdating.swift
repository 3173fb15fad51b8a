#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A view without sections that takes one change at a time, as NSTableView does.
protocol FlatTableUpdating {
  func reloadData() throws
  /// Animates the changes that `body` makes together.
  func performBatch(_ body: () throws -> Void) throws
  func insertRows(at positions: Range<Int>) throws
  func removeRows(at positions: Range<Int>) throws
  /// - Parameter newPosition: the position after the row is taken out.
  func moveRow(at position: Int, to newPosition: Int) throws
  func reloadRow(at position: Int) throws
}

extension FlatTableUpdating {
  /// Shows changes of the content, step by step.
  ///
  /// - Parameters:
  ///   - rows: the lines that the view shows.
  ///   - newCounts: the new number of rows of each section.
  ///   - header: the header of inserted sections; nil for none.
  ///   - setRows: takes the new lines, before the view asks for any of them.
  func show<Header>(
    _ changes: TableChanges, in rows: FlatRows<Header>, newCounts: [Int], header: Header?,
    setRows: (FlatRows<Header>) -> Void
  ) throws {
    guard !changes.isEmpty else { return }
    if changes.reset != nil {
      setRows(FlatRows(rowCounts: newCounts, headers: newCounts.map { _ in header }))
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
          // The rows follow one by one, unless the changes do not list them.
          let count = listed.contains(section) ? 0 : newCounts[section]
          try insertRows(at: rows.insertSection(section, rowCount: count, header: header))
        case .insertRow(let path, _): try insertRow(at: rows.insertRow(at: path))
        case .moveRow(let from, let to, _):
          try moveRow(at: rows.removeRow(at: from), to: rows.insertRow(at: to))
        case .updateSection, .updateRow, .reset: break
        }
      }
      setRows(rows)
      for section in changes.updatedSections.map(\.new) {
        if let position = rows.position(of: .header(section)) { try reloadRow(at: position) }
      }
      // A move implies new content, and the view keeps the old content of a moved row.
      for path in changes.updatedRows.map(\.new) + changes.movedRows.map(\.to) {
        try reloadRow(at: rows.position(of: path))
      }
    }
  }

  private func insertRow(at position: Int) throws {
    try insertRows(at: position..<position + 1)
  }

  private func removeRow(at position: Int) throws {
    try removeRows(at: position..<position + 1)
  }
}
