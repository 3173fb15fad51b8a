import SQLiteStorage
import Testing

@Suite("A schema that was there before")
struct MigratorAdoptingTests {
  private let fixture: MigrationFixture
  private let migrator: Migrator

  init() throws {
    fixture = try MigrationFixture()
    migrator = try Migrator([
      Migration(1, "create_track", up: "CREATE TABLE track(id INTEGER PRIMARY KEY)"),
      Migration(2, "add_rating", up: "ALTER TABLE track ADD COLUMN rating INTEGER"),
      Migration(4, "add_genre", up: "ALTER TABLE track ADD COLUMN genre TEXT"),
    ])
  }

  private func database(_ script: String) throws -> Database {
    let database = try fixture.database()
    try database.write { try $0.execute(script: script) }
    return database
  }

  private static let schema = "CREATE TABLE track(id INTEGER PRIMARY KEY, rating INTEGER);"

  private static func grdb(_ identifiers: String...) -> String {
    schema + "CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY);"
      + identifiers.map { "INSERT INTO grdb_migrations VALUES ('\($0)');" }.joined()
  }

  @Test("is adopted through a migration, and migrated from there")
  func adopts() throws {
    let database = try database(MigratorAdoptingTests.schema)
    #expect(try migrator.adopt(database, through: 2).map(\.version) == [1, 2])
    #expect(try migrator.up(database).map(\.version) == [4])
    #expect(try migrator.adopt(database, through: 2).isEmpty)
    #expect(try migrator.status(of: database).map(\.state) == [.applied, .applied, .applied])
  }

  @Test("is none in an empty database")
  func leavesAnEmptyDatabase() throws {
    let database = try fixture.database()
    #expect(try migrator.adopt(database, through: 2).isEmpty)
    #expect(try migrator.adopt(database).isEmpty)
    #expect(try migrator.up(database).map(\.version) == [1, 2, 4])
  }

  @Test(
    "is known from GRDB's identifiers in any spelling",
    arguments: [
      ["createTrack", "addRating"], ["create_track", "add_rating"],
      ["0001_create_track", "Add rating"],
    ])
  func readsGRDB(identifiers: [String]) throws {
    let database = try database(MigratorAdoptingTests.grdb(identifiers[0], identifiers[1]))
    #expect(try migrator.adopt(database).map(\.version) == [1, 2])
    #expect(try migrator.up(database).map(\.version) == [4])
  }

  @Test("is known from GRDB's identifiers with abbreviations", arguments: ["addURL", "addUrl"])
  func readsAbbreviations(identifier: String) throws {
    let migrator = try Migrator([
      Migration(1, "create_track", up: "CREATE TABLE track(id INTEGER PRIMARY KEY)"),
      Migration(2, "add_url", up: "ALTER TABLE track ADD COLUMN url TEXT"),
    ])
    let database = try database(MigratorAdoptingTests.grdb("createTrack", identifier))
    #expect(try migrator.adopt(database).map(\.version) == [1, 2])
  }

  @Test("with an unknown identifier of GRDB must be named")
  func unknownIdentifier() throws {
    let database = try database(MigratorAdoptingTests.grdb("createTrack", "v2"))
    let error = #expect(throws: DatabaseError.self) { try migrator.adopt(database) }
    #expect(error?.message == "GRDB has applied \"v2\", and no migration has this name")
    #expect(try database.recordedVersions() == nil)
    #expect(try migrator.adopt(database, through: 2).map(\.version) == [1, 2])
  }

  @Test("that GRDB has left out of order is refused")
  func outOfOrder() throws {
    let database = try database(MigratorAdoptingTests.grdb("createTrack", "addGenre"))
    let error = #expect(throws: DatabaseError.self) { try migrator.adopt(database) }
    #expect(error?.message.hasPrefix("GRDB has not applied 0002_add_rating.sql") == true)
  }

  @Test("is not adopted through an older migration than GRDB's newest")
  func olderThanGRDB() throws {
    let database = try database(MigratorAdoptingTests.grdb("createTrack", "addRating"))
    let error = #expect(throws: DatabaseError.self) { try migrator.adopt(database, through: 1) }
    #expect(error?.nextStep == "Adopt the database through 2")
  }

  @Test("is known from user_version")
  func readsUserVersion() throws {
    let database = try database(MigratorAdoptingTests.schema + "PRAGMA user_version = 3;")
    #expect(try migrator.adopt(database).map(\.version) == [1, 2])
  }

  @Test("that does not say its version must be named", arguments: [0, 5])
  func saysNothing(version: Int) throws {
    let database = try database(
      MigratorAdoptingTests.schema + "PRAGMA user_version = \(version);")
    let error = #expect(throws: DatabaseError.self) { try migrator.adopt(database) }
    #expect(error?.nextStep?.contains("adopt(database, through: 4)") == true)
    #expect(try database.recordedVersions() == nil)
  }

  @Test("cannot be adopted through a migration that does not exist")
  func noSuchMigration() throws {
    let database = try database(MigratorAdoptingTests.schema)
    let error = #expect(throws: DatabaseError.self) { try migrator.adopt(database, through: 3) }
    #expect(error?.message == "there is no migration 3")
  }
}
