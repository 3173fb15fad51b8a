internal import LiveQueries
internal import SQLiteStorage

/// Finds the rows of a result that touched rows may have changed, in either of two versions.
struct TouchedKeys {
  let version: ResultsVersion
  /// The version to advance to.
  let snapshot: Snapshot
  /// The maximum number of rows that are looked up. Rows that need no look-up do not count.
  let limit: Int

  /// The touched rows of a table, and the finder for the rows of the result.
  typealias Task = (finder: RowFinder, rows: TouchedRows.Rows)

  /// The keys of the rows in either version.
  ///
  /// - Returns: nil if they are not known, or are more than the limit.
  func keys(_ tasks: [Task]) throws -> Set<RowKey>? {
    var count = 0
    for task in tasks {
      guard let rowCount = task.rows.count else { return nil }
      if !task.finder.isDirect { count += rowCount }
    }
    guard count <= limit else { return nil }
    var keys: Set<RowKey> = []
    for task in tasks {
      guard try find(task, &keys) else { return nil }
    }
    return keys
  }

  /// - Returns: whether all keys were found.
  private func find(_ task: Task, _ keys: inout Set<RowKey>) throws -> Bool {
    switch (task.finder.method, task.rows) {
    case (.rowID, .rowIDs(let rowIDs)):
      keys.formUnion(rowIDs.lazy.map(RowKey.integer))
      return true
    case (.key, .keys(let values)):
      keys.formUnion(values.lazy.map { RowKey(KeyTuple($0)) })
      return true
    case (.live(let derivation), let rows):
      return try find(derivation, KeyTuple.of(rows), task.finder.parameters, &keys)
    default: return false
    }
  }

  /// - Returns: whether all keys were found.
  private func find(
    _ derivation: LivePlan.Derivation, _ touched: [KeyTuple], _ parameters: [ExactText: Value],
    _ keys: inout Set<RowKey>
  ) throws -> Bool {
    switch derivation {
    case .none: return false
    case .value(let query):
      let values = try [version.snapshot, snapshot].map { snapshot in
        try snapshot.readAll { connection in
          var values: [KeyTuple] = []
          _ = try connection.forEachRow(of: query.sql, with: [KeyTuple([])], parameters) { row in
            values.append(KeyTuple(packing: row, columns: 0..<row.count, isExact: true))
            return true
          }
          return values
        }
      }
      return values[0] == values[1]
    case .invalidation(let queries):
      return try find(queries, touched, parameters) { _ in false }
    case .queries(let queries):
      return try find(queries, touched, parameters) { row in
        keys.insert(RowKey(row, columns: 0..<row.count))
        return keys.count <= limit
      }
    }
  }

  /// Runs queries one after the other, each in both versions and with the rows of the one before it,
  /// until `body` returns false for a row of the last.
  ///
  /// - Returns: whether `body` returned true for all rows, and no query had more than the limit.
  private func find(
    _ queries: [PlanQuery], _ touched: [KeyTuple], _ parameters: [ExactText: Value],
    _ body: (borrowing RowView) throws -> Bool
  ) throws -> Bool {
    var bound = touched
    for (index, query) in queries.enumerated() {
      var found: Set<KeyTuple> = []
      for snapshot in [version.snapshot, snapshot] {
        let isComplete = try snapshot.readAll { connection in
          try connection.forEachRow(of: query.sql, with: bound, parameters) { row in
            if index == queries.count - 1 { return try body(row) }
            found.insert(KeyTuple(packing: row, columns: 0..<row.count))
            return found.count <= limit
          }
        }
        guard isComplete else { return false }
      }
      bound = Array(found)
    }
    return true
  }
}

extension KeyTuple {
  /// The keys of touched rows; empty if all rows of the table may be touched.
  static func of(_ rows: TouchedRows.Rows) -> [KeyTuple] {
    switch rows {
    case .rowIDs(let rowIDs): rowIDs.map { KeyTuple([.integer($0)]) }
    case .keys(let keys): keys.map { KeyTuple($0) }
    case .all: []
    }
  }
}
