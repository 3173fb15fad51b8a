import Foundation
import SQLiteStorage
import Testing

@Suite("The status of a database's migrations")
struct MigratorStatusTests {
  private func fixture() throws -> MigrationFixture {
    try MigrationFixture([
      "0001_a.sql": "CREATE TABLE a (x);", "0002_b.sql": "CREATE TABLE b (x);",
      "0004_d.sql": "CREATE TABLE d (x);", "0004_d.down.sql": "DROP TABLE d;",
    ])
  }

  private func states(_ fixture: MigrationFixture) throws -> [String] {
    try fixture.migrator().status(of: fixture.database()).map {
      "\($0.fileName) \($0.state.rawValue)"
    }
  }

  /// The refusal of `up`, `down` and `verify`, which must be one and the same.
  private func refusal(_ fixture: MigrationFixture) throws -> DatabaseError {
    let migrator = try fixture.migrator()
    let database = try fixture.database()
    let before = try database.recordedVersions()
    let up = try #require(databaseError { try migrator.up(database) })
    let down = try #require(databaseError { try migrator.down(database) })
    let verify = try #require(databaseError { try migrator.verify(database) })
    #expect(up.code == .migration)
    #expect(up.description == down.description)
    #expect(up.description == verify.description)
    #expect(up.nextStep != nil)
    #expect(try database.recordedVersions() == before)
    return up
  }

  @Test("is pending before the first run, and looking creates nothing")
  func pending() throws {
    let fixture = try fixture()
    #expect(
      try states(fixture) == ["0001_a.sql pending", "0002_b.sql pending", "0004_d.sql pending"])
    try fixture.migrator().verify(fixture.database())
    #expect(try fixture.database().recordedVersions() == nil)
  }

  @Test("says when each was applied and how long it took, by the clocks given")
  func applied() throws {
    let fixture = try fixture()
    let database = try fixture.database()
    let noon = Date(timeIntervalSince1970: 1_795_348_800)
    let migrator = try Migrator(
      folder: fixture.folder, clock: SteppingClock(step: .microseconds(7_600)), now: { noon })
    let steps = try migrator.up(database, to: 2)
    #expect(steps.map(\.duration) == [.microseconds(7_600), .microseconds(7_600)])
    let status = try migrator.status(of: database)
    #expect(status.map(\.state) == [.applied, .applied, .pending])
    #expect(status.map(\.appliedAt) == [noon, noon, nil])
    #expect(status.map(\.duration) == [.milliseconds(8), .milliseconds(8), nil])
    #expect(status.allSatisfy { $0.problem == nil })
    let row = try database.read { try $0.rows("SELECT * FROM schema_migrations")[1] }
    #expect(
      row.columnNames.names == ["version", "name", "checksum", "applied_at", "duration_ms"])
    #expect(
      row.values == [
        2, "b", .text(migrator.migrations[1].checksum), "2026-11-22T12:00:00Z", 8,
      ])
  }

  @Test("can be read from a database opened to be read")
  func readOnly() throws {
    let fixture = try fixture()
    let migrator = try fixture.migrator()
    try migrator.up(fixture.database(), to: 2)
    let reading = try Database(path: fixture.root + "/store.sqlite", access: .readOnly)
    #expect(try migrator.status(of: reading).map(\.state) == [.applied, .applied, .pending])
    #expect(
      databaseError { try migrator.up(reading) }.map { ResultCode.readOnly ~= $0.resultCode }
        == true)
    #expect(try migrator.up(reading, to: 2).isEmpty)
  }

  @Test("is edited where an applied file has other content")
  func edited() throws {
    let fixture = try fixture()
    try fixture.migrator().up(fixture.database(), to: 2)
    try fixture.write("0002_b.sql", "CREATE TABLE b (x); ")
    #expect(
      try states(fixture) == ["0001_a.sql applied", "0002_b.sql edited", "0004_d.sql pending"])
    let error = try refusal(fixture)
    #expect(error.message.hasPrefix("0002_b.sql was edited after it was applied"))
    #expect(error.nextStep == "Restore the file, and put the change in a new one")
    #expect(try fixture.database().tableNames() == ["a", "b"])
  }

  @Test("is not edited where only the ends of the lines are others")
  func lineEnds() throws {
    for (applied, now) in [("\n", "\r\n"), ("\r\n", "\n")] {
      let sql = "CREATE TABLE a (x);§-- é§§CREATE TABLE b (x);§"
      func text(_ end: String) -> String {
        sql.split(separator: "§", omittingEmptySubsequences: false).joined(separator: end)
      }
      let fixture = try MigrationFixture(["0001_a.sql": text(applied)])
      try fixture.migrator().up(fixture.database())
      try fixture.write("0001_a.sql", text(now))
      #expect(try states(fixture) == ["0001_a.sql applied"])
      try fixture.migrator().verify(fixture.database())
      try fixture.write("0001_a.sql", text(now) + "-- more")
      #expect(try states(fixture) == ["0001_a.sql edited"])
    }
  }

  @Test("is not edited where only the way back has other content")
  func editedDown() throws {
    let fixture = try fixture()
    try fixture.migrator().up(fixture.database())
    try fixture.write("0004_d.down.sql", "DROP TABLE IF EXISTS d;")
    try fixture.migrator().verify(fixture.database())
  }

  @Test("is edited where an applied file has another name")
  func renamed() throws {
    let fixture = try fixture()
    try fixture.migrator().up(fixture.database(), to: 2)
    try fixture.remove("0002_b.sql")
    try fixture.write("0002_bb.sql", "CREATE TABLE b (x);")
    #expect(
      try states(fixture) == ["0001_a.sql applied", "0002_bb.sql edited", "0004_d.sql pending"])
    let error = try refusal(fixture)
    #expect(error.message == "0002_bb.sql was applied as 0002_b.sql")
  }

  @Test("is missing where the file of an applied one is gone")
  func missing() throws {
    let fixture = try fixture()
    try fixture.migrator().up(fixture.database(), to: 2)
    try fixture.remove("0001_a.sql")
    #expect(
      try states(fixture) == ["0001_a.sql missing", "0002_b.sql applied", "0004_d.sql pending"])
    let error = try refusal(fixture)
    #expect(error.message == "0001_a.sql is applied, but the file is missing")
    #expect(error.nextStep?.hasPrefix("Restore the file") == true)
  }

  @Test("is of a newer version where an applied one is newer than all that are known")
  func newer() throws {
    let fixture = try fixture()
    let database = try fixture.database()
    try fixture.migrator().up(database)
    try fixture.remove("0004_d.sql")
    try fixture.remove("0004_d.down.sql")
    #expect(try states(fixture).last == "0004_d.sql missing")
    let error = try refusal(fixture)
    #expect(error.message.contains("0004_d.sql is applied, and newer than 0002_b.sql"))
    #expect(error.message.contains("newer version of the application"))
    #expect(error.nextStep == "Use that version, or restore its file")
  }

  @Test("is of a newer version in Swift too")
  func newerInSwift() throws {
    let database = try Database.inMemory()
    let all = [
      Migration(1, "a") { try $0.execute("CREATE TABLE a(x)") },
      Migration(2, "b") { try $0.execute("CREATE TABLE b(x)") },
    ]
    try Migrator(all).up(database)
    let older = try Migrator(Array(all.prefix(1)))
    let error = databaseError { _ = try older.up(database) }
    #expect(error?.message.contains("0002_b is applied, and newer than 0001_a") == true)
    #expect(error?.nextStep == "Use that version, or restore the migration")
    let missing = databaseError { _ = try Migrator(Array(all.suffix(1))).up(database) }
    #expect(missing?.message == "0001_a is applied, but it is missing")
  }

  @Test("is out of order where a pending file is older than the newest applied; down is the cure")
  func outOfOrder() throws {
    let fixture = try fixture()
    let database = try fixture.database()
    try fixture.migrator().up(database)
    try fixture.write("0003_c.sql", "CREATE TABLE c (x);")
    let migrator = try fixture.migrator()
    #expect(try states(fixture)[2] == "0003_c.sql out of order")
    for run in [{ try migrator.up(database) }, { try migrator.up(database, to: 2) }] {
      let error = try #require(databaseError { _ = try run() })
      #expect(error.message == "0003_c.sql is not applied, but the newer 0004_d.sql is")
      #expect(error.nextStep?.hasPrefix("Give it a number above 4") == true)
    }
    #expect(databaseError { try migrator.verify(database) } != nil)
    #expect(try migrator.down(database).map(\.version) == [4])
    #expect(try migrator.up(database).map(\.version) == [3, 4])
  }

  @Test("names the first of several problems, and how many there are")
  func severalProblems() throws {
    let fixture = try fixture()
    try fixture.migrator().up(fixture.database())
    try fixture.write("0002_b.sql", "CREATE TABLE bb (x);")
    try fixture.remove("0001_a.sql")
    #expect(
      try refusal(fixture).message
        == "0001_a.sql is applied, but the file is missing (the first of 2 problems)")
    let status = try fixture.migrator().status(of: fixture.database())
    #expect(status.compactMap(\.problem).count == 2)
  }

  @Test("is refused where schema_migrations is another tool's table")
  func foreignLedger() throws {
    let fixture = try fixture()
    let database = try fixture.database()
    try database.write { try $0.execute("CREATE TABLE schema_migrations (version TEXT)") }
    let error = try #require(databaseError { _ = try fixture.migrator().status(of: database) })
    #expect(error.code == .migration)
    #expect(error.message.contains("it has no column name"))
    #expect(databaseError { try fixture.migrator().up(database) }?.code == .migration)
    #expect(try database.tableNames().isEmpty)
  }
}
