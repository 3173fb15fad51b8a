internal import SQLiteStorage

/// The queries for the rows just before a place in the order, for a table that has an index which
/// fits the order: one look-up there tells what several look-ups of rows would.
///
/// Rows that the request leaves out are found as well.
struct PrecedingRows: Sendable {
  /// One query for each way of being before a place: to be equal in the first terms of the order, and
  /// before it in the next one. The nearest rows are those that are equal in the most terms.
  private let levels: [Level]

  private struct Level: Sendable {
    let sql: String
    /// How many values of the place's sort key it takes.
    let valueCount: Int
    /// Whether rows with NULL stand between the rows it finds and those of the next level.
    let leavesOutNulls: Bool
  }

  /// Looks whether the file can answer such queries.
  ///
  /// - Returns: nil where it would have to read more than it finds.
  init?(_ plan: QueryPlan, in connection: Connection) throws {
    let terms = plan.terms + plan.keyTerms
    // Values of the request would have to be bound as well, and a number sorts nothing.
    guard terms.allSatisfy({ $0.expression.values.isEmpty && !$0.isNumber }) else { return nil }
    let key = plan.keyTerms.map(\.expression.text).joined(separator: ", ")
    var levels: [Level] = []
    for index in terms.indices.reversed() {
      let term = terms[index]
      let equal = terms[..<index].map { "\($0.expression.text) = ?\($0.collate)" }
      let order = terms[index...].map(\.reversed).joined(separator: ", ")
      let before = term.comparison.isDescending ? ">" : "<"
      let conditions = equal + ["\(term.expression.text) \(before) ?\(term.collate)"]
      levels.append(
        Level(
          sql: """
            SELECT \(key) FROM \(plan.source.text) WHERE \(conditions.joined(separator: " AND ")) \
            ORDER BY \(order) LIMIT \(PrecedingRows.limit)
            """,
          valueCount: index + 1,
          // A key is never NULL.
          leavesOutNulls: term.comparison.areNullsFirst && index < plan.terms.count))
    }
    for level in levels where try !connection.readsInOrder(level.sql, by: ["SEARCH "]) {
      return nil
    }
    self.levels = levels
  }

  /// Hands the rows before a place to `body`, the nearest first, until it returns something.
  ///
  /// - Returns: nil where there is none, or they are so many that looking on would not pay.
  func first<Result>(
    before sortKey: KeyTuple, in connection: Connection,
    _ body: (borrowing RowView) throws -> Result?
  ) throws -> Result? {
    // Nothing is equal to NULL, or before or after it.
    guard !sortKey.hasNull else { return nil }
    for level in levels {
      let statement = try connection.cachedStatement(level.sql)
      statement.reset()
      defer { statement.reset() }
      try sortKey.bind(to: statement, from: 1, count: level.valueCount)
      let row = statement.currentRow
      var count = 0
      while try statement.step() {
        if let result = try body(row) { return result }
        count += 1
      }
      if count == PrecedingRows.limit || level.leavesOutNulls { return nil }
    }
    return nil
  }

  /// Rows that are not looked for come from conditions of the request; they seldom are many in a row.
  private static var limit: Int { 8 }
}

extension QueryPlan.OrderTerm {
  /// The term as it stands in `ORDER BY` for the opposite order.
  fileprivate var reversed: String {
    let direction = comparison.isDescending ? " ASC" : " DESC"
    let isDefault = comparison.areNullsFirst != comparison.isDescending
    let nulls = isDefault ? "" : comparison.areNullsFirst ? " NULLS LAST" : " NULLS FIRST"
    return expression.text + collate + direction + nulls
  }
}
