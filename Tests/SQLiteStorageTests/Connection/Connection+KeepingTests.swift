import SQLiteStorage
import Testing

@Suite struct ConnectionKeepingTests {
  private final class Kept {}
  private final class Other {}
  private struct Stop: Error {}

  private func store() throws -> TestConnection {
    try TestConnection("CREATE TABLE t(x); INSERT INTO t VALUES (1)")
  }

  /// Runs `body` in a transaction, and returns whether an object was kept during it.
  private func isKept(_ body: (Connection) throws -> Void) throws -> Bool {
    let store = try store()
    defer { withExtendedLifetime(store) {} }
    let connection = store.connection
    return try connection.transaction {
      let before = connection.kept { Kept() }
      try body(connection)
      return connection.kept { Kept() } === before
    }
  }

  @Test(arguments: [
    "SELECT * FROM t", "INSERT INTO t VALUES (2)", "UPDATE t SET x = 3", "DELETE FROM t",
    "REPLACE INTO t VALUES (4)", "WITH a AS (SELECT 1) SELECT * FROM a", "VALUES (1)",
    "EXPLAIN CREATE TABLE u(x)", "  -- comment\n\tselect 1", "INSERT INTO t VALUES (1) RETURNING x",
    "PRAGMA database_list", "pragma \"main\".schema_version;",
  ])
  func readingAndWritingRowsKeepsIt(sql: String) throws {
    let isKept = try isKept { try $0.query(SQL(verbatim: sql)) { _ in } }
    #expect(isKept)
  }

  @Test func lookingUpATableKeepsIt() throws {
    #expect(try isKept { _ = try $0.table(named: "t") })
    #expect(try isKept { _ = try $0.tables() })
  }

  @Test(arguments: [
    "CREATE TABLE u(x)", "ALTER TABLE t ADD COLUMN y", "DROP TABLE t", "CREATE TEMP TABLE t(y)",
    "/* SELECT */ CREATE VIEW v AS SELECT 1", "-- SELECT\nCREATE INDEX i ON t(x)", "REINDEX",
    "PRAGMA user_version = 1", "PRAGMA encoding('UTF-8')", "ANALYZE",
    "CREATE TEMP TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END",
  ])
  func whatMayChangeTheSchemaDoesNot(sql: String) throws {
    let isKeptByStatement = try isKept { try $0.execute(sql) }
    #expect(!isKeptByStatement)
    let isKeptByScript = try isKept { try $0.execute(script: sql) }
    #expect(!isKeptByScript)
  }

  @Test func aStatementThatWasPreparedBeforeCountsWhenItIsRun() throws {
    let store = try store()
    defer { withExtendedLifetime(store) {} }
    let connection = store.connection
    try connection.transaction {
      let statement = try connection.prepare("CREATE TABLE u(x)")
      let before = connection.kept { Kept() }
      #expect(connection.kept { Kept() } === before)
      try statement.run()
      #expect(connection.kept { Kept() } !== before)
    }
  }

  @Test func savepointsKeepItUnlessTheyAreRolledBack() throws {
    let isKeptByRelease = try isKept { connection in
      try connection.savepoint { try connection.execute("INSERT INTO t VALUES (2)") }
    }
    #expect(isKeptByRelease)
    let isKeptByRollback = try isKept { connection in
      #expect(throws: Stop.self) { try connection.savepoint { throw Stop() } }
    }
    #expect(!isKeptByRollback)
  }

  @Test func eachTransactionMakesItAgain() throws {
    let store = try store()
    defer { withExtendedLifetime(store) {} }
    let connection = store.connection
    var kept: [Kept] = []
    for _ in 0..<2 {
      try connection.transaction { kept.append(connection.kept { Kept() }) }
      // The outermost savepoint is a transaction.
      try connection.savepoint {
        kept.append(connection.kept { Kept() })
        #expect(connection.kept { Kept() } === kept.last)
      }
      // Outside of transactions, another connection may change the schema at any time.
      kept.append(connection.kept { Kept() })
    }
    #expect(Set(kept.map(ObjectIdentifier.init)).count == kept.count)
  }

  @Test func thereIsOneOfEachType() throws {
    let store = try store()
    defer { withExtendedLifetime(store) {} }
    let connection = store.connection
    try connection.transaction {
      let kept = connection.kept { Kept() }
      let other = connection.kept { Other() }
      #expect(connection.kept { Kept() } === kept)
      #expect(connection.kept { Other() } === other)
    }
  }

  @Test func whatChangedTheSchemaItselfIsNotKept() throws {
    let store = try store()
    defer { withExtendedLifetime(store) {} }
    let connection = store.connection
    try connection.transaction {
      #expect(connection.keptObject(for: Kept.self) == nil)
      let kept = Kept()
      try connection.execute("CREATE TABLE u(x)")
      connection.keep(kept, for: Kept.self)
      #expect(connection.kept { Kept() } !== kept)
    }
  }
}

extension Connection {
  /// The object kept for its type, or a new one that is kept.
  fileprivate func kept<Object: AnyObject>(_ make: () -> Object) -> Object {
    if let kept = keptObject(for: Object.self) as? Object { return kept }
    let object = make()
    keep(object, for: Object.self)
    return object
  }
}
