#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A table that shows a batch of changes: UITableView, or the headless one.
///
/// The names are not UITableView's, whose methods animate: a view conforms by calling its own methods.
protocol TableUpdating {
  func reloadData() throws
  /// Makes the updates of `body` as one batch. Deletes are in old coordinates, inserts in new ones.
  func performBatch(_ body: () throws -> Void) throws
  func deleteSections(_ sections: [Int]) throws
  func insertSections(_ sections: [Int]) throws
  func deleteRows(at indexPaths: [IndexPath]) throws
  func insertRows(at indexPaths: [IndexPath]) throws
  func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) throws
  func reloadRows(at indexPaths: [IndexPath]) throws
  /// Draws the headers and footers of sections again, and nothing else. The numbers are new.
  func reloadHeaders(ofSections sections: [Int]) throws
}

extension TableUpdating {
  /// Shows changes of the content. The data source must already have its new state.
  ///
  /// Updated rows are reloaded in the batch. Moved rows are reloaded after it: a table view does not
  /// reload and move a row in one batch, and a move implies new content. The headers of updated sections
  /// are drawn after it too: a reload of a section would reload its rows.
  func show(_ changes: TableChanges) throws { try show(changes, performBatch: performBatch) }

  fileprivate func show(
    _ changes: TableChanges, performBatch: (() throws -> Void) throws -> Void
  ) throws {
    guard !changes.isEmpty else { return }
    if changes.reset != nil { return try reloadData() }
    try performBatch {
      // A call without rows would make a table view lay out for nothing.
      if !changes.deletedSections.isEmpty { try deleteSections(changes.deletedSections) }
      if !changes.insertedSections.isEmpty { try insertSections(changes.insertedSections) }
      if !changes.deletedRows.isEmpty { try deleteRows(at: changes.deletedRows) }
      if !changes.insertedRows.isEmpty { try insertRows(at: changes.insertedRows) }
      for move in changes.movedRows { try moveRow(at: move.from, to: move.to) }
      if !changes.updatedRows.isEmpty { try reloadRows(at: changes.updatedRows.map(\.old)) }
    }
    if !changes.movedRows.isEmpty { try reloadRows(at: changes.movedRows.map(\.to)) }
    if !changes.updatedSections.isEmpty {
      try reloadHeaders(ofSections: changes.updatedSections.map(\.new))
    }
  }
}

extension TableView: TableUpdating {
  func performBatch(_ body: () throws -> Void) throws { try performBatchUpdates(body) }

  /// Reads the titles of sections again, by their new numbers, and makes their views again.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`, `TableUpdateError` of code
  ///   `.updateInProgress` during an update; any error of the data source.
  func reloadHeaders(ofSections sections: [Int]) throws {
    try requireIdle("reload headers")
    for section in sections {
      try TableDataError.requireSection(section, count: titles.count)
      titles[section] = try readTitles(ofSection: section)
      headerViews[section] = nil
      footerViews[section] = nil
    }
  }

  /// Shows changes of the content. The data source must already have its new state.
  ///
  /// ```swift
  /// names.remove(at: 3)
  /// try table.apply(TableChanges(deletedRows: [IndexPath(row: 3, section: 0)]))
  /// ```
  ///
  /// Updated rows are reloaded in the batch. Moved rows are reloaded after it, because a table view does
  /// not reload and move a row in one batch, and a move implies new content. A reset reloads everything.
  ///
  /// Complexity: O(sections + height + k log k) for k events.
  ///
  /// While the table calls its data source, for a cell or in a display event, the changes are deferred. They
  /// are shown, as one batch, before the method of the table that made the call returns; that method also
  /// throws their errors.
  ///
  /// - Throws: `TableUpdateError` if the changes are not legal, by the rules of
  ///   ``TableChanges/validate(oldCounts:newCounts:)``, and of code `.updateInProgress` during an update;
  ///   any error of the data source.
  public func apply(_ changes: TableChanges) throws {
    if case .updating = phase { try requireIdle("apply changes") }
    guard !changes.isEmpty else { return }
    guard phase == .asking || deferredChanges != nil else {
      return try operate { try showNow(changes) }
    }
    deferredChanges = deferredChanges?.followed(by: changes) ?? changes
    // They may have been left over by an operation that failed.
    if phase == .idle { try operate {} }
  }

  /// Calls `action` as soon as the table shows the newest content: now, or when the deferred changes are
  /// shown.
  package func whenIdle(_ action: @escaping () throws -> Void) throws {
    guard phase == .asking || deferredChanges != nil else { return try action() }
    idleActions.append(action)
  }

  /// Runs an operation, and then shows the changes that were made while it ran. An operation inside of
  /// another one is a part of it.
  func operate(_ operation: () throws -> Void) throws {
    guard !isOperating else { return try operation() }
    isOperating = true
    defer { isOperating = false }
    try operation()
    // Showing changes may lead to more of them.
    while true {
      if let changes = deferredChanges {
        deferredChanges = nil
        // The layout has ended early, even if the changes have no effect together.
        if changes.isEmpty { try layout() } else { try showNow(changes) }
      } else if !idleActions.isEmpty {
        try idleActions.removeFirst()()
      } else {
        return
      }
    }
  }

  private func showNow(_ changes: TableChanges) throws {
    // There is no old state. The data source already has the new one.
    guard isLoaded else { return try reloadData() }
    let before = numbersOfRows
    if changes.reset != nil {
      try show(changes)
      return try changes.validate(oldCounts: before, newCounts: numbersOfRows)
    }
    try show(changes) { batch in
      try performBatchUpdates(batch) { try changes.validate(oldCounts: $0, newCounts: $1) }
    }
  }
}
