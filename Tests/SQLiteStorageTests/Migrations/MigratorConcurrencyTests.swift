import Foundation
import SQLiteStorage
import Testing

@Suite("Several migrators at once")
struct MigratorConcurrencyTests {
  /// One migrator may apply all files before another gets the lock.
  private var patient: Database.Configuration {
    var configuration = Database.Configuration.unsynced
    configuration.busyTimeout = .seconds(60)
    return configuration
  }

  @Test("apply each file once, each with a database of its own")
  func up() async throws {
    // A table without a key: a file that ran twice would leave two rows.
    var files = ["0001_a.sql": "CREATE TABLE ran (version);"]
    for version in 2...20 {
      files["\(version < 10 ? "000" : "00")\(version)_a.sql"] =
        "INSERT INTO ran VALUES (\(version));"
    }
    let fixture = try MigrationFixture(files)
    let migrator = try fixture.migrator()
    let databases = try (0..<6).map { _ in try fixture.database(patient) }
    let applied = try await withThrowingTaskGroup(of: [Int].self) { group in
      for database in databases {
        group.addTask { try migrator.up(database).map(\.version) }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(applied.sorted() == Array(1...20))
    #expect(try databases[0].recordedVersions() == Array(1...20))
    #expect(try databases[0].count("ran") == 19)
    #expect(try databases[0].count("(SELECT DISTINCT version FROM ran)") == 19)
  }

  @Test("take each file back once")
  func down() async throws {
    let fixture = try MigrationFixture([
      "0001_a.sql": "CREATE TABLE a (x);", "0001_a.down.sql": "DROP TABLE a;",
      "0002_b.sql": "CREATE TABLE b (x);", "0002_b.down.sql": "DROP TABLE b;",
    ])
    let migrator = try fixture.migrator()
    let databases = try (0..<4).map { _ in try fixture.database(patient) }
    try migrator.up(databases[0])
    let leaving = try await withThrowingTaskGroup(of: [Int].self) { group in
      for database in databases {
        group.addTask { try migrator.down(database, to: 0).map(\.version) }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(leaving.sorted() == [1, 2])
    #expect(try databases[0].tableNames().isEmpty)
  }

  @Test("leave out what another did after the plan was made")
  func rereading() throws {
    let fixture = try MigrationFixture([
      "0001_a.sql": "CREATE TABLE a (x);", "0002_b.sql": "CREATE TABLE b (x);",
    ])
    let (mine, other) = (try fixture.database(), try fixture.database())
    let migrator = try fixture.migrator()
    // The other one comes in between my first file and my second.
    var others: [Int] = []
    let steps = try migrator.up(mine) { _ in others = try migrator.up(other).map(\.version) }
    #expect(others == [2])
    #expect(steps.map(\.version) == [1])
    #expect(try mine.recordedVersions() == [1, 2])
  }

  @Test("stop where another applied what they do not know")
  func newerByAnother() throws {
    let fixture = try MigrationFixture([
      "0001_a.sql": "CREATE TABLE a (x);", "0002_b.sql": "CREATE TABLE b (x);",
    ])
    let (mine, other) = (try fixture.database(), try fixture.database())
    let migrator = try fixture.migrator()
    let newer = try Migrator([
      migrator.migrations[0], Migration(3, "c", up: "CREATE TABLE c (x)"),
    ])
    let error = databaseError { try migrator.up(mine) { _ in try newer.up(other) } }
    #expect(error?.message.hasPrefix("0002_b.sql is not applied, but the newer 0003_c.sql") == true)
    #expect(try mine.tableNames() == ["a", "c"])
  }

  @Test("give up with busy where another does not let go of its lock")
  func busy() throws {
    let fixture = try MigrationFixture(["0001_a.sql": "CREATE TABLE a (x);"])
    var configuration = Database.Configuration()
    configuration.busyTimeout = .milliseconds(1)
    let (mine, other) = (try fixture.database(configuration), try fixture.database())
    let migrator = try fixture.migrator()
    let error = try other.write { _ in databaseError { try migrator.up(mine) } }
    #expect(error.map { ResultCode.busy ~= $0.resultCode } == true)
    #expect(try migrator.up(mine).map(\.version) == [1])
  }
}
