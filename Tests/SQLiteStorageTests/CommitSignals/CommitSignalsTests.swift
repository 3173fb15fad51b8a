import Dispatch
import Foundation
import TableDataTesting
import Testing

@testable import SQLiteStorage

@Suite(.timeLimit(.minutes(5))) struct CommitSignalsTests {
  private let folder: TestFolder
  private let configuration: Database.Configuration

  init() throws {
    folder = try TestFolder()
    try folder.makeStore(rows: 10)
    var configuration = Database.Configuration.unsynced
    // What comes, comes from the one thing that is tested.
    configuration.pollInterval = nil
    self.configuration = configuration
  }

  private func open(_ configuration: Database.Configuration? = nil) throws -> Database {
    try Database(path: folder.file(), configuration: configuration ?? self.configuration)
  }

  private func delete(_ id: Int, from database: Database) throws {
    try database.write { try $0.execute(SQL(verbatim: "DELETE FROM item WHERE id = \(id)")) }
  }

  // MARK: - Own commits

  @Test func everyObserverHearsOfACommit() async throws {
    let database = try open()
    var observers = [database.commits, database.commits, database.commits].map {
      $0.makeAsyncIterator()
    }
    for id in 1...3 {
      try delete(id, from: database)
      for index in observers.indices { #expect(await observers[index].next() != nil) }
    }
  }

  @Test func theNewVersionCanBeReadWhenItIsReported() async throws {
    let database = try open()
    var commits = database.commits.makeAsyncIterator()
    var last = try database.snapshot()
    for id in 1...5 {
      try delete(id, from: database)
      #expect(await commits.next() != nil)
      let next = try database.snapshot()
      #expect(next.version > last.version)
      last = next
    }
  }

  @Test func severalCommitsAreOneElementForABusyObserver() async throws {
    var database: Database? = try open()
    let commits = try #require(database).commits
    for id in 1...5 { try delete(id, from: #require(database)) }
    database = nil
    var count = 0
    for await _ in commits { count += 1 }
    #expect(count == 1)
  }

  @Test(
    arguments: [
      "DELETE FROM item WHERE id < 0", "UPDATE item SET name = name", "SELECT * FROM item",
      "CREATE TEMP TABLE t(a)", "PRAGMA wal_checkpoint(PASSIVE)",
    ])
  func aChangeWithoutEffectIsNotReported(_ sql: String) async throws {
    var database: Database? = try open()
    let commits = try #require(database).commits
    try #require(database).withWriter { try $0.execute(sql) }
    database = nil
    #expect(await commits.first { _ in true } == nil)
  }

  @Test func aRollbackIsNotReported() async throws {
    var database: Database? = try open()
    let commits = try #require(database).commits
    _ = databaseError {
      try database?.write { connection in
        try connection.execute("DELETE FROM item")
        try connection.execute("nonsense")
      }
    }
    database = nil
    #expect(await commits.first { _ in true } == nil)
  }

  @Test(
    arguments: [
      "VACUUM", "CREATE TABLE t(a)", "PRAGMA user_version = 3", "DELETE FROM item RETURNING id",
    ])
  func everyKindOfCommitIsReported(_ sql: String) async throws {
    let database = try open()
    var commits = database.commits.makeAsyncIterator()
    try database.withWriter { _ = try $0.value(Int.self, sql) }
    #expect(await commits.next() != nil)
  }

  @Test func anAsynchronousWriteIsReported() async throws {
    let database = try open()
    var commits = database.commits.makeAsyncIterator()
    try await database.write { try $0.execute("DELETE FROM item WHERE id = 1") }
    #expect(await commits.next() != nil)
  }

  @Test func aCommitBeforeTheObserverWasAddedIsNotReported() async throws {
    var database: Database? = try open()
    try delete(1, from: #require(database))
    let commits = try #require(database).commits
    database = nil
    #expect(await commits.first { _ in true } == nil)
  }

  @Test func aFileInRollbackJournalModeSignalsToo() async throws {
    try folder.makeStore("plain.sqlite", journalMode: "DELETE")
    var configuration = configuration
    configuration.usesWAL = false
    let database = try Database(path: folder.file("plain.sqlite"), configuration: configuration)
    var commits = database.commits.makeAsyncIterator()
    for id in 1...3 {
      // Its version is known by the time of the file, which changes only some times a second. A snapshot
      // waits until the next write will change it.
      _ = try database.snapshot()
      try delete(id, from: database)
      #expect(await commits.next() != nil)
    }
  }

  /// Its log does not exist yet when the file is opened.
  @Test func aFileThatAnotherConnectionPutsInWALModeSignalsToo() async throws {
    try folder.makeStore("plain.sqlite", journalMode: "DELETE")
    var configuration = configuration
    configuration.usesWAL = false
    let database = try Database(
      path: folder.file("plain.sqlite"), access: .readOnly, configuration: configuration)
    var commits = database.commits.makeAsyncIterator()
    let writer = try Connection(path: folder.file("plain.sqlite"), access: .readWrite)
    try writer.execute("PRAGMA wal_autocheckpoint = 0")
    try writer.execute("PRAGMA journal_mode = WAL")
    #expect(await commits.next() != nil)
    for id in 1...3 {
      try await Task.sleep(for: .milliseconds(30))
      try writer.execute(SQL(verbatim: "DELETE FROM item WHERE id = \(id)"))
      #expect(await commits.next() != nil)
    }
  }

  @Test func anAttachedFileInRollbackJournalModeSignalsToo() async throws {
    let path = try folder.makeStore("plain.sqlite", journalMode: "DELETE")
    var configuration = configuration
    configuration.usesWAL = false
    configuration.prepareConnection = { try $0.execute("ATTACH ? AS plain", [.text(path)]) }
    let database = try open(configuration)
    var commits = database.commits.makeAsyncIterator()
    for id in 1...3 {
      try await database.write {
        try $0.execute(SQL(verbatim: "DELETE FROM plain.item WHERE id = \(id)"))
      }
      #expect(await commits.next() != nil)
    }
  }

  // MARK: - The life of an observer

  @Test func streamsEndWithTheDatabase() async throws {
    var database: Database? = try open()
    let first = try #require(database).commits
    let second = try #require(database).commits
    database = nil
    for await _ in first {}
    for await _ in second {}
  }

  @Test func aCancelledTaskStopsObserving() async throws {
    let database = try open()
    let commits = database.commits
    let task = Task { for await _ in commits {} }
    task.cancel()
    await task.value
    try delete(1, from: database)
    // And others go on.
    var others = database.commits.makeAsyncIterator()
    try delete(2, from: database)
    #expect(await others.next() != nil)
  }

  @Test func observersCanBeAddedAndRemoved() async throws {
    let database = try open()
    for id in 1...10 {
      var commits = database.commits.makeAsyncIterator()
      try delete(id, from: database)
      #expect(await commits.next() != nil)
    }
  }

  @Test func aDatabaseThatWasObservedLeavesNoFilesOpen() throws {
    guard folder.openDescriptorCount() != nil else { return }
    for _ in 0..<5 {
      var database: Database? = try open()
      let commits = try #require(database).commits
      try delete(1, from: #require(database))
      database = nil
      // A timer of the watch may hold it for a moment.
      let end = ContinuousClock.now + .seconds(30)
      while folder.openDescriptorCount() != 0, .now < end { usleep(1_000) }
      #expect(folder.openDescriptorCount() == 0)
      #expect(try folder.contents() == ["store.sqlite"])
      _ = commits
    }
  }

  // MARK: - Others

  /// Opens the store and observes it with a watch of the system. The system provides few to all
  /// processes of a user, and other tests may have them at present.
  private func openWithWatch() async throws -> (Database, AsyncStream<Void>.Iterator) {
    while true {
      let database = try open()
      let commits = database.commits
      if database.signals.watch.isSignalled { return (database, commits.makeAsyncIterator()) }
      await Task.yield()
    }
  }

  @Test func theSystemSignalsACommitOfAnotherConnection() async throws {
    let (database, stream) = try await openWithWatch()
    defer { withExtendedLifetime(database) {} }
    var commits = stream
    let other = try Connection(path: folder.file())
    // The watch looks for some seconds after the log was written, and a sync can take longer.
    try other.execute("PRAGMA synchronous = OFF")
    for id in 1...10 {
      try other.execute(SQL(verbatim: "DELETE FROM item WHERE id = \(id)"))
      #expect(await commits.next() != nil)
    }
  }

  @Test func theSystemSignalsACommitOfAnotherProcess() async throws {
    let (database, stream) = try await openWithWatch()
    var commits = stream
    let before = try database.snapshot()
    await #expect(processExitsWith: .success) { [path = folder.file() as String] in
      let database = try Database(path: path, configuration: .unsynced)
      try database.write { try $0.execute("DELETE FROM item WHERE id = 1") }
    }
    #expect(await commits.next() != nil)
    #expect(try database.snapshot() !== before)
  }

  @Test func pollingFindsWhatTheSystemDoesNotSignal() async throws {
    let path = folder.file()
    let other = try Connection(path: path)
    let seen = OneShotGate()
    _ = try other.value(Int.self, "SELECT count(*) FROM item")
    let handle = Locked(other)
    // No files to watch: only the timer is left.
    let watch = CommitWatch(paths: [], interval: .milliseconds(1)) {
      handle.withLock { other in
        WALIndexHeader(of: other).map { VersionMark(.log($0.version)) }
      }
    }
    watch.start(after: watch.newestMark()) { seen.open() }
    try Connection(path: path).execute("DELETE FROM item WHERE id = 1")
    await seen.wait()
    watch.stopAndWait()
  }

  @Test func aReaderHearsOfTheWriter() async throws {
    let writer = try open()
    var configuration = configuration
    configuration.pollInterval = .milliseconds(5)
    let reader = try Database(
      path: folder.file(), access: .readOnly, configuration: configuration)
    var commits = reader.commits.makeAsyncIterator()
    for id in 1...5 {
      let before = try reader.snapshot()
      try delete(id, from: writer)
      while try reader.snapshot() === before { #expect(await commits.next() != nil) }
    }
  }

  @Test func noneOfManyCommitsIsLost() async throws {
    let (database, stream) = try await openWithWatch()
    var commits = stream
    let rounds = SeededGenerator.scaled(300)
    let path = folder.file()
    let writing = Task.detached {
      let other = try Connection(path: path)
      try other.setBusyTimeout(.seconds(30))
      try other.execute("PRAGMA synchronous = OFF")
      for round in 1...rounds {
        try other.execute(SQL(verbatim: "INSERT INTO item(name) VALUES ('\(round)')"))
        if round.isMultiple(of: 10) { await Task.yield() }
      }
    }
    var count = 0
    while count < rounds + 10 {
      #expect(await commits.next() != nil)
      count = try database.snapshot().read {
        try $0.value(Int.self, "SELECT count(*) FROM item") ?? 0
      }
    }
    try await writing.value
    #expect(count == rounds + 10)
  }

  // MARK: - The watch

  /// A mark of a made-up version; nil for a version that cannot be told.
  private func watch(of version: Locked<Int64?>) -> CommitWatch {
    CommitWatch(paths: [], interval: nil) {
      version.withLock { $0 }.map { VersionMark(.status([$0])) }
    }
  }

  @Test func aCommitBeforeTheFirstLookIsFound() {
    let watch = watch(of: Locked(2))
    let found = Locked(0)
    watch.start(after: VersionMark(.status([1]))) { found.withLock { $0 += 1 } }
    watch.stopAndWait()
    #expect(found.withLock { $0 } == 1)
  }

  @Test func anOwnCommitIsNotReportedAgain() async {
    let version = Locked<Int64?>(nil)
    let watch = watch(of: version)
    let signals = CommitSignals(watch: watch)
    var commits = signals.observe().stream.makeAsyncIterator()
    signals.commitEnded(at: VersionMark(.status([1])))
    #expect(await commits.next() != nil)
    version.withLock { $0 = 1 }
    signals.look()
    watch.stopAndWait()
    signals.finish()
    #expect(await commits.next() == nil)
  }

  @Test func theOtherObserversAreNotifiedWhenOneIsRemoved() async {
    let version = Locked<Int64>(1)
    let looks = DispatchSemaphore(value: 0)
    let watch = CommitWatch(paths: [], interval: nil) {
      defer { looks.signal() }
      return VersionMark(.status([version.withLock { $0 }]))
    }
    let signals = CommitSignals(watch: watch)
    var first: AsyncStream<Void>? = signals.observe().stream
    var second = signals.observe().stream.makeAsyncIterator()
    // Two before there were observers, and the first of the watch's own.
    #expect((0..<3).allSatisfy { _ in looks.wait(timeout: .now() + .seconds(60)) == .success })
    _ = first
    first = nil
    version.withLock { $0 = 2 }
    signals.look()
    watch.stopAndWait()
    signals.finish()
    #expect(await second.next() != nil)
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(-1), .nanoseconds(1)])
  func anyIntervalIsAccepted(_ interval: Duration) async throws {
    let folder = try TestFolder()
    var configuration = Database.Configuration()
    configuration.pollInterval = interval
    let database = try Database(path: try folder.makeStore(), configuration: configuration)
    var commits = database.commits.makeAsyncIterator()
    try await database.write { try $0.execute("DELETE FROM item WHERE id = 1") }
    #expect(await commits.next() != nil)
  }
}
