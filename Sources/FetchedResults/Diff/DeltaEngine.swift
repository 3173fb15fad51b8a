internal import CountedTrees
internal import SQLiteStorage
internal import SectionedData

/// Finds the difference between two versions from the rows that were touched in between.
///
/// Each touched row is looked up in both snapshots. Rows that are equal in both are skipped. The
/// others are removed from a copy of the index and inserted at their new positions.
///
/// Complexity: O(k log n) for k touched rows.
struct DeltaEngine {
  private let old: ResultsVersion
  private let snapshot: Snapshot
  private let held: HeldStep?

  /// - Parameters:
  ///   - old: the version to start from.
  ///   - snapshot: the version to advance to, with the same schema.
  ///   - held: the rows whose aggregates are held.
  init(from old: ResultsVersion, to snapshot: Snapshot, held: HeldStep? = nil) {
    self.old = old
    self.snapshot = snapshot
    self.held = held
  }

  /// A touched row on one side.
  private struct ChangedRow {
    let key: RowKey
    let observed: ObservedRow
    /// Whether its sort key is the same in both versions.
    var isAtItsPlace = false
  }

  /// Advances to the new version.
  ///
  /// - Parameter keys: a superset of the rows that differ.
  func advance(
    touching keys: Set<RowKey>
  ) throws -> (ResultsVersion, RowDifference) {
    try old.snapshot.readAll(with: snapshot) { oldConnection, newConnection in
      var (removed, inserted) = try compare(keys, oldConnection, newConnection)
      // Not returned if this fails or is interrupted: the cache would belong to neither version.
      let sortKeys = old.takeSortKeys()
      var index = old.index
      var difference = RowDifference()
      if !removed.isEmpty || !inserted.isEmpty {
        let order = old.plan.order
        inserted.sort { order.compare($0.observed.sortKey, $1.observed.sortKey) < 0 }
        let rows: RowOrder
        switch old.index.rows {
        case .keys(let keys):
          (rows, difference) = try edit(
            keys, removed, inserted, oldConnection, newConnection, sortKeys)
        case .chunks(let chunks):
          removed.sort { order.compare($0.observed.sortKey, $1.observed.sortKey) < 0 }
          (rows, difference) = try edit(chunks, removed, inserted, oldConnection, newConnection)
          for row in removed { sortKeys[row.key] = nil }
        }
        var (layout, tornSection) = layout(difference, removed, inserted)
        try respellSections(of: &layout, around: difference, rows, newConnection)
        if let tornSection {
          // The same as that of a fetch.
          let start = layout.sections.weight(before: tornSection)
          let keys = try rows.keys(at: (start - 1)..<(start + 1), old.plan, in: newConnection)
          let section = try old.plan.observe(keys[1], in: newConnection)?.sectionKey
          throw FetchError.tornSection(
            section ?? layout.sections[tornSection].comparedKey, row: keys[1].identity,
            keys[0].identity)
        }
        if !old.plan.parts.totals.terms.isEmpty {
          try TotalsReader(old.plan, in: newConnection).update(&layout)
        }
        index = ResultsIndex(rows: rows, layout: layout)
      }
      return (
        ResultsVersion(
          ResultSource(snapshot, old.plan), index, sortKeys: sortKeys, heldGroups: held?.groups),
        difference
      )
    }
  }

  private func compare(
    _ keys: Set<RowKey>, _ oldConnection: Connection, _ newConnection: Connection
  ) throws -> (removed: [ChangedRow], inserted: [ChangedRow]) {
    let comparison = try RowComparison(of: old, oldConnection, newConnection, held: held)
    defer { comparison.finish() }
    var removed: [ChangedRow] = []
    var inserted: [ChangedRow] = []
    let partitions = try PartitionRows(of: keys, old.plan, oldConnection, newConnection)
    for key in RowKey.ordered(keys) {
      let difference = try partitions.difference(at: key) { try comparison.difference(at: key) }
      guard let difference else { continue }
      if let observed = difference.old { removed.append(ChangedRow(key: key, observed: observed)) }
      if let observed = difference.new {
        if observed.sectionKey == nil, !old.plan.parts.sectioning.isNone {
          throw InexactSearchError.section
        }
        let isAtItsPlace = observed.sortKey == difference.old?.sortKey
        inserted.append(ChangedRow(key: key, observed: observed, isAtItsPlace: isAtItsPlace))
      }
    }
    return (removed, inserted)
  }

  /// The new sections and the new window.
  ///
  /// - Parameters:
  ///   - removed: the rows of the old side.
  ///   - inserted: the rows of the new side, ordered by position.
  /// - Returns: also the section that is torn; nil if none is.
  private func layout(
    _ difference: RowDifference, _ removed: [ChangedRow], _ inserted: [ChangedRow]
  ) -> (ResultsLayout, tornSection: Int?) {
    let plan = old.plan
    var editor = ResultsLayoutEditor(
      old.layout, plan.parts.sectioning, isWindow: plan.parts.isWindow)
    var arguments: [RowKey: [TotalArgument]] = [:]
    if !plan.parts.totals.terms.isEmpty {
      for row in removed { arguments[row.key] = row.observed.totalArguments }
    }
    for row in difference.old.reversed() {
      editor.remove(at: row.position, arguments[row.key] ?? [])
    }
    for (row, place) in zip(inserted, difference.new) {
      editor.insert(
        at: place.position, sectionKey: row.observed.sectionKey, row.observed.totalArguments)
    }
    let layout = editor.finish(plan.parts.window)
    return (layout, editor.tornSection(of: layout))
  }

  /// Sets the keys of the sections whose first row has changed to the key of that row, if keys of one
  /// section can be spelled differently.
  private func respellSections(
    of layout: inout ResultsLayout, around difference: RowDifference, _ rows: RowOrder,
    _ connection: Connection
  ) throws {
    let sectioning = old.plan.parts.sectioning
    if sectioning.isNone { return }
    let oldTaken = PositionSet(difference.oldPositions)
    let newTaken = PositionSet(difference.newPositions)
    // A deleted row may have been the first of a section that the next row is in.
    let followers = difference.old.map { row in
      newTaken.position(ofRank: row.position - oldTaken.count(before: row.position))
    }
    // An inserted row may have divided the section that the next row is in.
    let divided =
      sectioning.isContiguous || !old.plan.parts.isWindow
      ? [] : difference.newPositions.map { $0 + 1 }
    var latest = -1
    for position in (followers + difference.newPositions + divided).sorted()
    where position > latest && position < layout.rowCount {
      latest = position
      let section = layout.sections.position(containingWeight: position).position
      guard layout.sections.weight(before: section) == position,
        sectioning.comparator.hasSpellings(of: layout.sections[section].comparedKey)
      else { continue }
      let key = try rows.keys(at: position..<(position + 1), old.plan, in: connection)[0]
      if let spelling = try old.plan.observe(key, in: connection)?.sectionKey {
        layout.respell(section, as: spelling)
      }
    }
  }
}

// MARK: - Keys

extension DeltaEngine {
  /// Removes rows from the keys of the old version and inserts rows at their new positions.
  ///
  /// - Parameters:
  ///   - removed: the rows of the old side.
  ///   - inserted: the rows of the new side, ascending.
  private func edit(
    _ keys: KeyList, _ removed: [ChangedRow], _ inserted: [ChangedRow],
    _ oldConnection: Connection, _ newConnection: Connection, _ sortKeys: SortKeyCache
  ) throws -> (RowOrder, RowDifference) {
    var difference = RowDifference()
    difference.old = try places(of: removed, in: keys, oldConnection, sortKeys)
    var keys = keys
    for row in difference.old.reversed() { keys.remove(at: row.position) }
    for row in removed { sortKeys[row.key] = nil }
    difference.new = try insert(
      inserted, after: difference.old, into: &keys, newConnection, sortKeys)
    return (.keys(keys), difference)
  }

  /// The old positions of rows, ascending.
  private func places(
    of removed: [ChangedRow], in keys: KeyList, _ connection: Connection,
    _ sortKeys: SortKeyCache
  ) throws -> [RowDifference.KeyPosition] {
    // Each search compares with about a dozen rows. For many rows, one pass over all keys costs
    // less.
    if removed.count > keys.count / 512 {
      return keys.places(of: Set(removed.lazy.map(\.key)))
    }
    let search = try RowSearch(old, in: connection, sortKeys)
    defer { search.finish() }
    var places: [RowDifference.KeyPosition] = []
    places.reserveCapacity(removed.count)
    for row in removed {
      let position = try search.position(
        of: row.key, sortedBy: row.observed.sortKey, in: keys)
      // In a damaged file a row can be found by its key but be missing from the order.
      guard position < keys.count, keys[position] == row.key else {
        throw FetchError.unsteadyOrder
      }
      places.append(RowDifference.KeyPosition(key: row.key, position: position))
    }
    places.sort { $0.position < $1.position }
    return places
  }

  /// Inserts rows at their new positions.
  ///
  /// - Parameters:
  ///   - inserted: the rows, ascending.
  ///   - removed: the removed rows with their old positions.
  /// - Returns: the rows with their new positions, ascending.
  private func insert(
    _ inserted: [ChangedRow], after removed: [RowDifference.KeyPosition],
    into keys: inout KeyList, _ connection: Connection, _ sortKeys: SortKeyCache
  ) throws -> [RowDifference.KeyPosition] {
    let search = try RowSearch(old, in: connection, sortKeys)
    defer { search.finish() }
    // A row with an unchanged sort key still has the same untouched rows before it.
    var ranks: [RowKey: Int] = [:]
    if inserted.contains(where: { $0.isAtItsPlace }) {
      for (index, row) in removed.enumerated() { ranks[row.key] = row.position - index }
    }
    var places: [RowDifference.KeyPosition] = []
    places.reserveCapacity(inserted.count)
    for (index, row) in inserted.enumerated() {
      let rank = row.isAtItsPlace ? ranks[row.key] : nil
      let position =
        try rank.map { $0 + index }
        ?? search.insertionPosition(of: row.observed.sortKey, in: keys)
      keys.insert(row.key, at: position)
      sortKeys[row.key] = row.observed.sortKey
      places.append(RowDifference.KeyPosition(key: row.key, position: position))
    }
    return places
  }
}

// MARK: - Chunks

extension DeltaEngine {
  /// Subtracts rows from the chunks of the old version and adds rows to the chunks of the new
  /// version. The positions of the rows are read from the two snapshots.
  ///
  /// Complexity: O(log n) and half a chunk to read, for each row or for several rows of one chunk.
  ///
  /// - Parameters:
  ///   - removed: the rows of the old side, ascending.
  ///   - inserted: the rows of the new side, ascending.
  private func edit(
    _ chunks: CountedTree<RowChunk>, _ removed: [ChangedRow], _ inserted: [ChangedRow],
    _ oldConnection: Connection, _ newConnection: Connection
  ) throws -> (RowOrder, RowDifference) {
    let plan = old.plan
    // This comes first: in a damaged file a row can be found by its key but be missing from the
    // order.
    let oldPlaces = try ChunkSearch(chunks, plan, in: oldConnection)
      .places(of: removed.map { ($0.key, $0.observed.sortKey) })
    var editor = ChunkEditor(chunks, plan.order, size: plan.parts.chunkPolicy.chunkSize)
    for row in removed { editor.remove(row.observed.sortKey) }
    for row in inserted { editor.insert(row.observed.sortKey) }
    let inside = ChunkSearch(chunks, plan, in: newConnection)
    try editor.finish { try inside.separators(inside: $0, every: $1) }
    let difference = RowDifference(
      old: oldPlaces,
      new: try ChunkSearch(editor.chunks, plan, in: newConnection)
        .places(of: inserted.map { ($0.key, $0.observed.sortKey) }))
    return (.chunks(editor.chunks), difference)
  }
}
