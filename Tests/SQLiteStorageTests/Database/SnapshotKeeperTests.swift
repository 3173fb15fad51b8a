import Foundation
import Testing

@testable import SQLiteStorage

@Suite struct SnapshotKeeperTests {
  private let folder: TestFolder
  private let database: Database

  init() throws {
    folder = try TestFolder()
    // Nothing here is about power cuts, and syncing takes most of the time.
    var configuration = Database.Configuration()
    configuration.prepareConnection = { try $0.execute("PRAGMA synchronous = OFF") }
    database = try Database(path: try folder.makeStore(), configuration: configuration)
  }

  private func insert(into database: Database) throws {
    try database.write { try $0.execute("INSERT INTO item(name) VALUES ('new')") }
  }

  // MARK: - Sharing

  @Test func twoAsksWithoutACommitShareOneSnapshot() throws {
    let first = try database.snapshot()
    #expect(try database.snapshot() === first)
    _ = try database.read { try count(first) == $0.value(Int.self, "SELECT 1") }
    #expect(try database.snapshot() === first)
  }

  @Test func aWriteThatChangesNothingMakesNoNewVersion() throws {
    let first = try database.snapshot()
    try database.write { try $0.execute("DELETE FROM item WHERE id < 0") }
    #expect(try database.snapshot() === first)
    _ = databaseError {
      try database.write { connection in
        try connection.execute("DELETE FROM item")
        try connection.execute("nonsense")
      }
    }
    #expect(try database.snapshot() === first)
  }

  @Test func anOwnCommitMakesANewVersion() throws {
    let first = try database.snapshot()
    try insert(into: database)
    let second = try database.snapshot()
    #expect(second !== first)
    #expect(second.version > first.version)
    #expect(try count(second) == 4)
  }

  @Test func aCommitOfAnotherDatabaseMakesANewVersion() throws {
    let first = try database.snapshot()
    let other = try Database(path: folder.file())
    try insert(into: other)
    let second = try database.snapshot()
    #expect(second !== first)
    #expect(try count(second) == 4)
    #expect(try count(first) == 3)
    #expect(try database.snapshot() === second)
  }

  @Test func aCommitOfAnotherProcessMakesANewVersion() async throws {
    let first = try database.snapshot()
    await #expect(processExitsWith: .success) { [path = folder.file() as String] in
      let database = try Database(path: path)
      try database.write { try $0.execute("INSERT INTO item(name) VALUES ('from elsewhere')") }
    }
    let second = try database.snapshot()
    #expect(second !== first)
    #expect(try count(second) == 4)
    #expect(try count(first) == 3)
  }

  @Test func aReleasedVersionIsPinnedAnew() throws {
    var first: Snapshot? = try database.snapshot()
    let version = try #require(first?.version)
    first = nil
    #expect(try database.snapshot().version > version)
  }

  @Test func connectionsGoBackToThePoolWithTheLastHolder() throws {
    _ = try database.snapshot()
    try insert(into: database)
    _ = try database.snapshot()
    let before = folder.openDescriptorCount()
    for _ in 0..<100 {
      try insert(into: database)
      let first = try database.snapshot()
      let second = try database.snapshot()
      #expect(first === second)
    }
    #expect(folder.openDescriptorCount() == before)
  }

  @Test func manySnapshotsAtOnceAreAllReleased() throws {
    func holdMany() throws {
      var held: [Snapshot] = []
      let first = try #require(try count(database.snapshot()))
      for number in 1...20 {
        try insert(into: database)
        held.append(try database.snapshot())
        #expect(try count(held[number - 1]) == first + number)
      }
      for (number, snapshot) in held.enumerated() {
        #expect(try count(snapshot) == first + number + 1)
      }
    }
    try holdMany()
    // SQLite keeps a closed connection's descriptor for the next one, as long as any other
    // connection has a lock on the file: there are some, but they do not become more.
    let before = folder.openDescriptorCount()
    try holdMany()
    #expect(folder.openDescriptorCount() == before)
  }

  // MARK: - While the state is locked

  @Test func aVersionThatIsTakenWhileTheFileIsReleasedIsNotPinned() async throws {
    let database = try Database(path: folder.file(), access: .readOnly)
    let isLocked = Flag()
    async let released: Void = BlockingThread.run { [keeper = database.keeper] in
      try keeper.state.withLock { state in
        let next = try #require(try state.source.releasing())
        isLocked.set()
        // Enough for the other thread to see a file whose versions are pinned. If it is not, nothing is tested.
        SnapshotKeeper.wait(.milliseconds(50))
        keeper.release(next, &state)
      }
    }
    while !isLocked.isSet { try await Task.sleep(for: .milliseconds(1)) }
    let snapshot = try await BlockingThread.run { try database.snapshot() }
    try await released
    #expect(!snapshot.isPinned)
    #expect(try count(snapshot) == 3)
  }

  /// There are no more threads for tasks than cores.
  @Test(.timeLimit(.minutes(1))) func aWriteThatMustWaitBlocksNoTask() async throws {
    let (isLocked, mayUnlock) = (Flag(), Flag())
    async let unlocked: Void = BlockingThread.run { [keeper = database.keeper] in
      keeper.state.withLock { _ in
        isLocked.set()
        while !mayUnlock.isSet { SnapshotKeeper.wait(.milliseconds(1)) }
      }
    }
    while !isLocked.isSet { try await Task.sleep(for: .milliseconds(1)) }
    let taskCount = 2 * ProcessInfo.processInfo.activeProcessorCount
    let begunCount = Locked(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<taskCount {
        group.addTask { [database] in
          begunCount.withLock { $0 += 1 }
          try await database.write { try $0.execute("INSERT INTO item(name) VALUES ('new')") }
        }
      }
      while begunCount.withLock({ $0 }) < taskCount { try await Task.sleep(for: .milliseconds(1)) }
      mayUnlock.set()
      try await group.waitForAll()
    }
    try await unlocked
    #expect(try count(database.snapshot()) == 3 + taskCount)
  }

  // MARK: - Commits between two steps

  @Test(arguments: [LogCheckpointer.Moment.markedBeforePin, .pinned])
  func aCommitWhileAVersionIsPinnedIsInItOrInTheNext(moment: LogCheckpointer.Moment) throws {
    let hasCommitted = database.commitOfAnother(at: moment)
    let first = try database.snapshot()
    let seen = try count(first)
    #expect(hasCommitted.isSet)
    let second = try database.snapshot()
    #expect(try count(second) == 4)
    #expect(try count(first) == seen)
    #expect((first === second) == (seen == 4))
  }
}

/// Commits of others at the worst moment: when a version is pinned, and before it is known which one.
@Suite struct SnapshotKeeperPinTests {
  private let folder: TestFolder
  private let database: Database
  /// How many of the next pins are followed by a commit of another connection.
  private let commitCount = Locked(0)
  private let traces = Locked<[StatementTrace]>([])

  init() throws {
    folder = try TestFolder()
    let path = try folder.makeStore(rows: 10)
    let other = Locked(try Connection(path: path))
    var configuration = Database.Configuration.unsynced
    configuration.prepareConnection = { [commitCount, traces] connection in
      let trace = try StatementTrace(of: connection) { [unowned connection] sql in
        // Such a read in a transaction is what pins a version.
        guard sql.hasSuffix("schema_version"), connection.isInTransaction else { return }
        let isDue = commitCount.withLock { count in
          count -= 1
          return count >= 0
        }
        guard isDue else { return }
        #expect(throws: Never.self) {
          try other.withLock { try $0.execute("INSERT INTO item(name) VALUES ('other')") }
        }
      }
      traces.withLock { $0.append(trace) }
    }
    database = try Database(path: path, configuration: configuration)
  }

  @Test func aVersionThatIsNotTheNewestAnyMoreIsPinnedAnew() throws {
    commitCount.withLock { $0 = 1 }
    let snapshot = try database.snapshot()
    #expect(try count(snapshot) == 11)
    #expect(try database.snapshot() === snapshot)
  }

  @Test func anUnknownVersionIsNotTakenForTheNewest() throws {
    commitCount.withLock { $0 = 1_000 }
    let snapshot = try database.snapshot()
    commitCount.withLock { $0 = 0 }
    let next = try database.snapshot()
    let newest = try database.read { try $0.value(Int.self, "SELECT count(*) FROM item") }
    #expect(try count(next) == newest)
    #expect(try count(snapshot) ?? 0 < count(next) ?? 0)
    #expect(snapshot.capturedChanges(to: next) == .unknown(.otherWriter))
    #expect(next.version > snapshot.version)
  }
}
