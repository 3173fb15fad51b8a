internal import CSQLite

/// The SQL of one migration file, split into statements and checked.
struct MigrationScript: MigrationWork {
  let fileName: String
  let statements: [SQLScanner.Statement]
  /// Whether the file runs in a transaction. It does unless it has the comment for no transaction.
  let usesTransaction: Bool
  let comments: [SQLScanner.Comment]

  /// Parses the SQL.
  ///
  /// - Throws: `DatabaseError` with code `.migration`, with the file and the line, if a statement is
  ///   not allowed in the file's transaction, a `-- migrate:` comment is not known, or there is a
  ///   NUL.
  init(_ sql: String, fileName: String) throws {
    if let position = sql.utf8.firstIndex(of: 0) {
      let line = sql.utf8[..<position].count { $0 == UInt8(ascii: "\n") } + 1
      throw DatabaseError(
        .migration, "\(fileName):\(line): there is a NUL character, at which SQLite stops reading",
        nextStep: "Remove it, and save the file as UTF-8")
    }
    var scanner = SQLScanner(sql)
    var statements: [SQLScanner.Statement] = []
    while let statement = scanner.nextStatement() { statements.append(statement) }
    self.fileName = fileName
    self.statements = statements
    comments = scanner.comments
    usesTransaction = try MigrationScript.usesTransaction(comments, fileName: fileName)
    if usesTransaction,
      let refused = statements.first(where: { MigrationScript.refusedKeywords.contains($0.keyword) }
      )
    {
      throw DatabaseError(
        .migration,
        "\(fileName):\(refused.line): \(refused.keyword) is not allowed in the transaction that "
          + "each migration runs in",
        nextStep: "Remove it, or write \"\(MigrationScript.noTransaction)\" on the first line")
    }
  }

  var isEmpty: Bool { statements.isEmpty }

  static let noTransaction = "-- migrate:no-transaction"

  /// The first words of statements that end or nest the transaction, cannot run in one, or access
  /// other files.
  private static let refusedKeywords: Set<String> = [
    "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE", "ATTACH", "DETACH", "VACUUM",
  ]

  /// Reads the `-- migrate:` comments.
  ///
  /// A comment that is misspelt or on the wrong line is an error, so that it is not ignored. So are
  /// the `-- migrate:up` and `-- migrate:down` of other tools: both halves of such a file would
  /// run.
  private static func usesTransaction(
    _ comments: [SQLScanner.Comment], fileName: String
  ) throws -> Bool {
    let directives = comments.filter { $0.words.first?.hasPrefix("migrate:") == true }
    for directive in directives {
      guard directive.text == noTransaction.dropFirst(3) else {
        throw DatabaseError(
          .migration, "\(fileName):\(directive.line): \"-- \(directive.text)\" is not known",
          nextStep: "The only such comment is \"\(noTransaction)\"; what reverts a migration is "
            + "in its .down.sql file")
      }
      guard directive.line == 1 else {
        throw DatabaseError(
          .migration,
          "\(fileName):\(directive.line): \"\(noTransaction)\" is not on the first line",
          nextStep: "Move it there")
      }
    }
    return directives.isEmpty
  }
}

extension MigrationScript {
  /// Runs the statements, and ignores the rows they return.
  ///
  /// - Throws: `DatabaseError` with code `.migration`, with SQLite's message and result code, and the
  ///   file and line of the statement that failed.
  func run(on connection: Connection) throws {
    sqlite3_set_authorizer(connection.handle, refuseLedgerChange, nil)
    defer { sqlite3_set_authorizer(connection.handle, nil, nil) }
    for statement in statements {
      do {
        let prepared = try connection.prepare(statement.sql)
        guard prepared.parameterCount == 0 else {
          throw DatabaseError(.statementRefused, "a migration cannot have parameters")
        }
        try prepared.run()
      } catch let error as DatabaseError {
        // This authorizer denies nothing else.
        let message =
          .notAuthorized ~= error.resultCode
          ? "a migration must not change schema_migrations, where applied migrations are recorded"
          : error.message
        throw failure("\(fileName):\(statement.line): \(message)", sql: statement.sql, error)
      }
    }
  }
}

/// SQLite's authorizer callback: denies changes of the ledger in the main database.
private func refuseLedgerChange(
  context: UnsafeMutableRawPointer?, action: Int32, first: UnsafePointer<CChar>?,
  second: UnsafePointer<CChar>?, database: UnsafePointer<CChar>?, source: UnsafePointer<CChar>?
) -> Int32 {
  let (table, schema) = action == SQLITE_ALTER_TABLE ? (second, first) : (first, database)
  switch action {
  case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_DROP_TABLE, SQLITE_ALTER_TABLE,
    SQLITE_CREATE_TABLE, SQLITE_CREATE_VIEW, SQLITE_CREATE_VTABLE:
    guard let table, let schema, sqlite3_stricmp(schema, "main") == 0 else { return SQLITE_OK }
    return sqlite3_stricmp(table, "schema_migrations") == 0 ? SQLITE_DENY : SQLITE_OK
  default: return SQLITE_OK
  }
}
