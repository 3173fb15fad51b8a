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
}
