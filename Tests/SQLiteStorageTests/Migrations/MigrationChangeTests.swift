import SQLiteStorage
import Testing

@Suite("A migration in Swift")
struct MigrationChangeTests {
  private struct Refused: Error {}

  private let fixture: MigrationFixture

  init() throws { fixture = try MigrationFixture() }

  private static let tables = Migration(
    1, "create_user",
    up:
      "CREATE TABLE user(name TEXT, password TEXT); INSERT INTO user VALUES ('a', 'x'), ('b', 'y');",
    down: "DROP TABLE user")

  private func hashing(_ change: @escaping Migration.Change) throws -> Migrator {
    try Migrator([
      MigrationChangeTests.tables,
      Migration(3, "hash_passwords", up: change) { connection in
        try connection.execute("UPDATE user SET password = 'gone'")
      },
    ])
  }

  private static func hash(_ connection: Connection) throws {
    for row in try connection.rows("SELECT rowid AS id, password FROM user") {
      let hash = String(try row.decode(String.self, "password").utf8.reduce(0) { $0 &+ Int($1) })
      try connection.execute("UPDATE user SET password = \(hash) WHERE rowid = \(row["id"])")
    }
  }

  private func passwords(_ database: Database) throws -> [String] {
    try database.read { try $0.values(String.self, "SELECT password FROM user ORDER BY name") }
  }

  @Test("runs between those in SQL, and is recorded")
  func runs() throws {
    let database = try fixture.database()
    let migrator = try hashing(MigrationChangeTests.hash)
    let steps = try migrator.up(database)
    #expect(steps.map(\.fileName) == ["0001_create_user.sql", "0003_hash_passwords"])
    #expect(try passwords(database) == ["120", "121"])
    #expect(try migrator.up(database).isEmpty)
    #expect(try migrator.status(of: database).map(\.state) == [.applied, .applied])
    #expect(try migrator.down(database).map(\.fileName) == ["0003_hash_passwords.down"])
    #expect(try passwords(database) == ["gone", "gone"])
  }

  @Test("that throws is rolled back, and its error is the cause")
  func fails() throws {
    let database = try fixture.database()
    let migrator = try hashing { connection in
      try connection.execute("DELETE FROM user")
      throw Refused()
    }
    let error = #expect(throws: DatabaseError.self) { try migrator.up(database) }
    #expect(error?.code == .migration)
    #expect(error?.message == "0003_hash_passwords: Refused()")
    #expect(error?.cause is Refused)
    #expect(try database.recordedVersions() == [1])
    #expect(try passwords(database) == ["x", "y"])
  }

  @Test("cannot end its transaction, even if it catches the error")
  func endsNoTransaction() throws {
    let database = try fixture.database()
    let migrator = try hashing { connection in
      try connection.execute("DELETE FROM user")
      try? connection.execute("COMMIT")
      try connection.execute("SELECT no_such_function()")
    }
    #expect(throws: DatabaseError.self) { try migrator.up(database) }
    #expect(try passwords(database) == ["x", "y"])
  }

  @Test("must not change the ledger")
  func leavesTheLedger() throws {
    let database = try fixture.database()
    let migrator = try hashing { try $0.execute("DELETE FROM schema_migrations") }
    let error = #expect(throws: DatabaseError.self) { try migrator.up(database) }
    #expect(error?.message.contains("must not change schema_migrations") == true)
    #expect(try database.recordedVersions() == [1])
  }

  @Test("is refused if it breaks foreign keys")
  func breaksForeignKeys() throws {
    let database = try fixture.database()
    let migrator = try Migrator([
      Migration(
        1, "a", up: "CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(a REFERENCES a);"),
      Migration(2, "b") { try $0.execute("INSERT INTO b VALUES (7)") },
    ])
    let error = #expect(throws: DatabaseError.self) { try migrator.up(database) }
    #expect(error?.message.hasPrefix("0002_b breaks foreign keys in 1 row") == true)
  }

  @Test("runs in a dry run, which rolls it back")
  func dryRun() throws {
    let database = try fixture.database()
    let migrator = try hashing(MigrationChangeTests.hash)
    #expect(try migrator.up(database, dryRun: true).count == 2)
    #expect(try database.recordedVersions() == nil)
  }

  @Test("that was SQL when it was applied is refused")
  func wasSQL() throws {
    let database = try fixture.database()
    try Migrator([MigrationChangeTests.tables, Migration(3, "hash_passwords", up: "SELECT 1")])
      .up(database)
    let migrator = try hashing(MigrationChangeTests.hash)
    let error = #expect(throws: DatabaseError.self) { try migrator.up(database) }
    #expect(error?.message == "0003_hash_passwords was applied in SQL, and is in Swift now")
  }

  @Test("without a closure for it cannot be reverted")
  func noWayBack() throws {
    let database = try fixture.database()
    let migrator = try Migrator([Migration(1, "a") { try $0.execute("CREATE TABLE a(x)") }])
    try migrator.up(database)
    let error = #expect(throws: DatabaseError.self) { try migrator.down(database) }
    #expect(error?.message == "0001_a cannot be reverted: there is no closure for it")
  }
}
