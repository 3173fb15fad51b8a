internal import SQLiteStorage

/// Thrown where an index of integers meets a key that is none: the index must be built again with
/// keys of any kind.
struct KeyIsNoInteger: Error {}

/// Builds the index of a result by one scan in order.
struct IndexBuilder<Record: Sendable, Key: RowKey> {
  private let plan: QueryPlan<Record>
  private let connection: Connection

  /// Reads what `connection` sees.
  init(_ plan: QueryPlan<Record>, in connection: Connection) {
    self.plan = plan
    self.connection = connection
  }

  /// Scans the result.
  ///
  /// Complexity: O(n) with an SQL index that has the order, O(n log n) without.
  ///
  /// - Throws: `FetchError` of code `.invalidKey` or `.tornSection`, ``KeyIsNoInteger``, and
  ///   `DatabaseError`.
  func build() throws -> ResultsIndex<Key> {
    if !plan.isKeyUnique { try refuseDuplicates() }
    var rows = CountedTree<Key>.Builder()
    var grouper = SectionGrouper<Key>(plan.sectioning)
    var last: Key?
    var count = 0
    try scan { row, key in
      switch plan.sectioning {
      case .none: break
      case .sql: try grouper.add(row, column: 0, key: key, after: last)
      case .computed(let sectionKey):
        try grouper.add(sectionKey(try plan.decode(row)), key: key, after: last)
      }
      rows.append(key)
      last = key
      count += 1
    }
    return ResultsIndex(
      rows: rows.finish(),
      sections: grouper.finish(undividedRowCount: plan.sectioning.isNone ? count : nil),
      offset: plan.offset, limit: plan.limit)
  }

  /// Hands each row of the result to `body`, up to the end of the window.
  private func scan(_ body: (borrowing RowView, Key) throws -> Void) throws {
    let (statement, _) = try connection.statement(for: plan.scan, parameters: plan.parameters)
    defer { statement.reset() }
    let keyColumns = plan.scanKeyColumns
    var remaining = plan.limit.map { plan.offset + $0 } ?? Int.max
    while remaining > 0, try statement.step() {
      let row = statement.currentRow
      try body(row, try key(of: row, columns: keyColumns))
      remaining -= 1
    }
  }

  private func key(of row: borrowing RowView, columns: Range<Int>) throws -> Key {
    if let key = Key(row, columns: columns) { return key }
    for column in columns where row.isNull(at: column) {
      throw FetchError(
        .invalidKey, "a row has NULL in its key \(plan.key.joined(separator: ", "))",
        nextStep: "Leave such rows out by a condition, or name another key")
    }
    throw KeyIsNoInteger()
  }

  private func refuseDuplicates() throws {
    let (statement, _) = try connection.statement(
      for: plan.duplicates, parameters: plan.parameters)
    try statement.forEachRow { row in
      let key = KeyTuple(packing: row, columns: 0..<plan.key.count)
      guard !key.hasNull else { return }  // The scan tells of those.
      throw FetchError(
        .invalidKey,
        "two rows have the key \(key.identity) in \(plan.key.joined(separator: ", "))",
        nextStep: "Name columns as the key that are unique together")
    }
  }
}
