import CSQLite
import Foundation
import TableDataTesting
import Testing

@testable import SQLiteStorage

/// How the write-ahead log is kept short while versions are held.
@Suite struct LogCheckpointerTests {
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

  /// A connection that has read the store, and does not wait.
  private func connection() throws -> Connection {
    let connection = try Connection(path: folder.file())
    try connection.setBusyTimeout(.zero)
    _ = try connection.value(Int.self, "SELECT count(*) FROM item")
    return connection
  }

  /// Nobody can reset a log while it is copied: a version is pinned that reads from it. See SQLite's WAL-reset bug.
  @Test func aLogIsOnlyCopiedWhileAVersionReadsFromIt() throws {
    for _ in 0..<20 { try insert(into: database) }
    let monitor = try connection()
    func step(_ readers: ReaderPool) throws -> WALIndexHeader? {
      let log = LogCheckpointer(
        mayCopy: true, writes: true, threshold: 10,
        of: try DatabaseFiles(of: monitor, kind: .pinned),
        monitor: monitor, readers: readers,
        versions: VersionChain())
      log.handle(.step, newest: NewestVersion())
      return WALIndexHeader(of: monitor)
    }
    // No version is held, and the connection that would pin one cannot be had.
    #expect(try step(ReaderPool { throw CancellationError() })?.backfilledFrameCount == 0)
    let readers = ReaderPool { [path = folder.file()] in
      try Connection(path: path, access: .readOnly)
    }
    #expect(try step(readers)?.isCopied == true)
    // With all in the file, the next version would pin nothing in the log, and there is nothing to copy.
    #expect(try step(readers)?.isCopied == true)
  }

  /// A writer that pauses resets the log at its own threshold, beside a list as without one.
  @Test(arguments: [Connection.Access.readWrite, .readOnly])
  func theLogIsLeftBeforeWritersCopyIt(access: Connection.Access) throws {
    var configuration = database.configuration
    configuration.copiesLongLogs = true
    let observed = try Database(path: folder.file(), access: access, configuration: configuration)
    let writer = try Connection(path: folder.file())
    try writer.execute("PRAGMA synchronous = OFF")
    var held = try observed.snapshot()
    var longest = 0
    for _ in 0..<SeededGenerator.scaled(3_000) {
      try writer.execute("UPDATE item SET name = random() WHERE id = 1")
      held = try observed.snapshot()
      // As the release of the version before does.
      _ = try observed.snapshot()
      longest = max(longest, try #require(WALIndexHeader(of: writer)).frameCount)
    }
    #expect(longest < 1_000)
    #expect(try count(held) == 3)
  }

  @Test func aThresholdThatNoLogReachesIsAllowed() throws {
    var configuration = database.configuration
    configuration.checkpointThreshold = .max
    let database = try Database(path: folder.file(), configuration: configuration)
    var held = try database.snapshot()
    for _ in 0..<3 {
      try insert(into: database)
      held = try database.snapshot()
    }
    #expect(try count(held) == 6)
  }

  // MARK: - Commits between two steps

  @Test(arguments: [LogCheckpointer.Moment.copiedLog, .leftLog])
  func aCommitWhileAVersionLeavesTheLogIsNotInIt(moment: LogCheckpointer.Moment) throws {
    try insert(into: database)
    let held = try database.snapshot()
    let hasCommitted = database.commitOfAnother(at: moment)
    let other = try Connection(path: folder.file())
    #expect(try other.rows("PRAGMA wal_checkpoint(PASSIVE)").first?["busy"] == 0)
    // As observers do.
    _ = database.keeper.newestMark()
    #expect(hasCommitted.isSet)
    #expect(try count(held) == 4)
    let next = try database.snapshot()
    #expect(next !== held)
    #expect(try count(next) == 5)
    // The rows that differ are known nevertheless.
    _ = try held.changes(to: next).known()
  }

  // MARK: - Another connection that resets the log

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
      let row = try other.rows(SQL(verbatim: "PRAGMA wal_checkpoint(\(mode))")).first
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

  /// Each commit makes the log longer by 4 KB or more: if nobody made it shorter, it would have twice the limit.
  private static let commitCount = SeededGenerator.scaled(
    SeededGenerator.isLongRun ? 20_000 : 5_000)

  @Test func theLogStaysShortWhenEachCommitIsFollowedByASnapshot() throws {
    var longest = 0
    for _ in 0..<Self.commitCount {
      try insert(into: database)
      _ = try database.snapshot()
      longest = max(longest, logSize)
    }
    #expect(longest < LogCheckpointerTests.limit)
    #expect(longest > 0)
  }

  @Test func theLogStaysShortWhenTheNewestSnapshotIsAlwaysHeld() throws {
    var longest = 0
    var held = try database.snapshot()
    for number in 0..<Self.commitCount {
      try insert(into: database)
      // The old one is let go of when the new one is there.
      let next = try database.snapshot()
      #expect(next !== held)
      held = next
      longest = max(longest, logSize)
      if number.isMultiple(of: 1_000) { #expect(try count(held) == 4 + number) }
    }
    #expect(longest < LogCheckpointerTests.limit)
  }

  @Test func theLogStaysShortWithTwoHolders() throws {
    var longest = 0
    var first = try database.snapshot()
    var second = try database.snapshot()
    for _ in 0..<SeededGenerator.scaled(3_000) {
      try insert(into: database)
      first = try database.snapshot()
      second = try database.snapshot()
      longest = max(longest, logSize)
      #expect(first === second)
    }
    #expect(longest < LogCheckpointerTests.limit)
  }

  @Test func theLogStaysShortWhenOthersWrite() throws {
    let other = try Connection(path: folder.file())
    try other.execute("PRAGMA synchronous = OFF")
    var longest = 0
    var held = try database.snapshot()
    for number in 0..<SeededGenerator.scaled(3_000) {
      try other.execute("INSERT INTO item(name) VALUES ('from elsewhere')")
      held = try database.snapshot()
      // Whoever observes looks again now and then.
      #expect(try database.snapshot() === held)
      longest = max(longest, logSize)
      if number.isMultiple(of: 1_000) { #expect(try count(held) == 4 + number) }
    }
    #expect(longest < LogCheckpointerTests.limit)
  }

  /// The versions of attached files are not pinned, so the logs are reset as if nobody observed them.
  @Test func theLogOfAnAttachedFileStaysShort() throws {
    let path = try folder.makeStore("attached.sqlite")
    var configuration = database.configuration
    configuration.prepareConnection = { connection in
      try connection.execute("ATTACH ? AS attached", [.text(path)])
      try connection.execute("PRAGMA synchronous = OFF")
    }
    let database = try Database(path: folder.file(), configuration: configuration)
    var held = try database.snapshot()
    let writer = try Connection(path: path)
    try writer.execute("PRAGMA synchronous = OFF")
    for _ in 0..<30 {
      for _ in 0..<100 { try writer.execute("INSERT INTO item(name) VALUES ('new')") }
      held = try database.snapshot()
    }
    #expect(try held.read { try $0.value(Int.self, "SELECT count(*) FROM attached.item") } == 3_003)
    #expect(folder.size(of: "attached.sqlite-wal") < 1_100 * 4_120)
  }

  /// A writer that does not wait for locks never fails beside versions that are held, and no change is lost.
  @Test(arguments: [Connection.Access.readWrite, .readOnly])
  func aStormOfCommitsIsNeverRefused(access: Connection.Access) throws {
    var configuration = database.configuration
    configuration.checkpointThreshold = 20
    configuration.copiesLongLogs = true
    let observed = try Database(path: folder.file(), access: access, configuration: configuration)
    let writer = try connection()
    try writer.execute("PRAGMA synchronous = OFF")
    var held = try observed.snapshot()
    var count = 0
    for _ in 0..<SeededGenerator.scaled(1_000) {
      // Two commits for each version, so that none is ever the only one and the newest.
      try writer.execute("INSERT INTO item(name) VALUES ('from elsewhere')")
      let next = try observed.snapshot()
      try writer.execute("INSERT INTO item(name) VALUES ('from elsewhere')")
      switch held.changes(to: next) {
      case .rows(let touched): count += touched.count ?? 0
      case .unknown(let reason): Issue.record("\(reason)")
      }
      held = next
    }
    #expect(count == (try held.read { try $0.value(Int.self, "SELECT count(*) - 3 FROM item") }))
  }

  /// A write of this database lets its observers catch up if the log is long, and goes on if they do not.
  @Test func aWriteWaitsForObserversForAShortTime() throws {
    var configuration = database.configuration
    configuration.checkpointThreshold = 10
    let observed = try Database(path: folder.file(), configuration: configuration)
    let held = try observed.snapshot()
    let writer = try connection()
    for _ in 0..<130 { try writer.execute("UPDATE item SET name = random() WHERE id = 1") }
    let first = try ContinuousClock().measure { try insert(into: observed) }
    let second = try ContinuousClock().measure { try insert(into: observed) }
    #expect(first >= .milliseconds(250))
    #expect(second < first)
    #expect(try count(held) == 3)
  }

  /// A version is not read for long and stands in the way of the log, which grows.
  @Test(.timeLimit(.minutes(1)), arguments: [true, false])
  func theLogOfASlowHolderIsStartedOver(copiesLongLogs: Bool) async throws {
    var configuration = Database.Configuration()
    configuration.checkpointThreshold = 20
    configuration.copiesLongLogs = copiesLongLogs
    let database = try Database(
      path: folder.file(), access: .readOnly, configuration: configuration)
    let held = try database.snapshot()
    let writer = try Connection(path: folder.file())
    try writer.execute("PRAGMA synchronous = OFF")
    try writer.execute("PRAGMA wal_autocheckpoint = 20")
    let update = "UPDATE item SET name = 'new' || random() WHERE id = 2"
    for _ in 0..<1_000 { try writer.execute(update) }
    let pinnedCount = { database.keeper.versions.pinnedCount }
    _ = database.keeper.newestMark()
    // Its holder may still be at work, unless the log grows on.
    #expect(pinnedCount() == 1)
    for _ in 0..<50 { try writer.execute(update) }
    let size = logSize
    _ = database.keeper.newestMark()
    while pinnedCount() > 0 { try await Task.sleep(for: .milliseconds(5)) }
    // It is a private copy.
    #expect(held.isPinned)
    #expect(
      try held.read { try $0.value(String.self, "SELECT name FROM item WHERE id = 2") } != nil)
    while try writer.rows("PRAGMA wal_checkpoint(RESTART)").first?["busy"] != 0 {
      try await Task.sleep(for: .milliseconds(5))
    }
    for _ in 0..<1_000 { try writer.execute(update) }
    #expect(logSize <= size)
    let next = try database.snapshot()
    try expectRowOfCopies(held, next)
    // One commit at a time again: versions stay in the file.
    let later = try (0..<4).map { _ in
      try writer.execute(update)
      return try database.snapshot()
    }
    try expectRowOfCopies(next, later[0])
    #expect(try later[2].changes(to: later[3]).known().rows(of: "item") == .rowIDs([2]))
  }

  /// Neither the log nor a record tells the row: the pages of two copies do.
  private func expectRowOfCopies(_ older: Snapshot, _ newer: Snapshot) throws {
    let detected = older.detectedChanges(to: newer)
    #expect(detected.obstacle == .otherWriter)
    #expect(try detected.touched.known().rows(of: "item") == .rowIDs([2]))
  }

  /// Whoever needs a version for several reads does not lose it meanwhile.
  @Test func aVersionThatIsNeededIsReleasedLater() throws {
    let held = try database.snapshot()
    try held.whileReadable { () throws in
      #expect(!held.release())
      try insert(into: database)
      #expect(try count(held) == 3)
    }
    #expect(!held.isPinned)
    #expect(databaseError { _ = try count(held) }?.code == .versionExpired)
  }

  /// The log cannot be reset, whatever is done.
  @Test func anOldVersionOfAnotherConnectionDelaysNoWriter() throws {
    var configuration = database.configuration
    configuration.checkpointThreshold = 10
    let database = try Database(path: folder.file(), configuration: configuration)
    let other = try connection()
    try other.execute("BEGIN")
    _ = try other.value(Int.self, "SELECT count(*) FROM item")
    var held = try database.snapshot()
    var longest = Duration.zero
    for _ in 0..<SeededGenerator.scaled(100) {
      let time = try ContinuousClock().measure {
        try database.write { try $0.execute("INSERT INTO item(name) VALUES (zeroblob(100000))") }
      }
      longest = max(longest, time)
      held = try database.snapshot()
    }
    // A hold ends after a quarter of a second, or in the end after half the busy timeout of five seconds.
    #expect(longest < .seconds(2))
    #expect(try count(held) ?? 0 > 100)
  }

  @Test func aLogIsLeftAfterItsCheckpointHasEnded() throws {
    try insert(into: database)
    let held = try database.snapshot()
    let other = try connection()
    #expect(try other.rows("PRAGMA wal_checkpoint(PASSIVE)").first?["busy"] == 0)
    // A checkpoint releases this lock some moments after the WAL-index says that all is copied.
    let file = try #require(
      openFile(SQLITE_FCNTL_FILE_POINTER, of: other.handle, schema: "main"))
    let lock = try #require(file.pointee.pMethods.pointee.xShmLock)
    #expect(lock(file, 3, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE) == SQLITE_OK)
    _ = database.keeper.newestMark()
    #expect(lock(file, 3, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE) == SQLITE_OK)
    _ = database.keeper.newestMark()
    #expect(try other.rows("PRAGMA wal_checkpoint(RESTART)").first?["busy"] == 0)
    #expect(try count(held) == 4)
  }

  @Test func aSnapshotDoesNotKeepTheReadMarkOfAnOlderVersion() throws {
    // There are four read-marks for the log, and each of these readers has one.
    let readers = try (0..<4).map { _ in
      try insert(into: database)
      let reader = try connection()
      try reader.execute("BEGIN")
      _ = try reader.value(Int.self, "SELECT count(*) FROM item")
      return reader
    }
    try insert(into: database)
    let held = try database.snapshot()
    for reader in readers { try reader.execute("ROLLBACK") }
    let other = try connection()
    func restart() throws -> Bool {
      try other.rows("PRAGMA wal_checkpoint(RESTART)").first?["busy"] == 0
    }
    // Copied as far as the fourth reader had it; then all of it; then it is left.
    for _ in 0..<2 {
      #expect(try !restart())
      _ = database.keeper.newestMark()
    }
    #expect(try restart())
    #expect(try count(held) == 8)
  }

  /// As a screen whose thread is busy with an import.
  @Test func theLogStaysShortWhenNobodyTakesVersionsAfterRoomWasMade() async throws {
    var configuration = database.configuration
    configuration.checkpointThreshold = 10
    let database = try Database(path: folder.file(), configuration: configuration)
    let held = try database.snapshot()
    for _ in 0..<2 {
      for _ in 0..<40 { try insert(into: database) }
      _ = database.keeper.newestMark()
    }
    while database.keeper.versions.pinnedCount > 0 { try await Task.sleep(for: .milliseconds(1)) }
    let length = logSize
    for _ in 0..<1_000 { try insert(into: database) }
    #expect(logSize < 2 * length)
    #expect(try count(held) == 3)
  }

  @Test func theLogStaysShortWithoutAnySnapshot() throws {
    var longest = 0
    for _ in 0..<SeededGenerator.scaled(3_000) {
      try insert(into: database)
      longest = max(longest, logSize)
    }
    #expect(longest < LogCheckpointerTests.limit)
  }

  @Test func aSnapshotThatWasMovedOffTheLogStillShowsItsVersion() throws {
    var configuration = database.configuration
    configuration.checkpointThreshold = 1
    let database = try Database(path: folder.file(), configuration: configuration)
    for _ in 0..<50 {
      try insert(into: database)
      let held = try database.snapshot()
      let expected = try count(held)
      // Each of these may reset the log and write its first frames again.
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
