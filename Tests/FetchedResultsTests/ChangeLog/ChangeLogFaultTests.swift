import Foundation
import TestProcesses
import Testing

@testable import FetchedResults
@testable import SQLiteStorage

/// A change log beside writers that do not pause, or are killed.
@Suite(.timeLimit(.minutes(10))) struct ChangeLogFaultTests {
  private let folder: TestFolder
  private let path: String

  init() throws {
    folder = try TestFolder()
    path = try FaultStore.make(in: folder, rows: 300)
  }

  private func database() throws -> Database {
    var configuration = Database.Configuration()
    configuration.checkpointThreshold = 200
    return try Database(path: path, configuration: configuration)
  }

  /// What a writer without patience has met.
  private struct Storm: Sendable {
    var failureCount = 0
    var longestLog = 0
  }

  private static func writeWithoutPause(_ count: Int, at path: String) throws -> Storm {
    let writer = try Connection(path: path, busyTimeout: .zero)
    try writer.execute("PRAGMA synchronous = OFF")
    try writer.execute("PRAGMA wal_autocheckpoint = 200")
    var storm = Storm()
    for number in 1...count {
      do {
        try writer.transaction {
          try writer.execute(
            "UPDATE item SET n = \(number), name = hex(randomblob(300)) WHERE id % 100 = \(number % 100)"
          )
        }
      } catch let error as DatabaseError where .busy ~= error.resultCode {
        storm.failureCount += 1
      }
      let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
      storm.longestLog = max(storm.longestLog, size ?? 0)
    }
    return storm
  }

  @Test func aStormOfCommitsIsToldWhollyAndNoneFails() async throws {
    let database = try database()
    var log = database.changes().makeAsyncIterator()
    _ = try await log.begin()
    let replica = try Replica(
      copying: try Connection(path: path), at: folder.file("copy.sqlite"))
    let writing = Task.detached { [path] in try Self.writeWithoutPause(4000, at: path) }
    var batchCount = 0
    let end = Task.detached { [database] in
      _ = try await writing.value
      try await database.write { try $0.execute("UPDATE item SET name = 'end' WHERE id = 1") }
    }
    let isAtEnd = {
      try replica.connection.value(Int.self, "SELECT name = 'end' FROM item WHERE id = 1")
    }
    while try isAtEnd() != 1 {
      let changes = try #require(try await log.next())
      batchCount += 1
      #expect(changes.gap?.isBridged != false)
      try replica.apply(changes)
      // Sometimes the reader is slow.
      if batchCount % 10 == 0 { try await Task.sleep(for: .milliseconds(50)) }
    }
    try await end.value
    let storm = try await writing.value
    #expect(storm.failureCount == 0)
    // Eight times the threshold, and what is written while versions are copied.
    #expect(storm.longestLog < 40 << 20, "\(storm.longestLog) bytes")
    #expect(try replica.connection.contents() == Connection(path: path).contents())
  }

  @Test func versionsThatHaveLeftTheFileAreComparedByTheirPages() async throws {
    let database = try database()
    func leavingVersion() throws -> Snapshot {
      let snapshot = try database.snapshot()
      try snapshot.leaveFile {
        try Database.Configuration().privateCopy(of: $0, at: snapshot.stamp)
      }
      return snapshot
    }
    let old = try leavingVersion()
    try FaultStore.other(at: path).execute("UPDATE item SET name = 'x' WHERE id IN (7, 200)")
    let new = try leavingVersion()
    let schema = try old.read { try LoggedSchema(LoggedTables(nil, except: []), in: $0) }
    let detected = LoggedVersion(old, schema).detectedChanges(to: LoggedVersion(new, schema))
    guard case .rows(let rows) = detected.touched else {
      Issue.record("the rows are not known")
      return
    }
    #expect(rows.rows(of: "item") == .rowIDs([7, 200]))
    var log = database.changes(since: old).makeAsyncIterator()
    let changes = try #require(try await log.next())
    #expect(changes.gap?.isBridged == true)
    #expect(try changes.rows().map { $0.new?["name"] } == [.text("x"), .text("x")])
  }

  @Test func aKilledWriterIsToldAsFarAsItCommitted() async throws {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let python = folders.map { "\($0)/python3" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let python else {
      print("python3 is not there: no writer was killed")
      return
    }
    let program = """
      import random, sqlite3, sys
      connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
      connection.execute("PRAGMA synchronous = OFF")
      connection.execute("PRAGMA cache_size = 5")
      while True:
          connection.execute("BEGIN IMMEDIATE")
          for _ in range(random.randrange(1, 60)):
              connection.execute("REPLACE INTO item VALUES (?, hex(randomblob(?)), ?)",
                  (random.randrange(400), random.randrange(3000), random.random()))
          if random.random() < 0.1: connection.execute("DELETE FROM item WHERE id % 7 = 0")
          connection.execute("COMMIT")
          if random.random() < 0.05: connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
      """
    let database = try database()
    var log = database.changes().makeAsyncIterator()
    _ = try await log.begin()
    let replica = try Replica(
      copying: try Connection(path: path), at: folder.file("copy.sqlite"))
    for number in FaultStore.rounds(3) {
      let writer = try SpawnedProcess(python, ["-c", program, path])
      for _ in 0..<8 { try replica.apply(try #require(try await log.next())) }
      writer.send(SIGKILL)
      _ = await writer.end()
      let other = try FaultStore.other(at: path)
      try other.execute("REPLACE INTO item VALUES (1000, 'end', \(Int(number)))")
      let expected = try other.contents()
      while try replica.connection.contents() != expected {
        let changes = try #require(try await log.next())
        #expect(changes.gap?.isBridged != false)
        try replica.apply(changes)
      }
    }
  }

  @Test func changesOfWhichNoElementCouldBeMadeAreToldAgain() async throws {
    let database = try database()
    var log = try database.changes(since: database.snapshot()).makeAsyncIterator()
    let writer = try FaultStore.other(at: path)
    try writer.execute("UPDATE item SET name = 'x' WHERE id = 7")
    var attempts = 0
    func names(_ changes: DatabaseChanges) throws -> [Value]? {
      attempts += 1
      // As if the disk was not there for a moment.
      if attempts == 1 { throw DatabaseError(.sqlite, "disk I/O error", resultCode: .inputOutput) }
      #expect(changes.commitCount == 2 && changes.gap == nil)
      return try changes.rows().map { $0.newValue(of: "name") }
    }
    await #expect(throws: DatabaseError.self) { _ = try await log.next(as: names) }
    try writer.execute("UPDATE item SET name = 'y' WHERE id = 8")
    #expect(try await log.next(as: names) == ["x", "y"])
    try writer.execute("UPDATE item SET name = 'z' WHERE id = 9")
    #expect(try await log.next()?.commitCount == 1)
  }
}
