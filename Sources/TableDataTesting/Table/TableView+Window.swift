public import TableData

extension TableView {
  /// Scrolls. An offset out of range is limited to the content.
  ///
  /// - Parameter rows: the number of rows, without headers, before the window.
  /// - Throws: `TableUpdateError` with code `.updateInProgress` during an update; any error of the data source.
  public func setContentOffset(_ rows: Int) throws {
    try requireIdle("scroll")
    try operate {
      contentOffset = rows
      try layout()
    }
  }

  /// Sets the number of rows that fit into the window. A number below 0 counts as 0.
  ///
  /// - Throws: the same as ``setContentOffset(_:)``.
  public func setHeight(_ rows: Int) throws {
    try requireIdle("change the height")
    try operate {
      height = max(0, rows)
      try layout()
    }
  }

  /// Scrolls a row to the top of the window, or as far as the end of the content allows.
  ///
  /// - Throws: `TableUpdateError` with code `.outOfRange` if the row does not exist; else as
  ///   ``setContentOffset(_:)``.
  public func scrollToRow(at indexPath: IndexPath) throws {
    try requireIdle("scroll")
    try requireRow(at: indexPath, "scroll to")
    try setContentOffset(rows.position(of: indexPath))
  }

  func requireRow(at indexPath: IndexPath, _ action: String) throws {
    guard rows.contains(indexPath) else {
      throw TableUpdateError(
        .outOfRange,
        "attempt to \(action) the row (\(indexPath.uikitDescription)), which does not exist: the "
          + "sections have \(numbersOfRows) rows")
    }
  }

  /// Makes cells for the rows in the window, and removes all others. O(height log sections).
  ///
  /// It ends early if the content changes in the meantime. It is called again when the changes are shown.
  func layout() throws {
    guard deferredChanges == nil else { return }
    contentOffset = max(0, min(contentOffset, rows.count - height))
    let end = min(contentOffset + height, rows.count)
    let window = (contentOffset..<end).compactMap { position in
      if case .row(let path)? = rows.line(at: position) { path } else { nil }
    }
    let visible = Set(window)
    let hidden = cells.filter { !visible.contains($0.key) }
    for path in hidden.keys { cells[path] = nil }
    let number = dataSourceNumber
    endDisplaying(hidden.values)
    recycle(Array(hidden.values))
    var made: [IndexPath: TableRow] = [:]
    var failure: (any Error)?
    for path in window where cells[path] == nil {
      guard isUnchanged(since: number) else { break }
      let cell: TableViewCell?
      do {
        cell = try ask { source in
          let row = try source.row(at: path)
          made[path] = row
          return try makeCell(for: row, at: path, prepared: &prepared)
        }
      } catch {
        // As on a screen, the row has an empty cell, and the others are shown.
        if let reportCellError { reportCellError(error) } else { failure = failure ?? error }
        cell = TableViewCell(reuseIdentifier: nil)
        cell?.isSubstitute = true
      }
      guard let cell, number == dataSourceNumber else { continue }
      cell.indexPath = path
      cells[path] = cell
    }
    markSelectedCells()
    for path in window {
      guard isUnchanged(since: number) else { break }
      guard let cell = cells[path], cell.displayedRow == nil, !cell.isSubstitute else { continue }
      try ask {
        // If the cell was made in an earlier layout, the row may have changed since.
        let row = try (made[path] ?? $0.row(at: path)).identified()
        cell.displayedRow = row
        try row.willDisplay()
      }
    }
    if let failure { throw failure }
  }

  /// Runs an operation, and calls `report` with each error of making a cell. Other errors are thrown.
  package func reportingCellErrors(
    to report: @escaping (any Error) -> Void, _ operation: () throws -> Void
  ) rethrows {
    let before = reportCellError
    reportCellError = report
    defer { reportCellError = before }
    try operation()
  }

  /// Whether the data source is the same as before, and has not changed its content.
  private func isUnchanged(since number: Int) -> Bool {
    deferredChanges == nil && number == dataSourceNumber
  }

  /// Notifies the data source of cells that are removed from the table.
  func endDisplaying(_ cells: some Sequence<TableViewCell>) {
    for cell in cells { ask { _ in cell.endDisplaying() } }
  }
}
