internal import TableData

/// The rows of a result in order, as its index holds them.
enum RowOrder<Key: RowKey>: Sendable {
  /// The key of every row.
  case identities(CountedTree<Key>)
  /// Chunks of many rows, for a long result of a table with an SQL index that fits the order. The
  /// rows of a chunk are read from the database.
  case chunks(CountedTree<RowChunk>)
}

/// Consecutive rows: those that sort with or after the fence, and before the fence of the next
/// chunk.
///
/// A fence is a sort key and not a row. It does not change if the row it was taken from is deleted.
struct RowChunk: CountedElement {
  /// The sort key at which the chunk begins; nil for the first chunk.
  let fence: KeyTuple?
  /// The number of rows.
  var rowCount: Int

  var weight: Int { rowCount }
}

extension CountedTree<RowChunk> {
  /// The position of the chunk that a sort key belongs to.
  ///
  /// Complexity: O(log chunks).
  func position(of sortKey: KeyTuple, in order: SortOrder) -> Int {
    let next = partitionPoint { chunk in
      chunk.fence.map { order.compare($0, sortKey) <= 0 } ?? true
    }
    return max(0, next - 1)
  }
}
