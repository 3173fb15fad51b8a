import CLibrary
import Foundation
import Testing

@testable import SQLiteStorage

/// A file that is removed or replaced under those who use it.
@Suite(.timeLimit(.minutes(5))) struct FileReplacedTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func open(_ journalMode: String = "WAL") throws -> Database {
    let path = try folder.makeStore("a.sqlite", journalMode: journalMode)
    var configuration = Database.Configuration.checkingFilesAlways
    configuration.usesWAL = journalMode == "WAL"
    return try Database(path: path, configuration: configuration)
  }

  @Test(arguments: ["WAL", "DELETE"])
  func readingTheNewestVersionOfARemovedFileIsAnError(journalMode: String) throws {
    let database = try open(journalMode)
    let before = try database.snapshot()
    try FileManager.default.removeItem(atPath: database.path)
    let error = databaseError { _ = try database.snapshot() }
    #expect(error?.code == .fileReplaced)
    #expect(error?.message == "the file was replaced or removed: \(database.path)")
    func count() throws -> Int? {
      try before.read { try $0.value(Int.self, "SELECT count(*) FROM item") }
    }
    // What is pinned can still be read.
    if journalMode == "WAL" {
      #expect(try count() == 3)
    } else {
      #expect(databaseError { _ = try count() }?.code == .fileReplaced)
    }
  }

  @Test(arguments: ["WAL", "DELETE"], [-9_000_000_000, 0, 10_413_792_000, 9_000_000_000_000])
  func aFileMayHaveAnyTime(journalMode: String, seconds: Double) throws {
    let database = try open(journalMode)
    let path = database.path
    try database.write { try $0.execute("DELETE FROM item WHERE id = 1") }
    for name in [path, path + "-wal", path + "-shm"]
    where FileManager.default.fileExists(atPath: name) {
      // Some file systems store an earlier or later time than this.
      var times = [timespec(), timespec()]
      for index in times.indices { times[index].tv_sec = time_t(seconds) }
      #expect(utimensat(AT_FDCWD, name, times, 0) == 0)
    }
    let other = try Database(path: path, access: .readOnly)
    #expect(try other.snapshot().read { try $0.value(Int.self, "SELECT count(*) FROM item") } == 2)
  }

  @Test func aWriteThatWouldBeLostIsRefused() async throws {
    let database = try open()
    let path = folder.file("b.sqlite")
    try FileManager.default.moveItem(atPath: database.path, toPath: path)
    let delete = "DELETE FROM item WHERE id = 1"
    let error = databaseError { try database.write { try $0.execute(delete) } }
    #expect(error?.code == .fileReplaced)
    await #expect(throws: DatabaseError.self) {
      try await database.write { try $0.execute(delete) }
    }
    // Put back, it goes on.
    try FileManager.default.moveItem(atPath: path, toPath: database.path)
    try await database.write { try $0.execute(delete) }
    #expect(try await database.read { try $0.value(Int.self, "SELECT count(*) FROM item") } == 2)
  }

  /// A file without WAL mode is read by new connections, which would find another file.
  @Test(arguments: ["WAL", "DELETE"], [Connection.Access.readWrite, .readOnly])
  func readingARemovedOrReplacedFileIsAnError(
    journalMode: String, access: Connection.Access
  ) async throws {
    let path = try folder.makeStore("a.sqlite", journalMode: journalMode)
    let other = try folder.makeStore("b.sqlite", journalMode: journalMode, rows: 5)
    var configuration = Database.Configuration.checkingFilesAlways
    configuration.usesWAL = journalMode == "WAL"
    let database = try Database(path: path, access: access, configuration: configuration)
    let count = { @Sendable (connection: Connection) in
      try connection.value(Int.self, "SELECT count(*) FROM item")
    }
    for isReplaced in [false, true] {
      #expect(try await database.read(count) == 3)
      try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
      if isReplaced { try FileManager.default.copyItem(atPath: other, toPath: path) }
      let error = databaseError { _ = try database.read(count) }
      #expect(error?.code == .fileReplaced)
      #expect(error?.message == "the file was replaced or removed: \(path)")
      let second = await #expect(throws: DatabaseError.self) { try await database.read(count) }
      #expect(second?.code == .fileReplaced)
      if isReplaced { try FileManager.default.removeItem(atPath: path) }
      // Put back, it goes on.
      try FileManager.default.moveItem(atPath: path + ".old", toPath: path)
      #expect(try await database.read(count) == 3)
    }
  }

  @Test(arguments: ["-wal", "-shm"])
  func readingWithoutTheLogIsAnError(suffix: String) throws {
    let database = try open()
    try FileManager.default.removeItem(atPath: database.path + suffix)
    #expect(databaseError { _ = try database.read { _ in } }?.code == .fileReplaced)
  }

  @Test(arguments: ["WAL", "DELETE"])
  func readingAReplacedAttachedFileIsAnError(journalMode: String) throws {
    let attached = try folder.makeStore("b.sqlite", journalMode: journalMode)
    var configuration = Database.Configuration.checkingFilesAlways
    configuration.usesWAL = journalMode == "WAL"
    configuration.prepareConnection = { try $0.execute("ATTACH ? AS other", [.text(attached)]) }
    let database = try Database(
      path: try folder.makeStore("a.sqlite", journalMode: journalMode),
      configuration: configuration)
    try FileManager.default.removeItem(atPath: attached)
    try folder.makeStore("b.sqlite", journalMode: journalMode, rows: 5)
    let error = databaseError {
      _ = try database.read { try $0.value(Int.self, "SELECT count(*) FROM other.item") }
    }
    #expect(error?.code == .fileReplaced)
    #expect(error?.message == "the file was replaced or removed: other")
  }

  @Test func observersAreWoken() async throws {
    let database = try open()
    var commits = database.commits.makeAsyncIterator()
    try FileManager.default.removeItem(atPath: database.path)
    #expect(await commits.next() != nil)
    #expect(databaseError { _ = try database.snapshot() }?.code == .fileReplaced)
  }

  @Test(arguments: [false, true])
  func aReadReliesOnTheCheckOfAMomentAgo(isReplaced: Bool) throws {
    let path = try folder.makeStore("a.sqlite")
    var configuration = Database.Configuration()
    configuration.fileCheckInterval = .seconds(Int64.max)
    let database = try Database(path: path, configuration: configuration)
    let other = try folder.makeStore("b.sqlite", rows: 5)
    let count = "SELECT count(*) FROM item" as SQL
    let snapshot = try database.snapshot()
    // Another connection, which is kept for the next read.
    #expect(try database.read { try $0.value(Int.self, count) } == 3)
    try FileManager.default.removeItem(atPath: path)
    if isReplaced { try FileManager.default.moveItem(atPath: other, toPath: path) }
    // The file that was there is still open.
    #expect(try database.read { try $0.value(Int.self, count) } == 3)
    #expect(try database.snapshot() === snapshot)
    // A new connection would open the other one.
    let error = databaseError {
      try database.read { _ in _ = try database.read { try $0.value(Int.self, count) } }
    }
    #expect(error?.code == .fileReplaced)
    // What a write finds holds for the reads after it.
    #expect(databaseError { try database.write { _ in } }?.code == .fileReplaced)
    #expect(databaseError { _ = try database.snapshot() }?.code == .fileReplaced)
    #expect(databaseError { _ = try database.read { _ in } }?.code == .fileReplaced)
  }

  @Test func aReadNoticesARemovedFileAfterTheInterval() throws {
    let database = try Database(path: try folder.makeStore("a.sqlite"))
    _ = try database.snapshot()
    try FileManager.default.removeItem(atPath: database.path)
    Thread.sleep(forTimeInterval: 0.025)
    #expect(databaseError { _ = try database.snapshot() }?.code == .fileReplaced)
  }

  // MARK: - The log

  @Test(arguments: ["-wal", "-shm"], [Connection.Access.readWrite, .readOnly])
  func aLogThatIsRemovedIsAnError(suffix: String, access: Connection.Access) async throws {
    let path = try folder.makeStore("a.sqlite")
    let database = try Database(
      path: path, access: access, configuration: .checkingFilesAlways)
    let before = try database.snapshot()
    var commits = database.commits.makeAsyncIterator()
    try FileManager.default.removeItem(atPath: path + suffix)
    #expect(await commits.next() != nil)
    let error = databaseError { _ = try database.snapshot() }
    #expect(error?.code == .fileReplaced)
    #expect(error?.message == "the file was replaced or removed: \(path)\(suffix)")
    #expect(try before.read { try $0.value(Int.self, "SELECT count(*) FROM item") } == 3)
    guard access == .readWrite else { return }
    let refusal = databaseError { try database.write { try $0.execute("DELETE FROM item") } }
    #expect(refusal?.code == .fileReplaced)
  }

  @Test func aLogThatIsPutInItsPlaceIsAnErrorToo() throws {
    let database = try open()
    _ = try database.snapshot()
    let path = database.path + "-wal"
    try FileManager.default.copyItem(atPath: path, toPath: path + "2")
    try #require(rename(path + "2", path) == 0)
    #expect(databaseError { _ = try database.snapshot() }?.code == .fileReplaced)
  }

  @Test func closingDoesNotUndoWhatOthersHaveWrittenSinceTheLogWasRemoved() async throws {
    let path = try folder.makeStore("a.sqlite")
    var held: (Database, Snapshot)? = try snapshot(after: "UPDATE item SET name = 'lost'", at: path)
    for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
    // Another process, for which the files that are gone do not exist.
    await #expect(processExitsWith: .success) { [path = path as String] in
      try Connection(path: path).execute("INSERT INTO item(name) VALUES ('kept')")
    }
    #expect(try held?.1.read { try $0.value(Int.self, "SELECT count(*) FROM item") } == 3)
    held = nil
    let names = try Connection(path: path).rows("SELECT name FROM item").map { $0["name"] }
    #expect(names == ["item 1", "item 2", "item 3", "kept"])
  }

  /// The connections of one process share their WAL-index. So a second database would use the one
  /// that was removed, for a log that it does not describe.
  @Test(arguments: ["UPDATE item SET name = 'lost'", "CREATE TABLE lost(id)"])
  func aRemovedLogThatIsStillOpenIsAnErrorOfTheNextOpening(sql: String) async throws {
    let path = try folder.makeStore("a.sqlite")
    var held: (Database, Snapshot)? = try snapshot(after: SQL(verbatim: sql), at: path)
    for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
    let expected = "this process still uses a removed or replaced file: \(path)-shm"
    for isNew in [false, true] {
      if isNew {
        await #expect(processExitsWith: .success) { [path = path as String] in
          try Connection(path: path).execute("INSERT INTO item(name) VALUES ('kept')")
        }
      }
      for access in [Connection.Access.readWrite, .readOnly] {
        let error = databaseError { _ = try Database(path: path, access: access) }
        #expect(error?.code == .fileReplaced)
        #expect(error?.message == expected)
      }
    }
    #expect(try held?.1.read { try $0.value(Int.self, "SELECT count(*) FROM item") } == 3)
    held = nil
    let database = try Database(path: path, access: .readOnly)
    let names = try await database.read { try $0.values(String.self, "SELECT name FROM item") }
    #expect(names == ["item 1", "item 2", "item 3", "kept"])
  }

  @Test func aLogThatWasRemovedAloneIsAnErrorToo() throws {
    let path = try folder.makeStore("a.sqlite")
    let held = try snapshot(after: "UPDATE item SET name = 'lost'", at: path)
    try FileManager.default.removeItem(atPath: path + "-wal")
    let error = databaseError { _ = try Database(path: path, access: .readOnly) }
    #expect(error?.message == "this process still uses a removed or replaced file: \(path)-wal")
    withExtendedLifetime(held) {}
  }

  @Test func anAttachedLogThatIsStillOpenIsAnErrorToo() throws {
    let path = try folder.makeStore("a.sqlite")
    let held = try snapshot(after: "UPDATE item SET name = 'lost'", at: path)
    for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
    var configuration = Database.Configuration.checkingFilesAlways
    configuration.prepareConnection = {
      try $0.execute("ATTACH ? AS other", [.text(path)])
    }
    let main = try folder.makeStore("b.sqlite")
    let error = databaseError {
      _ = try Database(path: main, access: .readOnly, configuration: configuration)
    }
    let expected = "this process still uses a removed or replaced file: \(path)-shm"
    #expect(error?.message == expected)
    withExtendedLifetime(held) {}
  }

  @Test func theNextOpeningWaitsUntilARemovedLogIsClosed() throws {
    let path = try folder.makeStore("a.sqlite")
    let held = Locked<(Database, Snapshot)?>(
      try snapshot(after: "UPDATE item SET name = 'lost'", at: path))
    for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
    Thread.detachNewThread {
      usleep(5_000)
      let last = held.withLock { held in
        defer { held = nil }
        return held
      }
      withExtendedLifetime(last) {}
    }
    let database = try Database(path: path, configuration: .checkingFilesAlways)
    try database.write { try $0.execute("DELETE FROM item WHERE id = 1") }
    #expect(try database.read { try $0.value(Int.self, "SELECT count(*) FROM item") } == 2)
  }

  private func snapshot(after sql: SQL, at path: String) throws -> (Database, Snapshot) {
    let database = try Database(path: path, configuration: .checkingFilesAlways)
    try database.write { try $0.execute(sql) }
    return (database, try database.snapshot())
  }
}

extension Database.Configuration {
  fileprivate static var checkingFilesAlways: Database.Configuration {
    var configuration = Database.Configuration()
    configuration.fileCheckInterval = .zero
    return configuration
  }
}
