internal import SQLiteStorage
internal import TableData

/// A version of a result: the rows in order, and the snapshot they are read from.
///
/// A class, because it has many parts and is passed along often.
///
/// Sendable: immutable but for `sortKeys`, which a lock protects.
final class ResultsVersion<Key: RowKey>: Sendable {
  /// Shared, since the plan has many parts and is the same in all versions.
  private let sharedPlan: Shared<QueryPlan>
  /// The version of the database.
  let origin: Snapshot
  /// Where the rows are read from: that version, or a copy of its rows.
  let snapshot: Snapshot
  let index: ResultsIndex<Key>
  /// The numbers that identify rows without a key; nil if there is a key. The index then holds the
  /// rowids in the copy.
  let numbers: RowNumbers?
  /// The cached sort keys. A search takes them out while it uses them.
  private let sortKeys: Locked<SortKeyCache<Key>>

  private init(
    _ plan: Shared<QueryPlan>, origin: Snapshot, snapshot: Snapshot, index: ResultsIndex<Key>,
    numbers: RowNumbers? = nil, sortKeys: SortKeyCache<Key>
  ) {
    sharedPlan = plan
    self.origin = origin
    self.snapshot = snapshot
    self.index = index
    self.numbers = numbers
    self.sortKeys = Locked(sortKeys)
  }

  convenience init(
    plan: QueryPlan, origin: Snapshot, snapshot: Snapshot, index: ResultsIndex<Key>
  ) {
    self.init(
      Shared(plan), origin: origin, snapshot: snapshot, index: index, sortKeys: SortKeyCache())
  }

  /// A version that is read from the database itself.
  convenience init(plan: QueryPlan, snapshot: Snapshot, index: ResultsIndex<Key>) {
    self.init(plan: plan, origin: snapshot, snapshot: snapshot, index: index)
  }

  /// The same version with other numbers.
  func numbered(_ numbers: RowNumbers) -> ResultsVersion {
    ResultsVersion(
      sharedPlan, origin: origin, snapshot: snapshot, index: index, numbers: numbers,
      sortKeys: SortKeyCache())
  }

  /// The next version with the same plan, read from the database itself.
  ///
  /// - Parameter sortKeys: the cached sort keys of its rows.
  func next(
    at snapshot: Snapshot, index: ResultsIndex<Key>, sortKeys: SortKeyCache<Key>
  ) -> ResultsVersion {
    ResultsVersion(
      sharedPlan, origin: snapshot, snapshot: snapshot, index: index, sortKeys: sortKeys)
  }

  /// The plan of the request for the schema of the snapshot.
  var plan: QueryPlan {
    // A getter would copy it, which takes longer than most uses.
    _read { yield sharedPlan.value }
  }

  /// Takes the cached sort keys out, for a search or for the next version. Only one search at a
  /// time may use them, and each version has its own.
  func takeSortKeys() -> SortKeyCache<Key> {
    sortKeys.withLock { sortKeys in
      defer { sortKeys = SortKeyCache() }
      return sortKeys
    }
  }

  private func checkIn(_ taken: SortKeyCache<Key>) { sortKeys.withLock { $0 = taken } }
}

extension ResultsVersion {
  /// The identities of the rows at some positions in the result, which must be in range.
  ///
  /// Complexity and errors: as for ``keys(at:)``.
  func identities(at positions: Range<Int>) throws -> [RowIdentity] {
    if let numbers { return positions.map { numbers[$0].identity } }
    return try keys(at: positions).map { $0.identity }
  }

  /// The keys at some positions in the result, which must be in range.
  ///
  /// Complexity: O(log n + positions). An index of chunks also reads rows, half a chunk of them.
  ///
  /// - Throws: `FetchError` of code `.vanishedRow` for a damaged file, and `DatabaseError`; never
  ///   if the index holds keys.
  @specialized(where Key == Int64)
  func keys(at positions: Range<Int>) throws -> [Key] {
    let start = index.layout.window.lowerBound + positions.lowerBound
    let positions = start..<(start + positions.count)
    if case .identities(let identities) = index.rows { return identities.elements(at: positions) }
    return try snapshot.read { try index.rows.keys(at: positions, plan, in: $0) }
  }

  /// Passes the rows at some positions to `body`, in order, with the columns of a record.
  ///
  /// - Throws: `FetchError` of code `.vanishedRow` for a damaged file, `DatabaseError`, and any
  ///   error of `body`.
  @specialized(where Key == Int64)
  func read(_ positions: Range<Int>, _ body: (borrowing RowView) throws -> Void) throws {
    let keys = try keys(at: positions)
    try snapshot.read { connection in
      let (statement, firstUnbound) = try connection.statement(
        for: plan.fetch, parameters: plan.parameters, unboundCount: plan.key.count)
      defer { statement.reset() }
      let row = statement.currentRow
      for key in keys {
        statement.reset()
        try key.bind(to: statement, from: firstUnbound)
        guard try statement.step() else { throw FetchError.vanishedRow(key.identity) }
        try body(row)
      }
    }
  }

  /// The position of a row in the result; nil if it is not in the result.
  ///
  /// Complexity: O(log n) look-ups of single rows; for an index of chunks one, and half a chunk to
  /// read. Without a key O(n) numbers, and no look-ups.
  ///
  /// - Throws: `FetchError` of code `.vanishedRow` for a damaged file, and `DatabaseError`.
  func position(of identity: RowIdentity) throws -> Int? {
    // An identity with more or fewer values belongs to another table.
    guard identity.values.count == plan.key.count else { return nil }
    if let numbers { return Int64(identity).flatMap { numbers.position(of: $0) } }
    return try Key(identity).flatMap { try position(of: $0) }
  }

  /// The position of a row by its key; nil if it is not in the result.
  func position(of key: Key) throws -> Int? {
    let window = index.layout.window
    return try snapshot.read { connection in
      let sortKeys = takeSortKeys()
      defer { checkIn(sortKeys) }
      let search = try RowSearch(self, in: connection, sortKeys)
      defer { search.finish() }
      guard let sortKey = try search.sortKey(of: key) else { return nil }
      let position: Int
      switch index.rows {
      case .identities(let identities):
        position = try search.position(of: key, sortedBy: sortKey, in: identities)
        guard window.contains(position), identities[position] == key else { return nil }
      case .chunks(let chunks):
        let search = ChunkSearch<Key>(chunks, plan, in: connection)
        position = try search.places(of: [(key, sortKey)])[0].position
        guard window.contains(position) else { return nil }
      }
      return position - window.lowerBound
    }
  }
}

/// A box that passes a large value along by reference.
private final class Shared<Value: Sendable>: Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
