internal import SQLiteStorage

/// What is held of one group: the counters of its aggregates, which touched rows adjust.
struct HeldGroup: Sendable {
  /// The row of a group, as far as it follows from the counters.
  enum Content: Hashable {
    /// It must be evaluated.
    case unknown
    /// The group has no row in the result.
    case absent
    /// The values of the aggregates.
    case values([Value])
  }

  private(set) var rowCount: Int
  private var totals: ResultTotals.Section
  /// Whether the counters show what SQLite does. If not, the group is evaluated.
  private var isExact: Bool

  /// A group that must be evaluated.
  static let inexact = HeldGroup(
    rowCount: 0, totals: ResultTotals.Section(counters: []), isExact: false)

  func row(_ queries: HeldQueries) -> Content {
    guard isExact else { return .unknown }
    if queries.isGrouped, rowCount == 0 { return .absent }
    var values: [Value] = []
    values.reserveCapacity(totals.counters.count)
    for counter in totals.counters {
      if case .sum(let sum) = counter, sum.mayOverflow { return .unknown }
      guard let value = counter.value else { return .unknown }
      values.append(value)
    }
    return .values(values)
  }

  /// Adds a row, by its arguments.
  mutating func add(_ arguments: [TotalArgument], _ queries: HeldQueries) {
    guard isExact else { return }
    rowCount += 1
    totals.add(arguments, queries.terms)
    for (argument, mayTie) in zip(arguments, queries.mayTie) where mayTie && argument.isReal {
      isExact = false
    }
  }

  /// Removes a row that was added.
  mutating func remove(_ arguments: [TotalArgument], _ queries: HeldQueries) {
    guard isExact else { return }
    rowCount -= 1
    totals.remove(arguments, queries.terms)
    if rowCount < 0 { isExact = false }
  }

  /// The extremes that must be read from the database, as positions of terms.
  var missingExtremes: [Int] {
    guard isExact else { return [] }
    return totals.counters.indices.filter { index in
      if case .extreme = totals.counters[index] { !totals.counters[index].isKnown } else { false }
    }
  }

  /// Sets an extreme that was read from the database.
  mutating func setExtreme(_ value: TotalArgument, of term: Int) {
    totals.counters[term].set(value)
  }
}

extension HeldQueries {
  /// Evaluates what is held of a group.
  ///
  /// Complexity: O(rows of the group), with an SQL index of it.
  func group(of key: RowKey, in connection: Connection) throws -> HeldGroup {
    guard areKeyTypesKept(key) else { return .inexact }
    let (statement, firstUnbound) = try counters.statement(
      in: connection, unboundCount: self.key.count)
    defer { statement.reset() }
    try key.bind(to: statement, from: firstUnbound)
    do {
      guard try statement.step() else { return .inexact }
    } catch let error as DatabaseError where error.isOverflow {
      return .inexact
    }
    return HeldGroup(statement.currentRow, self)
  }

  /// Reads an extreme of a group: one look-up if an SQL index has the values of the group in order.
  func extreme(
    _ term: Int, ofGroup key: RowKey, in connection: Connection
  ) throws -> TotalArgument {
    guard let query = extremes[term] else { return TotalArgument(.null) }
    let (statement, firstUnbound) = try query.statement(
      in: connection, unboundCount: self.key.count)
    defer { statement.reset() }
    try key.bind(to: statement, from: firstUnbound)
    guard try statement.step() else { return TotalArgument(.null) }
    return statement.currentRow.withComponent(at: 0) { TotalArgument($0) }
  }

  /// Whether the values of a key have the types that they have in the table.
  private func areKeyTypesKept(_ key: RowKey) -> Bool {
    zip(key.identity.values, keyTypes).allSatisfy { value, type in
      switch (type, value) {
      case (nil, _), (_, .null), ("TEXT", .text): true
      // The smallest integer is also a REAL that no column turns into an INTEGER.
      case ("INTEGER", .integer(let value)), ("NUMERIC", .integer(let value)): value != .min
      default: false
      }
    }
  }
}

extension NumberedQuery {
  /// The statement at the row of a group with some values of its aggregates; nil if the group has no
  /// row in the result. The caller resets it.
  func row(
    of key: RowKey, _ values: [Value], in connection: Connection
  ) throws -> Statement? {
    let keyCount = key.identity.values.count
    let (statement, firstUnbound) = try statement(
      in: connection, unboundCount: keyCount + values.count)
    try key.bind(to: statement, from: firstUnbound)
    for (index, value) in values.enumerated() {
      try statement.bind(value, at: firstUnbound + keyCount + index)
    }
    if try statement.step() { return statement }
    statement.reset()
    return nil
  }
}

extension HeldGroup {
  /// - Parameter row: a row of ``HeldQueries/counters``.
  fileprivate init(_ row: borrowing RowView, _ queries: HeldQueries) {
    rowCount = Int(row.int64(at: 0))
    isExact = row.int64(at: 1) == 0
    totals = ResultTotals.none(queries.terms)
    for (index, term) in queries.terms.enumerated() {
      totals.counters[index] = TotalCounter(term, row, columns: queries.counted[index])
    }
  }
}

/// The groups of one version whose aggregates are held: those that were touched not long ago. What
/// is not held is evaluated once when it is touched.
///
/// It has two generations, as ``SortKeyCache``, so that groups that are not touched are dropped.
struct HeldGroups: Sendable {
  private var young: [RowKey: HeldGroup] = [:]
  private var old: [RowKey: HeldGroup] = [:]

  subscript(key: RowKey) -> HeldGroup? {
    get { young[key] ?? old[key] }
    set {
      if young.count >= HeldGroups.generationLimit, young[key] == nil {
        old = young
        young = [:]
      }
      young[key] = newValue
    }
  }

  /// The number of rows in the groups.
  var rowCount: Int {
    young.values.reduce(0) { $0 + $1.rowCount }
      + old.reduce(0) { $0 + (young[$1.key] == nil ? $1.value.rowCount : 0) }
  }

  var all: [RowKey: HeldGroup] { old.merging(young) { $1 } }

  private static var generationLimit: Int { 4_096 }
}
