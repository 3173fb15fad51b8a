import Foundation
import SQLiteStorage
import Testing

@Suite("Running migrations")
struct MigratorRunningTests {
  private func fixture(_ more: [String: String] = [:]) throws -> MigrationFixture {
    let fixture = try MigrationFixture([
      "0001_a.sql": "CREATE TABLE a (id INTEGER PRIMARY KEY);",
      "0001_a.down.sql": "DROP TABLE a;",
      "0002_b.sql": "CREATE TABLE b (a REFERENCES a (id) ON DELETE CASCADE);",
      "0002_b.down.sql": "DROP TABLE b;",
      "0003_c.sql": "CREATE TABLE c (x);\nINSERT INTO c VALUES (1), (2);",
      "0003_c.down.sql": "DROP TABLE c;",
    ])
    for (name, text) in more { try fixture.write(name, text) }
    return fixture
  }

  @Test("up applies what is pending in order, once")
  func up() throws {
    let fixture = try fixture()
    let database = try fixture.database()
    let migrator = try fixture.migrator()
    var told: [Migration.Step] = []
    let steps = try migrator.up(database) { told.append($0) }
    #expect(steps.map(\.fileName) == ["0001_a.sql", "0002_b.sql", "0003_c.sql"])
    #expect(steps.map(\.direction) == [.up, .up, .up])
    #expect(told == steps)
    #expect(try database.tableNames() == ["a", "b", "c"])
    #expect(try database.recordedVersions() == [1, 2, 3])
    #expect(try migrator.up(database).isEmpty)
    #expect(try database.count("c") == 2)
  }

  @Test("up stops after the version it was given")
  func upTo() throws {
    let fixture = try fixture()
    let database = try fixture.database()
    let migrator = try fixture.migrator()
    #expect(try migrator.up(database, to: 2).map(\.version) == [1, 2])
    #expect(try migrator.up(database, to: 1).isEmpty)
    #expect(try migrator.up(database).map(\.version) == [3])
  }

  @Test("down reverts the newest, or all above a version")
  func down() throws {
    let fixture = try fixture()
    let database = try fixture.database()
    let migrator = try fixture.migrator()
    try migrator.up(database)
    let first = try migrator.down(database)
    #expect(first.map(\.fileName) == ["0003_c.down.sql"])
    #expect(first.map(\.direction) == [.down])
    #expect(try database.tableNames() == ["a", "b"])
    #expect(try migrator.down(database, to: 3).isEmpty)
    #expect(try migrator.down(database, to: 0).map(\.version) == [2, 1])
    #expect(try database.tableNames().isEmpty)
    #expect(try database.recordedVersions() == [])
    #expect(try migrator.down(database).isEmpty)
    try migrator.up(database)
    #expect(try migrator.down(database, to: 1).map(\.version) == [3, 2])
  }

  @Test("a version that is no migration's is refused")
  func unknownVersion() throws {
    let fixture = try fixture()
    let database = try fixture.database()
    let migrator = try fixture.migrator()
    for run in [
      { try migrator.up(database, to: 7) }, { try migrator.up(database, to: 0) },
      { try migrator.down(database, to: 7) }, { try migrator.down(database, to: -1) },
    ] {
      let error = try #require(databaseError { _ = try run() })
      #expect(error.code == .migration)
      #expect(error.message.hasPrefix("there is no migration"))
      #expect(error.nextStep == "The newest is 0003_c.sql")
    }
    #expect(try database.recordedVersions() == nil)
  }

  @Test("down refuses to begin where one of the files has no way back")
  func noWayBack() throws {
    let fixture = try fixture()
    let database = try fixture.database()
    try fixture.migrator().up(database)
    try fixture.remove("0002_b.down.sql")
    let error = try #require(databaseError { try fixture.migrator().down(database, to: 0) })
    #expect(error.message.hasPrefix("0002_b.sql cannot be reverted"))
    #expect(try database.recordedVersions() == [1, 2, 3])
  }

  @Test("a failing statement names file, line and SQLite's message, and undoes its file only")
  func failingStatement() throws {
    let fixture = try fixture([
      "0003_c.sql": "CREATE TABLE c (x UNIQUE);\n\n-- twice\nINSERT INTO c VALUES (1),\n(1);"
    ])
    let database = try fixture.database()
    var told: [Int] = []
    let error = try #require(
      databaseError { try fixture.migrator().up(database) { told.append($0.version) } })
    #expect(error.code == .migration)
    #expect(error.message == "0003_c.sql:4: UNIQUE constraint failed: c.x")
    #expect(ResultCode.constraint ~= error.resultCode)
    #expect(error.sql == "INSERT INTO c VALUES (1),\n(1);")
    #expect(error.nextStep == "The migration was rolled back: correct it, and run it again")
    #expect((error.cause as? DatabaseError)?.code == .sqlite)
    #expect(told == [1, 2])
    #expect(try database.tableNames() == ["a", "b"])
    #expect(try database.recordedVersions() == [1, 2])
    try fixture.write("0003_c.sql", "CREATE TABLE c (x);")
    #expect(try fixture.migrator().up(database).map(\.version) == [3])
  }

  @Test(
    "a statement that SQLite or the migrator cannot take is named with its line",
    arguments: [
      ("SELECT 1;\nCREATE TABLEX c;", "0003_c.sql:2: near \"TABLEX\": syntax error"),
      ("\nINSERT INTO nope VALUES (1)", "0003_c.sql:2: no such table: nope"),
      ("SELECT 1;SELECT 'open;\n", "0003_c.sql:1: unrecognized token: \"'open;\n\""),
      (
        "CREATE TABLE c (x);\nINSERT INTO c VALUES (:x)",
        "0003_c.sql:2: a migration cannot have parameters"
      ),
    ])
  func failingPreparation(sql: String, message: String) throws {
    let fixture = try fixture(["0003_c.sql": sql])
    let database = try fixture.database()
    let error = try #require(databaseError { try fixture.migrator().up(database) })
    #expect(error.message.hasPrefix(message))
    #expect(try database.tableNames() == ["a", "b"])
  }

  @Test(
    "a statement that would change the ledger is refused",
    arguments: [
      "DROP TABLE schema_migrations", "drop table if exists main.\"Schema_Migrations\"",
      "DELETE FROM schema_migrations", "UPDATE schema_migrations SET name = 'x'",
      "INSERT INTO schema_migrations SELECT version + 50, name, checksum, applied_at, 0 "
        + "FROM schema_migrations", "REPLACE INTO schema_migrations VALUES (1, 'a', '', '', 0)",
      "ALTER TABLE schema_migrations RENAME TO other",
      "ALTER TABLE schema_migrations ADD COLUMN other",
    ],
    [true, false])
  func ledger(sql: String, usesTransaction: Bool) throws {
    let start = usesTransaction ? "" : "-- migrate:no-transaction\n"
    let fixture = try fixture([
      "0003_c.sql": start + "SELECT count(*) FROM schema_migrations;\n" + sql
    ])
    let database = try fixture.database()
    let error = try #require(databaseError { try fixture.migrator().up(database) })
    #expect(error.message.contains("a migration must not change schema_migrations"))
    #expect(error.message.hasPrefix("0003_c.sql:\(usesTransaction ? 2 : 3): "))
    #expect(error.code == .migration)
    #expect(try database.recordedVersions() == [1, 2])
    try fixture.write("0003_c.sql", "CREATE TABLE c (x);")
    #expect(try fixture.migrator().up(database).map(\.version) == [3])
  }

  @Test("a table with the name of the ledger is not made by a migration")
  func ledgerOfItsOwn() throws {
    let fixture = try MigrationFixture(["0001_a.sql": "CREATE TABLE schema_migrations (x);"])
    let database = try fixture.database()
    let error = try #require(databaseError { try fixture.migrator().up(database) })
    #expect(error.message.hasPrefix("0001_a.sql:1: a migration must not change"))
    #expect(try database.recordedVersions() == nil)
  }

  @Test("a failure on the way back undoes its file only")
  func failingDown() throws {
    let fixture = try fixture(["0002_b.down.sql": "DELETE FROM b;\nDROP TABLE bb;"])
    let database = try fixture.database()
    try fixture.migrator().up(database)
    try database.write { try $0.execute("INSERT INTO b VALUES (NULL)") }
    let error = try #require(databaseError { try fixture.migrator().down(database, to: 0) })
    #expect(error.message == "0002_b.down.sql:2: no such table: bb")
    #expect(try database.recordedVersions() == [1, 2])
    #expect(try database.count("b") == 1)
  }

  @Test("a conflict that rolls the transaction back itself is reported as it is")
  func rollbackByConflict() throws {
    let fixture = try fixture(["0003_c.sql": "INSERT OR ROLLBACK INTO a VALUES (1), (1);"])
    let database = try fixture.database()
    let error = try #require(databaseError { try fixture.migrator().up(database) })
    #expect(error.message == "0003_c.sql:1: UNIQUE constraint failed: a.id")
    #expect(try database.recordedVersions() == [1, 2])
  }

  @Test("an error thrown between two files ends the run, and what ran stays")
  func stopping() throws {
    struct Stop: Error {}
    let fixture = try fixture()
    let database = try fixture.database()
    #expect(throws: Stop.self) {
      try fixture.migrator().up(database) { if $0.version == 2 { throw Stop() } }
    }
    #expect(try database.recordedVersions() == [1, 2])
    #expect(try database.isEnforcingForeignKeys())
  }

  @Test("user_version is left to the application")
  func userVersion() throws {
    let fixture = try fixture()
    let database = try fixture.database()
    try database.withWriter { try $0.execute(script: "PRAGMA user_version = 42") }
    try fixture.migrator().up(database)
    #expect(try database.read { try $0.value(Int.self, "PRAGMA user_version") } == 42)
  }

  @Test("a run inside a write is refused")
  func nested() throws {
    let fixture = try fixture()
    let database = try fixture.database()
    let migrator = try fixture.migrator()
    let error = databaseError { try database.write { _ in _ = try migrator.up(database) } }
    #expect(error?.code == .nestedWrite)
  }

  @Test("down reverts nothing under a migration that another process has applied since")
  func downUnderANewerOne() throws {
    let fixture = try fixture()
    let database = try fixture.database()
    let migrator = try fixture.migrator()
    try migrator.up(database)
    let other = try fixture.database()
    let error = databaseError {
      try migrator.down(database, to: 0) { step in
        // Between two of them, another process applies one again.
        if step.version == 3 { try migrator.up(other) }
      }
    }
    #expect(error?.code == .migration)
    #expect(error?.message.contains("3") == true)
    #expect(try database.recordedVersions() == [1, 2, 3])
    #expect(try database.tableNames() == ["a", "b", "c"])
  }
}

@Suite("A dry run")
struct MigratorDryRunTests {
  @Test("runs everything and keeps nothing, not even the ledger")
  func up() throws {
    let fixture = try MigrationFixture([
      "0001_a.sql": "CREATE TABLE a (x);", "0002_b.sql": "INSERT INTO a VALUES (1);",
    ])
    let database = try fixture.database()
    var told = 0
    let steps = try fixture.migrator().up(database, dryRun: true) { _ in told += 1 }
    #expect(steps.map(\.version) == [1, 2])
    #expect(told == 2)
    #expect(try database.tableNames().isEmpty)
    #expect(try database.recordedVersions() == nil)
    #expect(try database.isEnforcingForeignKeys())
    #expect(try fixture.migrator().up(database, to: 1, dryRun: true).map(\.version) == [1])
  }

  @Test("of the way back keeps everything")
  func down() throws {
    let fixture = try MigrationFixture([
      "0001_a.sql": "CREATE TABLE a (x);", "0001_a.down.sql": "DROP TABLE a;",
    ])
    let database = try fixture.database()
    let migrator = try fixture.migrator()
    try migrator.up(database)
    #expect(try migrator.down(database, dryRun: true).map(\.fileName) == ["0001_a.down.sql"])
    #expect(try database.tableNames() == ["a"])
    #expect(try database.recordedVersions() == [1])
  }

  @Test("fails as the run would")
  func failure() throws {
    let fixture = try MigrationFixture([
      "0001_a.sql": "CREATE TABLE a (x);", "0002_b.sql": "CREATE TABLE b (x);\nDROP TABLE c;",
    ])
    let database = try fixture.database()
    let error = try #require(
      databaseError { try fixture.migrator().up(database, dryRun: true) })
    #expect(error.message == "0002_b.sql:2: no such table: c")
    #expect(try database.tableNames().isEmpty)
    #expect(try database.isEnforcingForeignKeys())
  }

  @Test("refuses a file that cannot be rolled back, before anything runs")
  func noTransaction() throws {
    let fixture = try MigrationFixture([
      "0001_a.sql": "CREATE TABLE a (x);", "0002_b.sql": "-- migrate:no-transaction\nVACUUM;",
    ])
    let database = try fixture.database()
    let error = try #require(
      databaseError { try fixture.migrator().up(database, dryRun: true) })
    #expect(error.message.hasPrefix("0002_b.sql runs outside a transaction"))
    #expect(try fixture.migrator().up(database, to: 1, dryRun: true).map(\.version) == [1])
  }
}
