#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TableView {
  /// Shows what happened to the content, which the data source already has in its new state.
  ///
  /// ```swift
  /// names.remove(at: 3)
  /// try table.apply(TableChanges(deletedRows: [IndexPath(row: 3, section: 0)]))
  /// ```
  ///
  /// Updated rows are reloaded in the batch. Moved rows are reloaded after it, because a table view
  /// does not reload and move a row at once, and a move implies new content. A reset reloads
  /// everything, no changes do nothing.
  ///
  /// Complexity: O(sections + height + k log k) for k events.
  ///
  /// - Throws: `TableUpdateError` where the changes are not legal, as
  ///   ``TableChanges/validate(oldCounts:newCounts:)`` says, and of code `.updateInProgress` during
  ///   an update; what the data source throws.
  public func apply(_ changes: TableChanges) throws {
    try requireIdle("apply changes")
    guard !changes.isEmpty else { return }
    // What the data source has now is the new state: there is nothing to apply them to.
    guard isLoaded else { return try reloadData() }
    let before = counts.rows
    if changes.reset != nil {
      try show(changes)
      return try changes.validate(oldCounts: before, newCounts: counts.rows)
    }
    try CheckedTable(table: self, changes: changes).show(changes)
  }
}

/// A table that refuses a batch which is not legal by the rules of ``TableChanges`` either.
private struct CheckedTable: TableUpdating {
  let table: TableView
  let changes: TableChanges

  func performBatch(_ body: () throws -> Void) throws {
    try table.performBatchUpdates(body) { before, after in
      try changes.validate(oldCounts: before, newCounts: after)
    }
  }

  func reloadData() throws { try table.reloadData() }
  func deleteSections(_ sections: [Int]) throws { try table.deleteSections(sections) }
  func insertSections(_ sections: [Int]) throws { try table.insertSections(sections) }
  func deleteRows(at indexPaths: [IndexPath]) throws { try table.deleteRows(at: indexPaths) }
  func insertRows(at indexPaths: [IndexPath]) throws { try table.insertRows(at: indexPaths) }
  func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) throws {
    try table.moveRow(at: indexPath, to: newIndexPath)
  }
  func reloadRows(at indexPaths: [IndexPath]) throws { try table.reloadRows(at: indexPaths) }
}

/// A table that takes a batch of changes: UITableView, or the headless one.
///
/// The names are not UITableView's, which has animations: a view conforms by calling its own.
protocol TableUpdating {
  func reloadData() throws
  /// Carries out what `body` tells as one batch: what goes at old places, what comes at new ones.
  func performBatch(_ body: () throws -> Void) throws
  func deleteSections(_ sections: [Int]) throws
  func insertSections(_ sections: [Int]) throws
  func deleteRows(at indexPaths: [IndexPath]) throws
  func insertRows(at indexPaths: [IndexPath]) throws
  func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) throws
  func reloadRows(at indexPaths: [IndexPath]) throws
}

extension TableUpdating {
  /// Shows what happened to the content, which the data source already has in its new state.
  ///
  /// Updated rows are reloaded in the batch. Moved rows are reloaded after it: a table view does not
  /// reload and move a row at once, and a move implies new content.
  func show(_ changes: TableChanges) throws {
    guard !changes.isEmpty else { return }
    if changes.reset != nil { return try reloadData() }
    try performBatch {
      // A table view also accepts calls that name no row, and then lays out for nothing.
      if !changes.deletedSections.isEmpty { try deleteSections(changes.deletedSections) }
      if !changes.insertedSections.isEmpty { try insertSections(changes.insertedSections) }
      if !changes.deletedRows.isEmpty { try deleteRows(at: changes.deletedRows) }
      if !changes.insertedRows.isEmpty { try insertRows(at: changes.insertedRows) }
      for move in changes.movedRows { try moveRow(at: move.from, to: move.to) }
      if !changes.updatedRows.isEmpty { try reloadRows(at: changes.updatedRows.map(\.old)) }
    }
    if !changes.movedRows.isEmpty { try reloadRows(at: changes.movedRows.map(\.to)) }
  }
}

extension TableView: TableUpdating {
  func performBatch(_ body: () throws -> Void) throws { try performBatchUpdates(body) }
}
