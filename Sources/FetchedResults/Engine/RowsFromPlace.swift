internal import SQLiteStorage

/// The queries for rows from a place in the order on, for a table that has an index which fits the
/// order: SQLite goes to the place, and from there from row to row.
struct RowsFromPlace: Sendable {
  /// Which way they go, and which rows there are on it.
  enum Direction: Sendable {
    /// The rows of the result at the place or behind it.
    case following
    /// The rows of the table before the place, the nearest first; also those that the request leaves
    /// out.
    case preceding
  }

  /// The rows from the first place on.
  private let all: BoundSQL
  /// One for each way of coming later than a place: to be equal in the first terms of the order, and to
  /// come later in the next one. The nearest rows are those that are equal in the most terms.
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
    /// The rows whose term comes later than a value. It takes the equal terms' values, and this one.
    let afterValue: BoundSQL
    /// The rows whose term is NULL, where those come last. It takes the equal terms' values.
    let nulls: BoundSQL?
    /// The rows whose term is not NULL, where those come after it. It takes the equal terms' values.
    ///
    /// SQLite may pass by those with NULL to get there.
    let notNull: BoundSQL?
  }

  /// Looks whether the file can answer such queries.
  ///
  /// - Returns: nil where it would have to sort, or read more than it finds.
  init?(_ plan: QueryPlan, _ direction: Direction, in connection: Connection) throws {
    let terms = plan.terms + plan.keyTerms
    // Values of the request would have to be bound as well, and a number sorts nothing.
    guard terms.allSatisfy({ $0.expression.values.isEmpty && !$0.isNumber }) else { return nil }
    key = plan.terms.count..<terms.count
    let queries = Queries(plan: plan, terms: terms, direction: direction)
    all = queries.rows([], from: 0)
    guard try connection.readsInOrder(all.text, by: ["SCAN ", "SEARCH "]) else { return nil }
    levels = terms.indices.map(queries.level)
    // Where one with values serves, so does the one for NULL; of a column that has none, SQLite knows.
    for level in levels {
      guard try connection.readsInOrder(level.afterValue.text, by: ["SEARCH "]) else { return nil }
    }
  }

  /// Writes the queries.
  private struct Queries {
    let plan: QueryPlan
    let terms: [QueryPlan.OrderTerm]
    let direction: Direction

    func level(_ index: Int) -> Level {
      let (term, text) = (terms[index], terms[index].expression.text)
      // IS, since two NULLs are equal here.
      let equal = terms[..<index].map { "\($0.expression.text) IS ?\($0.collate)" }
      let goesDown = term.comparison.isDescending != (direction == .preceding)
      // The place itself follows, and does not precede.
      let includesPlace = index == terms.count - 1 && direction == .following
      let after = (goesDown ? "<" : ">") + (includesPlace ? "=" : "")
      let areNullsLast = term.comparison.areNullsFirst == (direction == .preceding)
      // A key is never NULL.
      let mayBeNull = index < plan.terms.count
      return Level(
        afterValue: rows(equal + ["\(text) \(after) ?\(term.collate)"], from: index),
        nulls: mayBeNull && areNullsLast ? rows(equal + ["\(text) IS NULL"], from: index + 1) : nil,
        notNull: mayBeNull && !areNullsLast
          ? rows(equal + ["\(text) IS NOT NULL"], from: index) : nil)
    }

    /// The rows that meet all conditions, in the order of the terms that are not equal.
    func rows(_ conditions: [String], from index: Int) -> BoundSQL {
      plan.sortKeys(
        where: conditions, in: terms[index...], isReversed: direction == .preceding,
        isFiltered: direction == .following)
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
    let isNull = place.hasNull ? place.values.map { $0 == .null } : nil
    for (index, level) in levels.enumerated().reversed() {
      if isNull?[index] == true {
        guard let notNull = level.notNull else { continue }
        guard try run(notNull, in: connection, parameters, place, count: index, body) else {
          return
        }
        continue
      }
      guard
        try run(level.afterValue, in: connection, parameters, place, count: index + 1, body)
      else { return }
      if let nulls = level.nulls {
        guard try run(nulls, in: connection, parameters, place, count: index, body) else { return }
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
  fileprivate func readsInOrder(_ sql: String, by ways: [String]) throws -> Bool {
    var details: [String] = []
    try prepare("EXPLAIN QUERY PLAN \(sql)").forEachRow { details.append($0.string(at: 3)) }
    return details.count == 1 && ways.contains { details[0].hasPrefix($0) }
  }
}
