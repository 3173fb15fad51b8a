internal import SQLiteStorage
internal import TableData

/// Finds keys and positions in a result whose index holds chunks. It reads the rows of a chunk,
/// starting at the chunk's fence.
struct ChunkSearch<Key: RowKey> {
  private let chunks: CountedTree<RowChunk>
  private let plan: QueryPlan
  private let followingRows: KeysetQuery
  private let connection: Connection

  /// - Parameter connection: a connection that sees the version with these chunks.
  init(_ chunks: CountedTree<RowChunk>, _ plan: QueryPlan, in connection: Connection) {
    guard let followingRows = plan.followingRows else {
      preconditionFailure("chunks are only held where the rows that follow a place can be read")
    }
    self.chunks = chunks
    self.plan = plan
    self.followingRows = followingRows
    self.connection = connection
  }

  /// The keys at some positions of the whole order.
  ///
  /// Complexity: O(log n), and O(1) for each row of the positions and of half a chunk.
  ///
  /// - Throws: `FetchError` of code `.vanishedRow`, and `DatabaseError`.
  func keys(at positions: Range<Int>) throws -> [Key] {
    guard !positions.isEmpty else { return [] }
    let (chunk, offset) = chunks.position(containingWeight: positions.lowerBound)
    var passed = 0
    var keys: [Key] = []
    keys.reserveCapacity(positions.count)
    try forEachRow(from: chunks[chunk].fence) { row, key in
      passed += 1
      if passed > offset { keys.append(key) }
      return keys.count < positions.count
    }
    guard keys.count == positions.count else { throw FetchError.unsteadyOrder }
    return keys
  }

  /// The positions of some rows in the whole order.
  ///
  /// Complexity: O(log n) and O(1) for each row of half a chunk, for each chunk with such rows.
  ///
  /// - Parameter rows: rows of this version, ascending.
  /// - Throws: `FetchError` of code `.vanishedRow`, and `DatabaseError`.
  func places(of rows: [(key: Key, sortKey: KeyTuple)]) throws -> [RowDifference<Key>.Row] {
    var places: [RowDifference<Key>.Row] = []
    places.reserveCapacity(rows.count)
    while places.count < rows.count {
      let chunk = chunks.position(of: rows[places.count].sortKey, in: plan.order)
      let upTo = rows[places.count...].partitionPoint { isInFront($0.sortKey, ofEnd: chunk) }
      var position = chunks.weight(before: chunk)
      try forEachRow(from: chunks[chunk].fence) { _, key in
        if rows[places.count].key == key {
          places.append(RowDifference.Row(key: key, position: position))
        }
        position += 1
        return places.count < upTo
      }
      guard places.count == upTo else { throw FetchError.unsteadyOrder }
    }
    return places
  }

  private func isInFront(_ sortKey: KeyTuple, ofEnd chunk: Int) -> Bool {
    guard chunk + 1 < chunks.count, let fence = chunks[chunk + 1].fence else { return true }
    return plan.order.compare(sortKey, fence) < 0
  }

  /// The positions of some rows in the whole order, ascending. Keys that are not in the result are
  /// left out.
  ///
  /// Complexity: O(n).
  ///
  /// - Throws: `DatabaseError`.
  func places(of keys: Set<Key>) throws -> [RowDifference<Key>.Row] {
    var places: [RowDifference<Key>.Row] = []
    var position = 0
    try forEachRow(from: nil) { _, key in
      if keys.contains(key) { places.append(RowDifference.Row(key: key, position: position)) }
      position += 1
      return true
    }
    return places
  }

  /// The sort keys that divide a chunk: the sort key of every `stride`-th row after its first.
  ///
  /// - Throws: `FetchError` of code `.vanishedRow`, and `DatabaseError`.
  func fences(inside chunk: RowChunk, every stride: Int) throws -> [KeyTuple] {
    var fences: [KeyTuple] = []
    var passed = 0
    try forEachRow(from: chunk.fence) { row, _ in
      if passed > 0, passed.isMultiple(of: stride) {
        fences.append(KeyTuple(packing: row, columns: followingRows.sortKey).trimmed)
      }
      passed += 1
      return passed < chunk.rowCount
    }
    guard passed == chunk.rowCount else { throw FetchError.unsteadyOrder }
    return fences
  }

  /// Passes the rows from a fence on to `body` until it returns false.
  private func forEachRow(
    from fence: KeyTuple?, _ body: (borrowing RowView, Key) throws -> Bool
  ) throws {
    try followingRows.forEach(from: fence, in: connection, plan.parameters) { row in
      guard let key = Key(row, columns: followingRows.key) else { throw NonIntegerKeyError() }
      return try body(row, key)
    }
  }
}
