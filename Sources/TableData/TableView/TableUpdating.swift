#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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
