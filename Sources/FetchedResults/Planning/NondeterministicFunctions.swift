internal import LiveQueries
internal import SQLiteStorage

/// Refuses requests whose result changes although the data does not: they cannot be kept up to
/// date.
///
/// What depends on the data is not known here: a function that reads the clock because a column
/// contains "now".
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

  /// The functions of pragmas that answer from the file, its schema or the build of SQLite. The others
  /// answer with the state of the connection.
  private static let stablePragmas: Set<ExactText> = [
    "application_id", "auto_vacuum", "collation_list", "compile_options", "database_list",
    "encoding", "foreign_key_check", "foreign_key_list", "freelist_count", "function_list",
    "index_info", "index_list", "index_xinfo", "integrity_check", "module_list", "page_count",
    "page_size", "pragma_list", "quick_check", "schema_version", "table_info", "table_list",
    "table_xinfo", "user_version",
  ]

  /// Tables that SQLite fills with the state of the connection.
  private static let tablesOfConnection: Set<ExactText> = [
    "sqlite_stmt", "bytecode", "tables_used",
  ]

  /// - Parameters:
  ///   - region: the functions and views that the statement uses.
  ///   - sql: its text, with the values of its `?` parameters.
  ///   - parameters: the values of its named parameters.
  func refuse(_ region: ReadRegion, _ sql: BoundSQL, parameters: [ExactText: Value]) throws {
    if let function = region.functions.intersection(unstable).min() {
      throw error(function.text)
    }
    let tables = region.foldedNames.filter(NondeterministicFunctions.isOfConnection)
    // Unless the file has a table or a view with this name.
    if let table = try tables.map(\.text).sorted().first(where: {
      try connection.schemas(with: $0).isEmpty
    }) {
      throw FetchError(
        .unstableFunction,
        "the request reads \(table), which depends on the connection and not on the data",
        nextStep: "Read it without a list")
    }
    guard let function = region.functions.intersection(NondeterministicFunctions.ofTime).min()
    else {
      return
    }
    // The authorizer does not report arguments, so all SQL that is involved is searched for "now".
    let (text, values) = sql.named()
    let parameters = parameters.merging(values) { $1 }
    for text in [text] + (try region.views.map(\.text).flatMap(definitions(ofView:))) {
      guard try asksClock(text, parameters, of: function) else { continue }
      throw error("\(function)('now')")
    }
  }

  private static func isOfConnection(_ table: ExactText) -> Bool {
    let pragma = "pragma_"
    return tablesOfConnection.contains(table)
      || table.text.hasPrefix(pragma)
        && !stablePragmas.contains(String(table.text.dropFirst(pragma.count)).exact)
  }

  private func asksClock(
    _ sql: String, _ parameters: [ExactText: Value], of function: ExactText
  ) throws -> Bool {
    let calls: TimeCalls
    do {
      calls = try TimeCalls(of: NondeterministicFunctions.ofTime, in: sql)
    } catch {
      throw FetchError(
        .unstableFunction,
        "the request calls \(function), and may ask it for the current time: \(error.reason)",
        nextStep: "Compute the value first and bind it")
    }
    return try calls.asksClock || calls.parameters.contains { isNow(parameters[$0]) }
      || calls.computed.contains(where: computesNow)
  }

  private func isNow(_ value: Value?) -> Bool {
    value?.textOfTime.map(TimeCalls.meansNow) ?? false
  }

  /// Whether an argument that is computed from values alone is "now".
  private func computesNow(_ argument: String) throws -> Bool {
    do {
      return isNow(try connection.rows(SQL(verbatim: "SELECT \(argument)")).first?.values.first)
    } catch is DatabaseError {
      // The request fails too, if it ever computes this.
      return false
    }
  }

  /// The SQL of the views with this name. The authorizer does not report their schema.
  private func definitions(ofView name: String) throws -> [String] {
    try connection.schemaNames().flatMap { schema in
      try connection.rows(
        SQL(
          verbatim: """
            SELECT sql FROM \(schema.quotedIdentifier).sqlite_schema
            WHERE type = 'view' AND name = ? COLLATE NOCASE
            """), [.text(name)]
      ).compactMap { row in
        if case .text(let sql) = row["sql"] { sql } else { nil }
      }
    }
  }

  private func error(_ function: String) -> FetchError {
    FetchError(
      .unstableFunction, "the request calls \(function), which answers differently each time",
      nextStep: "Compute the value first and bind it")
  }
}

extension Value {
  /// What a function of time reads; nil for a number.
  fileprivate var textOfTime: String? {
    switch self {
    case .text(let text): text
    case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
    case .null, .integer, .real: nil
    }
  }
}
