internal import SQLiteStorage

extension RowOrder {
  /// Collects rows as they come in order: as identities, and as chunks as well where an SQL index would
  /// give the rest. The identities are let go of when they get too many.
  struct Builder {
    private var identities: CountedTree<Key>.Builder? = CountedTree<Key>.Builder()
    private var chunks: CountedTree<RowChunk>.Builder?
    private let policy: ChunkPolicy
    /// The columns of a row that it is sorted by.
    private let sortKey: Range<Int>
    private var fence: KeyTuple?
    private var rowCountOfChunk = 0
    /// The number of rows so far.
    private(set) var count = 0

    /// - Parameters:
    ///   - policy: nil where only identities will do.
    ///   - sortKey: the columns that a row is sorted by, in what is appended.
    init(_ policy: ChunkPolicy?, sortKey: Range<Int>) {
      self.policy = policy ?? ChunkPolicy()
      self.sortKey = sortKey
      if policy != nil { chunks = CountedTree<RowChunk>.Builder() }
    }

    /// Adds a row behind all others.
    ///
    /// Complexity: O(1) amortised.
    @inline(__always)
    mutating func append(_ key: Key, of row: borrowing RowView) {
      count += 1
      identities?.append(key)
      guard chunks != nil else { return }
      if rowCountOfChunk == policy.chunkSize { beginChunk(at: row) }
      rowCountOfChunk += 1
    }

    private mutating func beginChunk(at row: borrowing RowView) {
      chunks?.append(RowChunk(fence: fence, rowCount: rowCountOfChunk))
      fence = KeyTuple(packing: row, columns: sortKey).trimmed
      rowCountOfChunk = 0
      if count > policy.identityLimit { identities = nil }
    }

    /// The rows.
    consuming func finish() -> RowOrder {
      if var chunks, count > policy.identityLimit {
        chunks.append(RowChunk(fence: fence, rowCount: rowCountOfChunk))
        return .chunks(chunks.finish())
      }
      // They are only let go of where the count is above the limit.
      return .identities((identities ?? CountedTree<Key>.Builder()).finish())
    }
  }
}
