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

  /// Goes to the new version.
  ///
  /// - Parameter keys: a superset of the rows that differ.
  /// - Throws: `FetchError` of code `.tornSection` or `.invalidKey`, ``KeyIsNoInteger``, and
  ///   `DatabaseError`.
  func advance(
    touching keys: Set<Key>
  ) throws -> (ResultsVersion<Key>, RowDifference<Key>) {
    try old.snapshot.read(with: snapshot) { oldConnection, newConnection in
      let index = try IndexBuilder<Key>(old.plan, in: newConnection, isTracked: true).build()
      let comparison = try RowComparison(of: old, oldConnection, newConnection)
      defer { comparison.finish() }
      let difference = try difference(
        old.index.rows.places(of: keys, old.plan, in: oldConnection),
        index.rows.places(of: keys, old.plan, in: newConnection), comparison)
      let sortKeys = old.takeSortKeys()
      for key in keys { sortKeys.forget(key) }
      let version = old.next(at: snapshot, index: index, sortKeys: sortKeys)
      return (version, difference)
    }
  }

  /// - Parameters:
  ///   - oldRows: the touched rows that are in the old version, ascending.
  ///   - newRows: those that are in the new one.
  @specialized(where Key == Int64)
  private func difference(
    _ oldRows: [RowDifference<Key>.Row], _ newRows: [RowDifference<Key>.Row],
    _ comparison: RowComparison<Key>
  ) throws -> RowDifference<Key> {
    // A row's gap: how many rows before it were not touched.
    var newGaps: [Key: Int] = [:]
    newGaps.reserveCapacity(newRows.count)
    for (index, row) in newRows.enumerated() { newGaps[row.key] = row.position - index }
    var same: Set<Key> = []
    var difference = RowDifference<Key>()
    for (index, row) in oldRows.enumerated() {
      if newGaps[row.key] == row.position - index,
        try comparison.difference(at: row.key) == nil
      {
        same.insert(row.key)
      } else {
        difference.old.append(row)
      }
    }
    difference.new = newRows.filter { !same.contains($0.key) }
    return difference
  }
}
