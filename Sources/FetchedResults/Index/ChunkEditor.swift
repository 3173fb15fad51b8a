internal import TableData

/// Makes the chunks of the next version out of those of the last: counts rows that go and come, and
/// keeps the chunks at a size that is quickly read.
struct ChunkEditor {
  private(set) var chunks: CountedTree<RowChunk>
  private let order: SortOrder
  private let size: Int
  /// The chunks that have lost or got rows, by position.
  private var touched: Set<Int> = []

  init(_ chunks: CountedTree<RowChunk>, _ order: SortOrder, size: Int) {
    self.chunks = chunks
    self.order = order
    self.size = size
  }

  /// Takes out a row that sorts in some way.
  ///
  /// Complexity: O(log chunks).
  mutating func remove(_ sortKey: KeyTuple) { change(sortKey, by: -1) }

  /// Puts in a row that sorts in some way.
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
  /// - Parameter fences: tells where a chunk is to be divided, into pieces of so many rows.
  /// - Throws: what `fences` throws.
  mutating func finish(
    _ fences: (RowChunk, _ stride: Int) throws -> [KeyTuple]
  ) rethrows {
    // From the end, so that the positions to come stay.
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
    // Pieces of one size, so that none is short.
    let pieceCount = chunk.rowCount / size
    let stride = (chunk.rowCount + pieceCount - 1) / pieceCount
    let fences = try fences(chunk, stride)
    chunks.update(at: position) { $0.rowCount = stride }
    for (index, fence) in fences.enumerated() {
      let rowCount = min(stride, chunk.rowCount - (index + 1) * stride)
      chunks.insert(RowChunk(fence: fence, rowCount: rowCount), at: position + index + 1)
    }
  }

  /// Joins a chunk to the one before it, or the first to the one behind it, if they fit in one.
  private mutating func join(at position: Int) {
    let gone = max(1, position)
    guard gone < chunks.count, chunks[gone - 1].rowCount + chunks[gone].rowCount <= size else {
      return
    }
    let rowCount = chunks.remove(at: gone).rowCount
    chunks.update(at: gone - 1) { $0.rowCount += rowCount }
  }
}
