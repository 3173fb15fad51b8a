internal import SQLiteStorage

/// Refuses requests whose result changes although the data does not: they cannot be kept up to
/// date.
struct NondeterministicFunctions {
  private let connection: Connection
  private let unstable: Set<ExactText>

  init(in connection: Connection, _ configuration: Database.Configuration) {
    self.connection = connection
    unstable = NondeterministicFunctions.always.union(
      configuration.functions.filter { !$0.isDeterministic }.map { $0.name.sqliteFolded })
  }

  /// Functions whose value differs at each call, or depends on the connection.
  private static let always: Set<ExactText> = [
    "random", "randomblob", "changes", "total_changes", "last_insert_rowid",
    "current_timestamp", "current_date", "current_time", "sqlite_offset",
  ]

  /// Functions that read the clock if their argument is "now", or missing.
  private static let ofTime: Set<ExactText> = [
    "date", "time", "datetime", "julianday", "strftime", "unixepoch", "timediff",
  ]

  /// - Parameters:
  ///   - region: the functions and views that the statement uses.
  ///   - sql: its text, with the values of its `?` parameters.
  ///   - parameters: the values of its named parameters.
  func refuse(_ region: ReadRegion, _ sql: BoundSQL, parameters: [ExactText: Value]) throws {
    if let function = region.functions.intersection(unstable).min() {
      throw error(function.text)
    }
    guard let function = region.functions.intersection(NondeterministicFunctions.ofTime).min()
    else {
      return
    }
    // The authorizer does not report arguments, so all SQL that is involved is searched for "now".
    let texts = try [sql] + region.views.map(\.text).flatMap(definitions(ofView:))
    guard texts.contains(where: { asksClock($0, parameters) }) else { return }
    throw error("\(function)('now')")
  }

  private func asksClock(_ sql: BoundSQL, _ parameters: [ExactText: Value]) -> Bool {
    let tokens = SQLTokens(sql.text)
    // It may reach a function in many ways: through a CASE, or a column of a subquery.
    if tokens.tokens.contains(where: \.isNow) { return true }
    return tokens.calls(of: NondeterministicFunctions.ofTime).contains { call in
      // The first argument of all but strftime is the time. If it is missing, the time is now.
      let times = call.function == "strftime" ? call.arguments.dropFirst() : call.arguments[...]
      guard let time = times.first else { return true }
      if time.count == 1, time.first?.isSubsecond == true { return true }
      return isNowBound(in: call, sql.values, parameters)
    }
  }

  /// Whether a parameter in the arguments of a call is bound to "now". Outside of a call it is just
  /// a word, which a request may search for.
  private func isNowBound(
    in call: SQLTokens.Call, _ values: [Value], _ parameters: [ExactText: Value]
  ) -> Bool {
    var position = call.firstParameter
    return call.arguments.joined().contains { token in
      guard case .parameter(let name) = token else { return false }
      defer { position += name == nil ? 1 : 0 }
      let value = name.map { parameters[$0] } ?? (position < values.count ? values[position] : nil)
      guard case .text(let text)? = value else { return false }
      return SQLTokens.Token.literal(text.exact).isNow
        || SQLTokens.Token.literal(text.exact).isSubsecond
    }
  }

  /// The SQL of the views with this name. The authorizer does not report their schema.
  private func definitions(ofView name: String) throws -> [BoundSQL] {
    try connection.schemaNames().flatMap { schema in
      try connection.rows(
        SQL(
          verbatim: """
            SELECT sql FROM \(schema.quotedIdentifier).sqlite_schema
            WHERE type = 'view' AND name = ? COLLATE NOCASE
            """), [.text(name)]
      ).compactMap { row in
        if case .text(let sql) = row["sql"] { BoundSQL(sql) } else { nil }
      }
    }
  }

  private func error(_ function: String) -> FetchError {
    FetchError(
      .unstableFunction, "the request calls \(function), which answers differently each time",
      nextStep: "Compute the value first and bind it")
  }
}

extension SQLTokens.Token {
  /// Whether it is the literal for the current time.
  fileprivate var isNow: Bool {
    if case .literal(let text) = self { text.text.sqliteFolded == "now" } else { false }
  }

  /// Whether it is the literal for fractions of a second. As the time argument it means now.
  fileprivate var isSubsecond: Bool {
    guard case .literal(let text) = self else { return false }
    return ["subsec", "subsecond"].contains(text.text.sqliteFolded)
  }
}
