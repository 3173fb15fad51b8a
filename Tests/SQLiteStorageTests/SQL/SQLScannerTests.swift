import Testing

@testable import SQLiteStorage

@Suite("The SQL scanner")
struct SQLScannerTests {
  private func statements(of sql: String) -> [String] { scan(sql).map(\.sql) }

  private func scan(_ sql: String) -> [SQLScanner.Statement] {
    var scanner = SQLScanner(sql)
    var statements: [SQLScanner.Statement] = []
    while let statement = scanner.nextStatement() { statements.append(statement) }
    return statements
  }

  @Test("finds nothing in white space, comments and lone semicolons")
  func nothing() {
    #expect(statements(of: " \n\t;; -- one;\n/* two; */ ;").isEmpty)
    #expect(statements(of: "").isEmpty)
    #expect(statements(of: "-- no end of line").isEmpty)
    #expect(statements(of: "/* no end; ").isEmpty)
  }

  @Test("ends a statement at its semicolon, and the last one at the end")
  func semicolons() {
    #expect(statements(of: "SELECT 1; SELECT 2;") == ["SELECT 1;", "SELECT 2;"])
    #expect(statements(of: "SELECT 1;SELECT 2") == ["SELECT 1;", "SELECT 2"])
  }

  @Test(
    "leaves a semicolon alone in quotes and comments",
    arguments: [
      "SELECT 'a;b';", "SELECT 'it''s; so';", "SELECT 1 AS \"a;b\";", "SELECT 1 AS [a;b];",
      "SELECT 1 AS `a;b`;", "SELECT 1 -- a;b\n;", "SELECT /* a;b ** / */ 1;", "SELECT '--', ';';",
      "SELECT 1 AS \"a'\"; ", "SELECT 2 - 1 / 1;", "SELECT x'00', ';' ;", "SELECT '/*;', '*/';",
    ])
  func quotes(sql: String) throws {
    #expect(statements(of: sql + "SELECT 2;").count == 2)
    // SQLite agrees that the first piece is one statement.
    try Database.inMemory().read { try $0.prepare(statements(of: sql)[0]).run() }
  }

  @Test(
    "keeps a trigger together, with the semicolons of its body",
    arguments: [
      "CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM a; SELECT 1; END;",
      "create temp trigger t AFTER INSERT ON a BEGIN SELECT CASE WHEN 1 THEN 2 END; END;",
      "CREATE /* ; */ TEMPORARY -- ;\n TRIGGER t AFTER INSERT ON a BEGIN SELECT ';'; end ;",
      "CREATE TRIGGER IF NOT EXISTS \"end\" AFTER INSERT ON a BEGIN SELECT 1; /* x */ END\n;",
    ])
  func triggers(sql: String) throws {
    #expect(statements(of: "SELECT 1;" + sql + "SELECT 2") == ["SELECT 1;", sql, "SELECT 2"])
    try Database.inMemory().write { connection in
      try connection.execute("CREATE TABLE a (x)")
      try connection.prepare(sql).run()
    }
  }

  @Test("counts lines through strings and comments, to the first word of the statement")
  func lines() {
    let found = scan("-- 1\nSELECT '\n3\n';\n/* 5\n6 */ SELECT\n7;\r\n\r\n  SELECT 9")
    #expect(found.map(\.line) == [2, 6, 9])
    #expect(found.map(\.sql) == ["SELECT '\n3\n';", "SELECT\n7;", "SELECT 9"])
  }

  @Test("gives the first word in capitals")
  func keyword() {
    #expect(scan("/* no */ commit; Vacuum; (1);").map(\.keyword) == ["COMMIT", "VACUUM", ""])
  }

  @Test("skips a byte order mark")
  func byteOrderMark() {
    #expect(statements(of: "\u{FEFF}SELECT 1;") == ["SELECT 1;"])
  }

  @Test("notes the comments after --, by line")
  func comments() {
    var scanner = SQLScanner(
      "-- migrate:no-transaction\r\nSELECT 1; --migrate:up x\n-- plain\nSELECT '-- migrate:down';")
    while scanner.nextStatement() != nil {}
    #expect(scanner.comments.map(\.text) == ["migrate:no-transaction", "migrate:up x", "plain"])
    #expect(scanner.comments.map(\.line) == [1, 2, 3])
  }
}

@Suite struct SQLQuotingTests {
  static let names = [
    "plain", "two words", "quo\"te", "\"", "\"\"", "apo'strophe", "[bracket]", "back`tick", "?1",
    "#", "%", ";", "-- no comment", "/*", "select", "ROWID", "é", "e\u{301}", "🙂", "\n", "a\\b",
    ":x", "@y", "$z", "'\u{301}", "\"\u{301}",
  ]

  @Test(arguments: names) func anyNameWorksAsAnIdentifier(_ name: String) throws {
    let store = try TestConnection()
    let table = name.quotedIdentifier
    try store.connection.execute(
      SQL(verbatim: "CREATE TABLE \(table)(\(("c" + name).quotedIdentifier))"))
    try store.connection.execute(SQL(verbatim: "INSERT INTO \(table) VALUES (1)"))
    let row = try #require(try store.connection.rows(SQL(verbatim: "SELECT * FROM \(table)")).first)
    #expect(row["c" + name] == 1)
    #expect(
      try store.connection.value(String.self, "SELECT name FROM sqlite_schema").map(Value.text)
        == .text(name))
  }

  @Test(arguments: names + ["", "''"]) func anyTextWorksAsALiteral(_ text: String) throws {
    let store = try TestConnection()
    let read = try store.connection.rows(SQL(verbatim: "SELECT \(text.quotedLiteral)")).first?
      .values
    #expect(read == [.text(text)])
  }

  @Test func quotesAreDoubled() {
    #expect("a\"b".quotedIdentifier == "\"a\"\"b\"")
    #expect("a'b".quotedLiteral == "'a''b'")
    #expect("".quotedIdentifier == "\"\"")
  }
}
