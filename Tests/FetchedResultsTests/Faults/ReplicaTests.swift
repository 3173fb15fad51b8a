import Basics
import CLibrary
import Dispatch
import Foundation
import Testing

@testable import FetchedResults
@testable import SQLiteStorage

/// A process that writes the pages of a file in place, as the follower of a replica does
/// (`litestream restore -f`): under a header that names WAL mode, with SQLite's locks of
/// rollback-journal mode, and without counting its changes.
@MainActor @Suite(.timeLimit(.minutes(5))) struct ReplicaTests {
  private let folder: TestFolder
  private let source: Connection
  private let replica: String

  init() throws {
    folder = try TestFolder()
    let path = try FaultStore.make(in: folder, named: "source.sqlite", rows: 300)
    source = try FaultStore.other(at: path)
    replica = folder.file("replica.sqlite")
    try Follower.checkpoint(source)
    try FileManager.default.copyItem(atPath: path, toPath: replica)
  }

  /// Changes the source, and has another process bring the replica up to it.
  private func change(_ sql: String) async throws {
    try source.execute(script: sql)
    try Follower.checkpoint(source)
    await #expect(processExitsWith: .success) {
      [source = source.path as String, replica = replica as String] in
      try Follower.apply(source, to: replica)
    }
  }

  private static let changes = [
    "UPDATE item SET n = 1 WHERE id = 7", "UPDATE item SET n = 2 WHERE id = 7",
    "DELETE FROM item WHERE id % 3 = 0", "UPDATE item SET n = 3 WHERE id = 8",
    "CREATE TABLE more(a); INSERT INTO item(name, n) SELECT name, 9 FROM item",
    "UPDATE item SET n = 4 WHERE id = 7",
  ]

  @Test func aProcessThatWritesPagesInPlaceIsNotStopped() async throws {
    let screen = try FaultScreen(replica, access: .readOnly)
    await screen.settle()
    #expect(screen.database.snapshotKind == .pinned)
    let held = try screen.database.snapshot()
    for sql in ReplicaTests.changes {
      try await change(sql)
      try await screen.waitForTruth()
    }
    #expect(screen.database.snapshotKind == .released)
    #expect(held.isExpired)
    #expect(screen.errors.isEmpty)
    #expect(screen.batchCount == ReplicaTests.changes.count)
    screen.stop()
  }

  /// In WAL mode a connection takes the lock when it is closed, and may be out of a processor then.
  @Test func aProcessThatHasTheLockForAMomentDoesNotWait() async throws {
    let database = try Database(path: replica, access: .readOnly)
    let held = try database.snapshot()
    let keeper = try database.opened().keeper
    // Not a task: a test of an exit blocks a thread of those.
    let (isSeen, isEnd, looks) = (Locked(false), Locked(false), DispatchGroup())
    DispatchQueue(label: "looks").async(group: looks) {
      while !isEnd.withLock({ $0 }) {
        _ = keeper.newestMark()
        if keeper.state.withLock({ $0.waiting != nil }) { isSeen.withLock { $0 = true } }
        usleep(5_000)
      }
    }
    await #expect(processExitsWith: .success) {
      [replica = replica as String] in
      for _ in 0..<5 {
        try Follower.holdLock(replica, for: .milliseconds(100))
        usleep(50_000)
      }
    }
    isEnd.withLock { $0 = true }
    looks.wait()
    #expect(isSeen.withLock { $0 })
    #expect(database.snapshotKind == .pinned)
    #expect(held.isPinned)
  }

  @Test func theVersionsOfAReplicaAreNotPinned() async throws {
    try Follower.note(replica)
    let screen = try FaultScreen(replica, access: .readOnly)
    #expect(screen.database.snapshotKind == .released)
    // No lock is held, and no empty log is left.
    #expect(!FileManager.default.fileExists(atPath: replica + "-wal"))
    for sql in ReplicaTests.changes {
      try await change(sql)
      try await screen.waitForTruth()
    }
    #expect(screen.errors.isEmpty)
    screen.stop()
  }

  /// A connection that is kept would find no change counted, and read its old pages.
  @Test func aReplicaInRollbackModeIsReadAnew() async throws {
    try Follower.leaveWALMode(replica)
    try Follower.note(replica)
    let screen = try FaultScreen(replica, access: .readOnly)
    #expect(screen.database.snapshotKind == .released)
    await screen.settle()
    for sql in ReplicaTests.changes {
      try await change(sql)
      try await screen.waitForTruth()
      let query: SQL = "SELECT * FROM item ORDER BY id"
      #expect(try await screen.database.read { try $0.rows(query) } == source.rows(query))
    }
    #expect(screen.errors.isEmpty)
    screen.stop()
  }

  @Test func aBatchThatWasCutOffIsNotShown() async throws {
    try Follower.note(replica)
    let screen = try FaultScreen(replica, access: .readOnly) {
      $0.busyTimeout = .milliseconds(100)
    }
    await screen.settle()
    let rows = try screen.rows
    try source.execute("UPDATE item SET n = n + 1")
    try Follower.checkpoint(source)
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [source = source.path as String, replica = replica as String] in
      try Follower.apply(source, to: replica, dyingAfter: 3)
    }
    // Before that, the follower may have its locks for a moment.
    await screen.wait {
      screen.databaseErrors.contains { $0.message.contains("has not finished writing") }
    }
    #expect(screen.databaseErrors.allSatisfy { .busy ~= $0.resultCode })
    #expect(try screen.rows == rows)
    #expect(screen.batchCount == 0)
    // The follower is started again.
    await #expect(processExitsWith: .success) {
      [source = source.path as String, replica = replica as String] in
      try Follower.apply(source, to: replica)
    }
    try await screen.waitForTruth()
    #expect(screen.batchCount == 1)
    screen.stop()
  }
}
