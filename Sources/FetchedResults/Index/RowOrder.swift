internal import CountedTrees
internal import SQLiteStorage
internal import SectionedData

/// The rows of a result in order, as its index holds them.
enum RowOrder: Sendable {
  case keys(KeyList)
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
  func keys(
    at positions: Range<Int>, _ plan: QueryPlan, in connection: Connection
  ) throws -> [RowKey] {
    switch self {
    case .keys(let keys): keys[positions]
    case .chunks(let chunks): try ChunkSearch(chunks, plan, in: connection).keys(at: positions)
    }
  }

  /// The positions of some rows, ascending. Keys that are not in the order are left out.
  ///
  /// Complexity: O(n); for chunks, all rows are read.
  ///
  /// - Parameters: as for ``keys(at:_:in:)``.
  func places(
    of keys: Set<RowKey>, _ plan: QueryPlan, in connection: Connection
  ) throws -> [RowDifference.KeyPosition] {
    switch self {
    case .keys(let list): list.places(of: keys)
    case .chunks(let chunks): try ChunkSearch(chunks, plan, in: connection).places(of: keys)
    }
  }
}

// MARK: - Building

extension RowOrder {
  /// Collects rows in order. It stores the key of every row, until there are so many that chunks
  /// are used instead, and the key of the first row of each chunk.
  struct Builder {
    private let policy: ChunkPolicy?
    private(set) var count = 0
    private var integers = KeyBlocks<Int64>()
    /// The keys, from the first one on that is not an integer.
    private var keys: KeyBlocks<RowKey>?
    /// The first row of each chunk but the first.
    private var chunkStarts: [RowKey] = []
    private var rowCountOfChunk = 0

    /// The last row, if its key is not stored.
    private var passed: RowKey?

    /// The key of the last row; nil if there is none.
    var last: RowKey? { passed ?? keys?.last ?? integers.last.map(RowKey.integer) }

    /// - Parameter policy: when to use chunks; nil if chunks are not possible.
    init(_ policy: ChunkPolicy?) { self.policy = policy }

    /// Appends a row.
    ///
    /// Complexity: O(1) amortised.
    @inline(__always)
    mutating func append(_ key: consuming RowKey) {
      count += 1
      if let policy {
        if rowCountOfChunk == policy.chunkSize { beginChunk(with: key, policy) }
        rowCountOfChunk += 1
        guard count <= policy.identityLimit else {
          passed = key
          return
        }
      }
      if keys == nil, case .integer(let integer) = key {
        integers.append(integer)
      } else {
        appendToKeys(key)
      }
    }

    private mutating func appendToKeys(_ key: RowKey) {
      if keys == nil {
        var keys = KeyBlocks<RowKey>()
        integers.removeAll { block in
          for integer in block { keys.append(.integer(integer)) }
        }
        self.keys = keys
      }
      keys?.append(key)
    }

    private mutating func beginChunk(with key: RowKey, _ policy: ChunkPolicy) {
      chunkStarts.append(key)
      rowCountOfChunk = 0
      if count > policy.identityLimit { (integers, keys) = (KeyBlocks(), nil) }
    }

    /// Returns the rows. No row may be appended afterwards.
    ///
    /// - Parameter sortKey: returns the sort key of a row. It is called for the first row of each
    ///   chunk.
    mutating func finish(_ sortKey: (RowKey) throws -> KeyTuple) rethrows -> RowOrder {
      if let policy, count > policy.identityLimit { return .chunks(try chunks(policy, sortKey)) }
      guard var keys else { return .keys(.integers(integers.finish())) }
      self.keys = nil
      return .keys(.keys(keys.finish()))
    }

    private func chunks(
      _ policy: ChunkPolicy, _ sortKey: (RowKey) throws -> KeyTuple
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
  }
}

/// Keys that are collected in order. The blocks are so large that their memory is returned to the system
/// when they are released. The memory of many small leaves of a tree would not be.
private struct KeyBlocks<Key: CountedElement> {
  private var full: [ContiguousArray<Key>] = []
  private var block: ContiguousArray<Key> = []

  var last: Key? { block.last ?? full.last?.last }

  @inline(__always)
  mutating func append(_ key: consuming Key) {
    if block.count == KeyBlocks.blockSize { beginBlock() }
    block.append(key)
  }

  private mutating func beginBlock() {
    full.append(block)
    block = []
    block.reserveCapacity(KeyBlocks.blockSize)
  }

  /// Removes all blocks and passes them to `body`. Each is released when it was passed, so that the keys are
  /// never in memory twice.
  mutating func removeAll(_ body: (ContiguousArray<Key>) -> Void) {
    var blocks = [block] + full.reversed()
    (full, block) = ([], [])
    while let block = blocks.popLast() { body(block) }
  }

  mutating func finish() -> CountedTree<Key> {
    var builder = CountedTree<Key>.Builder()
    removeAll { builder.append(contentsOf: $0) }
    return builder.finish()
  }

  /// A quarter of a megabyte of integers.
  private static var blockSize: Int { 32_768 }
}
