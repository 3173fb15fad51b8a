internal import SQLiteStorage

/// Finds the difference between two versions from the rows that were touched in between, if they
/// are many: searching the position of each would cost more than reading the whole order again.
///
/// The untouched rows are in the same order in both versions, with gaps between them. A touched row
/// that is in another gap now differs. Only a row in the same gap has to be read.
///
/// Complexity: O(n) keys read in order, and O(k) rows, for k touched rows.
struct RescanEngine<Key: RowKey> {
  private let old: ResultsVersion<Key>
  private let snapshot: Snapshot

  /// - Parameters:
  ///   - old: the version to start from.
  ///   - snapshot: the version to advance to, with the same schema.
  init(from old: ResultsVersion<Key>, to snapshot: Snapshot) {
    self.old = old
    self.snapshot = snapshot
  }

  /// Advances to the new version.
  ///
  /// - Parameter keys: a superset of the rows that differ.
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
      return (
        ResultsVersion(ResultSource(snapshot, old.plan), index, sortKeys: sortKeys), difference
      )
    }
  }

  /// - Parameters:
  ///   - oldRows: the touched rows that are in the old version, ascending.
  ///   - newRows: the touched rows that are in the new version, ascending.
  @specialized(where Key == Int64)
  private func difference(
    _ oldRows: [RowDifference<Key>.KeyPosition], _ newRows: [RowDifference<Key>.KeyPosition],
    _ comparison: RowComparison<Key>
  ) throws -> RowDifference<Key> {
    // The gap of a row is the number of untouched rows before it.
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
