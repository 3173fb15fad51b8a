import Foundation
import TableDataTesting
import Testing

@testable import SQLiteStorage

/// A database that is suspended, as by an app in the background, resumed, and closed.
@Suite(.timeLimit(.minutes(5))) struct SuspendTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func open(
    _ journalMode: String = "WAL", access: Connection.Access = .readWrite, rows: Int = 3
  ) throws -> Database {
    var configuration = Database.Configuration()
    configuration.usesWAL = journalMode == "WAL"
    configuration.busyTimeout = .milliseconds(500)
    return try Database(
      path: try folder.makeStore(journalMode: journalMode, rows: rows), access: access,
      configuration: configuration)
  }

  private func count(_ connection: Connection) throws -> Int? {
    try connection.value(Int.self, "SELECT count(*) FROM item")
  }

  @Test(arguments: ["WAL", "DELETE"], [Connection.Access.readWrite, .readOnly])
  func anotherProcessCanDoAnythingToTheFile(
    journalMode: String, access: Connection.Access
  ) async throws {
    let database = try open(journalMode, access: access)
    var commits = database.commits.makeAsyncIterator()
    let held = try database.snapshot()
    if access == .readWrite {
      try await database.write { try $0.execute("DELETE FROM item WHERE id = 1") }
    }
    _ = try await database.read(count)
    try database.suspend()
    #expect(database.isSuspended)
    #expect(folder.openDescriptorCount() ?? 0 == 0)
    await #expect(processExitsWith: .success) { [path = database.path as String] in
      let other = try Connection(path: path)
      try other.setBusyTimeout(.zero)
      try other.execute(script: "PRAGMA journal_mode = DELETE; VACUUM; BEGIN EXCLUSIVE; COMMIT")
      #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
      try other.execute(script: "DELETE FROM item WHERE id = 2; PRAGMA journal_mode = WAL")
    }
    #expect(held.isExpired)
    try database.resume()
    #expect(await commits.next() != nil)
    #expect(try await database.read(count) == (access == .readWrite ? 1 : 2))
    #expect(try database.snapshot().read(count) == (access == .readWrite ? 1 : 2))
    #expect(databaseError { _ = try held.read(count) }?.code == .versionExpired)
  }

  @Test func aSuspendedDatabaseRefusesEachCall() async throws {
    let database = try open()
    try database.suspend()
    try database.suspend()
    let errors = [
      databaseError { _ = try database.read(count) }, databaseError { _ = try database.snapshot() },
      databaseError { try database.write { _ in } },
      databaseError { try database.withWriter { _ in } },
      await #expect(throws: DatabaseError.self) { try await database.read { _ in } },
      await #expect(throws: DatabaseError.self) { try await database.write { _ in } },
    ]
    for error in errors {
      #expect(error?.code == .closed)
      #expect(error?.message == "the database is suspended: \(database.path)")
      #expect(error?.nextStep == "Call resume() first")
    }
    try database.resume()
    try database.resume()
    #expect(!database.isSuspended)
    try await database.write { try $0.execute("DELETE FROM item") }
    #expect(try await database.read { try $0.value(Int.self, "SELECT count(*) FROM item") } == 0)
  }

  @Test func commitsAreReportedAgainAfterwards() async throws {
    let database = try open()
    var commits = database.commits.makeAsyncIterator()
    try database.suspend()
    var late = database.commits.makeAsyncIterator()
    try database.resume()
    #expect(await commits.next() != nil)
    #expect(await late.next() != nil)
    // By this process, and by another connection.
    for writer in [database, try Database(path: database.path)] {
      try await writer.write { try $0.execute("UPDATE item SET name = random()") }
      #expect(await commits.next() != nil)
      #expect(await late.next() != nil)
    }
    let before = try database.snapshot()
    try await database.write { try $0.execute("UPDATE item SET name = 'x' WHERE id = 2") }
    #expect(try before.changes(to: database.snapshot()).known().rows(of: "item") == .rowIDs([2]))
  }

  @Test func readsAndWritesThatRunAreWaitedFor() async throws {
    let database = try open()
    let (isReading, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let hasEnded = Flag()
    for isWrite in [false, true] {
      Thread.detachNewThread {
        let body = { (_: Connection) in
          isReading.signal()
          mayEnd.wait()
          usleep(50_000)
          // Not after the write: the thread may get there after the database is suspended.
          if isWrite { hasEnded.set() }
        }
        #expect(throws: Never.self) {
          if isWrite { try database.write(body) } else { try database.read(body) }
        }
      }
    }
    for _ in 0..<2 { isReading.wait() }
    let held = try database.snapshot()
    try held.whileReadable {
      Thread.detachNewThread {
        for _ in 0..<2 { mayEnd.signal() }
      }
    }
    try database.suspend()
    #expect(hasEnded.isSet)
    #expect(folder.openDescriptorCount() ?? 0 == 0)
  }

  /// In a file that is not in WAL mode, each read of a snapshot locks the file.
  @Test(arguments: ["WAL", "DELETE"], [false, true])
  func readsOfSnapshotsAreWaitedFor(journalMode: String, isPinned: Bool) async throws {
    let database = try open(journalMode)
    let isReading = DispatchSemaphore(value: 0)
    let hasEnded = Flag()
    let read = { @Sendable (_: Connection) in
      isReading.signal()
      usleep(100_000)
      hasEnded.set()
    }
    Thread.detachNewThread {
      #expect(throws: Never.self) {
        if isPinned {
          try database.withSnapshot { try $0.read(read) }
        } else {
          try database.snapshot().read(read)
        }
      }
    }
    isReading.wait()
    try database.suspend()
    #expect(hasEnded.isSet)
    #expect(folder.openDescriptorCount() ?? 0 == 0)
  }

  /// A copy that is kept for a change log is of `main` alone.
  @Test func aKeptCopyHasNoAttachedFileOpen() throws {
    let other = try folder.makeStore("other.sqlite")
    try folder.makeStore()
    var configuration = Database.Configuration()
    configuration.prepareConnection = { try $0.execute("ATTACH \(other) AS other") }
    let database = try Database(
      path: folder.file(), access: .readOnly, configuration: configuration)
    let snapshot = try database.withSnapshot {
      $0.keepCopy()
      return $0
    }
    #expect(snapshot.hasKeptCopy)
    try database.suspend()
    #expect(try snapshot.readKept(count) == 3)
    #expect(folder.openDescriptorCount() ?? 0 == 0)
    snapshot.dropCopy()
  }

  @Test func itIsRefusedInsideAWrite() throws {
    let database = try open()
    try database.write { _ in
      #expect(databaseError { try database.suspend() }?.code == .nestedWrite)
      #expect(databaseError { try database.close() }?.code == .nestedWrite)
    }
    #expect(try database.read(count) == 3)
  }

  @Test func aFileThatIsGoneKeepsItSuspended() throws {
    let database = try open()
    try database.suspend()
    try FileManager.default.moveItem(atPath: database.path, toPath: folder.file("other"))
    let error = databaseError { try database.resume() }
    #expect(error.map { .cannotOpen ~= $0.resultCode } == true)
    #expect(database.isSuspended)
    #expect(try folder.contents() == ["other"])
    try FileManager.default.moveItem(atPath: folder.file("other"), toPath: database.path)
    try database.resume()
    #expect(try database.read(count) == 3)
  }

  @Test func aReplacedFileIsReadAfterwards() throws {
    let database = try open()
    try folder.makeStore("other.sqlite", rows: 7)
    try database.suspend()
    try FileManager.default.removeItem(atPath: database.path)
    try FileManager.default.moveItem(
      atPath: folder.file("other.sqlite"), toPath: database.path)
    try database.resume()
    #expect(try database.read(count) == 7)
  }

  @Test func aClosedDatabaseStaysClosed() async throws {
    let database = try open()
    let commits = database.commits
    let held = try database.snapshot()
    try database.close()
    try database.close()
    try database.suspend()
    #expect(!database.isSuspended)
    #expect(folder.openDescriptorCount() ?? 0 == 0)
    for await _ in commits {}
    for await _ in database.commits {}
    #expect(held.isExpired)
    for error in [
      databaseError { try database.resume() }, databaseError { _ = try database.read(count) },
      databaseError { try database.write { _ in } },
    ] {
      #expect(error?.code == .closed)
      #expect(error?.message == "the database is closed: \(database.path)")
    }
    // The log was copied, and is gone.
    #expect(try folder.contents() == ["store.sqlite"])
  }

  @Test func aStoreThatNobodySharesStaysOpen() throws {
    let database = try Database.inMemory()
    try database.write { try $0.execute("CREATE TABLE t(x)") }
    try database.suspend()
    #expect(!database.isSuspended)
    #expect(try database.read { try $0.value(Int.self, "SELECT count(*) FROM t") } == 0)
    try database.close()
    #expect(databaseError { _ = try database.read { _ in } }?.code == .closed)
  }

  /// Nobody waits for ever, and nothing but "closed" is told.
  @Test func itIsSuspendedWhileAllElseGoesOn() async throws {
    let database = try open()
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          for round in 0..<SeededGenerator.scaled(200) {
            do {
              switch (worker + round) % 3 {
              case 0: try await database.write { try $0.execute("UPDATE item SET name = random()") }
              case 1: _ = try await database.read { try $0.rows("SELECT * FROM item") }
              default:
                _ = try database.withSnapshot { try $0.read { try $0.rows("SELECT * FROM item") } }
              }
            } catch let error as DatabaseError {
              #expect([.closed, .versionExpired].contains(error.code), "\(error)")
            } catch {
              Issue.record(error)
            }
          }
        }
      }
      group.addTask {
        for _ in 0..<SeededGenerator.scaled(50) {
          #expect(throws: Never.self) {
            try database.suspend()
            try database.resume()
          }
        }
      }
    }
    #expect(try await database.read(count) == 3)
  }

  // MARK: - What is kept of a version

  /// Counts the rows before the version is released.
  private final class Holder: VersionHolder {
    let count = Locked<Int?>(nil)

    func willRelease(_ connection: Connection) {
      count.withLock { $0 = try? connection.value(Int.self, "SELECT count(*) FROM item") }
    }
  }

  @Test func aHolderReadsTheVersionForTheLastTime() throws {
    let database = try open()
    let holder = Holder()
    let held = try database.snapshot()
    let removed = Holder()
    held.add(holder)
    held.add(removed)
    held.remove(removed)
    try database.write { try $0.execute("DELETE FROM item") }
    #expect(holder.count.withLock { $0 } == nil)
    try database.suspend()
    #expect(holder.count.withLock { $0 } == 3)
    #expect(removed.count.withLock { $0 } == nil)
    #expect(databaseError { try held.whileReadable {} }?.code == .versionExpired)
  }

  @Test func aVersionThatIsUsedIsReleasedAfterwards() throws {
    let database = try open()
    let held = try database.keeper.snapshot()
    try held.whileReadable { () throws in
      #expect(!held.release())
      #expect(try held.read(count) == 3)
    }
    #expect(!held.isPinned)
    // It is the newest, so it is pinned again.
    #expect(try database.snapshot() === held)
    #expect(held.isPinned)
  }
}
