internal import SQLiteStorage

/// What one version of a result has of a row: its sort key and its section's key.
struct ObservedRow: Sendable {
  let sortKey: KeyTuple
  /// The section's key; nil if the result is not divided into sections, or the key cannot be computed.
  let sectionKey: KeyTuple?
  /// What the totals are computed from.
  var totalArguments: [TotalArgument] = []
}

/// Looks up rows in two versions of a result and compares them.
///
/// Not Sendable: it is used inside the reads of both snapshots.
struct RowComparison {
  private let old: Side
  private let new: Side
  private let held: HeldStep?

  /// One of the versions, with a prepared statement.
  private final class Side {
    /// Held for its plan.
    let version: ResultsVersion
    /// The statement at the row that was found.
    private(set) var statement: Statement
    private let connection: Connection
    private let observation: Statement
    private let firstUnbound: Int

    init(
      _ version: ResultsVersion, _ connection: Connection, isShared: Bool = true
    ) throws {
      (self.version, self.connection) = (version, connection)
      (observation, firstUnbound) = try version.plan.statement(
        ofRow: version.plan.statements.observation, in: connection, isShared: isShared)
      statement = observation
    }

    /// Moves to the row with a key. Returns false if it is not in the result.
    ///
    /// - Parameter held: what is held of the row.
    /// - Throws: `FetchError` with code `.invalidKey` if two rows have this key.
    func find(_ key: RowKey, _ held: HeldRow) throws -> Bool {
      // A statement that is still at a row would be prepared again.
      statement.reset()
      switch held {
      case .absent: return false
      case .values(let values):
        guard let row = version.plan.maintenance.held?.row else { return try find(key) }
        guard let found = try row.row(of: key, values, in: connection) else { return false }
        statement = found
        return true
      case .unknown: return try find(key)
      }
    }

    private func find(_ key: RowKey) throws -> Bool {
      statement = observation
      try key.bind(to: statement, from: firstUnbound)
      guard try statement.step() else {
        guard key.hasLoneSurrogate, try connection.storesUTF16() else { return false }
        throw FetchError.loneSurrogate(in: key.identity, columns: version.plan.parts.key)
      }
      if !version.plan.parts.isKeyUnique || key.hasNull {
        if try statement.step() {
          throw FetchError.duplicateKey(key.identity, columns: version.plan.parts.key)
        }
        statement.reset()
        guard try statement.step() else { return false }
      }
      let found = RowKey(statement.currentRow, columns: version.plan.statements.observedKey)
      if found == key { return true }
      // Under a collation such as NOCASE, a text is found by another text. If the types differ, the
      // row is not known to be absent.
      guard found.identity.hasTypes(of: key.identity) else { throw InexactSearchError.key }
      return false
    }

    func observe() throws -> ObservedRow { try version.plan.observe(statement.currentRow) }

    func finish() { statement.reset() }
  }

  /// - Parameters:
  ///   - version: the old version.
  ///   - next: the new version, with a comparable plan; nil if it has the same plan.
  ///   - held: the rows whose aggregates are held.
  init(
    of version: ResultsVersion, and next: ResultsVersion? = nil, _ oldConnection: Connection,
    _ newConnection: Connection, held: HeldStep? = nil
  ) throws {
    self.held = held
    old = try Side(version, oldConnection)
    // One connection may read both, with different parameters.
    new = try Side(next ?? version, newConnection, isShared: next == nil)
  }

  /// Whether a row is in both versions and shows the same columns. The sort key may differ, and what the
  /// totals are computed from. So may the section key: a row of another section moves, and if the key is
  /// only spelled otherwise, that is the header's.
  func showsTheSame(at key: RowKey) throws -> Bool {
    guard try find(key) == (true, true) else { return false }
    let oldRow = old.statement.currentRow
    let newRow = new.statement.currentRow
    return oldRow.isIdentical(to: newRow, in: 0..<old.version.plan.parts.columns.count)
  }

  /// The row in both versions; nil if it is equal in both, or in neither.
  func difference(at key: RowKey) throws -> (old: ObservedRow?, new: ObservedRow?)? {
    let (isInOld, isInNew) = try find(key)
    switch (isInOld, isInNew) {
    case (false, false): return nil
    case (true, true) where old.statement.currentRow.isIdentical(to: new.statement.currentRow):
      return nil
    default:
      return (isInOld ? try old.observe() : nil, isInNew ? try new.observe() : nil)
    }
  }

  /// Whether the row is in either version, to whose rows the sides move.
  private func find(_ key: RowKey) throws -> (old: Bool, new: Bool) {
    let row = held?.row(of: key) ?? (.unknown, .unknown)
    return (try old.find(key, row.old), try new.find(key, row.new))
  }

  /// Resets the statements.
  func finish() {
    old.finish()
    new.finish()
  }
}

extension RowIdentity {
  /// Whether each value has the type of the one in another identity.
  fileprivate func hasTypes(of other: RowIdentity) -> Bool {
    zip(values, other.values).allSatisfy { value, other in
      switch (value, other) {
      case (.null, .null), (.text, .text), (.blob, .blob): true
      case (.integer, .integer), (.real, .real): true
      default: false
      }
    }
  }
}

/// The rows of partitions in two versions. A window function of one row is computed from its whole
/// partition, so a partition with several rows that may differ is read once in each version.
struct PartitionRows {
  private typealias Side = [RowKey: (row: KeyTuple, observed: ObservedRow)]

  private var old: Side = [:]
  private var new: Side = [:]
  /// The keys whose partitions were read.
  private var known: Set<RowKey> = []

  /// Reads the partitions that more than one of some keys are in.
  ///
  /// - Throws: `FetchError` with code `.invalidKey` if two rows have the same key, and `DatabaseError`.
  init(
    of keys: Set<RowKey>, _ plan: QueryPlan, _ oldConnection: Connection,
    _ newConnection: Connection
  ) throws {
    // Rows that are equal in both versions must not be looked at if their order is not exact.
    guard let (columns, query) = plan.maintenance.partition, keys.count > 1,
      plan.maintenance.inexactTerms.isEmpty
    else { return }
    let partitions = Dictionary(grouping: keys) { key in
      let values = key.identity.values
      return KeyTuple(columns.map { values[$0] })
    }
    for (partition, keys) in partitions where keys.count > 1 {
      known.formUnion(keys)
      try PartitionRows.read(partition, query, plan, of: Set(keys), in: oldConnection, &old)
      try PartitionRows.read(partition, query, plan, of: Set(keys), in: newConnection, &new)
    }
  }

  private static func read(
    _ partition: KeyTuple, _ query: NumberedQuery, _ plan: QueryPlan, of keys: Set<RowKey>,
    in connection: Connection, _ rows: inout Side
  ) throws {
    let (statement, firstUnbound) = try query.statement(
      in: connection, unboundCount: partition.values.count)
    try partition.bind(to: statement, from: firstUnbound)
    let count = plan.statements.observedTotals.upperBound
    try statement.forEachRow { row in
      let key = RowKey(row, columns: plan.statements.observedKey)
      guard keys.contains(key) else { return }
      let stored = KeyTuple(packing: row, columns: 0..<count, isExact: true)
      guard rows.updateValue((stored, try plan.observe(row)), forKey: key) == nil else {
        throw FetchError.duplicateKey(key.identity, columns: plan.parts.key)
      }
    }
  }

  /// The row in both versions, as ``RowComparison/difference(at:)`` returns it.
  ///
  /// - Parameter compare: called if the partition of the row was not read.
  func difference(
    at key: RowKey, else compare: () throws -> (old: ObservedRow?, new: ObservedRow?)?
  ) rethrows -> (old: ObservedRow?, new: ObservedRow?)? {
    guard known.contains(key) else { return try compare() }
    let (old, new) = (old[key], new[key])
    return old?.row == new?.row ? nil : (old?.observed, new?.observed)
  }
}

extension QueryPlan {
  /// What is observed of one row; nil if the key is not in the result.
  func observe(_ key: RowKey, in connection: Connection) throws -> ObservedRow? {
    let (statement, firstUnbound) = try statement(ofRow: statements.observation, in: connection)
    defer { statement.reset() }
    try key.bind(to: statement, from: firstUnbound)
    return try statement.step() ? try observe(statement.currentRow) : nil
  }

  /// Reads the columns of ``observation``.
  fileprivate func observe(_ row: borrowing RowView) throws -> ObservedRow {
    let observed = statements.observedSortKey
    let column = observed.upperBound
    let sectionKey: KeyTuple? =
      switch parts.sectioning {
      case .none: nil
      case .sql: KeyTuple(packing: row, columns: column..<(column + 1), isExact: true)
      case .computed(_, let key): key(row).map { KeyTuple([$0], isExact: true) }
      }
    let sortKey = KeyTuple(packing: row, columns: observed)
    try checkExactness(of: row, from: observed.lowerBound)
    return ObservedRow(
      sortKey: sortKey, sectionKey: sectionKey,
      totalArguments: parts.totals.terms.isEmpty
        ? [] : [TotalArgument](row, columns: statements.observedTotals))
  }
}
