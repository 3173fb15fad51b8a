internal import SQLiteStorage

/// The keyset queries for the rows from a position in the order on, for a table with an index that
/// fits the order. SQLite searches the position, then reads row by row.
struct KeysetQuery: Sendable {
  /// The direction, and which rows are read.
  enum Direction: Sendable {
    /// The rows of the result at the position or after it.
    case following
    /// The rows of the table before the position, the nearest first. They include rows that do not
    /// meet the request's conditions.
    case preceding
  }

  /// The query for all rows, from the first one.
  private let all: BoundSQL
  /// One level for each term in which a row can first differ from a sort key: the terms before it
  /// are equal, and this one sorts later. The nearest rows are equal in the most terms.
  private let levels: [Level]
  private let parameters: [ExactText: Value]
  /// The columns of a row that make its key.
  let key: Range<Int>
  /// The columns of a row that make its sort key: all of them.
  var sortKey: Range<Int> { 0..<key.upperBound }

  /// All queries that may be run.
  var queries: [BoundSQL] {
    [all] + levels.flatMap { [$0.afterValue, $0.nulls, $0.notNull].compactMap(\.self) }
  }

  private struct Level: Sendable {
    /// The rows whose term sorts after a value. Its parameters are the values of the equal terms,
    /// and this one.
    let afterValue: BoundSQL
    /// The rows whose term is NULL, if NULLs sort last. Its parameters are the values of the equal
    /// terms.
    let nulls: BoundSQL?
    /// The rows whose term is not NULL, if they sort after NULL, and the one at the position itself if it
    /// is included. Its parameters are the values of the equal terms.
    ///
    /// SQLite may step over rows with NULL to find them.
    let notNull: BoundSQL?
  }

  /// Checks whether the schema supports such queries.
  ///
  /// - Returns: nil if SQLite would have to sort, or read more rows than it returns.
  init?(_ parts: RequestParts, _ direction: Direction, in connection: Connection) throws {
    let terms = parts.terms + parts.keyTerms
    // Values without a name would have to be bound in each query anew, and a number does not sort anything.
    guard terms.allSatisfy({ $0.expression.values.isEmpty && !$0.isNumber }) else { return nil }
    parameters = parts.parameters
    key = parts.terms.count..<terms.count
    let queries = Queries(parts: parts, terms: terms, direction: direction)
    all = queries.rows([], from: 0)
    guard try connection.readsInOrder(all.text, bySearch: false) else { return nil }
    levels = terms.indices.map(queries.level)
    // If the query with values is supported, so is the one for NULL. For a column without NULLs,
    // SQLite knows that there are none.
    for level in levels {
      guard try connection.readsInOrder(level.afterValue.text, bySearch: true) else { return nil }
    }
  }

  /// Builds the SQL of the queries.
  private struct Queries {
    let parts: RequestParts
    let terms: [QueryPlan.OrderTerm]
    let direction: Direction

    func level(_ index: Int) -> Level {
      let (term, text) = (terms[index], terms[index].expression.text)
      // IS, since two NULLs are equal here.
      let equal = terms[..<index].map { "\($0.expression.text) IS ?\($0.collate)" }
      let goesDown = term.comparison.isDescending != (direction == .preceding)
      // The following rows include the one at the position itself. The preceding rows do not.
      let includesPlace = index == terms.count - 1 && direction == .following
      let after = (goesDown ? "<" : ">") + (includesPlace ? "=" : "")
      let areNullsLast = term.comparison.areNullsFirst == (direction == .preceding)
      let mayBeNull = index < parts.terms.count || parts.isKeyNullable
      return Level(
        afterValue: rows(equal + ["\(text) \(after) ?\(term.collate)"], from: index),
        nulls: mayBeNull && areNullsLast ? rows(equal + ["\(text) IS NULL"], from: index + 1) : nil,
        notNull: mayBeNull && !areNullsLast
          ? rows(equal + (includesPlace ? [] : ["\(text) IS NOT NULL"]), from: index) : nil)
    }

    /// The rows that meet all conditions, in the order of the terms that are not equal.
    func rows(_ conditions: [String], from index: Int) -> BoundSQL {
      parts.sortKeys(
        where: conditions, in: terms[index...], isReversed: direction == .preceding,
        isFiltered: direction == .following
      ).runOften
    }
  }

  /// Passes the rows from a position on to `body`, with the columns they are sorted by, until it
  /// returns false.
  ///
  /// Complexity: O(log n), and O(1) a row.
  ///
  /// - Parameters:
  ///   - place: the sort key of the position; nil for the first row.
  ///   - body: returns whether to continue.
  func forEach(
    from place: KeyTuple?, in connection: Connection, _ body: (borrowing RowView) throws -> Bool
  ) throws {
    guard let place else {
      _ = try run(all, in: connection, nil, count: 0, body)
      return
    }
    let isNull = place.hasNull ? place.values.map { $0 == .null } : nil
    for (index, level) in levels.enumerated().reversed() {
      if isNull?[index] == true {
        guard let notNull = level.notNull else { continue }
        guard try run(notNull, in: connection, place, count: index, body) else {
          return
        }
        continue
      }
      guard
        try run(level.afterValue, in: connection, place, count: index + 1, body)
      else { return }
      if let nulls = level.nulls {
        guard try run(nulls, in: connection, place, count: index, body) else { return }
      }
    }
  }

  /// Runs a query with the first values of a sort key.
  ///
  /// - Returns: whether `body` returned true for all rows.
  private func run(
    _ query: BoundSQL, in connection: Connection, _ place: KeyTuple?, count: Int,
    _ body: (borrowing RowView) throws -> Bool
  ) throws -> Bool {
    let (statement, firstUnbound) = try connection.statement(
      for: query, parameters: parameters, unboundCount: count)
    defer { statement.reset() }
    try place?.bind(to: statement, from: firstUnbound, count: count)
    let row = statement.currentRow
    while try statement.step() {
      guard try body(row) else { return false }
    }
    return true
  }
}

extension Connection {
  /// Whether SQLite reads the rows of a query in order, without sorting them.
  ///
  /// - Parameter bySearch: whether it must find them by an index, in place of reading all rows.
  fileprivate func readsInOrder(_ sql: String, bySearch: Bool) throws -> Bool {
    let steps = try explainedPlan(of: sql).steps
    guard steps.count == 1 else { return false }
    return switch steps[0].operation {
    case .scan: !bySearch
    case .search: true
    default: false
    }
  }
}
