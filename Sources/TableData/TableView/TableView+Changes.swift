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
    if changes.reset != nil {
      let before = counts.rows
      try reloadData()
      return try changes.validate(oldCounts: before, newCounts: counts.rows)
    }
    try performBatchUpdates {
      try deleteSections(changes.deletedSections)
      try insertSections(changes.insertedSections)
      try deleteRows(at: changes.deletedRows)
      try insertRows(at: changes.insertedRows)
      for move in changes.movedRows { try moveRow(at: move.from, to: move.to) }
      try reloadRows(at: changes.updatedRows.map(\.old))
    } checking: { before, after in
      try changes.validate(oldCounts: before, newCounts: after)
    }
    if !changes.movedRows.isEmpty { try reloadRows(at: changes.movedRows.map(\.to)) }
  }
}
