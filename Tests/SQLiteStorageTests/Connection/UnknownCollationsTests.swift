import Testing

@testable import SQLiteStorage

@Suite struct UnknownCollationsTests {
  private let store: TestConnection

  init() throws {
    store = try TestConnection()
    try store.connection.register(
      CustomCollation("length") { lhs, rhs in lhs.utf8.count - rhs.utf8.count })
    try store.connection.execute(
      script: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, x TEXT COLLATE length);
        INSERT INTO t VALUES (1, 'bb'), (2, 'a');
        """)
  }

  private func open(_ access: Connection.Access) throws -> Connection {
    try Connection(path: store.folder.file(), access: access)
  }

  @Test(arguments: [
    "SELECT id, x FROM t", "SELECT * FROM (SELECT id, x FROM t)",
    "SELECT * FROM (SELECT id, x FROM t) ORDER BY id",
    "SELECT id, x FROM t UNION ALL SELECT 3, 'c'", "WITH u AS (SELECT x FROM t) SELECT 1 FROM u",
  ])
  func aColumnUnderWhichNothingIsComparedIsRead(sql: String) throws {
    for access in [Connection.Access.readOnly, .immutable] {
      #expect(try !open(access).rows(SQL(verbatim: sql)).isEmpty)
    }
  }

  @Test(arguments: [
    "SELECT x FROM t ORDER BY x", "SELECT id FROM t WHERE x = 'a'", "SELECT max(x) FROM t",
    "SELECT x = 'a' FROM t WHERE id = 1", "SELECT DISTINCT x FROM t",
    "SELECT count(*) FROM t GROUP BY x", "SELECT * FROM t AS a JOIN t AS b USING (x)",
  ])
  func aComparisonUnderItIsAnError(sql: String) throws {
    let connection = try open(.readOnly)
    for _ in 0..<2 {
      let error = databaseError { _ = try connection.rows(SQL(verbatim: sql)) }
      #expect(error?.message == "no such collation sequence: length")
      #expect(error?.sql == sql)
      // It does not fail the next one.
      #expect(try connection.value(Int.self, "SELECT count(*) FROM t") == 2)
    }
  }

  @Test func aCollationThatOnlyTheStatementNamesIsUnknownAtOnce() throws {
    let connection = try open(.readOnly)
    for _ in 0..<2 {
      let error = databaseError { _ = try connection.prepare("SELECT 1 COLLATE klingon = 2") }
      #expect(error?.message == "no such collation sequence: klingon")
    }
  }

  /// A stand-in would replace a collation that SQLite has for as long as the connection is open.
  @Test func anInterruptMakesNoCollationUnknown() throws {
    let connection = try open(.readOnly)
    let collations = UnknownCollations(on: connection.handle)
    let statement = try connection.prepare("SELECT 1 UNION ALL SELECT 2")
    #expect(try statement.step())
    connection.interrupter.interrupt()
    let error = databaseError { _ = try connection.prepare("SELECT 'a' = 'b' COLLATE NOCASE") }
    #expect(error?.resultCode == .interrupted)
    #expect(collations.isKnown("NOCASE"))
    statement.reset()
    #expect(collations.isKnown("NOCASE"))
    #expect(!collations.isKnown("length"))
  }

  @Test func aFileInUTF16HasStandInsToo() throws {
    let store = try TestConnection("PRAGMA encoding = 'UTF-16'")
    try store.connection.register(CustomCollation("other") { _, _ in 0 })
    try store.connection.execute("CREATE TABLE t(x COLLATE other, y COLLATE NOCASE)")
    try store.connection.execute("INSERT INTO t VALUES ('a', 'b')")
    let connection = try Connection(path: store.folder.file(), access: .readOnly)
    #expect(try connection.rows("SELECT * FROM (SELECT * FROM t) WHERE y = 'B'").count == 1)
    #expect(databaseError { _ = try connection.rows("SELECT x = 'a' FROM t") } != nil)
  }

  @Test func aConnectionThatWritesHasNoStandIn() throws {
    let connection = try open(.readWrite)
    for sql: SQL in ["UPDATE t SET x = 'c' WHERE x = 'a'", "SELECT * FROM (SELECT x FROM t)"] {
      let error = databaseError { try connection.execute(sql) }
      #expect(error?.message == "no such collation sequence: length")
    }
  }

  @Test func aCollationThatIsRegisteredLaterTakesItsPlace() throws {
    let connection = try open(.readOnly)
    #expect(databaseError { try connection.execute("SELECT x FROM t ORDER BY x") } != nil)
    try connection.register(
      CustomCollation("LENGTH") { lhs, rhs in lhs.utf8.count - rhs.utf8.count })
    #expect(try connection.values(String.self, "SELECT x FROM t ORDER BY x") == ["a", "bb"])
  }

  @Test(arguments: ["WAL", "DELETE"])
  func aDatabaseThatIsReadHasStandIns(journalMode: String) throws {
    try store.connection.execute(SQL(verbatim: "PRAGMA journal_mode = \(journalMode)"))
    let database = try Database(path: store.folder.file(), access: .readOnly)
    let query: SQL = "SELECT * FROM (SELECT id, x FROM t)"
    #expect(try database.read { try $0.rows(query).count } == 2)
    #expect(try database.snapshot().read { try $0.rows(query).count } == 2)
  }
}
