internal import SQLiteStorage

/// Finds what differs between two versions from the rows that were touched in between, where they
/// are so many that looking for the place of each costs more than reading the order of all again.
///
/// The rows that were not touched stand in the same order in both versions, with gaps between them. A
/// touched row that is in another gap now differs; only one in the same gap has to be read.
///
/// Complexity: O(n) keys read in order, and O(k) rows, for k touched rows.
struct RescanEngine<Key: RowKey> {
  private let old: ResultsVersion<Key>
  private let snapshot: Snapshot

  /// - Parameters:
  ///   - old: the version to start from.
  ///   - snapshot: the version to come to, of the same schema.
  init(from old: ResultsVersion<Key>, to snapshot: Snapshot) {
    self.old = old
    self.snapshot = snapshot
  }

  /// A touched row that is in a version.
  private struct Row {
    let key: Key
    let position: Int
    /// How many rows before it were not touched.
    let gap: Int
  }

  /// Goes to the new version.
  ///
  /// - Parameter keys: a superset of the rows that differ.
  /// - Throws: `FetchError` of code `.tornSection` or `.invalidKey`, ``KeyIsNoInteger``, and
  ///   `DatabaseError`.
  func advance(
    touching keys: Set<Key>
  ) throws -> (ResultsVersion<Key>, RowDifference<Key>) {
    // Always the older snapshot first, so that two threads cannot wait for each other.
    try old.snapshot.read { oldConnection in
      try snapshot.read { newConnection in
        let index = try IndexBuilder<Key>(old.plan, in: newConnection, isTracked: true).build()
        let comparison = try RowComparison(of: old, oldConnection, newConnection)
        defer { comparison.finish() }
        let difference = try difference(
          RescanEngine.rows(keys, in: old.index.rows), RescanEngine.rows(keys, in: index.rows),
          comparison)
        let sortKeys = old.takeSortKeys()
        for key in keys { sortKeys.forget(key) }
        let version = ResultsVersion(
          plan: old.plan, snapshot: snapshot, index: index, sortKeys: sortKeys)
        return (version, difference)
      }
    }
  }

  @specialized(where Key == Int64)
  private static func rows(_ keys: Set<Key>, in rows: CountedTree<Key>) -> [Row] {
    var found: [Row] = []
    var position = 0
    for key in rows.elements() {
      if keys.contains(key) {
        found.append(Row(key: key, position: position, gap: position - found.count))
      }
      position += 1
    }
    return found
  }

  @specialized(where Key == Int64)
  private func difference(
    _ oldRows: [Row], _ newRows: [Row], _ comparison: RowComparison<Key>
  ) throws -> RowDifference<Key> {
    var newGaps: [Key: Int] = [:]
    newGaps.reserveCapacity(newRows.count)
    for row in newRows { newGaps[row.key] = row.gap }
    var same: Set<Key> = []
    var difference = RowDifference<Key>()
    for row in oldRows {
      if newGaps[row.key] == row.gap, try comparison.difference(at: row.key) == nil {
        same.insert(row.key)
      } else {
        difference.old.append(RowDifference.Row(key: row.key, position: row.position))
      }
    }
    for row in newRows where !same.contains(row.key) {
      difference.new.append(RowDifference.Row(key: row.key, position: row.position))
    }
    return difference
  }
}
