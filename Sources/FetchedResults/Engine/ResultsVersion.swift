internal import SQLiteStorage
internal import TableData

/// A version of a result: which rows, in which order, and the snapshot they can be read from.
///
/// A class, because it is handed on all the time and has many parts.
///
/// Sendable: nothing in it changes but `sortKeys`, which a lock protects.
final class ResultsVersion<Key: RowKey>: Sendable {
  /// The plan has many parts too, and all versions have the same.
  private let sharedPlan: Shared<QueryPlan>
  /// The version of the database.
  let origin: Snapshot
  /// Where the rows are read from: that version, or a copy of its rows.
  let snapshot: Snapshot
  let index: ResultsIndex<Key>
  /// What identifies the rows where no key does; the index then holds their numbers in the copy.
  let numbers: RowNumbers?
  /// What is known of how the rows sort; who uses it takes it away meanwhile.
  private let sortKeys: Guarded<SortKeys<Key>>

  private init(
    _ plan: Shared<QueryPlan>, origin: Snapshot, snapshot: Snapshot, index: ResultsIndex<Key>,
    numbers: RowNumbers? = nil, sortKeys: SortKeys<Key>
  ) {
    sharedPlan = plan
    self.origin = origin
    self.snapshot = snapshot
    self.index = index
    self.numbers = numbers
    self.sortKeys = Guarded(sortKeys)
  }

  convenience init(
    plan: QueryPlan, origin: Snapshot, snapshot: Snapshot, index: ResultsIndex<Key>
  ) {
    self.init(
      Shared(plan), origin: origin, snapshot: snapshot, index: index, sortKeys: SortKeys())
  }

  /// A version that is read from the database itself.
  convenience init(plan: QueryPlan, snapshot: Snapshot, index: ResultsIndex<Key>) {
    self.init(plan: plan, origin: snapshot, snapshot: snapshot, index: index)
  }

  /// The same version with other numbers.
  func numbered(_ numbers: RowNumbers) -> ResultsVersion {
    ResultsVersion(
      sharedPlan, origin: origin, snapshot: snapshot, index: index, numbers: numbers,
      sortKeys: SortKeys())
  }

  /// The version of the same plan that follows, read from the database itself.
  ///
  /// - Parameter sortKeys: what is known of how its rows sort.
  func next(
    at snapshot: Snapshot, index: ResultsIndex<Key>, sortKeys: SortKeys<Key>
  ) -> ResultsVersion {
    ResultsVersion(
      sharedPlan, origin: snapshot, snapshot: snapshot, index: index, sortKeys: sortKeys)
  }

  /// The request, ready for the schema of the snapshot.
  var plan: QueryPlan {
    // A getter would copy it, which takes longer than most uses.
    _read { yield sharedPlan.value }
  }

  /// Takes away what is known of how the rows sort, to be used and given to the next version, or back:
  /// only one search at a time may use it, and each version has its own.
  func takeSortKeys() -> SortKeys<Key> {
    sortKeys.withLock { sortKeys in
      defer { sortKeys = SortKeys() }
      return sortKeys
    }
  }

  private func giveBack(_ taken: SortKeys<Key>) { sortKeys.withLock { $0 = taken } }
}

extension ResultsVersion {
  /// What identifies the rows at some positions in the result, which must be in range.
  ///
  /// Complexity and errors: as for ``keys(at:)``.
  func identities(at positions: Range<Int>) throws -> [RowIdentity] {
    if let numbers { return positions.map { numbers[$0].identity } }
    return try keys(at: positions).map { $0.identity }
  }

  /// The identities at some positions in the result, which must be in range.
  ///
  /// Complexity: O(log n + positions); for an index of chunks, rows are read besides, half a chunk of
  /// them.
  ///
  /// - Throws: `FetchError` of code `.vanishedRow` for a damaged file, and `DatabaseError`; never where
  ///   the index holds identities.
  @specialized(where Key == Int64)
  func keys(at positions: Range<Int>) throws -> [Key] {
    let start = index.layout.window.lowerBound + positions.lowerBound
    let positions = start..<(start + positions.count)
    if case .identities(let identities) = index.rows { return identities.elements(at: positions) }
    return try snapshot.read { try index.rows.keys(at: positions, plan, in: $0) }
  }

  /// Hands the rows at some positions to `body`, in order, with the columns of a record.
  ///
  /// - Throws: `FetchError` of code `.vanishedRow` for a damaged file, `DatabaseError`, and what
  ///   `body` throws.
  @specialized(where Key == Int64)
  func read(_ positions: Range<Int>, _ body: (borrowing RowView) throws -> Void) throws {
    let keys = try keys(at: positions)
    try snapshot.read { connection in
      let (statement, firstOpen) = try connection.statement(
        for: plan.fetch, parameters: plan.parameters, openCount: plan.key.count)
      defer { statement.reset() }
      let row = statement.currentRow
      for key in keys {
        statement.reset()
        try key.bind(to: statement, from: firstOpen)
        guard try statement.step() else { throw FetchError.vanishedRow(key.identity) }
        try body(row)
      }
    }
  }

  /// The position of a row in the result; nil where it is not in it.
  ///
  /// Complexity: O(log n) look-ups of single rows; for an index of chunks one, and half a chunk to read.
  /// Without a key O(n) numbers, and nothing is looked up.
  ///
  /// - Throws: `FetchError` of code `.vanishedRow` for a damaged file, and `DatabaseError`.
  func position(of identity: RowIdentity) throws -> Int? {
    // One with more or fewer values is that of another table.
    guard identity.values.count == plan.key.count else { return nil }
    if let numbers { return Int64(identity).flatMap { numbers.position(of: $0) } }
    return try Key(identity).flatMap { try position(of: $0) }
  }

  /// The same by its key.
  func position(of key: Key) throws -> Int? {
    let window = index.layout.window
    return try snapshot.read { connection in
      let sortKeys = takeSortKeys()
      defer { giveBack(sortKeys) }
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

/// A value of many parts that is handed on as one.
private final class Shared<Value: Sendable>: Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
