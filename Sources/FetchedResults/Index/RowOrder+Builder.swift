internal import TableData

extension RowOrder {
  /// Collects rows as they come in order: their identities, until they get too many where chunks would
  /// do, and those of the rows that chunks begin with.
  struct Builder {
    private let policy: ChunkPolicy?
    /// The number of rows so far.
    private(set) var count = 0
    /// The identities, where there is no other way to hold the rows.
    private var identities = CountedTree<Key>.Builder()
    /// The identities, where they may yet be too many. In blocks so large that the system gets their
    /// memory back when they are let go of, which it would not get of the many leaves of a tree.
    private var blocks: [ContiguousArray<Key>] = []
    private var block: ContiguousArray<Key> = []
    /// The first row of each chunk but the first.
    private var chunkStarts: [Key] = []
    private var rowCountOfChunk = 0

    /// - Parameter policy: nil where only identities will do.
    init(_ policy: ChunkPolicy?) { self.policy = policy }

    /// Adds a row behind all others.
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

    /// The rows; nothing may be appended afterwards.
    ///
    /// - Parameter sortKey: tells how a row sorts, which is asked of rows that chunks begin with.
    /// - Throws: what `sortKey` throws.
    mutating func finish(_ sortKey: (Key) throws -> KeyTuple) rethrows -> RowOrder {
      guard let policy else { return .identities(identities.finish()) }
      if count > policy.identityLimit { return .chunks(try chunks(policy, sortKey)) }
      blocks.append(block)
      (blocks, block) = (blocks.reversed(), [])
      // Each block goes when it has been copied, so that all are never there twice.
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
