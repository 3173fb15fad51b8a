import Foundation
import SQLiteStorage
import Testing

@Suite("The files of a migrator")
struct MigratorFilesTests {
  private func refusal(of files: [String: String]) throws -> DatabaseError {
    let fixture = try MigrationFixture(files)
    return try #require(databaseError { _ = try fixture.migrator() })
  }

  @Test("are read in the order of their numbers, each with its way back")
  func reading() throws {
    let fixture = try MigrationFixture([
      "0010_c.sql": "SELECT 3", "0002_b.sql": "SELECT 2", "0001_a.sql": "SELECT 'é'\r\n",
      "0002_b.down.sql": "SELECT -2", "README.md": "not SQL", ".#0001_a.sql": "an editor's",
    ])
    #expect(
      try fixture.migrator().migrations == [
        Migration(1, "a", up: "SELECT 'é'\r\n"),
        Migration(2, "b", up: "SELECT 2", down: "SELECT -2"),
        Migration(10, "c", up: "SELECT 3"),
      ])
  }

  @Test("may be none at all")
  func noFiles() throws {
    let fixture = try MigrationFixture()
    let migrator = try fixture.migrator()
    #expect(migrator.migrations.isEmpty)
    #expect(try migrator.up(fixture.database()).isEmpty)
    #expect(try migrator.down(fixture.database()).isEmpty)
  }

  @Test("are refused, by name, where a .sql file is named otherwise")
  func malformedName() throws {
    for name in ["3_c.sql", "create.sql", "0003_c.SQL", "0003-c.down.sql"] {
      let error = try refusal(of: ["0001_a.sql": "SELECT 1", name: "SELECT 1"])
      #expect(error.code == .migration)
      #expect(error.message.hasPrefix("\(name) in "))
      #expect(error.message.hasSuffix(" is not a valid migration name"))
      #expect(error.nextStep?.contains("0001_snake_name") == true)
    }
  }

  @Test("are refused where two have the same version")
  func duplicate() throws {
    let error = try refusal(of: ["0002_a.sql": "SELECT 1", "0002_b.sql": "SELECT 1"])
    #expect(error.code == .migration)
    for name in ["0002_a.sql", "0002_b.sql"] { #expect(error.message.contains(name)) }
    #expect(error.nextStep == "Give the newer of them the next free number")
  }

  @Test("are refused if one reverts a migration that is not there")
  func downWithoutUp() throws {
    let error = try refusal(of: ["0001_a.sql": "SELECT 1", "0001_b.down.sql": "SELECT 1"])
    #expect(error.code == .migration)
    #expect(
      error.message.hasPrefix("0001_b.down.sql reverts 0001_b.sql, which is not in the folder"))
    #expect(error.nextStep?.contains("0001_b.sql") == true)
  }

  @Test("are refused where one is not UTF-8")
  func notUTF8() throws {
    let fixture = try MigrationFixture(["0001_a.sql": "SELECT 1"])
    try fixture.write("0002_b.sql", Data([0x53, 0xE9, 0x20]))
    let error = try #require(databaseError { _ = try fixture.migrator() })
    #expect(error.message == "0002_b.sql is not UTF-8 text")
    try fixture.write("0002_b.sql", Data("SELECT 1".utf8))
    try fixture.write("0002_b.down.sql", Data([0xFF, 0xFE]))
    #expect(
      databaseError { _ = try fixture.migrator() }?.message
        == "0002_b.down.sql is not UTF-8 text")
  }

  @Test("are refused where one ends its transaction, also on the way back")
  func transactionControl() throws {
    #expect(
      try refusal(of: ["0001_a.sql": "SELECT 1;\nCOMMIT;"]).message.hasPrefix("0001_a.sql:2: "))
    #expect(
      try refusal(of: ["0001_a.sql": "SELECT 1;", "0001_a.down.sql": "VACUUM"]).message
        .hasPrefix("0001_a.down.sql:1: VACUUM"))
  }

  @Test("are refused where one cannot be read")
  func unreadable() throws {
    let fixture = try MigrationFixture()
    try FileManager.default.createDirectory(
      atPath: fixture.folder + "/0001_a.sql", withIntermediateDirectories: false)
    let error = try #require(databaseError { _ = try fixture.migrator() })
    #expect(error.message.hasPrefix("0001_a.sql cannot be read"))
  }

  @Test("are refused where the folder is not there")
  func noFolder() throws {
    let error = try #require(databaseError { _ = try Migrator(folder: "/no/such/folder") })
    #expect(error.code == .migration)
    #expect(error.message == "the folder /no/such/folder with the migrations cannot be read")
    #expect(error.nextStep != nil)
  }

  @Test("may be values in the application's code, checked in the same way")
  func inMemory() throws {
    let good = Migration(2, "b", up: "SELECT 1")
    #expect(
      try Migrator([good, Migration(1, "a", up: "SELECT 1")]).migrations
        .map(\.version) == [1, 2])
    for bad in [
      Migration(0, "a", up: "SELECT 1"),
      Migration(10_000, "a", up: "SELECT 1"),
      Migration(1, "Two words", up: "SELECT 1"),
      Migration(1, "", up: "SELECT 1"),
      Migration(2, "a", up: "SELECT 1"),
      Migration(1, "a", up: "COMMIT"),
      Migration(1, "a", up: "SELECT '\0'"),
    ] {
      let error = try #require(databaseError { _ = try Migrator([good, bad]) }, "\(bad)")
      #expect(error.code == .migration)
      #expect(error.message.contains(bad.fileName))
      #expect(error.nextStep != nil)
    }
  }
}

@Suite("Creating migration files")
struct MigratorCreateFilesTests {
  @Test("makes an empty pair with the next number")
  func next() throws {
    let fixture = try MigrationFixture(["0007_a.sql": "SELECT 1"])
    let files = try Migrator.createFiles(named: "add_rating_2", in: fixture.folder)
    #expect(files.up == fixture.folder + "/0008_add_rating_2.sql")
    #expect(files.down == fixture.folder + "/0008_add_rating_2.down.sql")
    for file in [files.up, files.down] {
      #expect(try Data(contentsOf: URL(filePath: file)).isEmpty)
    }
    #expect(try fixture.migrator().migrations.map(\.version) == [7, 8])
  }

  @Test("makes the folder, and begins with 1")
  func first() throws {
    let fixture = try MigrationFixture()
    let files = try Migrator.createFiles(named: "a", in: fixture.root + "/new/folder/")
    #expect(files.up == fixture.root + "/new/folder/0001_a.sql")
  }

  @Test(
    "refuses a name that is not in snake_case",
    arguments: ["", "Add", "add rating", "add-rating", "_a", "a_", "a__b", "../a", "a/b", "é"])
  func badName(name: String) throws {
    let fixture = try MigrationFixture()
    let error = try #require(
      databaseError { _ = try Migrator.createFiles(named: name, in: fixture.folder) })
    #expect(error.code == .migration)
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder).isEmpty)
  }

  @Test("refuses a folder with other .sql files, and numbers that are used up")
  func badFolder() throws {
    let other = try MigrationFixture(["schema.sql": ""])
    #expect(
      databaseError { _ = try Migrator.createFiles(named: "a", in: other.folder) }?.message
        .hasPrefix("schema.sql") == true)
    let full = try MigrationFixture(["9999_a.sql": "SELECT 1"])
    #expect(
      databaseError { _ = try Migrator.createFiles(named: "a", in: full.folder) }?.message
        == "no number is left for a new migration after 9999")
  }

  @Test("makes files that are refused until something is in them")
  func emptyFiles() throws {
    let fixture = try MigrationFixture()
    _ = try Migrator.createFiles(named: "a", in: fixture.folder)
    let database = try fixture.database()
    let error = try #require(databaseError { try fixture.migrator().up(database) })
    #expect(error.message == "0001_a.sql has no statement")
    try fixture.write("0001_a.sql", "CREATE TABLE a (x);")
    try fixture.migrator().up(database)
    #expect(
      databaseError { try fixture.migrator().down(database) }?.message
        == "0001_a.down.sql has no statement")
    #expect(try database.tableNames() == ["a"])
  }
}
