import Foundation
import TableDataTesting
import Testing

@testable import SQLiteStorage

/// Several databases of one process make room for a writer together.
@Suite(.timeLimit(.minutes(1))) struct SharedLogTests {
  private let folder: TestFolder
  private let writer: Connection

  init() throws {
    folder = try TestFolder()
    writer = try Connection(path: try folder.makeStore())
    try writer.execute("PRAGMA synchronous = OFF")
  }

  private func open(_ name: String = "store.sqlite") throws -> Database {
    var configuration = Database.Configuration()
    configuration.checkpointThreshold = 10
    return try Database(
      path: folder.file(name), access: .readOnly, configuration: configuration)
  }

  private func insert(_ count: Int) throws {
    for _ in 0..<count { try writer.execute("INSERT INTO item(name) VALUES ('new')") }
  }

  private var frameCount: Int { get throws { try #require(WALIndexHeader(of: writer)).frameCount } }

  /// The log is overgrown with 40 frames. Only the first database looks at it.
  private func overgrow(_ database: Database, by counts: [Int] = [40, 40]) throws {
    try writer.execute("PRAGMA wal_autocheckpoint = 10")
    for count in counts {
      try insert(count)
      _ = database.keeper.newestMark()
    }
  }

  @Test func allDatabasesOfAProcessMakeRoomTogether() async throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link.sqlite"), withDestinationPath: folder.file())
    let databases = try [open(), open("link.sqlite"), open()]
    let held = try databases.map { try $0.snapshot() }
    try overgrow(databases[0])
    for database in databases {
      while database.keeper.versions.pinnedCount > 0 { try await Task.sleep(for: .milliseconds(1)) }
    }
    // The first commit copies the log, the second one resets it.
    let length = try frameCount
    try insert(2)
    #expect(try frameCount < length)
    for snapshot in held { #expect(try count(snapshot) == 3) }
    // Nobody waits any more, and each follows.
    for database in databases { #expect(try count(database.snapshot()) == 85) }
  }

  /// Between two storms the version is in the file again, and counts as pinned.
  @Test func aCopyIsGivenUpAndMadeAgain() async throws {
    let database = try open()
    var held = try database.snapshot()
    let versions = database.keeper.versions
    var rows = 3
    // Nobody writes while a reset is awaited, so each log is shorter than the one before.
    for more in [40, 30, 20] {
      try overgrow(database, by: [40, more])
      while versions.pinnedCount > 0 { try await Task.sleep(for: .milliseconds(1)) }
      #expect(try count(held) == rows)
      held = try database.snapshot()
      rows += 40 + more
      #expect(held.isPrivateCopy)
      #expect(versions.pinnedCount == 0)
      #expect(try writer.rows("PRAGMA wal_checkpoint").first?["busy"] == 0)
      _ = database.keeper.newestMark()
      #expect(held.isInFile)
      #expect(versions.pinnedCount == 1)
      #expect(try count(held) == rows)
    }
  }

  @Test func aDatabaseThatIsClosedTakesNoPart() async throws {
    let (database, closed) = try (open(), open())
    let held = try database.snapshot()
    let lost = try closed.snapshot()
    try closed.close()
    #expect(throws: DatabaseError.self) { try count(lost) }
    try overgrow(database)
    while database.keeper.versions.pinnedCount > 0 { try await Task.sleep(for: .milliseconds(1)) }
    let length = try frameCount
    try insert(2)
    #expect(try frameCount < length)
    #expect(try count(held) == 3)
  }

  /// A file that takes the place of another one has a log of its own.
  @Test func anotherFileAtThePathHasAnotherLog() throws {
    let file = SharedLog.File(path: "/store.sqlite", number: 1)
    let log = SharedLog.of(file)
    #expect(SharedLog.of(file) === log)
    #expect(SharedLog.of(SharedLog.File(path: "/store.sqlite", number: 2)) !== log)
  }
}
