internal import LiveQueries
package import SQLiteStorage

/// SQL text with the values of its `?` parameters. Pieces can be concatenated.
///
/// Not an `SQL`: a literal of that type binds what is interpolated, and the pieces of a query interpolate names.
package struct BoundSQL: Sendable {
  package let text: String
  let values: [Value]
  /// The text with its hash; nil for a piece of a query, and for a query that is run once.
  fileprivate var statement: StatementText?

  init(_ text: String, _ values: [Value] = []) {
    self.text = text
    self.values = values
  }

  /// The same for a query that is run at each step of a list, or for each row.
  var runOften: BoundSQL {
    var sql = self
    sql.statement = StatementText(text)
    return sql
  }

  static func + (lhs: BoundSQL, rhs: BoundSQL) -> BoundSQL {
    BoundSQL(lhs.text + rhs.text, lhs.values + rhs.values)
  }

  static func + (lhs: BoundSQL, rhs: String) -> BoundSQL { lhs + BoundSQL(rhs) }
}

extension BoundSQL {
  /// The same with a name for each `?`, as ``SQL/named(_:from:)``.
  func named(from first: Int = 0) -> (sql: String, values: [ExactText: Value]) {
    SQL(verbatim: text, values).named("value", from: first)
  }

  /// Its syntax tree, if it is an expression; nil if it is not understood.
  var expression: Expression? { try? Expression(parsing: text) }
}

extension [BoundSQL] {
  /// The pieces with `separator` between them.
  func joined(_ separator: String) -> BoundSQL {
    BoundSQL(map(\.text).joined(separator: separator), flatMap(\.values))
  }
}

/// The cause of an error: a parameter in SQL that has no value.
package struct MissingParameter: Error {
  /// Its name; nil for `?` and its like, which cannot have a name.
  package let name: String?
}

extension Connection {
  /// Returns a statement for `sql` with its values bound: `?` parameters in order, named ones by
  /// name.
  ///
  /// - Parameters:
  ///   - unboundCount: the number of `?` parameters at the end that the caller binds.
  ///   - isShared: whether all callers with the same SQL share one cached statement.
  /// - Returns: the statement, and the number of the first parameter that is not bound.
  package func statement(
    for sql: BoundSQL, parameters: [ExactText: Value], unboundCount: Int = 0, isShared: Bool = true
  ) throws -> (statement: Statement, firstUnbound: Int) {
    let statement =
      try isShared
      ? cachedStatement(sql.statement ?? StatementText(sql.text)) : prepare(sql.text)
    statement.reset()
    let firstUnbound = statement.parameterCount - unboundCount + 1
    var positional = sql.values[...]
    for index in 1..<max(1, firstUnbound) {
      guard let name = statement.parameterName(at: index) else {
        guard let value = positional.popFirst() else { throw missingValue(for: nil, sql) }
        try statement.bind(value, at: index)
        continue
      }
      guard let value = parameters[name.exact] else {
        throw missingValue(for: name, sql)
      }
      try statement.bind(value, at: index)
    }
    if !positional.isEmpty {
      throw DatabaseError(
        .invalidArguments, "\(positional.count) values have no ? to stand for", sql: sql.text,
        nextStep: "Write a ? for each value")
    }
    return (statement, firstUnbound)
  }

  private func missingValue(for name: String?, _ sql: BoundSQL) -> DatabaseError {
    let parameter = name.map { ":\($0)" } ?? "?"
    return DatabaseError(
      .invalidArguments, "the parameter \(parameter) has no value", sql: sql.text,
      nextStep: "Give a value for \(parameter)", cause: MissingParameter(name: name))
  }
}

extension Statement {
  /// The names of the named and numbered parameters.
  var parameterNames: Set<ExactText> {
    Set((0..<parameterCount).compactMap { parameterName(at: $0 + 1)?.exact })
  }

  /// The number of `?` parameters.
  var positionalParameterCount: Int {
    (0..<parameterCount).count { parameterName(at: $0 + 1) == nil }
  }

  /// Throws if a SELECT has `?` parameters. Only named ones are allowed, since the SELECT becomes
  /// part of several statements.
  func refusePositionalParameters() throws {
    try refuseNumberedParameters()
    guard positionalParameterCount == 0 else {
      throw DatabaseError(
        .invalidArguments, "the parameter ? has no value", sql: sql,
        nextStep:
          "Interpolate the value, or write :name in place of ? and give its value by with(parameters:)",
        cause: MissingParameter(name: nil))
    }
  }

  /// Throws if there are parameters such as `?1`. The number would stand for another value in each
  /// statement that contains the SQL.
  func refuseNumberedParameters() throws {
    guard let number = parameterNames.first(where: { Int($0.text) != nil }) else { return }
    throw DatabaseError(
      .invalidArguments, "the parameter ?\(number) has a number", sql: sql,
      nextStep: "Write ? or :name in place of ?\(number)", cause: MissingParameter(name: nil))
  }
}
