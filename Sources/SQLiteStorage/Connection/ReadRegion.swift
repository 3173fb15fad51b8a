internal import CSQLite

/// The tables, columns and functions that a statement reads, as SQLite's authorizer reports them.
///
/// ```swift
/// let region = try connection.readRegion(of: "SELECT name FROM track WHERE rating > 3")
/// print(region.columns["track"])  // ["name", "rating"]
/// ```
package struct ReadRegion: Hashable, Sendable {
  /// The columns read, by table. If no column of a table is read (`count(*)`), its set is empty.
  /// The rowid of a table counts as a column, named `ROWID` if it has no other name.
  package internal(set) var columns: [ExactText: Set<ExactText>] = [:]
  /// The names of the called functions, in lower case.
  package internal(set) var functions: Set<ExactText> = []
  package internal(set) var views: Set<ExactText> = []
  /// The number of virtual tables that the statement opens.
  package internal(set) var virtualTableCount = 0

  /// The names of the tables and views, folded.
  package var foldedNames: Set<ExactText> {
    Set(columns.keys.map(\.text.sqliteFolded)).union(views.map(\.text.sqliteFolded))
  }

  /// The last action that is not a read; nil if there is none. The statement must not run.
  var refusedAction: String?
  /// The last change of a table that was found. It need not be made by the statement.
  var writingAction: String?
}

extension Connection {
  /// Returns what `sql` reads, by preparing it; it does not run.
  ///
  /// - Throws: `DatabaseError` with code `.statementRefused` if the SQL is not one statement that
  ///   only reads (it writes, attaches, changes the connection's state or loads code), and
  ///   `.sqlite` if it is wrong.
  package func readRegion(of sql: String) throws -> ReadRegion {
    try readStatement(sql).region
  }

  /// Does the same as ``readRegion(of:)``, and also returns the statement.
  package func readStatement(_ sql: String) throws -> (statement: Statement, region: ReadRegion) {
    var region = ReadRegion()
    let statement: Statement
    do {
      statement = try prepare(sql, recordingIn: &region)
    } catch {
      // SQLite connects a virtual table when it is first used, and some prepare statements that
      // write for this. Listing the tables connects all of them.
      try query("SELECT 1 FROM pragma_table_list") { _ in }
      _ = checks.mayRetry()
      region = ReadRegion()
      do {
        statement = try prepare(sql, recordingIn: &region)
      } catch {
        throw region.refusedAction.map { refusal(of: sql, running: $0) } ?? error
      }
    }
    if !statement.isReadOnly, let action = region.writingAction {
      throw refusal(of: sql, running: action)
    }
    guard statement.isReadOnly, !statement.columnNames.names.isEmpty else {
      throw refusal(of: sql, "returns no rows")
    }
    if sqlite3_stmt_isexplain(statement.pointer) != 0 { throw refusal(of: sql, "is an EXPLAIN") }
    region.writingAction = nil
    try tellViews(in: &region)
    try addOpenedTables(of: statement, to: &region)
    return (statement, region)
  }

  /// Adds the tables that the statement opens. The authorizer does not report a table if only its
  /// columns in a `USING` or `NATURAL` are read.
  private func addOpenedTables(of statement: Statement, to region: inout ReadRegion) throws {
    let instructions = try explainedInstructions(of: statement.sql)
    let opened = instructions.filter { ["OpenRead", "ReopenIdx"].contains($0.name) }
    for (schema, cursors) in Dictionary(grouping: opened, by: { $0.registers.2 }) {
      let name = try value(
        String.self, "SELECT name FROM pragma_database_list WHERE seq = ?", [.integer(schema)])
      guard let name else { continue }
      let roots = Set(cursors.map { $0.registers.1 })
      let list = "SELECT rootpage, tbl_name FROM \(name.quotedIdentifier).sqlite_schema"
      try query(SQL(verbatim: list)) { row in
        guard roots.contains(row.int64(at: 0)) else { return }
        let table = row.string(at: 1)
        let isKnown = region.columns.keys.contains { $0.text.sqliteFolded == table.sqliteFolded }
        if !isKnown { region.columns[table.exact] = [] }
      }
    }
    region.virtualTableCount = Set(instructions.filter { $0.name == "VOpen" }.map(\.operand)).count
  }

  private func prepare(_ sql: String, recordingIn region: inout ReadRegion) throws -> Statement {
    try withUnsafeMutablePointer(to: &region) { pointer in
      // Installing an authorizer makes all statements of the connection be prepared again at their
      // next run, so it is installed only for this call.
      sqlite3_set_authorizer(handle, recordAccess, pointer)
      checks.isAuthorized = true
      defer {
        sqlite3_set_authorizer(handle, nil, nil)
        checks.isAuthorized = false
      }
      return try prepare(sql)
    }
  }

  private func refusal(of sql: String, running action: String) -> DatabaseError {
    refusal(
      of: sql, "must only read, but it runs \(action)",
      example: action == "PRAGMA" ? ", such as SELECT * FROM pragma_table_info('name')" : "")
  }

  private func refusal(of sql: String, _ reason: String, example: String = "") -> DatabaseError {
    DatabaseError(
      .statementRefused, "the statement \(reason)", sql: sql, nextStep: "Give a SELECT" + example)
  }

  /// Finds which names are views. The authorizer first reports a view as a table, and a common
  /// table expression as a view.
  private func tellViews(in region: inout ReadRegion) throws {
    let candidates = region.views.union(region.columns.keys)
    let listed = try listedTables(named: candidates.map(\.text))
    let first = Dictionary(listed.map { ($0.name.sqliteFolded, $0.kind) }) { first, _ in first }
    region.views = candidates.filter { first[$0.text.sqliteFolded] == .view }
    for view in region.views { region.columns[view] = nil }
  }
}

/// SQLite's authorizer callback: records what is read and denies everything else.
private func recordAccess(
  context: UnsafeMutableRawPointer?, action: Int32, first: UnsafePointer<CChar>?,
  second: UnsafePointer<CChar>?, database: UnsafePointer<CChar>?, source: UnsafePointer<CChar>?
) -> Int32 {
  guard let region = context?.assumingMemoryBound(to: ReadRegion.self) else { return SQLITE_DENY }
  let first = first.map { String(cString: $0) } ?? ""
  let second = second.map { String(cString: $0) } ?? ""
  if let source { region.pointee.views.insert(String(cString: source).exact) }
  switch action {
  case SQLITE_SELECT, SQLITE_RECURSIVE: return SQLITE_OK
  case SQLITE_READ:
    region.pointee.columns[first.exact, default: []].formUnion(second.isEmpty ? [] : [second.exact])
    return SQLITE_OK
  case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
    // Also called for statements that a virtual table prepares while SQLite connects to it, which
    // change nothing. If the statement itself writes, it is not read-only.
    if !schemaTables.contains(first) { region.pointee.writingAction = actionNames[action] }
    return SQLITE_OK
  case SQLITE_PRAGMA where first == "data_version" && second.isEmpty:
    return SQLITE_OK  // FTS5 runs this.
  case SQLITE_FUNCTION where second.lowercased() != "load_extension":
    region.pointee.functions.insert(second.sqliteFolded)
    return SQLITE_OK
  default:
    region.pointee.refusedAction = actionNames[action] ?? "action \(action)"
    return SQLITE_DENY
  }
}

private let schemaTables: Set = [
  "sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema",
]

/// The actions named in an error; others are shown by number.
private let actionNames: [Int32: String] = [
  SQLITE_INSERT: "INSERT", SQLITE_UPDATE: "UPDATE", SQLITE_DELETE: "DELETE",
  SQLITE_ATTACH: "ATTACH", SQLITE_DETACH: "DETACH", SQLITE_PRAGMA: "PRAGMA",
  SQLITE_TRANSACTION: "a transaction", SQLITE_SAVEPOINT: "a savepoint",
  SQLITE_CREATE_TABLE: "CREATE TABLE", SQLITE_CREATE_INDEX: "CREATE INDEX",
  SQLITE_CREATE_VIEW: "CREATE VIEW", SQLITE_CREATE_TRIGGER: "CREATE TRIGGER",
  SQLITE_CREATE_TEMP_TABLE: "CREATE TEMP TABLE", SQLITE_CREATE_TEMP_INDEX: "CREATE TEMP INDEX",
  SQLITE_CREATE_TEMP_VIEW: "CREATE TEMP VIEW", SQLITE_CREATE_TEMP_TRIGGER: "CREATE TEMP TRIGGER",
  SQLITE_CREATE_VTABLE: "CREATE VIRTUAL TABLE", SQLITE_DROP_VTABLE: "DROP VIRTUAL TABLE",
  SQLITE_DROP_TABLE: "DROP TABLE", SQLITE_DROP_INDEX: "DROP INDEX",
  SQLITE_DROP_VIEW: "DROP VIEW", SQLITE_DROP_TRIGGER: "DROP TRIGGER",
  SQLITE_ALTER_TABLE: "ALTER TABLE", SQLITE_REINDEX: "REINDEX", SQLITE_ANALYZE: "ANALYZE",
  SQLITE_FUNCTION: "load_extension()",
]
