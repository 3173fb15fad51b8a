import Foundation
import Testing

@testable import SQLiteStorage

/// A file that is removed or replaced under those who use it.
@Suite(.timeLimit(.minutes(5))) struct FileReplacedTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func open(_ journalMode: String = "WAL") throws -> Database {
    let path = try folder.makeStore("a.sqlite", journalMode: journalMode)
    var configuration = Database.Configuration()
    configuration.usesWAL = journalMode == "WAL"
    return try Database(path: path, configuration: configuration)
  }

  @Test(arguments: ["WAL", "DELETE"])
  func whoAsksForTheNewestVersionOfAFileThatWasRemovedIsTold(journalMode: String) throws {
    let database = try open(journalMode)
    let before = try database.snapshot()
    try FileManager.default.removeItem(atPath: database.path)
    let error = databaseError { _ = try database.snapshot() }
    #expect(error?.code == .fileReplaced)
    #expect(error?.message == "the file was replaced or removed: \(database.path)")
    // What was pinned can still be read.
    #expect(try before.read { try $0.value(Int.self, "SELECT count(*) FROM item") } == 3)
  }

  @Test func aWriteThatWouldBeLostIsRefused() async throws {
    let database = try open()
    let path = folder.file("b.sqlite")
    try FileManager.default.moveItem(atPath: database.path, toPath: path)
    let delete = "DELETE FROM item WHERE id = 1"
    let error = databaseError { try database.write { try $0.execute(delete) } }
    #expect(error?.code == .fileReplaced)
    await #expect(throws: DatabaseError.self) {
      try await database.write { try $0.execute(delete) }
    }
    // Put back, it goes on.
    try FileManager.default.moveItem(atPath: path, toPath: database.path)
    try await database.write { try $0.execute(delete) }
    #expect(try await database.read { try $0.value(Int.self, "SELECT count(*) FROM item") } == 2)
  }

  @Test func observersAreWoken() async throws {
    let database = try open()
    var commits = database.commits.makeAsyncIterator()
    try FileManager.default.removeItem(atPath: database.path)
    #expect(await commits.next() != nil)
    #expect(databaseError { _ = try database.snapshot() }?.code == .fileReplaced)
  }
}
