import SQLiteStorage
import Testing

@Suite("Foreign keys while migrating")
struct MigratorForeignKeyTests {
  private static let schema = """
    CREATE TABLE parent (id INTEGER PRIMARY KEY);
    CREATE TABLE child (parent INTEGER NOT NULL REFERENCES parent (id) ON DELETE CASCADE);
    INSERT INTO parent VALUES (1), (2);
    INSERT INTO child VALUES (1), (2);
    """

  @Test("are off, so that a table can be rebuilt, and on again afterwards")
  func rebuilding() throws {
    let fixture = try MigrationFixture([
      "0001_a.sql": MigratorForeignKeyTests.schema,
      "0002_b.sql": """
      CREATE TABLE new_parent (id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO new_parent (id) SELECT id FROM parent;
      DROP TABLE parent;
      ALTER TABLE new_parent RENAME TO parent;
      """,
    ])
    let database = try fixture.database()
    try fixture.migrator().up(database)
    #expect(try database.count("child") == 2)
    #expect(try database.isEnforcingForeignKeys())
    #expect(
      databaseError { try database.write { try $0.execute("INSERT INTO child VALUES (9)") } }
        .map { ResultCode.constraint ~= $0.resultCode } == true)
  }

  @Test("are checked before the commit: rows without a parent undo the file that left them")
  func violation() throws {
    let fixture = try MigrationFixture([
      "0001_a.sql": MigratorForeignKeyTests.schema, "0002_b.sql": "DELETE FROM parent;",
    ])
    let database = try fixture.database()
    let error = try #require(databaseError { try fixture.migrator().up(database) })
    #expect(error.code == .migration)
    #expect(
      error.message
        == "0002_b.sql breaks foreign keys in 2 rows: child (rowid 1) refers to a row of parent that does not exist"
    )
    #expect(try database.count("parent") == 2)
    #expect(try database.recordedVersions() == [1])
    #expect(try database.isEnforcingForeignKeys())
  }

  @Test(
    "are not checked for what was wrong before",
    arguments: [
      "CREATE TABLE z (x);", "DELETE FROM parent WHERE id = 2; DELETE FROM child WHERE parent = 2;",
      // The table is renamed, is rebuilt with other rowids, and gets another parent.
      "ALTER TABLE child RENAME TO kid;", "ALTER TABLE parent RENAME TO mother;",
      """
      CREATE TABLE new (parent INTEGER NOT NULL REFERENCES parent (id), x);
      INSERT INTO new SELECT parent, 1 FROM child ORDER BY parent DESC;
      DROP TABLE child;
      ALTER TABLE new RENAME TO child;
      """,
      "UPDATE child SET parent = 8 WHERE parent = 9; UPDATE child SET parent = 9 WHERE parent = 8;",
    ])
  func violationFromBefore(sql: String) throws {
    let fixture = try MigrationFixture(["0001_a.sql": sql])
    let database = try fixture.database()
    try database.orphan(MigratorForeignKeyTests.schema)
    #expect(try fixture.migrator().up(database).count == 1)
  }

  @Test(
    "are checked for what is new beside what was wrong before",
    arguments: [
      "DELETE FROM parent WHERE id = 2;", "INSERT INTO child VALUES (9);",
      "DELETE FROM child WHERE parent = 9; INSERT INTO child VALUES (10);",
      "ALTER TABLE child RENAME TO kid; INSERT INTO kid VALUES (9);",
      "CREATE TABLE other (p REFERENCES parent (id)); INSERT INTO other VALUES (11);",
    ])
  func newViolation(sql: String) throws {
    let fixture = try MigrationFixture(["0001_a.sql": sql])
    let database = try fixture.database()
    try database.orphan(MigratorForeignKeyTests.schema)
    let error = try #require(databaseError { try fixture.migrator().up(database) })
    #expect(error.message.hasPrefix("0001_a.sql breaks foreign keys in 1 row: "))
    #expect(try database.recordedVersions() == nil)
  }

  @Test("are checked also where a table has no rowid, and where a foreign key was wrong before")
  func otherViolationsFromBefore() throws {
    let fixture = try MigrationFixture(["0001_a.sql": "CREATE TABLE z (x);"])
    let database = try fixture.database()
    try database.orphan(
      """
      CREATE TABLE parent (id INTEGER PRIMARY KEY);
      CREATE TABLE child (parent PRIMARY KEY REFERENCES parent (id)) WITHOUT ROWID;
      CREATE TABLE rowids (rowid, oid, _rowid_ REFERENCES parent (id));
      INSERT INTO rowids VALUES (1, 2, 3);
      CREATE TABLE p (x);
      CREATE TABLE c (p REFERENCES p (x));
      """)
    #expect(try fixture.migrator().up(database).count == 1)
    try fixture.write("0002_b.sql", "INSERT INTO child VALUES (10);")
    #expect(databaseError { try fixture.migrator().up(database) } != nil)
  }

  @Test("that name something that cannot be a parent are reported by file")
  func mismatch() throws {
    let fixture = try MigrationFixture([
      "0001_a.sql": "CREATE TABLE p (x);\nCREATE TABLE c (p REFERENCES p (x));"
    ])
    let database = try fixture.database()
    let error = try #require(databaseError { try fixture.migrator().up(database) })
    #expect(error.message.hasPrefix("0001_a.sql: foreign key mismatch"))
    #expect(try database.tableNames().isEmpty)
  }

  @Test("stay off where the database does not enforce them")
  func notEnforced() throws {
    let fixture = try MigrationFixture(["0001_a.sql": MigratorForeignKeyTests.schema])
    var configuration = Database.Configuration()
    configuration.enforcesForeignKeys = false
    let database = try fixture.database(configuration)
    try fixture.migrator().up(database)
    #expect(try !database.isEnforcingForeignKeys())
  }

  @Test("are off for the next file also after one that switched them on")
  func switchedOn() throws {
    let fixture = try MigrationFixture([
      "0001_a.sql": MigratorForeignKeyTests.schema,
      "0002_b.sql": "-- migrate:no-transaction\nPRAGMA foreign_keys = ON;",
      "0003_c.sql": "DELETE FROM parent; DELETE FROM child WHERE parent = 1;\n"
        + "INSERT INTO parent VALUES (2);",
    ])
    let database = try fixture.database()
    try fixture.migrator().up(database)
    #expect(try database.count("child") == 1)
    #expect(try database.isEnforcingForeignKeys())
  }
}

extension Database {
  /// Runs a script, and adds a row of `child` whose parent does not exist.
  fileprivate func orphan(_ script: String) throws {
    try withWriter { connection in
      try connection.execute("PRAGMA foreign_keys = OFF")
      try connection.execute(script: script)
      try connection.execute("INSERT INTO child VALUES (9)")
      try connection.execute("PRAGMA foreign_keys = ON")
    }
  }
}
