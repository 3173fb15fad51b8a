internal import SQLiteStorage

/// The row of a group, as far as it follows from what is held of it.
enum HeldRow: Hashable {
  /// SQLite must compute it.
  case unknown
  case absent
  case values([Value])
}

/// The groups of one version whose aggregates are held: those that were touched not long ago. What
/// is not held is counted once when it is touched.
typealias HeldGroups = RowCache<GroupCounters>

extension HeldGroups {
  convenience init() { self.init(generationLimit: 4_096) }
}

extension HeldQueries {
  /// The row of a group.
  ///
  /// - Parameter group: what is held of it; nil for nothing.
  func row(_ group: GroupCounters?) -> HeldRow {
    guard let values = group?.valuesOfGroup else { return .unknown }
    return isGrouped && group?.rowCount == 0 ? .absent : .values(values)
  }

  /// Counts the rows of a group.
  ///
  /// Complexity: O(rows of the group), with an SQL index of it.
  ///
  /// - Returns: nil if they cannot be counted.
  func group(of key: RowKey, in connection: Connection) throws -> GroupCounters? {
    guard areKeyTypesKept(key) else { return nil }
    do {
      return try counters.firstRow(of: key, in: connection) {
        GroupCounters(self, countedIn: $0)
      }
    } catch let error as DatabaseError where error.isAboutValues {
      // Such as a sum that is too large for an integer. SQLite says it again if it is about the row.
      return nil
    }
  }

  /// Reads an extreme of a group: one look-up if an SQL index has the values of the group in order.
  ///
  /// - Returns: nil if the term is not an extreme.
  func extreme(
    _ term: Int, ofGroup key: RowKey, in connection: Connection
  ) throws -> TotalArgument? {
    try extremes[term]?.firstRow(of: key, in: connection) { row in
      row.withContent(at: 0) { TotalArgument($0) }
    }
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
    of key: RowKey, _ values: [Value] = [], in connection: Connection
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

  /// What `body` returns for the row of a group; nil if there is none.
  fileprivate func firstRow<Result>(
    of key: RowKey, in connection: Connection, _ body: (borrowing RowView) -> Result
  ) throws -> Result? {
    guard let statement = try row(of: key, in: connection) else { return nil }
    defer { statement.reset() }
    return body(statement.currentRow)
  }
}
