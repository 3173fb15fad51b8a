import Testing

@testable import SQLiteStorage

/// Commits that are in the log of a file whose versions are not pinned, but not in its WAL-index yet.
@Suite(.timeLimit(.minutes(1))) struct VisibleLogsTests {
  private let folder: TestFolder
  private let writer: Connection

  init() throws {
    folder = try TestFolder()
    // The log is removed with the last connection.
    try Connection(path: folder.file(), access: .readWriteCreate).execute(
      script: "PRAGMA journal_mode = WAL; CREATE TABLE item(id INTEGER PRIMARY KEY)")
    try Connection(path: folder.file("other"), access: .readWriteCreate)
      .execute("CREATE TABLE more(a)")
    writer = try Connection(path: folder.file(), access: .readWrite)
    _ = try writer.value(Int.self, "SELECT count(*) FROM item")
  }

  /// A commit whose writer has written the log, and not the WAL-index.
  private struct HiddenCommit {
    private let memory: UnsafeMutableRawBufferPointer
    private let published: [UInt8]

    /// Commits, and writes the former header of the WAL-index again.
    init(_ sql: SQL, by writer: Connection) throws {
      let index = try #require(writer.walIndex?.region(0)).prefix(2 * WALHeader.size)
      // SQLite has mapped the file for writing.
      memory = UnsafeMutableRawBufferPointer(mutating: .init(rebasing: index))
      let former = Array(memory)
      try writer.execute(sql)
      published = Array(memory)
      memory.copyBytes(from: former)
    }

    func publish() { memory.copyBytes(from: published) }
  }

  /// A database with an attached file, whose versions are not pinned.
  private func database() throws -> Database {
    var configuration = Database.Configuration()
    configuration.pollInterval = .milliseconds(20)
    configuration.prepareConnection = { [path = folder.file("other")] connection in
      try connection.execute("ATTACH \(path) AS other")
    }
    let database = try Database(path: folder.file(), configuration: configuration)
    try #require(database.snapshotKind == .released)
    return database
  }

  /// Also the first commit of a log, and those after it.
  @Test func aVersionThatWasReadBeforeACommitWasVisibleIsNotTheNewest() throws {
    let database = try database()
    for number in 0..<3 {
      let commit = try HiddenCommit("INSERT INTO item DEFAULT VALUES", by: writer)
      let before = try database.snapshot()
      #expect(try count(before) == number)
      #expect(try database.snapshot() === before)
      commit.publish()
      let error = #expect(throws: DatabaseError.self) { try count(before) }
      #expect(error?.code == .versionExpired)
      let after = try database.snapshot()
      #expect(after !== before)
      #expect(try count(after) == number + 1)
      #expect(database.isNewest(after))
    }
  }

  @Test func observersAreNotifiedWhenACommitIsVisible() async throws {
    let database = try database()
    var commits = database.commits.makeAsyncIterator()
    let commit = try HiddenCommit("INSERT INTO item DEFAULT VALUES", by: writer)
    await commits.next()
    let before = try database.snapshot()
    #expect(try count(before) == 0)
    commit.publish()
    while try count(database.snapshot()) == 0 { await commits.next() }
    #expect(!database.isNewest(before))
  }

  @Test func whatIsNoCommitIsNotWaitedFor() throws {
    func logs() throws -> VisibleLogs {
      let reader = try Connection(path: folder.file(), access: .readOnly)
      try reader.execute("BEGIN")
      _ = try reader.value(Int.self, "SELECT count(*) FROM item")
      return try #require(try VisibleLogs(of: ["main"], seenBy: reader))
    }
    #expect(try logs().isComplete)
    let commit = try HiddenCommit("INSERT INTO item DEFAULT VALUES", by: writer)
    let before = try logs()
    #expect(!before.isComplete)
    commit.publish()
    #expect(try logs().isComplete)
    #expect(try !logs().hasSameFrames(as: before))
    // A transaction that is rolled back after it was too large for the cache.
    try writer.execute(
      script: """
        PRAGMA cache_size = 2; BEGIN; CREATE TABLE large(a);
        INSERT INTO large SELECT zeroblob(9000) FROM (VALUES (1), (2), (3), (4), (5)); ROLLBACK;
        """)
    #expect(try logs().isComplete)
    // Frames of an earlier log.
    _ = try writer.rows("PRAGMA wal_checkpoint(RESTART)")
    #expect(try logs().isComplete)
    try writer.execute("INSERT INTO item DEFAULT VALUES")
    #expect(try logs().isComplete)
  }
}
