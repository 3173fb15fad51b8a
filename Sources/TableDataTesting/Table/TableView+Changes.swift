public import TableData

extension TableView: TableUpdating {
  package func showBatch(_ changes: TableChanges) throws {
    try performBatchUpdates {
      try deleteSections(changes.deletedSections)
      try insertSections(changes.insertedSections)
      try deleteRows(at: changes.deletedRows)
      try insertRows(at: changes.insertedRows)
      for move in changes.movedRows { try moveRow(at: move.from, to: move.to) }
    } checking: {
      try changes.validate(oldCounts: $0, newCounts: $1)
    }
  }

  package func showAgain(rowsAt indexPaths: [IndexPath]) throws {
    let visible = indexPaths.filter { cells[$0] != nil }
    try showAgain(
      rowsAt: visible,
      row: { path in
        // After a change the index path is not right: the updates of these rows are deferred.
        deferredChanges == nil ? try ask { try $0.row(at: path) } : nil
      }, displayed: { $0.displayedRow })
  }

  /// Reads the titles of sections again, by their new numbers, and makes their views again.
  package func showAgain(headersOfSections sections: [Int]) throws {
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
  /// Updated and moved rows keep their cells, which are configured again after the batch: a move implies new
  /// content. A row whose cell is of another kind now is reloaded. A reset reloads everything.
  ///
  /// Complexity: O(sections + height + k log k) for k events.
  ///
  /// While the table calls its data source, for a cell or in a display event, the changes are deferred. They
  /// are shown, as one batch, before the method of the table that made the call returns; that method also
  /// throws their errors.
  ///
  /// - Throws: `TableUpdateError` if the changes are not legal, by the rules of
  ///   `TableChanges.validate(oldCounts:newCounts:)`, and with code `.updateInProgress` during an update;
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
    try show(changes)
    if changes.reset != nil {
      try changes.validate(oldCounts: before, newCounts: numbersOfRows)
    }
  }
}
