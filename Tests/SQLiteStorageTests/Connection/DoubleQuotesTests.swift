import Foundation
import Testing

@testable import SQLiteStorage

@Suite struct DoubleQuotesTests {
  /// A file whose view and trigger hold texts in double quotes.
  private let store: TestConnection
  private var connection: Connection { store.connection }

  init() throws {
    store = try TestConnection(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, a);
      INSERT INTO t VALUES (1, 'x');
      CREATE VIEW v AS SELECT id, a || "!" AS s FROM t;
      CREATE TABLE log(m);
      CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO log VALUES ("added"); END;
      """)
  }

  private func open() throws -> Connection { try Connection(path: store.folder.file()) }

  @Test func aViewOfTheFileMayHoldATextInDoubleQuotes() throws {
    #expect(try open().values(String.self, "SELECT s FROM v") == ["x!"])
    #expect(try open().readRegion(of: #"SELECT "s" FROM "v""#).columns == ["t": ["id", "a"]])
    #expect(try open().table(named: "v")?.columns.map(\.name) == ["id", "s"])
    #expect(try open().tables().first { $0.name == "v" }?.columns.count == 2)
  }

  @Test func aTriggerOfTheFileMayHoldATextInDoubleQuotes() throws {
    let connection = try open()
    try connection.execute("INSERT INTO t VALUES (2, 'y')")
    try connection.execute(#"INSERT INTO "t" ("id") VALUES (3)"#)
    #expect(try connection.values(String.self, "SELECT m FROM log") == ["added", "added"])
  }

  @Test func aTableOfTheFileCanBeRenamed() throws {
    try open().execute("ALTER TABLE t RENAME TO u")
    #expect(try open().values(String.self, "SELECT s FROM v") == ["x!"])
  }

  @Test(arguments: [
    #"SELECT "nope" FROM t"#, #"SELECT "nope" FROM v"#, #"SELECT s FROM v WHERE s = "nope""#,
    #"UPDATE t SET a = "nope""#, #"INSERT INTO t VALUES (9, "nope")"#,
    #"CREATE TABLE new AS SELECT "nope" FROM t"#, #"DELETE FROM t WHERE a = "back`tick""#,
    #"CREATE INDEX i ON t("nope")"#,
  ])
  func aTextInDoubleQuotesIsAnErrorInSQLThatIsGiven(sql: String) throws {
    for readsViewFirst in [false, true] {
      let connection = try open()
      if readsViewFirst { _ = try connection.rows("SELECT * FROM v") }
      let error = databaseError { try connection.execute(SQL(verbatim: sql)) }
      #expect(error?.message.hasPrefix("no such column: ") == true)
      #expect(error?.sql == sql)
      #expect(try connection.value(Int.self, "SELECT count(*) FROM t WHERE a = 'x'") == 1)
    }
  }

  @Test func namesInDoubleQuotesAreStillNames() throws {
    let connection = try open()
    try connection.execute(#"CREATE TABLE "odd" ("a""b", "c`d", "e f")"#)
    _ = try connection.rows("SELECT * FROM v")
    let row = try #require(
      try connection.rows(#"SELECT "id", "a" || '"' AS "n" FROM "main"."t" AS "u" ORDER BY "n""#)
        .first)
    #expect(row.columnNames.names == ["id", "n"])
    #expect(row["n"] == "x\"")
    try connection.execute(#"INSERT INTO "odd" ("a""b", "c`d", "e f") VALUES (1, 2, 3)"#)
    #expect(try connection.rows(#"SELECT "a""b", "c`d" FROM odd"#).count == 1)
    #expect(try connection.rows(#"PRAGMA table_info("odd")"#).count == 3)
  }

  /// SQLite prepares the statement again, and would take the name for a text now.
  @Test func aColumnThatIsDroppedDoesNotBecomeAText() throws {
    let connection = try open()
    try connection.execute("CREATE TABLE u(b, c)")
    try connection.execute("INSERT INTO u VALUES (1, 2)")
    _ = try connection.rows("SELECT * FROM v")
    let read = try connection.prepare(#"SELECT "b" FROM "u""#)
    let write = try connection.prepare(#"UPDATE "u" SET "c" = "b""#)
    try read.run()
    try open().execute(script: "CREATE INDEX i ON u(c)")
    try read.run()
    try open().execute(script: "DROP INDEX i; ALTER TABLE u DROP COLUMN b")
    #expect(databaseError { try read.run() }?.message == "no such column: b")
    #expect(databaseError { try read.run() }?.message == "no such column: b")
    try connection.transaction {
      #expect(databaseError { try write.run() }?.message == "no such column: b")
    }
  }

  @Test func aFileWithoutSuchTextsNeverAllowsThem() throws {
    let plain = try TestConnection(
      """
      CREATE TABLE t(a);
      CREATE VIEW v AS SELECT a FROM t;
      """)
    #expect(databaseError { try plain.connection.execute(#"SELECT "nope" FROM v"#) } != nil)
    #expect(!plain.connection.doubleQuotes.mayBeTexts)
  }
}
