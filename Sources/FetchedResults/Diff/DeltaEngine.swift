internal import SQLiteStorage
internal import TableData

/// Finds the difference between two versions from the rows that were touched in between.
///
/// Each touched row is looked up in both snapshots. Rows that are equal in both are skipped. The
/// others are removed from a copy of the index and inserted at their new positions.
///
/// Complexity: O(k log n) for k touched rows.
struct DeltaEngine<Key: RowKey> {
  let old: ResultsVersion<Key>
  private let snapshot: Snapshot

  /// - Parameters:
  ///   - old: the version to start from.
  ///   - snapshot: the version to advance to, with the same schema.
  init(from old: ResultsVersion<Key>, to snapshot: Snapshot) {
    self.old = old
    self.snapshot = snapshot
  }

  /// A touched row on one side.
  struct Row {
    let key: Key
    let observed: ObservedRow
    /// Whether its sort key is the same in both versions.
    var isAtItsPlace = false
  }

  /// Advances to the new version.
  ///
  /// - Parameter keys: a superset of the rows that differ.
  /// - Throws: `FetchError` of code `.tornSection` or `.invalidKey`, and `DatabaseError`.
  @specialized(where Key == Int64)
  func advance(
    touching keys: Set<Key>
  ) throws -> (ResultsVersion<Key>, RowDifference<Key>) {
    try old.snapshot.read(with: snapshot) { oldConnection, newConnection in
      var (gone, come) = try compare(keys, oldConnection, newConnection)
      // Not returned if this fails: the cache would belong to neither version.
      let sortKeys = old.takeSortKeys()
      var index = old.index
      var difference = RowDifference<Key>()
      if !gone.isEmpty || !come.isEmpty {
        let order = old.plan.order
        come.sort { order.compare($0.observed.sortKey, $1.observed.sortKey) < 0 }
        let rows: RowOrder<Key>
        switch old.index.rows {
        case .identities(let identities):
          (rows, difference) = try edit(
            identities, gone, come, oldConnection, newConnection, sortKeys)
        case .chunks(let chunks):
          gone.sort { order.compare($0.observed.sortKey, $1.observed.sortKey) < 0 }
          (rows, difference) = try edit(chunks, gone, come, oldConnection, newConnection)
          for row in gone { sortKeys.forget(row.key) }
        }
        var layout = try layout(difference, come)
        try respellSections(of: &layout, around: difference, rows, newConnection)
        index = ResultsIndex(rows: rows, layout: layout)
      }
      let version = old.next(at: snapshot, index: index, sortKeys: sortKeys)
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

  /// The new sections and the new window.
  ///
  /// - Parameter come: the rows of the new side, ordered by position.
  private func layout(_ difference: RowDifference<Key>, _ come: [Row]) throws -> ResultsLayout {
    var editor = ResultsLayoutEditor(old.index.layout, old.plan.sectioning)
    for row in difference.old.reversed() { editor.remove(at: row.position) }
    for (row, place) in zip(come, difference.new) {
      let sectionKey = row.observed.sectionKey
      guard editor.insert(at: place.position, sectionKey: sectionKey) else {
        throw FetchError.tornSection(sectionKey ?? KeyTuple([.null]), row: row.key.identity, nil)
      }
    }
    return editor.finish(offset: old.plan.offset, limit: old.plan.limit)
  }

  /// Sets the keys of the sections around changed rows to the key of their first row, if keys of
  /// one section can be spelled differently.
  private func respellSections(
    of layout: inout ResultsLayout, around difference: RowDifference<Key>, _ rows: RowOrder<Key>,
    _ connection: Connection
  ) throws {
    guard case .sql(_, let comparator, _) = old.plan.sectioning else { return }
    if case .binary = comparator { return }
    let oldTaken = PositionSet(difference.oldPositions)
    let newTaken = PositionSet(difference.newPositions)
    // A deleted row may have been the first of a section that the next row is in.
    let followers = difference.old.map { row in
      newTaken.position(ofRank: row.position - oldTaken.count(before: row.position))
    }
    let positions = followers + difference.newPositions
    var keys: [Int: KeyTuple] = [:]
    for position in positions where 0..<layout.rowCount ~= position {
      let section = layout.sections.position(containingWeight: position).position
      guard keys[section] == nil else { continue }
      let first = layout.sections.weight(before: section)
      let key = try rows.keys(at: first..<(first + 1), old.plan, in: connection)[0]
      let observed = try old.plan.observe(key, in: connection)
      keys[section] = observed?.sectionKey
    }
    layout.respellSections(keys)
  }
}
