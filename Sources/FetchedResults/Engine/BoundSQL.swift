internal import SQLiteStorage

/// SQL together with the values of its `?`, so that pieces can be put together.
struct BoundSQL: Sendable {
  var text: String
  var values: [Value] = []

  init(_ text: String, _ values: [Value] = []) {
    self.text = text
    self.values = values
  }

  static func + (lhs: BoundSQL, rhs: BoundSQL) -> BoundSQL {
    BoundSQL(lhs.text + rhs.text, lhs.values + rhs.values)
  }

  static func + (lhs: BoundSQL, rhs: String) -> BoundSQL { lhs + BoundSQL(rhs) }
}

extension [BoundSQL] {
  /// The pieces with `separator` between them.
  func joined(_ separator: String) -> BoundSQL {
    BoundSQL(map(\.text).joined(separator: separator), flatMap(\.values))
  }
}

extension Connection {
  /// A statement for `sql` with all values bound: those of `?` in order, named ones by name.
  ///
  /// - Parameters:
  ///   - openCount: how many `?` at the end are left for the caller to bind.
  ///   - isShared: whether everybody who asks for the same SQL gets the same statement.
  /// - Returns: the statement, and the number of the first parameter left open.
  func statement(
    for sql: BoundSQL, parameters: [String: Value], openCount: Int = 0, isShared: Bool = true
  ) throws -> (Statement, firstOpen: Int) {
    let statement = try isShared ? cachedStatement(sql.text) : prepare(sql.text)
    statement.reset()
    let firstOpen = statement.parameterCount - openCount + 1
    var positional = sql.values[...]
    for index in 1..<max(1, firstOpen) {
      guard let name = statement.parameterName(at: index) else {
        guard let value = positional.popFirst() else { throw missingValue(for: "?", sql) }
        try statement.bind(value, at: index)
        continue
      }
      guard let value = parameters[name] else {
        throw missingValue(for: ":\(name)", sql)
      }
      try statement.bind(value, at: index)
    }
    if !positional.isEmpty {
      throw DatabaseError(
        .invalidArguments, "\(positional.count) values have no ? to stand for", sql: sql.text,
        nextStep: "Write a ? for each value")
    }
    return (statement, firstOpen)
  }

  private func missingValue(for parameter: String, _ sql: BoundSQL) -> DatabaseError {
    DatabaseError(
      .invalidArguments, "the parameter \(parameter) has no value", sql: sql.text,
      nextStep: "Give a value for \(parameter)")
  }
}

extension Statement {
  /// The names of the parameters that have one.
  var parameterNames: Set<String> {
    Set((0..<parameterCount).compactMap { parameterName(at: $0 + 1) })
  }

  /// The number of `?`.
  var positionalParameterCount: Int {
    (0..<parameterCount).count { parameterName(at: $0 + 1) == nil }
  }

  /// Refuses `?` in a SELECT that takes only named parameters: it is used in several statements.
  func refusePositionalParameters() throws {
    try refuseNumberedParameters()
    guard positionalParameterCount == 0 else {
      throw DatabaseError(
        .invalidArguments, "the parameter ? has no value", sql: sql,
        nextStep: "Write :name in place of ?, and give its value with(parameters:)")
    }
  }

  /// Refuses `?1` and the like: the number would mean another value in each statement that the
  /// SQL becomes part of.
  func refuseNumberedParameters() throws {
    guard let number = parameterNames.first(where: { Int($0) != nil }) else { return }
    throw DatabaseError(
      .invalidArguments, "the parameter ?\(number) has a number", sql: sql,
      nextStep: "Write ? or :name in place of ?\(number)")
  }
}
