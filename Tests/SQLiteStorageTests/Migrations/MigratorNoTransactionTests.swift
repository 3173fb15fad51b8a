import Foundation
import SQLiteStorage
import Testing

@Suite("A migration outside a transaction")
struct MigratorNoTransactionTests {
  private func fixture(_ sql: String, down: String? = nil) throws -> MigrationFixture {
    let fixture = try MigrationFixture(["0001_a.sql": "-- migrate:no-transaction\n" + sql])
    if let down { try fixture.write("0001_a.down.sql", "-- migrate:no-transaction\n" + down) }
    return fixture
  }

  @Test("may hold what cannot run in one, and is recorded when it is done")
  func runs() throws {
    let fixture = try fixture(
      "BEGIN; CREATE TABLE a (x); COMMIT;\nVACUUM;", down: "DROP TABLE a;\nVACUUM;")
    let database = try fixture.database()
    let migrator = try fixture.migrator()
    #expect(try migrator.up(database).map(\.version) == [1])
    #expect(try database.recordedVersions() == [1])
    #expect(try migrator.up(database).isEmpty)
    #expect(try migrator.down(database).map(\.fileName) == ["0001_a.down.sql"])
    #expect(try database.tableNames().isEmpty)
    #expect(try database.recordedVersions() == [])
  }

  @Test("that fails half-way leaves what it did, is not recorded and runs again from the beginning")
  func fails() throws {
    let fixture = try fixture("CREATE TABLE IF NOT EXISTS a (x);\nDROP TABLE b;")
    let database = try fixture.database()
    let migrator = try fixture.migrator()
    let error = try #require(databaseError { try migrator.up(database) })
    #expect(error.message == "0001_a.sql:3: no such table: b")
    #expect(error.nextStep?.hasPrefix("The statements before that one stay") == true)
    #expect(try database.tableNames() == ["a"])
    #expect(try database.recordedVersions() == nil)
    #expect(try migrator.status(of: database).map(\.state) == [.pending])
    try database.write { try $0.execute("CREATE TABLE b (x)") }
    #expect(try migrator.up(database).map(\.version) == [1])
  }

  @Test("that leaves rows without a parent is not recorded")
  func foreignKeys() throws {
    let fixture = try fixture(
      """
      CREATE TABLE p (id INTEGER PRIMARY KEY);
      CREATE TABLE c (p REFERENCES p (id));
      INSERT INTO c VALUES (1);
      """)
    let database = try fixture.database()
    let error = try #require(databaseError { try fixture.migrator().up(database) })
    #expect(error.message.hasPrefix("0001_a.sql breaks foreign keys in 1 row: c (rowid 1)"))
    #expect(try database.recordedVersions() == nil)
  }

  @Test("that leaves a transaction open is rolled back and not recorded")
  func openTransaction() throws {
    for sql in ["BEGIN; CREATE TABLE a (x);", "BEGIN; CREATE TABLE a (x); DROP TABLE b;"] {
      let fixture = try fixture(sql)
      let database = try fixture.database()
      let error = try #require(databaseError { try fixture.migrator().up(database) })
      #expect(error.code == .migration)
      #expect(try database.tableNames().isEmpty)
      #expect(try database.recordedVersions() == nil)
      try database.write { try $0.execute("CREATE TABLE a (x)") }
    }
  }

  @Test("leaves no database attached")
  func attached() throws {
    for end in ["", "DROP TABLE b;"] {
      let fixture = try fixture(
        "ATTACH ':memory:' AS \"other one\"; CREATE TABLE \"other one\".t (x); " + end)
      let database = try fixture.database()
      let error = databaseError { try fixture.migrator().up(database) }
      #expect((error == nil) == end.isEmpty)
      let names = try database.withWriter {
        try $0.rows("SELECT name FROM pragma_database_list").map { $0["name"] }
      }
      #expect(names == ["main"])
    }
  }

  @Test("that another process runs at the same time is recorded once")
  func twice() throws {
    let fixture = try fixture("SELECT meanwhile();")
    let migrator = try fixture.migrator()
    func database(_ meanwhile: @escaping @Sendable () throws -> Void) throws -> Database {
      var configuration = Database.Configuration()
      configuration.functions = [
        ScalarFunction("meanwhile", argumentCount: 0, isDeterministic: false) { _ in
          try meanwhile()
          return .null
        }
      ]
      return try fixture.database(configuration)
    }
    let other = try database {}
    let mine = try database { try migrator.up(other) }
    #expect(try migrator.up(mine).isEmpty)
    #expect(try mine.recordedVersions() == [1])
  }
}
