internal import TableData

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
  /// - Parameter fences: returns the sort keys that divide a chunk into pieces of `stride` rows.
  /// - Throws: any error of `fences`.
  mutating func finish(
    _ fences: (RowChunk, _ stride: Int) throws -> [KeyTuple]
  ) rethrows {
    // From the end, so that the remaining positions stay valid.
    for position in touched.sorted(by: >) {
      let chunk = chunks[position]
      if chunk.rowCount > 2 * size {
        try divide(at: position, fences)
      } else if chunk.rowCount < size / 2 {
        join(at: position)
      }
    }
    touched = []
  }

  private mutating func divide(
    at position: Int, _ fences: (RowChunk, _ stride: Int) throws -> [KeyTuple]
  ) rethrows {
    let chunk = chunks[position]
    // Pieces of equal size, so that none is short.
    let pieceCount = chunk.rowCount / size
    let stride = (chunk.rowCount + pieceCount - 1) / pieceCount
    let fences = try fences(chunk, stride)
    chunks.update(at: position) { $0.rowCount = stride }
    for (index, fence) in fences.enumerated() {
      let rowCount = min(stride, chunk.rowCount - (index + 1) * stride)
      chunks.insert(RowChunk(fence: fence, rowCount: rowCount), at: position + index + 1)
    }
  }

  /// Joins a chunk to the one before it, or the first to the second, if both fit in one.
  private mutating func join(at position: Int) {
    let gone = max(1, position)
    guard gone < chunks.count, chunks[gone - 1].rowCount + chunks[gone].rowCount <= size else {
      return
    }
    let rowCount = chunks.remove(at: gone).rowCount
    chunks.update(at: gone - 1) { $0.rowCount += rowCount }
  }
}
