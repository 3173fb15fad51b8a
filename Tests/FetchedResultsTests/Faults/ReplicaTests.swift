import Foundation
import SQLiteStorage
import Testing

@testable import FetchedResults

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

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
    #expect(screen.database.snapshotKind == .readTransaction)
    let held = try screen.database.snapshot()
    for sql in ReplicaTests.changes {
      try await change(sql)
      try await screen.waitForTruth()
    }
    #expect(screen.database.snapshotKind == .privateCopy)
    // The version from before the first change is still readable.
    #expect(try held.read { try $0.value(Int.self, "SELECT sum(n) FROM item") } == 0)
    #expect(screen.errors.isEmpty)
    #expect(screen.batchCount == ReplicaTests.changes.count)
    screen.stop()
  }

  @Test func aReplicaIsCopiedFromTheStart() async throws {
    try Follower.note(replica)
    let screen = try FaultScreen(replica, access: .readOnly)
    #expect(screen.database.snapshotKind == .privateCopy)
    // No lock is held, and no empty log is left.
    #expect(!FileManager.default.fileExists(atPath: replica + "-wal"))
    for sql in ReplicaTests.changes {
      try await change(sql)
      try await screen.waitForTruth()
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
    await screen.wait { !screen.errors.isEmpty }
    #expect(screen.databaseErrors.allSatisfy { .busy ~= $0.resultCode })
    #expect(screen.databaseErrors.first?.message.contains("has not finished writing") == true)
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

/// What a follower does.
private enum Follower {
  private static let pageSize = 4_096

  /// Brings all of a file out of its log.
  static func checkpoint(_ connection: Connection) throws {
    _ = try connection.rows("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Notes that the replica is complete.
  static func note(_ replica: String) throws {
    try Data("0000000000000002\n".utf8).write(to: URL(filePath: replica + "-txid"))
  }

  /// Writes the pages in which a replica differs from its source.
  ///
  /// - Parameter limit: after how many pages the process dies; nil if it does not.
  static func apply(_ source: String, to replica: String, dyingAfter limit: Int? = nil) throws {
    let new = try Data(contentsOf: URL(filePath: source))
    let old = try Data(contentsOf: URL(filePath: replica))
    let file = open(replica, O_RDWR)
    try #require(file >= 0)
    for (start, length) in [(0x4000_0000, 1), (0x4000_0002, 510)] {
      try #require(lock(file, F_WRLCK, start, length))
    }
    var count = 0
    for start in stride(from: 0, to: new.count, by: pageSize) {
      let page = new[start..<start + pageSize]
      if start + pageSize <= old.count, old[start..<start + pageSize] == page { continue }
      let written = page.withUnsafeBytes { pwrite(file, $0.baseAddress, pageSize, off_t(start)) }
      try #require(written == pageSize)
      count += 1
      if count == limit { ChildProcess.die() }
    }
    try #require(ftruncate(file, off_t(new.count)) == 0)
    // Closing it releases the locks.
    close(file)
    if FileManager.default.fileExists(atPath: replica + "-txid") { try note(replica) }
  }

  private static func lock(_ file: Int32, _ type: Int32, _ start: Int, _ length: Int) -> Bool {
    var lock = flock()
    lock.l_type = Int16(type)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(start)
    lock.l_len = off_t(length)
    return fcntl(file, F_SETLKW, &lock) == 0
  }
}
