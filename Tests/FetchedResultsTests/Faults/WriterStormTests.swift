import Foundation
import SQLiteStorage
import TableDataTesting
import Testing

@testable import FetchedResults

/// A process that never pauses between two commits, and a list of what it writes in another process.
@Suite(.serialized, .timeLimit(.minutes(10))) struct WriterStormTests {
  /// How the list's process opens the file.
  enum Opener: String, CaseIterable, Codable, Sendable {
    case writing, watching, reading

    var access: Connection.Access {
      switch self {
      case .writing: .readWrite
      case .watching, .reading: .readOnly
      }
    }

    func configure(_ configuration: inout Database.Configuration) {
      // A tenth, since the storm is short.
      configuration.checkpointThreshold = 100
      configuration.copiesLongLogs = self == .watching
    }

    /// The maximum size of the log in bytes. It has six hundred frames, 3 MB, when the versions become private
    /// copies, and grows until they are made and the writer resets it.
    static let limit = 64 << 20

    static var commitCount: Int {
      SeededGenerator.scaled(SeededGenerator.isLongRun ? 40_000 : 15_000)
    }
  }

  @Test(arguments: Opener.allCases)
  func theLogStaysShortAndNothingIsLost(opener: Opener) async throws {
    let folder = try TestFolder()
    let path = try FaultStore.make(in: folder, rows: 300)
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await #expect(processExitsWith: .success) {
          [path = path as String, opener = opener as Opener] in
          try await WriterStormTests.observe(path, opener)
        }
      }
      group.addTask {
        await #expect(processExitsWith: .success) {
          [path = path as String] in
          try WriterStormTests.write(to: path, Opener.commitCount)
        }
      }
    }
  }

  private static func write(to path: String, _ commitCount: Int) throws {
    let connection = try FaultStore.other(at: path)
    // The other process has fetched.
    while try connection.value(Int.self, "SELECT n FROM item WHERE id = 2") == 0 {}
    let update = "UPDATE item SET n = n + 1 WHERE id = 3 + abs(random()) % 297"
    let salts = try salts(of: path)
    for _ in 0..<commitCount { try connection.execute(update) }
    // The log is reset, sooner or later.
    for _ in 0..<3 * commitCount where try self.salts(of: path) == salts {
      try connection.execute(update)
    }
    #expect(try self.salts(of: path) != salts)
    try connection.execute("UPDATE item SET n = \(commitCount) WHERE id = 1")
  }

  /// The bytes of the log's header that change when the log is reset.
  private static func salts(of path: String) throws -> Data? {
    let log = try FileHandle(forReadingFrom: URL(filePath: path + "-wal"))
    try log.seek(toOffset: 16)
    return try log.read(upToCount: 8)
  }

  @MainActor private static func observe(_ path: String, _ opener: Opener) async throws {
    let screen = try FaultScreen(
      path, access: opener.access, FetchRequest(table: "item").sorted(by: \Row["n"]),
      opener.configure)
    await screen.settle()
    try FaultStore.other(at: path).execute("UPDATE item SET n = -1 WHERE id = 2")
    try await screen.wait {
      try screen.database.read { try $0.value(Int.self, "SELECT n FROM item WHERE id = 1") } != 0
    }
    let truth = try Connection(path: path, access: .readOnly)
      .rows("SELECT * FROM item ORDER BY n, id").map(\.values)
    try await screen.wait { try screen.rows == truth }
    try screen.expectLawful()
    #expect(screen.errors.isEmpty)
    // The file is never made shorter while it is open.
    let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
    #expect(try #require(size) < Opener.limit)
    screen.stop()
  }
}
