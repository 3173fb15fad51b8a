public import TableData

// Deletes, reloads and the sources of moves are in old coordinates, inserts and the targets of moves in
// new ones, in any order of the calls.
extension TableView {
  /// Begins a batch of updates, which ``endUpdates()`` makes. A batch inside another one is a part of
  /// it.
  ///
  /// A table that was never loaded reads the data source now. That is the old state.
  ///
  /// - Throws: `TableUpdateError` with code `.updateInProgress` while the data source is being asked;
  ///   what the data source throws.
  public func beginUpdates() throws {
    switch phase {
    case .asking: throw Self.asking("begin updates")
    case .updating(let depth): phase = .updating(depth: depth + 1)
    case .idle:
      if !isLoaded { try load() }
      updates = TableUpdates()
      phase = .updating(depth: 1)
    }
  }

  /// Ends a batch of updates: asks for the new counts, checks them, and shows the new state.
  ///
  /// - Throws: `TableUpdateError` if the batch is not legal, with the words of UITableView; with code
  ///   `.unbalancedUpdates` without a `beginUpdates`; any error of the data source. The batch is over in any case.
  public func endUpdates() throws {
    try endUpdates(checking: { _, _ in })
  }

  /// Makes a batch of updates. `body` changes the content and calls the methods for the updates.
  ///
  /// - Throws: the same as ``beginUpdates()`` and ``endUpdates()``. Any error of `body`; then the outermost
  ///   batch is dropped.
  public func performBatchUpdates(_ body: () throws -> Void) throws {
    try performBatchUpdates(body, checking: { _, _ in })
  }

  /// Inserts rows, at new index paths.
  ///
  /// - Throws: the same as ``endUpdates()``; inside a batch only `TableUpdateError` with code
  ///   `.updateInProgress`.
  public func insertRows(at indexPaths: [IndexPath]) throws {
    try record("insert rows") { $0.insertedRows += indexPaths }
  }

  /// Deletes the rows at old index paths.
  ///
  /// - Throws: the same as ``insertRows(at:)``.
  public func deleteRows(at indexPaths: [IndexPath]) throws {
    try record("delete rows") { $0.deletedRows += indexPaths }
  }

  /// Makes the cells of rows again, at old index paths.
  ///
  /// - Throws: the same as ``insertRows(at:)``.
  public func reloadRows(at indexPaths: [IndexPath]) throws {
    if phase == .idle, deferUpdates(of: indexPaths) { return }
    try record("reload rows") { $0.reloadedRows += indexPaths }
  }

  /// Configures the cells of rows again, which the rows keep. The index paths are current.
  ///
  /// - Throws: `TableUpdateError` with code `.outOfRange` if a row does not exist, with code `.reconfiguredCell` if a
  ///   row has another kind of cell now, and with code `.updateInProgress` during an update; any error of the data
  ///   source.
  public func reconfigureRows(at indexPaths: [IndexPath]) throws {
    try requireIdle("reconfigure rows")
    for path in indexPaths { try requireRow(at: path, "reconfigure") }
    try operate {
      for (index, path) in indexPaths.enumerated() {
        // A cell that is configured may change the content.
        if deferUpdates(of: Array(indexPaths[index...])) { return }
        guard cells[path] != nil else { continue }
        reconfigured = [path]
        defer { reconfigured = [] }
        _ = try ask { try makeCell(for: $0.row(at: path), at: path, prepared: &prepared) }
      }
    }
  }

  /// Defers updates of rows if the content has changed since their index paths were right.
  private func deferUpdates(of indexPaths: [IndexPath]) -> Bool {
    guard let next = deferredChanges else { return false }
    let updates = indexPaths.map { TableChanges.Update(old: $0, new: $0) }
    deferredChanges = TableChanges(updatedRows: updates).followed(by: next)
    return true
  }

  /// Moves a row from an old to a new index path. It keeps its cell.
  ///
  /// - Throws: the same as ``insertRows(at:)``.
  public func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) throws {
    try record("move a row") {
      $0.movedRows.append(TableChanges.Move(from: indexPath, to: newIndexPath))
    }
  }

  /// Inserts sections with all their rows, at new numbers.
  ///
  /// - Throws: the same as ``insertRows(at:)``.
  public func insertSections(_ sections: [Int]) throws {
    try record("insert sections") { $0.insertedSections += sections }
  }

  /// Deletes the sections with these old numbers, with all their rows.
  ///
  /// - Throws: the same as ``insertRows(at:)``.
  public func deleteSections(_ sections: [Int]) throws {
    try record("delete sections") { $0.deletedSections += sections }
  }

  /// Reads the sections with these old numbers again. Their numbers of rows may have changed.
  ///
  /// - Throws: the same as ``insertRows(at:)``.
  public func reloadSections(_ sections: [Int]) throws {
    try record("reload sections") { $0.reloadedSections += sections }
  }

  /// Moves a section with its rows from an old to a new number.
  ///
  /// - Throws: the same as ``insertRows(at:)``.
  public func moveSection(_ section: Int, toSection newSection: Int) throws {
    try record("move a section") {
      $0.movedSections.append((from: section, to: newSection))
    }
  }
}

extension TableView {
  typealias CountsCheck = (_ before: [Int], _ after: [Int]) throws -> Void

  func performBatchUpdates(_ body: () throws -> Void, checking: CountsCheck) throws {
    try beginUpdates()
    do {
      try body()
    } catch {
      updates = TableUpdates()
      phase = .idle
      throw error
    }
    try endUpdates(checking: checking)
  }

  private func record(_ action: String, _ change: (inout TableUpdates) -> Void) throws {
    switch phase {
    case .asking: throw Self.asking(action)
    case .updating: change(&updates)
    case .idle: try performBatchUpdates { change(&updates) }
    }
  }

  private func endUpdates(checking: CountsCheck) throws {
    switch phase {
    case .asking: throw Self.asking("end updates")
    case .idle:
      throw TableUpdateError(.unbalancedUpdates, "endUpdates without a beginUpdates before it")
    case .updating(let depth) where depth > 1: phase = .updating(depth: depth - 1)
    case .updating:
      phase = .idle
      let finished = updates
      updates = TableUpdates()
      try operate { try perform(finished, checking: checking) }
    }
  }

  /// The titles of the sections that stay, and those of inserted and reloaded sections, read again.
  private func titles(
    after map: IndexPathMap, count: Int, reloaded: [Int]
  ) throws -> [(header: String?, footer: String?)] {
    let reloaded = Set(reloaded)
    var oldNumbers = [Int?](repeating: nil, count: count)
    for old in titles.indices where !reloaded.contains(old) {
      if let new = map.newSection(of: old) { oldNumbers[new] = old }
    }
    return try oldNumbers.enumerated().map { new, old in
      if let old { titles[old] } else { try readTitles(ofSection: new) }
    }
  }

  private func perform(_ updates: TableUpdates, checking: CountsCheck) throws {
    let before = numbersOfRows
    let after = try readCounts()
    let map = try updates.checked(before: before, after: after)
    try checking(before, after)
    titles = try titles(after: map, count: after.count, reloaded: updates.reloadedSections)
    rows = FlatRows(rowCounts: after)

    let reloaded = Set(updates.reloadedRows)
    var kept: [IndexPath: TableViewCell] = [:]
    var removed: [TableViewCell] = []
    for (path, cell) in cells {
      if let newPath = map.newIndexPath(of: path), !reloaded.contains(path) {
        kept[newPath] = cell
        cell.indexPath = newPath
      } else {
        removed.append(cell)
      }
    }
    cells = kept
    // Removed cells are not reused for the new rows: on a screen they would still fade out.
    defer { recycle(removed) }
    for views in [\TableView.headerViews, \.footerViews] {
      self[keyPath: views] = Dictionary(
        self[keyPath: views].compactMap { section, view in
          updates.reloadedSections.contains(section)
            ? nil : map.newSection(of: section).map { ($0, view) }
        }, uniquingKeysWith: { first, _ in first })
    }
    try updateSelection(with: map)
    endDisplaying(removed)
    try layout()
  }
}
