internal import SQLiteStorage

/// A version of a result: which rows, in which order, and the snapshot they can be read from.
///
/// Sendable: nothing in it changes.
struct ResultsVersion<Record: Sendable, Key: RowKey>: Sendable {
  let plan: QueryPlan<Record>
  let snapshot: Snapshot
  let index: ResultsIndex<Key>
}

extension ResultsVersion {
  /// The records at some positions, in order.
  ///
  /// - Throws: `FetchError` of code `.vanishedRow` for a damaged file, `DatabaseError`, and what
  ///   decoding throws.
  func records(at positions: Range<Int>) throws -> [Record] {
    let keys = index.keys(at: positions)
    return try snapshot.read { connection in
      let (statement, firstOpen) = try connection.statement(
        for: plan.fetch, parameters: plan.parameters, openCount: plan.key.count)
      defer { statement.reset() }
      var records: [Record] = []
      records.reserveCapacity(keys.count)
      for key in keys {
        statement.reset()
        try key.bind(to: statement, from: firstOpen)
        guard try statement.step() else {
          throw FetchError(
            .vanishedRow, "row \(key.identity) is in the order but not in the table",
            nextStep: "Check the file with PRAGMA integrity_check")
        }
        records.append(try plan.decode(statement.currentRow))
      }
      return records
    }
  }

  /// The position of a row in the result; nil where it is not in it.
  ///
  /// Complexity: O(log n) look-ups of single rows.
  func position(of key: Key) throws -> Int? {
    try snapshot.read { connection in
      guard let target = try sortKey(of: key, in: connection) else { return nil }
      let order = plan.order
      let position = try index.rows.partitionPoint { other in
        guard let sortKey = try sortKey(of: other, in: connection) else { return false }
        return order.compare(sortKey, target) < 0
      }
      guard index.window.contains(position), index.rows[position] == key else { return nil }
      return position - index.window.lowerBound
    }
  }

  /// The values a row is sorted by; nil where the row is not in the result.
  private func sortKey(of key: Key, in connection: Connection) throws -> KeyTuple? {
    let (statement, firstOpen) = try connection.statement(
      for: plan.probe, parameters: plan.parameters, openCount: plan.key.count)
    defer { statement.reset() }
    try key.bind(to: statement, from: firstOpen)
    guard try statement.step() else { return nil }
    let row = statement.currentRow
    return KeyTuple(packing: row, columns: 0..<row.count)
  }
}
