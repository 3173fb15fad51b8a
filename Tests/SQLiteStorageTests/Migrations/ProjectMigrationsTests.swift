import Foundation
import SQLiteStorage
import Testing

@Suite("The project's own migrations")
struct ProjectMigrationsTests {
  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Migrations").path

  @Test("go up, all the way down and up again to the same content")
  func roundTrip() throws {
    let database = try Database.inMemory()
    let migrator = try Migrator(folder: ProjectMigrationsTests.folder)
    let versions = migrator.migrations.map(\.version)
    #expect(try migrator.up(database).map(\.version) == versions)
    let before = try content(of: database)
    #expect(before["cover"]?.isEmpty == false)
    #expect(before["setting"]?.isEmpty == false)
    #expect(try migrator.down(database, to: 0).map(\.version) == versions.reversed())
    #expect(try database.tableNames().isEmpty)
    try migrator.up(database)
    #expect(try content(of: database) == before)
    try migrator.verify(database)
  }

  @Test("go down and up one by one, each leaving the schema as it was before")
  func stepByStep() throws {
    let database = try Database.inMemory()
    let migrator = try Migrator(folder: ProjectMigrationsTests.folder)
    for migration in migrator.migrations {
      let before = try content(of: database)
      try migrator.up(database, to: migration.version)
      try migrator.down(database)
      #expect(try content(of: database) == before, "\(migration.fileName)")
      try migrator.up(database, to: migration.version)
    }
  }

  /// The rows of all tables and views, and the schema.
  private func content(of database: Database) throws -> [String: [Row]] {
    try database.read { connection in
      var content: [String: [Row]] = [:]
      content["schema"] = try connection.rows(
        """
        SELECT type, name, sql FROM sqlite_schema
        WHERE tbl_name <> 'schema_migrations' ORDER BY type, name
        """)
      for table in try connection.tables() where table.name != "schema_migrations" {
        content[table.name] = try connection.rows(
          SQL(verbatim: "SELECT * FROM \(table.name.quotedIdentifier)"))
      }
      return content
    }
  }
}
