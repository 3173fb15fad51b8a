internal import SQLiteStorage

/// The queries for the rows of a result from a place in its order on, for a table that has an index
/// which fits the order: SQLite goes to the place, and from there from row to row.
struct FollowingRows: Sendable {
  /// All rows.
  private let all: BoundSQL
  /// One for each way of coming after a place: to be equal in the first terms of the order, and to come
  /// after it in the next one. The nearest rows are those that are equal in the most terms.
  private let levels: [Level]
  /// The columns of the key in a row.
  let key: Range<Int>
  /// The columns that a row is sorted by, in a row: all of them.
  var sortKey: Range<Int> { 0..<key.upperBound }

  /// Everything it may ask.
  var queries: [BoundSQL] {
    [all] + levels.flatMap { [$0.afterValue, $0.nulls, $0.notNull].compactMap(\.self) }
  }

  private struct Level: Sendable {
    /// The rows whose term comes after a value. It takes the equal terms' values, and this one.
    let afterValue: BoundSQL
    /// The rows whose term is NULL, where those come last. It takes the equal terms' values.
    let nulls: BoundSQL?
    /// The rows whose term is not NULL, where those come after it. It takes the equal terms' values.
    ///
    /// SQLite passes by those with NULL to get there: for the one chunk in which both meet.
    let notNull: BoundSQL?
  }

  /// Looks whether the file can answer such queries.
  ///
  /// - Returns: nil where it would have to sort, or read more than it finds.
  init?(_ plan: QueryPlan, in connection: Connection) throws {
    let terms = plan.terms + plan.keyTerms
    // As for the preceding rows.
    guard terms.allSatisfy({ $0.expression.values.isEmpty && !$0.isNumber }) else { return nil }
    key = plan.terms.count..<terms.count
    all = plan.sortKeys(where: nil, in: terms[...])
    guard try connection.readsInOrder(all.text, by: ["SCAN ", "SEARCH "]) else { return nil }
    levels = terms.indices.map { index in
      let (term, text) = (terms[index], terms[index].expression.text)
      // IS, since two NULLs are equal here.
      let equal = terms[..<index].map { "\($0.expression.text) IS ?\($0.collate)" }
      func rows(_ condition: String, in order: ArraySlice<QueryPlan.OrderTerm>) -> BoundSQL {
        plan.sortKeys(where: (equal + [condition]).joined(separator: " AND "), in: order)
      }
      let isLast = index == terms.count - 1
      // The place itself counts.
      let after = (term.comparison.isDescending ? "<" : ">") + (isLast ? "=" : "")
      let mayBeNull = index < plan.terms.count
      let areNullsFirst = term.comparison.areNullsFirst
      return Level(
        afterValue: rows("\(text) \(after) ?\(term.collate)", in: terms[index...]),
        nulls: mayBeNull && !areNullsFirst
          ? rows("\(text) IS NULL", in: terms[(index + 1)...]) : nil,
        notNull: mayBeNull && areNullsFirst
          ? rows("\(text) IS NOT NULL", in: terms[index...]) : nil)
    }
    // Where one with values serves, so does the one for NULL; of a column that has none, SQLite knows.
    for level in levels {
      guard try connection.readsInOrder(level.afterValue.text, by: ["SEARCH "]) else { return nil }
    }
  }

  /// Hands the rows from a place on to `body`, with the columns they are sorted by, until it wants no
  /// more.
  ///
  /// Complexity: O(log n), and O(1) a row.
  ///
  /// - Parameters:
  ///   - place: how the place sorts; nil for the first of all.
  ///   - body: returns whether to go on.
  /// - Throws: `DatabaseError`, and what `body` throws.
  func forEach(
    from place: KeyTuple?, in connection: Connection, _ parameters: [String: Value],
    _ body: (borrowing RowView) throws -> Bool
  ) throws {
    guard let place else {
      _ = try run(all, in: connection, parameters, nil, count: 0, body)
      return
    }
    let isNull = place.values.map { $0 == .null }
    for (index, level) in levels.enumerated().reversed() {
      let queries: [(BoundSQL?, valueCount: Int)] =
        isNull[index]
        ? [(level.notNull, index)] : [(level.afterValue, index + 1), (level.nulls, index)]
      for case (let query?, let count) in queries {
        guard try run(query, in: connection, parameters, place, count: count, body) else { return }
      }
    }
  }

  /// Runs a query with the first values of a place.
  ///
  /// - Returns: whether `body` wanted all rows, and more.
  private func run(
    _ query: BoundSQL, in connection: Connection, _ parameters: [String: Value],
    _ place: KeyTuple?, count: Int, _ body: (borrowing RowView) throws -> Bool
  ) throws -> Bool {
    let (statement, firstOpen) = try connection.statement(
      for: query, parameters: parameters, openCount: count)
    defer { statement.reset() }
    try place?.bind(to: statement, from: firstOpen, count: count)
    let row = statement.currentRow
    while try statement.step() {
      guard try body(row) else { return false }
    }
    return true
  }
}

extension Connection {
  /// Whether SQLite reads the rows of a query in the order it asks for, without sorting them.
  ///
  /// Source: [EXPLAIN QUERY PLAN](https://www.sqlite.org/eqp.html).
  ///
  /// - Parameter ways: how it may come to the first of them, as the plan begins.
  func readsInOrder(_ sql: String, by ways: [String]) throws -> Bool {
    var details: [String] = []
    try prepare("EXPLAIN QUERY PLAN \(sql)").forEachRow { details.append($0.string(at: 3)) }
    return details.count == 1 && ways.contains { details[0].hasPrefix($0) }
  }
}
