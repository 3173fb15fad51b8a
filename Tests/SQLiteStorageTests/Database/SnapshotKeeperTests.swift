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

  private func count(_ snapshot: Snapshot) throws -> Int? {
    try snapshot.read { try $0.value(Int.self, "SELECT count(*) FROM item") }
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

  // MARK: - Commits between two steps

  /// Lets another connection commit when `moment` passes for the first time.
  private func commit(at moment: SnapshotKeeper.Moment, in database: Database) -> Flag {
    let hasCommitted = Flag()
    let path = folder.file()
    database.keeper.state.withLock {
      $0.momentPassed = { passed in
        guard passed == moment, !hasCommitted.isSet else { return }
        hasCommitted.set()
        do {
          try Connection(path: path).execute("INSERT INTO item(name) VALUES ('in between')")
        } catch {
          Issue.record(error)
        }
      }
    }
    return hasCommitted
  }

  @Test(arguments: [SnapshotKeeper.Moment.markedBeforePin, .pinned])
  func aCommitWhileAVersionIsPinnedIsInItOrInTheNext(moment: SnapshotKeeper.Moment) throws {
    let hasCommitted = commit(at: moment, in: database)
    let first = try database.snapshot()
    let seen = try count(first)
    #expect(hasCommitted.isSet)
    let second = try database.snapshot()
    #expect(try count(second) == 4)
    #expect(try count(first) == seen)
    #expect((first === second) == (seen == 4))
  }

  @Test(arguments: [SnapshotKeeper.Moment.copiedLog, .leftLog])
  func aCommitWhileAVersionLeavesTheLogIsNotInIt(moment: SnapshotKeeper.Moment) throws {
    try insert(into: database)
    let held = try database.snapshot()
    let hasCommitted = commit(at: moment, in: database)
    let other = try Connection(path: folder.file())
    #expect(try other.rows("PRAGMA wal_checkpoint(PASSIVE)").first?["busy"] == 0)
    // As whoever observes does.
    _ = database.keeper.look()
    #expect(hasCommitted.isSet)
    #expect(try count(held) == 4)
    let next = try database.snapshot()
    #expect(next !== held)
    #expect(try count(next) == 5)
    // Which rows differ is known all the same.
    _ = try held.changes(to: next).known()
  }

  // MARK: - Another connection that starts the log over

  @Test(arguments: [Connection.Access.readWrite, .readOnly], ["RESTART", "TRUNCATE"])
  func anotherConnectionStartsTheLogOverWhileAVersionIsObserved(
    access: Connection.Access, mode: String
  ) async throws {
    let database = try Database(path: folder.file(), access: access)
    let other = try Connection(path: folder.file())
    try other.setBusyTimeout(.seconds(30))
    try other.execute("PRAGMA synchronous = OFF")
    var commits = database.commits.makeAsyncIterator()
    var held = try database.snapshot()
    for number in 1...10 {
      try other.execute("INSERT INTO item(name) VALUES ('from elsewhere')")
      while try database.snapshot() === held { await commits.next() }
      // Not with an older version held besides, which reads from the log.
      held = try database.snapshot()
      let start = ContinuousClock.now
      let row = try other.rows("PRAGMA wal_checkpoint(\(mode))").first
      #expect(row?["busy"] == 0)
      // It is a matter of milliseconds, and half a minute if nobody leaves the log.
      #expect(ContinuousClock.now - start < .seconds(10))
      #expect(try count(held) == 3 + number)
      if mode == "TRUNCATE" { #expect(logSize == 0) }
      #expect(try database.snapshot() === held)
    }
  }

  // MARK: - The length of the log

  private static let limit = 8 << 20

  private var logSize: Int { folder.size(of: "store.sqlite-wal") }

  @Test func theLogStaysShortWhenEachCommitIsFollowedByASnapshot() throws {
    var longest = 0
    for _ in 0..<scaled(20_000) {
      try insert(into: database)
      _ = try database.snapshot()
      longest = max(longest, logSize)
    }
    #expect(longest < SnapshotKeeperTests.limit)
    #expect(longest > 0)
  }

  @Test func theLogStaysShortWhenTheNewestSnapshotIsAlwaysHeld() throws {
    var longest = 0
    var held = try database.snapshot()
    for number in 0..<scaled(20_000) {
      try insert(into: database)
      // The old one is let go of when the new one is there.
      let next = try database.snapshot()
      #expect(next !== held)
      held = next
      longest = max(longest, logSize)
      if number.isMultiple(of: 1_000) { #expect(try count(held) == 4 + number) }
    }
    #expect(longest < SnapshotKeeperTests.limit)
  }

  @Test func theLogStaysShortWithTwoHolders() throws {
    var longest = 0
    var first = try database.snapshot()
    var second = try database.snapshot()
    for _ in 0..<scaled(3_000) {
      try insert(into: database)
      first = try database.snapshot()
      second = try database.snapshot()
      longest = max(longest, logSize)
      #expect(first === second)
    }
    #expect(longest < SnapshotKeeperTests.limit)
  }

  @Test func theLogStaysShortWhenOthersWrite() throws {
    let other = try Connection(path: folder.file())
    try other.execute("PRAGMA synchronous = OFF")
    var longest = 0
    var held = try database.snapshot()
    for number in 0..<scaled(3_000) {
      try other.execute("INSERT INTO item(name) VALUES ('from elsewhere')")
      held = try database.snapshot()
      // Whoever observes looks again now and then.
      #expect(try database.snapshot() === held)
      longest = max(longest, logSize)
      if number.isMultiple(of: 1_000) { #expect(try count(held) == 4 + number) }
    }
    #expect(longest < SnapshotKeeperTests.limit)
  }

  @Test func theLogOfAnAttachedFileStaysShort() throws {
    let path = try folder.makeStore("attached.sqlite")
    var configuration = database.configuration
    configuration.checkpointThreshold = 10
    configuration.prepareConnection = { connection in
      try connection.execute("ATTACH ? AS attached", [.text(path)])
      try connection.execute("PRAGMA synchronous = OFF")
    }
    let database = try Database(path: folder.file(), configuration: configuration)
    var held = try database.snapshot()
    for _ in 0..<300 {
      try database.write { try $0.execute("INSERT INTO attached.item(name) VALUES ('new')") }
      held = try database.snapshot()
    }
    #expect(try held.read { try $0.value(Int.self, "SELECT count(*) FROM attached.item") } == 303)
    #expect(folder.size(of: "attached.sqlite-wal") < 100 * 4_120)
  }

  @Test func theLogStaysShortInAStormOfCommits() throws {
    var configuration = database.configuration
    configuration.checkpointThreshold = 20
    let database = try Database(path: folder.file(), configuration: configuration)
    let patient = try Connection(path: folder.file())
    try patient.setBusyTimeout(.seconds(30))
    let impatient = try Connection(path: folder.file())
    for connection in [patient, impatient] { try connection.execute("PRAGMA synchronous = OFF") }
    let insert = "INSERT INTO item(name) VALUES ('from elsewhere')"
    var longest = 0
    var refusals = 0
    var held = try database.snapshot()
    for _ in 0..<scaled(1_000) {
      try patient.execute(insert)
      let next = try database.snapshot()
      // Before the older one is let go of, so that none is ever the only one and the newest.
      do { try impatient.execute(insert) } catch { refusals += 1 }
      held = next
      longest = max(longest, logSize)
    }
    #expect(try count(held) ?? 0 > 1_000)
    // Some two thousand frames without it; with it, eight times the threshold and what is written
    // until it is noticed.
    #expect(longest < 400 * 4_120)
    #expect(refusals > 0)
  }

  @Test func theLogStaysShortWithoutAnySnapshot() throws {
    var longest = 0
    for _ in 0..<scaled(3_000) {
      try insert(into: database)
      longest = max(longest, logSize)
    }
    #expect(longest < SnapshotKeeperTests.limit)
  }

  @Test func aSnapshotThatWasMovedOffTheLogStillShowsItsVersion() throws {
    var configuration = database.configuration
    configuration.checkpointThreshold = 1
    let database = try Database(path: folder.file(), configuration: configuration)
    for _ in 0..<50 {
      try insert(into: database)
      let held = try database.snapshot()
      let expected = try count(held)
      // Each of these may start the log over and write its first frames again.
      for _ in 0..<5 { try insert(into: database) }
      #expect(try count(held) == expected)
      #expect(try database.snapshot() !== held)
    }
  }

  @Test func aSnapshotThatIsBeingReadIsNotMoved() throws {
    var configuration = database.configuration
    configuration.checkpointThreshold = 1
    let database = try Database(path: folder.file(), configuration: configuration)
    try insert(into: database)
    let held = try database.snapshot()
    try held.read { connection in
      for _ in 0..<5 {
        try insert(into: database)
        _ = try database.snapshot()
      }
      #expect(try connection.value(Int.self, "SELECT count(*) FROM item") == 4)
    }
    #expect(try count(held) == 4)
  }

  @Test func aFileInRollbackJournalModeGetsNoLog() throws {
    try folder.makeStore("plain.sqlite", journalMode: "DELETE")
    var configuration = Database.Configuration()
    configuration.usesWAL = false
    let database = try Database(path: folder.file("plain.sqlite"), configuration: configuration)
    try insert(into: database)
    _ = try database.snapshot()
    try insert(into: database)
    #expect(try folder.contents().filter { $0.hasPrefix("plain.sqlite-") }.isEmpty)
  }
}
