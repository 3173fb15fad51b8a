internal import CSQLite

/// What a connection checks of its statements, beyond what SQLite does.
///
/// Not Sendable: it belongs to the owner of the connection.
final class StatementChecks: StatementChecker {
  let doubleQuotes: DoubleQuotes
  /// Nil if the connection writes.
  var unknownCollations: UnknownCollations?
  /// Whether an authorizer would see the queries for what the schema contains.
  var isAuthorized = false

  init(_ doubleQuotes: DoubleQuotes) { self.doubleQuotes = doubleQuotes }

  /// Stored, since it is read at each step of each statement.
  private(set) var hasChecks = false

  func check(_ statement: Statement, hasFailed: Bool) throws {
    let error = unknownCollations?.takeError(for: statement.sql)
    if hasFailed { return }
    if let error { throw error }
    try doubleQuotes.check(statement)
  }

  func mayRetry() -> Bool {
    if isAuthorized { return false }
    let mayBeTexts = doubleQuotes.allowTexts()
    let hasNewCollations = unknownCollations?.addMissing() ?? false
    guard mayBeTexts || hasNewCollations else { return false }
    hasChecks = true
    return true
  }
}

/// The SQL of the objects in all schemas of a connection that meet a condition; fewer if some cannot be read.
func schemaTexts(of handle: OpaquePointer, where condition: String) -> [String] {
  texts(of: handle, "SELECT name FROM pragma_database_list").flatMap { schema in
    texts(
      of: handle, "SELECT sql FROM \(schema.quotedIdentifier).sqlite_schema WHERE \(condition)")
  }
}

/// The first column of a query; what was read before an error. It is made for a statement that has just failed, so it
/// is not a ``Statement``, which would look for the cause of its own errors.
func texts(of handle: OpaquePointer, _ sql: String) -> [String] {
  var statement: OpaquePointer?
  defer { sqlite3_finalize(statement) }
  var texts: [String] = []
  guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { return texts }
  while sqlite3_step(statement) == SQLITE_ROW {
    texts.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
  }
  return texts
}
