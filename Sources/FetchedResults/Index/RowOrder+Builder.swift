internal import SQLiteStorage

extension RowOrder {
  /// Collects rows as they come in order: as identities, and as chunks as well where an SQL index would
  /// give the rest. The identities are let go of when they get too many.
  struct Builder {
    private var identities: CountedTree<Key>.Builder?
    private var chunks: Chunks?
    /// The number of rows so far.
    private(set) var count = 0

    /// - Parameters:
    ///   - policy: nil where only identities will do.
    ///   - sortKey: the columns that a row is sorted by, in what is appended.
    init(_ policy: ChunkPolicy?, sortKey: Range<Int>) {
      if let policy {
        chunks = Chunks(policy, sortKey: sortKey)
      } else {
        identities = CountedTree<Key>.Builder()
      }
    }

    /// Adds a row behind all others.
    ///
    /// Complexity: O(1) amortised.
    @inline(__always)
    mutating func append(_ key: Key, of row: borrowing RowView) {
      count += 1
      identities?.append(key)
      chunks?.append(key, of: row)
    }

    /// The rows; nothing may be appended afterwards.
    mutating func finish() -> RowOrder {
      // In place: the blocks must go while the tree is built, not after it.
      if let rows = chunks?.finish() { return rows }
      return .identities((identities ?? CountedTree<Key>.Builder()).finish())
    }
  }

  /// Collects rows of which nobody knows yet whether they are too many for identities.
  private struct Chunks {
    private let policy: ChunkPolicy
    private let sortKey: Range<Int>
    private var chunks = CountedTree<RowChunk>.Builder()
    private var fence: KeyTuple?
    private var rowCountOfChunk = 0
    private var count = 0
    /// The identities, as long as they are not too many. In blocks so large that the system gets their
    /// memory back when they are let go of, which it would not get of the many leaves of a tree.
    private var blocks: [ContiguousArray<Key>] = []
    private var block: ContiguousArray<Key> = []

    init(_ policy: ChunkPolicy, sortKey: Range<Int>) {
      self.policy = policy
      self.sortKey = sortKey
    }

    private var isAboveLimit: Bool { count > policy.identityLimit }

    @inline(__always)
    mutating func append(_ key: Key, of row: borrowing RowView) {
      if rowCountOfChunk == policy.chunkSize { beginChunk(at: row) }
      rowCountOfChunk += 1
      count += 1
      guard !isAboveLimit else { return }
      if block.count == Chunks.blockSize { beginBlock() }
      block.append(key)
    }

    private mutating func beginChunk(at row: borrowing RowView) {
      chunks.append(RowChunk(fence: fence, rowCount: rowCountOfChunk))
      fence = KeyTuple(packing: row, columns: sortKey).trimmed
      rowCountOfChunk = 0
      if isAboveLimit { (blocks, block) = ([], []) }
    }

    private mutating func beginBlock() {
      blocks.append(block)
      block = []
      block.reserveCapacity(Chunks.blockSize)
    }

    mutating func finish() -> RowOrder {
      if isAboveLimit {
        chunks.append(RowChunk(fence: fence, rowCount: rowCountOfChunk))
        return .chunks(chunks.finish())
      }
      blocks.append(block)
      (blocks, block) = (blocks.reversed(), [])
      var identities = CountedTree<Key>.Builder()
      // Each block goes when it has been copied, so that all are never there twice.
      while let block = blocks.popLast() {
        for key in block { identities.append(key) }
      }
      return .identities(identities.finish())
    }

    /// A quarter of a megabyte of integers.
    private static var blockSize: Int { 32_768 }
  }
}
