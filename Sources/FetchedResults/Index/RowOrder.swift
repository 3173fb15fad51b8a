internal import TableData

/// The rows of a result in order, as its index holds them.
enum RowOrder<Key: RowKey>: Sendable {
  /// The identity of every row.
  case identities(CountedTree<Key>)
  /// Chunks of many rows: for a long result of a table with an SQL index that fits the order. What is
  /// in a chunk is asked for.
  case chunks(CountedTree<RowChunk>)
}

/// Rows that stand one after the other: those that sort as the fence or behind it, and before the next
/// chunk's fence.
///
/// A fence is a border and no row: it stays where it is when the row that it was taken from goes.
struct RowChunk: CountedElement {
  /// How the chunk's first place sorts; nil for the first chunk, which begins where all begins.
  let fence: KeyTuple?
  /// The number of rows.
  var rowCount: Int

  var weight: Int { rowCount }
}

extension CountedTree<RowChunk> {
  /// The position of the chunk that a place in the order belongs to.
  ///
  /// Complexity: O(log chunks).
  func position(of sortKey: KeyTuple, in order: SortOrder) -> Int {
    let next = partitionPoint { chunk in
      chunk.fence.map { order.compare($0, sortKey) <= 0 } ?? true
    }
    return max(0, next - 1)
  }
}

/// When an index holds chunks instead of identities, and how large they are.
struct ChunkPolicy: Sendable {
  /// The most rows of which the identities are held.
  var identityLimit = 1_000_000
  /// The number of rows that a chunk is begun with. It may grow to twice as many.
  ///
  /// The larger, the less memory, and the longer it takes to find a row: half a chunk is read for that.
  var chunkSize = 2_048
}
