internal import TableData

extension RowOrder {
  /// Collects rows in order. It stores the key of every row, until there are so many that chunks
  /// are used instead, and the key of the first row of each chunk.
  struct Builder {
    private let policy: ChunkPolicy?
    /// The number of rows so far.
    private(set) var count = 0
    /// The keys, if chunks are not possible.
    private var identities = CountedTree<Key>.Builder()
    /// The keys, if chunks are possible. The blocks are so large that their memory is returned to
    /// the system when they are released. The memory of many small leaves of a tree would not be.
    private var blocks: [ContiguousArray<Key>] = []
    private var block: ContiguousArray<Key> = []
    /// The first row of each chunk but the first.
    private var chunkStarts: [Key] = []
    private var rowCountOfChunk = 0

    /// - Parameter policy: when to use chunks; nil if chunks are not possible.
    init(_ policy: ChunkPolicy?) { self.policy = policy }

    /// Appends a row.
    ///
    /// Complexity: O(1) amortised.
    @inline(__always)
    mutating func append(_ key: Key) {
      count += 1
      guard let policy else { return identities.append(key) }
      if rowCountOfChunk == policy.chunkSize { beginChunk(with: key, policy) }
      rowCountOfChunk += 1
      guard count <= policy.identityLimit else { return }
      if block.count == Builder.blockSize { beginBlock() }
      block.append(key)
    }

    private mutating func beginChunk(with key: Key, _ policy: ChunkPolicy) {
      chunkStarts.append(key)
      rowCountOfChunk = 0
      if count > policy.identityLimit { (blocks, block) = ([], []) }
    }

    private mutating func beginBlock() {
      blocks.append(block)
      block = []
      block.reserveCapacity(Builder.blockSize)
    }

    /// Returns the rows. No row may be appended afterwards.
    ///
    /// - Parameter sortKey: returns the sort key of a row. It is called for the first row of each
    ///   chunk.
    /// - Throws: any error of `sortKey`.
    mutating func finish(_ sortKey: (Key) throws -> KeyTuple) rethrows -> RowOrder {
      guard let policy else { return .identities(identities.finish()) }
      if count > policy.identityLimit { return .chunks(try chunks(policy, sortKey)) }
      blocks.append(block)
      (blocks, block) = (blocks.reversed(), [])
      // Each block is released after it is copied, so that the keys are never in memory twice.
      while let block = blocks.popLast() {
        for key in block { identities.append(key) }
      }
      return .identities(identities.finish())
    }

    private func chunks(
      _ policy: ChunkPolicy, _ sortKey: (Key) throws -> KeyTuple
    ) rethrows -> CountedTree<RowChunk> {
      var chunks = CountedTree<RowChunk>.Builder()
      var fence: KeyTuple?
      for key in chunkStarts {
        chunks.append(RowChunk(fence: fence, rowCount: policy.chunkSize))
        fence = try sortKey(key).trimmed
      }
      chunks.append(RowChunk(fence: fence, rowCount: rowCountOfChunk))
      return chunks.finish()
    }

    /// A quarter of a megabyte of integers.
    private static var blockSize: Int { 32_768 }
  }
}
