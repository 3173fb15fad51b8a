internal import CountedTrees
internal import SQLiteStorage
internal import SectionedData

/// Consecutive rows: those that sort with or after the separator, and before the separator of the next
/// chunk.
///
/// Ten million rows take 4 MB in chunks, and 80 MB as keys (decision 0012).
///
/// A separator is a sort key and not a row. It does not change if the row it was taken from is deleted.
struct RowChunk: CountedElement {
  /// The sort key at which the chunk begins; nil for the first chunk.
  let separator: KeyTuple?
  var rowCount: Int

  var weight: Int { rowCount }
}

extension CountedTree<RowChunk> {
  /// The position of the chunk that a sort key belongs to.
  ///
  /// Complexity: O(log chunks).
  func position(of sortKey: KeyTuple, in order: SortOrder) -> Int {
    let next = partitionPoint { chunk in
      chunk.separator.map { order.compare($0, sortKey) <= 0 } ?? true
    }
    return max(0, next - 1)
  }
}

// MARK: - Editing

/// Makes the chunks of the next version from those of the last: adjusts the row counts, and keeps
/// the chunks at a size that is read quickly.
struct ChunkEditor {
  private(set) var chunks: CountedTree<RowChunk>
  private let order: SortOrder
  private let size: Int
  /// The positions of the chunks whose row count has changed.
  private var touched: Set<Int> = []

  init(_ chunks: CountedTree<RowChunk>, _ order: SortOrder, size: Int) {
    self.chunks = chunks
    self.order = order
    self.size = size
  }

  /// Removes the row with a sort key.
  ///
  /// Complexity: O(log chunks).
  mutating func remove(_ sortKey: KeyTuple) { change(sortKey, by: -1) }

  /// Inserts a row with a sort key.
  ///
  /// Complexity: O(log chunks).
  mutating func insert(_ sortKey: KeyTuple) { change(sortKey, by: 1) }

  private mutating func change(_ sortKey: KeyTuple, by difference: Int) {
    let chunk = chunks.position(of: sortKey, in: order)
    chunks.update(at: chunk) { $0.rowCount += difference }
    touched.insert(chunk)
  }

  /// Divides the chunks that have become too long, and joins those that have become too short.
  ///
  /// - Parameter separators: returns the sort keys that divide a chunk into pieces of `stride` rows.
  mutating func finish(
    _ separators: (RowChunk, _ stride: Int) throws -> [KeyTuple]
  ) rethrows {
    // From the end, so that the remaining positions stay valid.
    for position in touched.sorted(by: >) {
      let chunk = chunks[position]
      if chunk.rowCount > 2 * size {
        try divide(at: position, separators)
      } else if chunk.rowCount < size / 2 {
        join(at: position)
      }
    }
    touched = []
  }

  private mutating func divide(
    at position: Int, _ separators: (RowChunk, _ stride: Int) throws -> [KeyTuple]
  ) rethrows {
    let chunk = chunks[position]
    // Pieces of equal size, so that none is short.
    let pieceCount = chunk.rowCount / size
    let stride = (chunk.rowCount + pieceCount - 1) / pieceCount
    let separators = try separators(chunk, stride)
    chunks.update(at: position) { $0.rowCount = stride }
    for (index, separator) in separators.enumerated() {
      let rowCount = min(stride, chunk.rowCount - (index + 1) * stride)
      chunks.insert(RowChunk(separator: separator, rowCount: rowCount), at: position + index + 1)
    }
  }

  /// Joins a chunk to the one before it, or the first to the second, if both fit in one.
  private mutating func join(at position: Int) {
    let next = max(1, position)
    guard next < chunks.count, chunks[next - 1].rowCount + chunks[next].rowCount <= size else {
      return
    }
    let rowCount = chunks.remove(at: next).rowCount
    chunks.update(at: next - 1) { $0.rowCount += rowCount }
  }
}

// MARK: - Searching

/// Finds keys and positions in a result whose index holds chunks. It reads the rows of a chunk,
/// starting at the chunk's separator.
struct ChunkSearch {
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
  func keys(at positions: Range<Int>) throws -> [RowKey] {
    guard !positions.isEmpty else { return [] }
    let (chunk, offset) = chunks.position(containingWeight: positions.lowerBound)
    var passed = 0
    var keys: [RowKey] = []
    keys.reserveCapacity(positions.count)
    try forEachRow(from: chunks[chunk].separator) { row, key in
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
  func places(of rows: [(key: RowKey, sortKey: KeyTuple)]) throws -> [RowDifference.KeyPosition] {
    var places: [RowDifference.KeyPosition] = []
    places.reserveCapacity(rows.count)
    while places.count < rows.count {
      let chunk = chunks.position(of: rows[places.count].sortKey, in: plan.order)
      let upTo = rows[places.count...].partitionPoint { isInFront($0.sortKey, ofEnd: chunk) }
      // The chunk was found for the first of them. A collation may contradict itself.
      guard upTo > places.count else { throw FetchError.unsteadyOrder }
      var position = chunks.weight(before: chunk)
      try forEachRow(from: chunks[chunk].separator) { _, key in
        if rows[places.count].key == key {
          places.append(RowDifference.KeyPosition(key: key, position: position))
        }
        position += 1
        return places.count < upTo
      }
      guard places.count == upTo else { throw FetchError.unsteadyOrder }
    }
    return places
  }

  private func isInFront(_ sortKey: KeyTuple, ofEnd chunk: Int) -> Bool {
    guard chunk + 1 < chunks.count, let separator = chunks[chunk + 1].separator else { return true }
    return plan.order.compare(sortKey, separator) < 0
  }

  /// The positions of some rows in the whole order, ascending. Keys that are not in the result are
  /// left out.
  ///
  /// Complexity: O(n).
  func places(of keys: Set<RowKey>) throws -> [RowDifference.KeyPosition] {
    var places: [RowDifference.KeyPosition] = []
    var position = 0
    try forEachRow(from: nil) { _, key in
      if keys.contains(key) {
        places.append(RowDifference.KeyPosition(key: key, position: position))
      }
      position += 1
      return true
    }
    return places
  }

  /// The sort keys that divide a chunk: the sort key of every `stride`-th row after its first.
  func separators(inside chunk: RowChunk, every stride: Int) throws -> [KeyTuple] {
    var separators: [KeyTuple] = []
    var passed = 0
    try forEachRow(from: chunk.separator) { row, _ in
      if passed > 0, passed.isMultiple(of: stride) {
        separators.append(KeyTuple(packing: row, columns: followingRows.sortKey).trimmed)
      }
      passed += 1
      return passed < chunk.rowCount
    }
    guard passed == chunk.rowCount else { throw FetchError.unsteadyOrder }
    return separators
  }

  /// Passes the rows from a separator on to `body` until it returns false.
  private func forEachRow(
    from separator: KeyTuple?, _ body: (borrowing RowView, RowKey) throws -> Bool
  ) throws {
    try followingRows.forEach(from: separator, in: connection) { row in
      try body(row, RowKey(row, columns: followingRows.key))
    }
  }
}
