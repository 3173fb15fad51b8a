internal import CountedTrees
internal import SQLiteStorage
internal import SectionedData

/// Where the rows of a version are read from.
struct ResultSource: Sendable {
  let snapshot: Snapshot
  /// The plan of the request for the schema of `snapshot`.
  let plan: QueryPlan

  init(_ snapshot: Snapshot, _ plan: QueryPlan) { (self.snapshot, self.plan) = (snapshot, plan) }
}

/// A version of a result: the rows in order, and the snapshot they are read from, or the rows themselves.
///
/// A class, because it has many parts and is passed along often.
///
/// Sendable: immutable except for the caches, which a lock protects.
final class ResultsVersion: Sendable {
  let source: ResultSource
  let index: ResultsIndex
  /// The rows that are shown, if they are in memory. Then nothing of the version is read from the snapshot.
  let packed: PackedRows?
  /// The highest number that a row of this version or of one before has had, if the index holds numbers in place of keys:
  /// a row has the same number in all versions, and no number is used twice. Nil if there is a key.
  let highestNumber: Int64?
  /// Versions with the same rows share them.
  private let caches: Locked<Caches>
  /// Nil if the rows are in memory, which is not released.
  private let remains: Remains?

  private struct Caches {
    /// The cached sort keys. A search takes them out while it uses them.
    var sortKeys: SortKeyCache?
    /// The groups whose aggregates are held. They are moved on to the next version with other rows. Nil if there are none.
    var heldGroups: HeldGroups?
    /// The digests of the rows. Nil until a version with these rows is released, unless they are in memory.
    var digests: RowDigests?
  }

  /// What is left of the version when it is released. The snapshot keeps it, and not the version, which keeps the snapshot.
  private final class Remains: VersionHolder {
    private let plan: QueryPlan
    private let index: ResultsIndex
    private let caches: Locked<Caches>

    init(_ plan: QueryPlan, _ index: ResultsIndex, _ caches: Locked<Caches>) {
      (self.plan, self.index, self.caches) = (plan, index, caches)
    }

    func willRelease(_ connection: Connection) {
      guard caches.withLock({ $0.digests == nil }) else { return }
      // Without digests the next version is a reset.
      let digests = try? RowDigests(of: index, plan, in: connection)
      caches.withLock { $0.digests = digests }
    }
  }

  convenience init(
    _ source: ResultSource, _ index: ResultsIndex, packed: PackedRows? = nil,
    highestNumber: Int64? = nil, sortKeys: SortKeyCache? = nil, heldGroups: HeldGroups? = nil,
    digests: RowDigests? = nil
  ) {
    let caches = Caches(sortKeys: sortKeys, heldGroups: heldGroups, digests: digests)
    self.init(source, index, packed, highestNumber, Locked(caches))
  }

  private init(
    _ source: ResultSource, _ index: ResultsIndex, _ packed: PackedRows?, _ highestNumber: Int64?,
    _ caches: Locked<Caches>
  ) {
    self.source = source
    self.index = index
    self.packed = packed
    self.highestNumber = highestNumber
    self.caches = caches
    remains = packed == nil ? Remains(source.plan, index, caches) : nil
    if let remains { source.snapshot.add(remains) }
  }

  deinit { if let remains { source.snapshot.remove(remains) } }

  /// Reads the order of a result, and packs its rows if the plan says so. Each row is read once.
  ///
  /// - Parameters:
  ///   - isTracked: whether the version is advanced to later ones.
  ///   - used: the highest number that a row has had, if the rows have no key.
  ///   - others: rows in memory of which many are probably the same.
  /// - Throws: `FetchError` and `DatabaseError`.
  static func fetching(
    _ source: ResultSource, isTracked: Bool = true, numbersAfter used: Int64 = 0,
    sharing others: PackedRows? = nil
  ) throws -> ResultsVersion {
    let plan = source.plan
    guard plan.isPacked else {
      let sortKeys = SortKeyCache()
      let index = try source.snapshot.readAll {
        try ResultsIndex.scanning(plan, in: $0, isTracked: isTracked, sortKeys: sortKeys)
      }
      return ResultsVersion(source, index, sortKeys: sortKeys)
    }
    return try source.snapshot.readAll { connection in
      var builder = try VersionBuilder(
        source, in: connection, isTracked: isTracked, numbersAfter: used, sharing: others)
      let statement = try plan.statement(
        for: plan.parts.observationOfAll, in: connection, isShared: false)
      defer { statement.reset() }
      let row = statement.currentRow
      while !builder.hasAllRows, try statement.step() { _ = try builder.add(row) }
      return try builder.finish(in: connection)
    }
  }

  /// The same rows in a newer version of the database.
  func unchanged(in source: ResultSource) -> ResultsVersion {
    ResultsVersion(source, index, packed, highestNumber, caches)
  }

  /// The same rows with other numbers, which identify them.
  ///
  /// - Parameter counterparts: for each row that is shown its position in an old version; nil for an inserted row.
  func numbered(following old: ResultsVersion, _ counterparts: [Int?]) throws -> ResultsVersion {
    var highest = old.highestNumber ?? 0
    let oldNumbers = RowKey.split(try old.keys(at: 0..<old.layout.count)).integers
    // Those before the window have numbers that are never shown.
    var numbers = (0..<Int64(layout.window.lowerBound)).reversed().map { -1 - $0 }
    numbers.reserveCapacity(numbers.count + counterparts.count)
    for counterpart in counterparts {
      if counterpart == nil { highest += 1 }
      numbers.append(counterpart.map { oldNumbers[$0] } ?? highest)
    }
    var index = index
    index.rows = .keys(.integers(CountedTree(numbers)))
    return ResultsVersion(
      source, index, packed: packed, highestNumber: highest, digests: digests)
  }

  var layout: ResultsLayout { index.layout }
  var snapshot: Snapshot { source.snapshot }
  /// Whether the rows may not be read any more when another version is made.
  var isReleased: Bool { packed == nil && !snapshot.isPinned }
  var plan: QueryPlan { source.plan }

  /// Takes the cached sort keys out, for a search or for the next version. Only one search at a
  /// time may use them.
  func takeSortKeys() -> SortKeyCache {
    caches.withLock { caches in
      defer { caches.sortKeys = nil }
      return caches.sortKeys ?? SortKeyCache()
    }
  }

  func checkIn(_ taken: SortKeyCache) { caches.withLock { $0.sortKeys = taken } }

  /// Takes the groups out whose aggregates are held, for the next version.
  func takeHeldGroups() -> HeldGroups {
    caches.withLock { caches in
      defer { caches.heldGroups = nil }
      return caches.heldGroups ?? HeldGroups()
    }
  }

  func checkIn(_ taken: HeldGroups) { caches.withLock { $0.heldGroups = taken } }

  /// The row of a group, as far as it follows from what is held. The only group of a SELECT without
  /// GROUP BY is counted if it is not held.
  private func heldRow(of key: RowKey, in connection: Connection) throws -> HeldRow {
    guard let queries = plan.maintenance.held else { return .unknown }
    if let group = caches.withLock({ $0.heldGroups?[key] }) { return queries.row(group) }
    guard !queries.isGrouped else { return .unknown }
    let group = try queries.group(of: key, in: connection)
    caches.withLock { caches in
      let groups = caches.heldGroups ?? HeldGroups()
      groups[key] = group
      caches.heldGroups = groups
    }
    return queries.row(group)
  }
}

extension ResultsVersion {
  /// The digests of the rows, if these are in memory or the version was released; nil if they could not be read then.
  var digests: RowDigests? { caches.withLock { $0.digests } }

  /// The name of a section, which must be in range: its key as text, or as the request makes it.
  func name(ofSection section: Int) -> String? {
    layout.section(at: section).name(plan.parts.sectionTitle)
  }

  /// The identities of the rows at some positions in the result, which must be in range.
  ///
  /// Complexity and errors: as for ``keys(at:)``.
  func identities(at positions: Range<Int>) throws -> [RowIdentity] {
    try keys(at: positions).map(\.identity)
  }

  /// The keys at some positions in the result, which must be in range.
  ///
  /// Complexity: O(log n + positions). An index of chunks also reads rows, half a chunk of them.
  ///
  /// - Throws: `FetchError` with code `.vanishedRow` for a damaged file, and `DatabaseError`; never
  ///   if the index holds keys.
  func keys(at positions: Range<Int>) throws -> [RowKey] {
    let start = index.layout.window.lowerBound + positions.lowerBound
    let positions = start..<(start + positions.count)
    if case .keys(let keys) = index.rows { return keys[positions] }
    return try snapshot.read { try index.rows.keys(at: positions, plan, in: $0) }
  }

  /// Passes the rows at some positions to `body`, in order, with the columns of a record.
  ///
  /// - Throws: any error of `body`; if the rows are not in memory, `FetchError` with code `.vanishedRow` for a damaged
  ///   file, and `DatabaseError`.
  func read(_ positions: Range<Int>, _ body: (borrowing RowView) throws -> Void) throws {
    if let packed { return try packed.forEach(at: positions, body) }
    let keys = try keys(at: positions)
    try snapshot.read { connection in
      let (statement, firstUnbound) = try plan.statement(
        ofRow: plan.statements.fetch, in: connection)
      defer { statement.reset() }
      let row = statement.currentRow
      for key in keys {
        if case .values(let values) = try heldRow(of: key, in: connection),
          let held = try plan.maintenance.held?.fetch.row(of: key, values, in: connection)
        {
          defer { held.reset() }
          try body(held.currentRow)
          continue
        }
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
  /// read. If the rows are in memory, or in the order of a value that cannot be searched, O(n) keys, some nanoseconds
  /// each, and no look-ups.
  ///
  /// - Throws: `FetchError` with code `.vanishedRow` for a damaged file, and `DatabaseError`.
  func position(of identity: RowIdentity) throws -> Int? {
    // An identity with more or fewer values belongs to another table.
    guard identity.values.count == (plan.isWithoutKey ? 1 : plan.parts.key.count) else {
      return nil
    }
    return try position(of: RowKey(identity))
  }

  /// The identity of the row that SQLite finds by a key, which a collation may take for equal; nil if there is none.
  func collatedIdentity(of identity: RowIdentity) throws -> RowIdentity? {
    guard identity.values.count == plan.parts.key.count,
      plan.parts.keyTerms.contains(where: { !$0.comparison.comparator.isBinary })
    else { return nil }
    if packed != nil {
      let (order, key) = (plan.keyOrder, identity.key)
      return try keys(at: 0..<layout.count).first { order.compare($0.tuple, key) == 0 }?.identity
    }
    return try snapshot.read { connection in
      let (statement, first) = try plan.statement(
        ofRow: plan.statements.observation, in: connection)
      defer { statement.reset() }
      try identity.key.bind(to: statement, from: first)
      guard try statement.step() else { return nil }
      return RowKey(statement.currentRow, columns: plan.statements.observedKey).identity
    }
  }

  /// The position of a row by its key; nil if it is not in the result.
  func position(of key: RowKey) throws -> Int? {
    let window = index.layout.window
    let position: Int? =
      if packed != nil, case .keys(let keys) = index.rows {
        keys.places(of: [key]).first?.position
      } else {
        try snapshot.read { connection in
          do {
            return try searchedPosition(of: key, in: connection)
          } catch is InexactSearchError {
            return try index.rows.places(of: [key], plan, in: connection).first?.position
          }
        }
      }
    return position.flatMap { window.contains($0) ? $0 - window.lowerBound : nil }
  }

  /// The position of a row in the whole order, found by its sort key; nil if it is not in the result.
  private func searchedPosition(of key: RowKey, in connection: Connection) throws -> Int? {
    let sortKeys = takeSortKeys()
    defer { checkIn(sortKeys) }
    let search = try RowSearch(self, in: connection, sortKeys)
    defer { search.finish() }
    guard let sortKey = try search.sortKey(of: key) else { return nil }
    switch index.rows {
    case .keys(let keys):
      let position = try search.position(of: key, sortedBy: sortKey, in: keys)
      return position < keys.count && keys[position] == key ? position : nil
    case .chunks(let chunks):
      let search = ChunkSearch(chunks, plan, in: connection)
      return try search.places(of: [(key, sortKey)])[0].position
    }
  }
}
