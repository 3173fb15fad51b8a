public import TableData

// A selected row stays selected when an update moves it. If the data source has identities, it also stays
// selected after a reload, and when it is deleted and inserted in one batch.
extension TableView {
  /// The selected rows, from top to bottom.
  public var indexPathsForSelectedRows: [IndexPath] { selection.map(\.indexPath).sorted() }

  /// The first selected row; nil if there is none.
  public var indexPathForSelectedRow: IndexPath? { selection.map(\.indexPath).min() }

  /// Selects a row. Other rows stay selected if ``allowsMultipleSelection`` is true.
  ///
  /// - Throws: `TableUpdateError` with code `.outOfRange` if the row does not exist, and with code
  ///   `.updateInProgress` during an update; any error of the data source.
  public func selectRow(at indexPath: IndexPath) throws {
    try requireIdle("select a row")
    try requireRow(at: indexPath, "select")
    let identity = identity(at: indexPath)
    if !allowsMultipleSelection { selection = [] }
    selection.removeAll { $0.indexPath == indexPath }
    selection.append((indexPath, identity))
    markSelectedCells()
  }

  /// Deselects a row. It does nothing if the row is not selected.
  ///
  /// - Throws: `TableUpdateError` with code `.updateInProgress` during an update.
  public func deselectRow(at indexPath: IndexPath) throws {
    try requireIdle("deselect a row")
    selection.removeAll { $0.indexPath == indexPath }
    markSelectedCells()
  }

  /// Finds the selected rows in the new state. Rows that are not found are deselected.
  ///
  /// - Parameter map: the new index paths; nil after a reload.
  func updateSelection(with map: IndexPathMap?) throws {
    selection = try selection.compactMap { row in
      let path = map?.newIndexPath(of: row.indexPath)
      guard let identity = row.identity else { return path.map { ($0, nil) } }
      if let path {
        let current = self.identity(at: path)
        // A row that moves to another component stays the same row, and has another identity there.
        if current == identity || map?.moves(row.indexPath) == true {
          return (path, current ?? identity)
        }
      }
      let found = try ask { try $0.indexPath(forIdentity: identity) } ?? nil
      guard let found, rows.contains(found) else { return nil }
      return (found, identity)
    }
  }

  /// The identity of a row; nil for one that cannot be read, which may still be found by its identity.
  private func identity(at indexPath: IndexPath) -> AnyHashable? {
    do {
      return try ask { try $0.row(at: indexPath).identity } ?? nil
    } catch {
      // The error of that row alone: it is thrown again where the row gets its cell.
      return nil
    }
  }

  func markSelectedCells() {
    let selected = Set(selection.map(\.indexPath))
    for (path, cell) in cells { cell.isSelected = selected.contains(path) }
  }
}

extension TableView: SelectableTable {
  package var selectedRows: [IndexPath] { indexPathsForSelectedRows }
  package func select(_ indexPath: IndexPath) throws { try selectRow(at: indexPath) }
  package func deselect(_ indexPath: IndexPath) throws { try deselectRow(at: indexPath) }
}
