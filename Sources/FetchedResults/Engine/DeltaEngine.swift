internal import SQLiteStorage

/// Finds what differs between two versions from the rows that were touched in between.
///
/// Each touched row is asked for in both snapshots. Where the answers are the same nothing happened
/// to it; the others are taken out of a copy of the index and put in again where they belong now.
///
/// Complexity: O(k log n) for k touched rows.
struct DeltaEngine<Key: RowKey> {
  private let old: ResultsVersion<Key>
  private let snapshot: Snapshot

  /// - Parameters:
  ///   - old: the version to start from.
  ///   - snapshot: the version to come to, of the same schema.
  init(from old: ResultsVersion<Key>, to snapshot: Snapshot) {
    self.old = old
    self.snapshot = snapshot
  }

  /// A touched row on one side.
  private struct Row {
    let key: Key
    let observed: ObservedRow
    /// Whether it sorts as it did in the old version.
    var isAtItsPlace = false
  }

  /// Goes to the new version.
  ///
  /// - Parameter keys: a superset of the rows that differ, each once.
  /// - Throws: `FetchError` of code `.tornSection` or `.invalidKey`, and `DatabaseError`.
  @specialized(where Key == Int64)
  func advance(
    touching keys: Set<Key>
  ) throws -> (ResultsVersion<Key>, RowDifference<Key>) {
    try old.snapshot.read(with: snapshot) { oldConnection, newConnection in
      let (gone, come) = try compare(keys, oldConnection, newConnection)
      // Not given back when this fails: they would be of neither version.
      let sortKeys = old.takeSortKeys()
      var difference = RowDifference<Key>()
      var index = old.index
      if !gone.isEmpty || !come.isEmpty {
        var editor = ResultsIndexEditor(old.index, old.plan.sectioning)
        difference.old = try places(of: gone, oldConnection, sortKeys)
        for row in difference.old.reversed() { editor.remove(at: row.position) }
        for row in gone { sortKeys.forget(row.key) }
        difference.new = try insert(
          come, after: difference.old, into: &editor, newConnection, sortKeys)
        index = editor.finish(offset: old.plan.offset, limit: old.plan.limit)
        try respellSections(of: &index, around: difference, newConnection)
      }
      let version = ResultsVersion(
        plan: old.plan, snapshot: snapshot, index: index, sortKeys: sortKeys)
      return (version, difference)
    }
  }

  private func compare(
    _ keys: Set<Key>, _ oldConnection: Connection, _ newConnection: Connection
  ) throws -> (gone: [Row], come: [Row]) {
    let comparison = try RowComparison(of: old, oldConnection, newConnection)
    defer { comparison.finish() }
    var gone: [Row] = []
    var come: [Row] = []
    for key in keys {
      guard let difference = try comparison.difference(at: key) else { continue }
      if let observed = difference.old { gone.append(Row(key: key, observed: observed)) }
      if let observed = difference.new {
        let isAtItsPlace = observed.sortKey == difference.old?.sortKey
        come.append(Row(key: key, observed: observed, isAtItsPlace: isAtItsPlace))
      }
    }
    return (gone, come)
  }

  /// The old places of rows, ascending.
  @specialized(where Key == Int64)
  private func places(
    of gone: [Row], _ connection: Connection, _ sortKeys: SortKeys<Key>
  ) throws -> [RowDifference<Key>.Row] {
    let rows = old.index.rows
    // A search passes a dozen rows on its way; passing all of them costs less than that each.
    if gone.count > rows.count / 512 { return rows.places(of: Set(gone.lazy.map { $0.key })) }
    let search = try RowSearch(old, in: connection, sortKeys)
    defer { search.finish() }
    var places: [RowDifference<Key>.Row] = []
    places.reserveCapacity(gone.count)
    for row in gone {
      let position = try search.position(of: row.key, sortedBy: row.observed.sortKey, in: rows)
      places.append(RowDifference.Row(key: row.key, position: position))
    }
    places.sort { $0.position < $1.position }
    return places
  }

  /// Puts rows in where they belong now.
  ///
  /// - Parameter gone: the rows that have been taken out, with their old places.
  /// - Returns: the new places, ascending.
  @specialized(where Key == Int64)
  private func insert(
    _ come: [Row], after gone: [RowDifference<Key>.Row], into editor: inout ResultsIndexEditor<Key>,
    _ connection: Connection, _ sortKeys: SortKeys<Key>
  ) throws -> [RowDifference<Key>.Row] {
    let search = try RowSearch(old, in: connection, sortKeys)
    defer { search.finish() }
    // A row that sorts as it did has the untouched rows before it that it had.
    var ranks: [Key: Int] = [:]
    if come.contains(where: { $0.isAtItsPlace }) {
      for (index, row) in gone.enumerated() { ranks[row.key] = row.position - index }
    }
    let order = old.plan.order
    let rows = come.sorted { order.compare($0.observed.sortKey, $1.observed.sortKey) < 0 }
    var places: [RowDifference<Key>.Row] = []
    places.reserveCapacity(rows.count)
    for (index, row) in rows.enumerated() {
      let rank = row.isAtItsPlace ? ranks[row.key] : nil
      let position =
        try rank.map { $0 + index }
        ?? search.insertionPosition(of: row.observed.sortKey, in: editor.rows)
      let sectionKey = row.observed.sectionKey
      guard editor.insert(row.key, at: position, sectionKey: sectionKey) else {
        throw FetchError.tornSection(sectionKey ?? KeyTuple([.null]), row: row.key.identity, nil)
      }
      sortKeys.remember(row.observed.sortKey, of: row.key)
      places.append(RowDifference.Row(key: row.key, position: position))
    }
    return places
  }

  /// Gives the sections around rows that differ the key of their first row, where keys that are one
  /// section may be spelled differently.
  private func respellSections(
    of index: inout ResultsIndex<Key>, around difference: RowDifference<Key>,
    _ connection: Connection
  ) throws {
    guard case .sql(_, let comparator, _) = old.plan.sectioning else { return }
    if case .binary = comparator { return }
    let oldTaken = Positions(difference.oldPositions)
    let newTaken = Positions(difference.newPositions)
    // A row that went may have been the first of a section that a neighbour of its place is in.
    let ranks = difference.old.map { $0.position - oldTaken.count(before: $0.position) }
    let neighbours = ranks.flatMap { rank in
      [rank - 1, rank].map { $0 < 0 ? -1 : newTaken.position(ofRank: $0) }
    }
    let positions = neighbours + difference.newPositions
    var keys: [Int: KeyTuple] = [:]
    for position in positions where 0..<index.rows.count ~= position {
      let section = index.sections.position(containingWeight: position).position
      guard keys[section] == nil else { continue }
      let first = index.rows[index.sections.weight(before: section)]
      let observed = try old.plan.observe(first, in: connection)
      keys[section] = observed?.sectionKey
    }
    index.respellSections(keys)
  }
}
