#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// All deletes, reloads and places to move from are old coordinates, all inserts and places to move
// to are new ones, in whatever order they are told.
extension TableView {
  /// Begins a batch of updates, which ``endUpdates()`` carries out. A batch inside of another one is
  /// a part of it.
  ///
  /// A table that was never loaded reads the data source now: what it has at this moment is the old
  /// state.
  ///
  /// - Throws: `TableUpdateError` of code `.updateInProgress` while the data source is being asked;
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
  /// - Throws: `TableUpdateError` where the batch is not legal, in UITableView's words; of code
  ///   `.unbalancedUpdates` without a `beginUpdates`; of `.wrongCell`. What the data source throws.
  ///   The batch is over in any case.
  public func endUpdates() throws {
    try endUpdates(checking: { _, _ in })
  }

  /// Carries out a batch of updates: the data source changes and the table is told, both in `body`.
  ///
  /// - Throws: as ``beginUpdates()`` and ``endUpdates()``. What `body` throws: then nothing of the
  ///   outermost batch is carried out.
  public func performBatchUpdates(_ body: () throws -> Void) throws {
    try performBatchUpdates(body, checking: { _, _ in })
  }

  /// Inserts rows, at new places.
  ///
  /// - Throws: outside of a batch as ``endUpdates()``; in one only `TableUpdateError` of code
  ///   `.updateInProgress`.
  public func insertRows(at indexPaths: [IndexPath]) throws {
    try record("insert rows") { $0.insertedRows += indexPaths }
  }

  /// Deletes the rows at old places.
  ///
  /// - Throws: as ``insertRows(at:)``.
  public func deleteRows(at indexPaths: [IndexPath]) throws {
    try record("delete rows") { $0.deletedRows += indexPaths }
  }

  /// Asks for the cells of rows anew, at old places.
  ///
  /// - Throws: as ``insertRows(at:)``.
  public func reloadRows(at indexPaths: [IndexPath]) throws {
    try record("reload rows") { $0.reloadedRows += indexPaths }
  }

  /// Moves a row from an old to a new place. It keeps its cell, which is not asked for anew.
  ///
  /// - Throws: as ``insertRows(at:)``.
  public func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) throws {
    try record("move a row") {
      $0.movedRows.append(TableChanges.Move(from: indexPath, to: newIndexPath))
    }
  }

  /// Inserts sections, with all rows they have, at new numbers.
  ///
  /// - Throws: as ``insertRows(at:)``.
  public func insertSections(_ sections: [Int]) throws {
    try record("insert sections") { $0.insertedSections += sections }
  }

  /// Deletes the sections of old numbers, with all their rows.
  ///
  /// - Throws: as ``insertRows(at:)``.
  public func deleteSections(_ sections: [Int]) throws {
    try record("delete sections") { $0.deletedSections += sections }
  }

  /// Asks for the sections of old numbers anew, however many rows they have now.
  ///
  /// - Throws: as ``insertRows(at:)``.
  public func reloadSections(_ sections: [Int]) throws {
    try record("reload sections") { $0.reloadedSections += sections }
  }

  /// Moves a section with its rows from an old to a new number.
  ///
  /// - Throws: as ``insertRows(at:)``.
  public func moveSection(_ section: Int, toSection newSection: Int) throws {
    try record("move a section") {
      $0.movedSections.append(TableUpdates.SectionMove(from: section, to: newSection))
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
      try carryOut(finished, checking: checking)
    }
  }

  private func carryOut(_ updates: TableUpdates, checking: CountsCheck) throws {
    let after = try countsOfDataSource()
    let map = try updates.checked(before: counts.rows, after: after)
    try checking(counts.rows, after)
    counts = RowCounts(after)

    let reloaded = Set(updates.reloadedRows)
    var kept: [IndexPath: TableViewCell] = [:]
    var removed: [TableViewCell] = []
    for (path, cell) in cells {
      if let place = map.newPlace(of: path), !reloaded.contains(path) {
        kept[place] = cell
        cell.indexPath = place
      } else {
        removed.append(cell)
      }
    }
    cells = kept
    // The old cells go only now, as on a screen, where they fade out while the new ones come.
    defer { retire(removed) }
    try followSelection(with: map)
    try layout()
  }
}
