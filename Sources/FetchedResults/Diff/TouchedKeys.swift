internal import SQLiteStorage

/// Finds the rows of a result that touched rows may have changed, in either of two versions.
struct TouchedKeys<Key: RowKey> {
  let version: ResultsVersion<Key>
  /// The version to advance to.
  let snapshot: Snapshot
  /// The maximum number of rows that are looked up. Rows that need no look-up do not count.
  let limit: Int

  /// The touched rows of a table, and the finder for the rows of the result.
  typealias Task = (finder: RowFinder, rows: TouchedRows.Rows)

  /// The keys of the rows in either version.
  ///
  /// - Returns: nil if they are not known, or are more than the limit.
  /// - Throws: ``NonIntegerKeyError``, and `DatabaseError`.
  func keys(_ tasks: [Task]) throws -> Set<Key>? {
    var count = 0
    for task in tasks {
      guard let rowCount = task.rows.count else { return nil }
      if !task.finder.isDirect { count += rowCount }
    }
    guard count <= limit else { return nil }
    if tasks.count == 1, case .rowID = tasks[0].finder.way,
      case .rowIDs(let rowIDs) = tasks[0].rows,
      let keys = rowIDs as? Set<Key>
    {
      return keys
    }
    var keys: Set<Key> = []
    for task in tasks {
      guard try find(task, &keys) else { return nil }
    }
    return keys
  }

  /// - Returns: whether all keys were found.
  private func find(_ task: Task, _ keys: inout Set<Key>) throws -> Bool {
    switch (task.finder.way, task.rows) {
    case (.rowID, .rowIDs(let rowIDs)):
      for rowID in rowIDs {
        if let key = Key(RowIdentity(.integer(rowID))) { keys.insert(key) }
      }
      return true
    case (.key, .keys(let values)):
      for values in values {
        guard let key = Key(RowIdentity(values)) else { throw NonIntegerKeyError() }
        keys.insert(key)
      }
      return true
    case (.keys(let query), let rows):
      return try findKeys(query, KeyTuple.of(rows), &keys)
    case (.partners(let query, let keysQuery), let rows):
      var partners: Set<KeyTuple> = []
      guard
        try ask(
          query, KeyTuple.of(rows),
          { row in
            partners.insert(KeyTuple(packing: row, columns: 0..<row.count))
            return partners.count <= limit
          })
      else { return false }
      return try findKeys(keysQuery, Array(partners), &keys)
    default: return false
    }
  }

  private func findKeys(
    _ query: BoundSQL, _ bound: [KeyTuple], _ keys: inout Set<Key>
  ) throws -> Bool {
    try ask(query, bound) { row in
      if let key = Key(row, columns: 0..<row.count) {
        keys.insert(key)
        return keys.count <= limit
      }
      // A row without a key is an error. The comparison reports it.
      for column in 0..<row.count where row.isNull(at: column) { return false }
      throw NonIntegerKeyError()
    }
  }

  /// Runs a query with each of some tuples in both versions, until `body` returns false.
  ///
  /// - Returns: whether `body` returned true for all rows.
  private func ask(
    _ query: BoundSQL, _ bound: [KeyTuple], _ body: (borrowing RowView) throws -> Bool
  ) throws -> Bool {
    guard let size = bound.first?.values.count else { return true }
    for snapshot in [version.snapshot, snapshot] {
      let wantsMore = try snapshot.read { connection in
        let (statement, firstUnbound) = try connection.statement(
          for: query, parameters: version.plan.parameters, unboundCount: size)
        defer { statement.reset() }
        let row = statement.currentRow
        for tuple in bound {
          statement.reset()
          try tuple.bind(to: statement, from: firstUnbound)
          while try statement.step() {
            guard try body(row) else { return false }
          }
        }
        return true
      }
      guard wantsMore else { return false }
    }
    return true
  }
}

extension KeyTuple {
  /// The keys of touched rows; empty if all rows of the table may be touched.
  fileprivate static func of(_ rows: TouchedRows.Rows) -> [KeyTuple] {
    switch rows {
    case .rowIDs(let rowIDs): rowIDs.map { KeyTuple([.integer($0)]) }
    case .keys(let keys): keys.map { KeyTuple($0) }
    case .all: []
    }
  }
}
