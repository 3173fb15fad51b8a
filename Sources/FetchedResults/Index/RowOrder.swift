internal import CountedTrees
internal import SQLiteStorage
internal import SectionedData

/// The rows of a result in order, as its index holds them.
enum RowOrder<Key: RowKey>: Sendable {
  /// The key of every row.
  case identities(CountedTree<Key>)
  /// Chunks of many rows, for a long result of a table with an SQL index that fits the order. The
  /// rows of a chunk are read from the database.
  case chunks(CountedTree<RowChunk>)
}

// MARK: - Reading

extension RowOrder {
  /// The keys at some positions of the whole order.
  ///
  /// Complexity: O(log n + positions). Chunks also read rows, half a chunk of them.
  ///
  /// - Parameters:
  ///   - plan: the plan of the version with this order.
  ///   - connection: a connection that sees that version.
  /// - Throws: `FetchError` and `DatabaseError`; never if the order holds keys.
  @specialized(where Key == Int64)
  func keys(
    at positions: Range<Int>, _ plan: QueryPlan, in connection: Connection
  ) throws -> [Key] {
    switch self {
    case .identities(let identities): identities.elements(at: positions)
    case .chunks(let chunks): try ChunkSearch(chunks, plan, in: connection).keys(at: positions)
    }
  }

  /// The positions of some rows, ascending. Keys that are not in the order are left out.
  ///
  /// Complexity: O(n); for chunks, all rows are read.
  ///
  /// - Parameters: as for ``keys(at:_:in:)``.
  func places(
    of keys: Set<Key>, _ plan: QueryPlan, in connection: Connection
  ) throws -> [RowDifference<Key>.KeyPosition] {
    switch self {
    case .identities(let identities): identities.places(of: keys)
    case .chunks(let chunks): try ChunkSearch(chunks, plan, in: connection).places(of: keys)
    }
  }
}

extension CountedTree {
  /// The elements at some positions, which must be in range.
  ///
  /// Complexity: O(log n + positions).
  @specialized(where Element == Int64)
  func elements(at positions: Range<Int>) -> [Element] {
    Array(elements(from: positions.lowerBound).prefix(positions.count))
  }
}

// MARK: - Building

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
      var separator: KeyTuple?
      for key in chunkStarts {
        chunks.append(RowChunk(separator: separator, rowCount: policy.chunkSize))
        separator = try sortKey(key).trimmed
      }
      chunks.append(RowChunk(separator: separator, rowCount: rowCountOfChunk))
      return chunks.finish()
    }

    /// A quarter of a megabyte of integers.
    private static var blockSize: Int { 32_768 }
  }
}

// MARK: - Validating

extension CountedTree where Element: RowKey {
  /// A key that is in the tree twice; nil if all keys are different.
  ///
  /// Each key marks one of many slots. Only keys whose slot is already marked, few or none, are
  /// compared with each other.
  ///
  /// Complexity: O(n), some nanoseconds a key, and a byte or two a key while it runs.
  @specialized(where Element == Int64)
  func repeatedKey() -> Element? {
    guard count > 1 else { return nil }
    // A power of two, at least eight slots for each key.
    let slotBits = max(6, Int.bitWidth - (8 * count - 1).leadingZeroBitCount)
    let shift = UInt64(UInt64.bitWidth - slotBits)
    var marked = ContiguousArray<UInt64>(repeating: 0, count: 1 << (slotBits - 6))
    // Empty for most lists: neighbouring keys never have the same slot.
    var contested: ContiguousArray<UInt64> = []
    for key in elements() {
      let slot = key.scattered >> shift
      let (word, bit) = (Int(slot >> 6), 1 << (slot & 63) as UInt64)
      guard marked[word] & bit != 0 else {
        marked[word] |= bit
        continue
      }
      if contested.isEmpty { contested = ContiguousArray(repeating: 0, count: marked.count) }
      contested[word] |= bit
    }
    guard !contested.isEmpty else { return nil }
    var seen: Set<Element> = []
    for key in elements() {
      let slot = key.scattered >> shift
      guard contested[Int(slot >> 6)] & (1 << (slot & 63)) != 0 else { continue }
      if !seen.insert(key).inserted { return key }
    }
    return nil
  }
}
