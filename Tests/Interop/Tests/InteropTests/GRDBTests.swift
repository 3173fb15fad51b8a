import FetchedResults
import Foundation
import GRDB
import SQLiteStorage
import TableDataTesting
import Testing

/// A store that GRDB writes in the same process, while lists show it.
@Suite(.timeLimit(.minutes(5))) struct GRDBTests {
  private let folder: TestFolder
  private let pool: DatabasePool

  init() throws {
    folder = try TestFolder()
    pool = try DatabasePool(path: folder.store)
    try pool.write { try $0.execute(sql: Item.schema) }
  }

  /// What GRDB reads, in the order of the list.
  private func truth() throws -> [Item] {
    try pool.read { database in
      try GRDB.Row.fetchAll(database, sql: "SELECT * FROM item ORDER BY kind, name, id").map {
        Item(id: $0["id"], name: $0["name"], kind: $0["kind"])
      }
    }
  }

  @Test(arguments: SeededGenerator.seeds(2))
  @MainActor func whatGRDBWritesIsShown(seed: UInt64) async throws {
    var numbers = SeededGenerator(seed: seed)
    let list = try LiveItems(folder.store)
    for _ in 0..<60 {
      let statements = (0..<Int.random(in: 1...6, using: &numbers)).map { _ in
        GRDBTests.statement(&numbers)
      }
      try await pool.write { database in
        for statement in statements { try database.execute(sql: statement) }
        try database.inSavepoint {
          try database.execute(sql: "UPDATE item SET name = 'undone'")
          return .rollback
        }
      }
      try await list.wait(for: truth())
    }
    #expect(list.sources == [.pages])
    #expect(list.errors.isEmpty)
  }

  private static func statement(_ numbers: inout SeededGenerator) -> String {
    let id = Int64.random(in: 1...40, using: &numbers)
    let kind = Int.random(in: 1...4, using: &numbers)
    return switch Int.random(in: 0..<4, using: &numbers) {
    case 0: "DELETE FROM item WHERE id = \(id)"
    case 1: "UPDATE item SET kind = \(kind) WHERE id = \(id)"
    default:
      "INSERT OR REPLACE INTO item VALUES (\(id), 'name \(numbers.next() % 50)', \(kind))"
    }
  }

  @Test @MainActor func bothWriteInTurns() async throws {
    let list = try LiveItems(folder.store)
    for number in 0..<30 {
      try await pool.write {
        try $0.execute(
          sql: "INSERT INTO item VALUES (NULL, ?, ?)", arguments: ["theirs \(number)", number % 3])
      }
      try await list.provider.database.write {
        try $0.execute("INSERT INTO item VALUES (NULL, \("ours \(number)"), \(number % 2))")
      }
      try await list.wait(for: truth())
    }
    #expect(try truth().count == 60)
    #expect(list.errors.isEmpty)
  }

  @Test @MainActor func theSchemaCheckpointsAndVacuumAreFollowed() async throws {
    let list = try LiveItems(folder.store)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("rating") { database in
      try database.alter(table: "item") { $0.add(column: "rating", .integer).defaults(to: 0) }
      try database.execute(sql: "INSERT INTO item(id, name, kind) VALUES (1, 'one', 1)")
    }
    try migrator.migrate(pool)
    try await list.wait(for: truth())
    try await pool.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
    try await pool.vacuum()
    try await pool.write { try $0.execute(sql: "UPDATE item SET kind = 2") }
    try await list.wait(for: truth())
    #expect(list.errors.isEmpty)
  }

  @Test func whatGRDBHasMigratedIsAdopted() throws {
    var theirs = DatabaseMigrator()
    theirs.registerMigration("addRating") { database in
      try database.alter(table: "item") { $0.add(column: "rating", .integer).defaults(to: 0) }
    }
    theirs.registerMigration("Fill ratings") { try $0.execute(sql: "UPDATE item SET rating = 1") }
    try theirs.migrate(pool)
    let migrator = try Migrator([
      Migration(1, "add_rating", up: "ALTER TABLE item ADD COLUMN rating INTEGER DEFAULT 0"),
      Migration(2, "fill_ratings") { try $0.execute("UPDATE item SET rating = 1") },
      Migration(3, "add_note", up: "ALTER TABLE item ADD COLUMN note TEXT"),
    ])
    let database = try SQLiteStorage.Database(path: folder.store)
    #expect(try migrator.adopt(database).map(\.version) == [1, 2])
    #expect(try migrator.up(database).map(\.version) == [3])
    #expect(
      try pool.read { try $0.columns(in: "item").map(\.name) }.suffix(2) == ["rating", "note"])
  }

  @Test func recordsOfBothAreTheSameRows() throws {
    let database = try SQLiteStorage.Database(path: folder.store)
    try database.write {
      try $0.execute("CREATE TABLE note(id BLOB PRIMARY KEY NOT NULL, made TEXT, weight TEXT)")
    }
    let theirs = TheirNote(
      id: UUID(), made: Date(timeIntervalSince1970: 1_763_714_820.125), weight: 1.5)
    try pool.write { try theirs.insert($0) }
    try database.write { connection throws in
      var ours = try connection.find(OurNote.self, theirs.id)
      #expect(ours.made == theirs.made)
      #expect(ours.weight == theirs.weight)
      ours.weight = nil
      #expect(try connection.upsert(ours) == theirs.id)
      try connection.insert(OurNote(id: UUID(), made: ours.made))
    }
    try pool.read { database in
      #expect(try TheirNote.fetchCount(database) == 2)
      let found = try TheirNote.find(database, key: theirs.id)
      #expect(found.made == theirs.made)
      #expect(found.weight == nil)
      let types = try String.fetchAll(database, sql: "SELECT typeof(id) FROM note")
      #expect(types == ["blob", "blob"])
    }
  }
}

private struct TheirNote: Codable, GRDB.FetchableRecord, PersistableRecord {
  static let databaseTableName = "note"

  var id: UUID
  var made: Date
  var weight: Decimal?
}

private struct OurNote: Codable, Identifiable, FetchedResults.FetchableRecord {
  var id: UUID
  var made: Date
  var weight: Decimal?

  static let recordDescription = RecordDescription(table: "note", key: \OurNote.id)
    .storing(.uuid(.bytes))
}
