import CLibrary
import Foundation
import Testing

@testable import SQLiteStorage

@Suite struct OpenedFileTests {
  private func count(_ database: Database) throws -> Int? {
    try database.read { try $0.value(Int.self, "SELECT count(*) FROM item") }
  }

  // MARK: - What the file is

  @Test func aNewFileIsMadeInWALMode() throws {
    let folder = try TestFolder()
    let database = try Database(path: folder.file())
    #expect(database.snapshotKind == .pinned)
    #expect(database.path == folder.file())
    #expect(try database.read { try $0.value(String.self, "PRAGMA journal_mode") } == "wal")
  }

  @Test func aFileInRollbackJournalModeIsSwitchedByDefault() throws {
    let folder = try TestFolder()
    let path = try folder.makeStore(journalMode: "DELETE")
    var configuration = Database.Configuration()
    configuration.usesWAL = false
    #expect(try Database(path: path, configuration: configuration).snapshotKind == .released)
    #expect(try Database(path: path, access: .readOnly).snapshotKind == .released)
    #expect(try folder.contents() == ["store.sqlite"])
    #expect(try Database(path: path).snapshotKind == .pinned)
    #expect(
      try Database(path: path, configuration: configuration).snapshotKind == .pinned,
      "a file that is in WAL mode stays there")
  }

  @Test func aFileIsPinnedAlsoWhileAnotherProcessWritesTheHeaderOfItsIndex() throws {
    let folder = try TestFolder()
    let path = try folder.makeStore()
    let traces = Locked<[StatementTrace]>([])
    let isHalfWritten = Flag()
    var configuration = Database.Configuration()
    configuration.prepareConnection = { connection in
      let trace = try StatementTrace(of: connection) { [unowned connection] sql in
        // What is read last before the index is looked for.
        guard sql == "PRAGMA database_list", !isHalfWritten.isSet,
          let header = connection.walIndex?.region(0)?.baseAddress
        else { return }
        // Both copies of the header must be equal to be read.
        UnsafeMutableRawPointer(mutating: header)
          .storeBytes(of: .max, toByteOffset: WALHeader.size + 8, as: UInt32.self)
        if WALIndexHeader(of: connection) == nil { isHalfWritten.set() }
      }
      traces.withLock { $0.append(trace) }
    }
    let database = try Database(path: path, access: .readOnly, configuration: configuration)
    #expect(isHalfWritten.isSet)
    #expect(database.snapshotKind == .pinned)
    #expect(try count(database) == 3)
  }

  @Test func aMissingFileIsNamed() throws {
    let folder = try TestFolder()
    for access in [Connection.Access.readWrite, .readOnly, .immutable] {
      let error = databaseError { _ = try Database(path: folder.file(), access: access) }
      #expect(error?.resultCode == .cannotOpen)
      #expect(error?.message == "there is no such file: \(folder.file())")
    }
    #expect(try folder.contents().isEmpty)
  }

  @Test func aMissingFolderIsAnError() throws {
    let folder = try TestFolder()
    let error = databaseError { _ = try Database(path: folder.file("missing/store.sqlite")) }
    #expect(error.map { .cannotOpen ~= $0.resultCode } == true)
    #expect(error?.message.contains("missing/store.sqlite") == true)
  }

  @Test(arguments: ["", "a\u{0}b"]) func aPathThatNamesNoFileIsRefused(_ path: String) {
    let error = databaseError { _ = try Database(path: path) }
    #expect(error?.resultCode == .cannotOpen)
  }

  @Test func aFolderIsNoDatabase() throws {
    let folder = try TestFolder()
    let error = databaseError { _ = try Database(path: folder.path) }
    #expect(error?.resultCode == .cannotOpen)
    #expect(error?.message == "it is a folder, not a database: \(folder.path)")
  }

  @Test(arguments: [Connection.Access.readWriteCreate, .readWrite, .readOnly, .immutable])
  func aFileThatIsNoDatabaseIsLeftAlone(_ access: Connection.Access) throws {
    let folder = try TestFolder()
    let text = Data(String(repeating: "no database, just text\n", count: 500).utf8)
    try text.write(to: URL(filePath: folder.file()))
    let error = databaseError { _ = try Database(path: folder.file(), access: access) }
    #expect(error?.resultCode == .notADatabase)
    #expect(error?.nextStep != nil)
    #expect(try folder.bytes() == text)
    #expect(try folder.contents() == ["store.sqlite"])
  }

  @Test func aPipeIsReadOnce() async throws {
    let folder = try TestFolder()
    try folder.makeStore(journalMode: "DELETE")
    let (bytes, pipe) = (try folder.bytes(), folder.file("pipe"))
    try #require(mkfifo(pipe, 0o600) == 0)
    // Opening a pipe waits for the other end.
    let writer = Thread { FileHandle(forWritingAtPath: pipe)?.write(bytes) }
    writer.start()
    let database = try Database(path: pipe, access: .readOnly)
    #expect(try count(database) == 3)
    #expect(database.path == pipe)
    let error = databaseError { _ = try Database(path: pipe) }
    #expect(error?.message == "a pipe can only be read: \(pipe)")
  }

  @Test func anEmptyFileIsAnEmptyDatabase() throws {
    let folder = try TestFolder()
    try Data().write(to: URL(filePath: folder.file()))
    for access in [Connection.Access.readOnly, .readWrite] {
      let database = try Database(path: folder.file(), access: access)
      #expect(try database.read { try $0.tables() }.isEmpty)
    }
  }

  @Test func aTruncatedFileIsCorrupt() throws {
    let folder = try TestFolder()
    let path = try folder.makeStore(journalMode: "DELETE", rows: 5_000)
    let whole = try folder.bytes()
    try whole.prefix(whole.count / 2).write(to: URL(filePath: path))
    let error = databaseError {
      let database = try Database(path: path, access: .readOnly)
      _ = try database.read { try $0.rows("SELECT * FROM item") }
    }
    #expect(error.map { .corrupt ~= $0.resultCode } == true)
    #expect(error?.nextStep?.contains("integrity_check") == true)
  }

  @Test func aCorruptPageIsFoundWhenItIsRead() throws {
    let folder = try TestFolder()
    let path = try folder.makeStore(journalMode: "DELETE", rows: 5_000)
    var bytes = try folder.bytes()
    // Everything but the first page, which holds the schema.
    for offset in 4_096..<bytes.count { bytes[offset] = UInt8(truncatingIfNeeded: offset &* 7) }
    try bytes.write(to: URL(filePath: path))
    let database = try Database(path: path, access: .readOnly)
    let error = databaseError {
      _ = try database.read { try $0.rows("SELECT * FROM item") }
    }
    #expect(error.map { .corrupt ~= $0.resultCode } == true)
    #expect(try database.read { try $0.value(Int.self, "SELECT 1") } == 1)
  }

  @Test func aLockHeldBeyondTheTimeoutIsReported() throws {
    let folder = try TestFolder()
    let path = try folder.makeStore(journalMode: "DELETE")
    let other = try Connection(path: path)
    try other.execute("BEGIN EXCLUSIVE")
    var configuration = Database.Configuration()
    configuration.busyTimeout = .milliseconds(30)
    for access in [Connection.Access.readOnly, .readWrite] {
      let error = databaseError {
        _ = try Database(path: path, access: access, configuration: configuration)
      }
      #expect(error.map { .busy ~= $0.resultCode } == true)
    }
    try other.execute("COMMIT")
    let database = try Database(path: path, configuration: configuration)
    try other.execute("BEGIN IMMEDIATE")
    let error = databaseError { try database.write { try $0.execute("DELETE FROM item") } }
    #expect(error.map { .busy ~= $0.resultCode } == true)
    #expect(try count(database) == 3, "reading goes on beside another writer")
    try other.execute("COMMIT")
    try database.write { try $0.execute("DELETE FROM item") }
  }

  @Test func manyThreadsMayOpenANewFileAtOnce() async throws {
    let folder = try TestFolder()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let database = try Database(path: folder.file())
          try await database.write { connection in
            try connection.execute("CREATE TABLE IF NOT EXISTS t(x)")
            try connection.execute(SQL(verbatim: "INSERT INTO t VALUES (\(number))"))
          }
        }
      }
      try await group.waitForAll()
    }
    let connection = try Connection(path: folder.file())
    #expect(try connection.value(Int.self, "SELECT count(*) FROM t") == 8)
  }

  // MARK: - Where the file is

  @Test(arguments: ConnectionTests.fileNames) func anyNameIsTheNameOfTheFile(_ name: String) throws
  {
    let folder = try TestFolder()
    var database: Database? = try Database(path: folder.file(name))
    try database?.write { try $0.execute("CREATE TABLE t(x)") }
    _ = try database?.snapshot()
    #expect(try folder.contents() == [name, name + "-shm", name + "-wal"].sorted())
    database = nil
    for access in [Connection.Access.readOnly, .immutable] {
      let reader = try Database(path: folder.file(name), access: access)
      #expect(try reader.snapshot().read { try $0.table(named: "t") } != nil)
    }
    #expect(try folder.contents() == [name])
  }

  @Test func aRelativePathIsThatOfTheFolderInWhichItWasOpened() async throws {
    let folder = try TestFolder()
    // The current folder belongs to the whole process, so another one is used.
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      #expect(FileManager.default.changeCurrentDirectoryPath(path))
      let database = try Database(path: "file:store.sqlite")
      #expect(FileManager.default.changeCurrentDirectoryPath("/"))
      try database.withWriter { try $0.execute("CREATE TABLE t(x)") }
      let snapshots = try [1, 2, 3].map { number in
        try database.withWriter {
          try $0.execute(SQL(verbatim: "INSERT INTO t VALUES (\(number))"))
        }
        return try database.snapshot()
      }
      let counts = try snapshots.map { snapshot in
        try snapshot.read { try $0.value(Int.self, "SELECT count(*) FROM t") }
      }
      #expect(counts == [1, 2, 3])
    }
    #expect(try folder.contents() == ["file:store.sqlite"])
  }

  @Test func aLinkLeadsToTheFileAndItsLog() throws {
    let folder = try TestFolder()
    try FileManager.default.createDirectory(
      atPath: folder.file("real"), withIntermediateDirectories: false)
    let path = try folder.makeStore("real/store.sqlite")
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link"), withDestinationPath: path)
    let before = try folder.bytes(of: "real/store.sqlite")
    for access in [Connection.Access.readOnly, .immutable] {
      let database = try Database(path: folder.file("link"), access: access)
      #expect(try count(database) == 3)
      #expect(database.path == folder.file("link"))
    }
    #expect(try folder.contents() == ["link", "real"])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.file("real")) == ["store.sqlite"])
    #expect(try folder.bytes(of: "real/store.sqlite") == before)
  }

  // MARK: - Leaving no trace

  @Test func aReadOnlyVisitLeavesTheFolderAsItFoundIt() throws {
    let folder = try TestFolder()
    let path = try folder.makeStore()
    let before = try folder.bytes()
    #expect(try folder.contents() == ["store.sqlite"])
    do {
      let database = try Database(path: path, access: .readOnly)
      #expect(database.snapshotKind == .pinned)
      let snapshot = try database.snapshot()
      #expect(try count(database) == 3)
      #expect(try snapshot.read { try $0.value(Int.self, "SELECT count(*) FROM item") } == 3)
    }
    #expect(try folder.contents() == ["store.sqlite"])
    #expect(try folder.bytes() == before)
  }

  @Test func aReadOnlyVisitTakesNothingFromWhoWrites() throws {
    let folder = try TestFolder()
    let writer = try Database(path: try folder.makeStore())
    try writer.write { try $0.execute("DELETE FROM item WHERE id = 1") }
    do {
      let reader = try Database(path: folder.file(), access: .readOnly)
      #expect(try count(reader) == 2)
    }
    #expect(try folder.contents().count == 3)
    try writer.write { try $0.execute("DELETE FROM item WHERE id = 2") }
    #expect(try count(writer) == 1)
  }

  @Test func aReadOnlyVisitDoesNotCopyWhatAnotherProgramHasWritten() throws {
    let folder = try TestFolder()
    let path = try folder.makeStore()
    let before = try folder.bytes()
    do {
      let database = try Database(path: path, access: .readOnly)
      #expect(try count(database) == 3)
      do {
        let other = try Connection(path: path)
        try other.keepLogWhenClosed()
        try other.execute("DELETE FROM item WHERE id = 1")
      }
      #expect(try count(database) == 2)
    }
    #expect(try folder.bytes() == before)
    #expect(folder.size(of: "store.sqlite-wal") > 0)
    #expect(try count(Database(path: path, access: .readOnly)) == 2)
  }

  @Test(arguments: [false, true])
  func aReadOnlyVisitSeesTheLogThatACrashLeft(copiesLongLogs: Bool) throws {
    let folder = try TestFolder()
    try folder.makeStore("origin.sqlite")
    // What a crash leaves: the file and its log, and nobody who has them open.
    let origin = try Connection(path: folder.file("origin.sqlite"))
    try origin.execute("DELETE FROM item WHERE id = 1")
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: folder.file("origin.sqlite" + suffix), toPath: folder.file() + suffix)
    }
    let before = (try folder.bytes(), try folder.bytes(of: "store.sqlite-wal"))
    var configuration = Database.Configuration()
    configuration.copiesLongLogs = copiesLongLogs
    do {
      let database = try Database(
        path: folder.file(), access: .readOnly, configuration: configuration)
      #expect(try count(database) == 2)
      _ = try database.snapshot()
    }
    #expect(try folder.bytes() == before.0)
    #expect(try folder.bytes(of: "store.sqlite-wal") == before.1)
  }

  @Test(arguments: [false, true])
  func aReadOnlyVisitCopiesALongLogIfConfigured(copiesLongLogs: Bool) throws {
    let folder = try TestFolder()
    let other = try Connection(path: try folder.makeStore())
    try other.execute("PRAGMA wal_autocheckpoint = 0")
    var configuration = Database.Configuration()
    configuration.copiesLongLogs = copiesLongLogs
    configuration.checkpointThreshold = 5
    let database = try Database(
      path: folder.file(), access: .readOnly, configuration: configuration)
    var held = try database.snapshot()
    var longest = 0
    for round in 0..<200 {
      try other.execute(SQL(verbatim: "UPDATE item SET name = '\(round)' WHERE id = 1"))
      held = try database.snapshot()
      _ = try database.snapshot()
      longest = max(longest, try #require(WALIndexHeader(of: other)).frameCount)
    }
    #expect(try held.read { try $0.value(String.self, "SELECT name FROM item") } == "199")
    #expect(copiesLongLogs ? longest <= 40 : longest == 200)
  }

  @Test func aReadOnlyVisitSeesPastAnUnfinishedTransaction() throws {
    let folder = try TestFolder()
    let path = try folder.makeStore("origin.sqlite", journalMode: "DELETE", rows: 2_000)
    let origin = try Connection(path: path)
    try origin.execute("PRAGMA cache_size = 1")
    try origin.execute("BEGIN")
    // More than the cache holds, so that it is in the file already.
    try origin.execute("UPDATE item SET name = 'unfinished'")
    for suffix in ["", "-journal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: folder.file() + suffix)
    }
    let before = try folder.bytes()
    let database = try Database(path: folder.file(), access: .readOnly)
    #expect(try count(database) == 2_000)
    let unfinished = try database.read {
      try $0.value(Int.self, "SELECT count(*) FROM item WHERE name = 'unfinished'")
    }
    #expect(unfinished == 0)
    #expect(try folder.bytes() == before)
    #expect(database.path == folder.file())
  }

  /// A program died, and another one goes on with the file.
  @Test func anUnfinishedTransactionThatIsUndoneMeansAnotherFile() async throws {
    let folder = try TestFolder()
    let path = try folder.makeStore("origin.sqlite", journalMode: "DELETE", rows: 2_000)
    let origin = try Connection(path: path)
    try origin.execute("PRAGMA cache_size = 1")
    try origin.execute("BEGIN")
    try origin.execute("UPDATE item SET name = 'unfinished'")
    for suffix in ["", "-journal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: folder.file() + suffix)
    }
    let database = try Database(path: folder.file(), access: .readOnly)
    var commits = database.commits.makeAsyncIterator()
    #expect(try count(database) == 2_000)
    try Connection(path: folder.file(), access: .readWrite)
      .execute("DELETE FROM item WHERE id = 1")
    await commits.next()
    let error = databaseError { _ = try database.snapshot() }
    #expect(error?.code == .fileReplaced)
    #expect(error?.message.contains("has changed since") == true)
    #expect(try count(Database(path: folder.file(), access: .readOnly)) == 1_999)
  }

  @Test func anErrorSaysThatATransactionMustBeUndone() throws {
    let folder = try TestFolder()
    let path = try folder.makeStore("origin.sqlite", journalMode: "DELETE", rows: 2_000)
    try folder.makeStore(journalMode: "DELETE")
    let database = try Database(path: folder.file(), access: .readOnly)
    let origin = try Connection(path: path)
    try origin.execute(script: "PRAGMA cache_size = 1; BEGIN; UPDATE item SET name = 'unfinished'")
    for suffix in ["", "-journal"] {
      try folder.bytes(of: "origin.sqlite" + suffix)
        .write(to: URL(filePath: folder.file() + suffix))
    }
    let error = databaseError { _ = try count(database) }
    #expect(error.map { .readOnly ~= $0.resultCode } == true)
    #expect(error?.message.contains("in the middle of a transaction") == true)
    #expect(error?.nextStep?.contains("undoes") == true)
    try Connection(path: folder.file(), access: .readWrite)
      .execute("DELETE FROM item WHERE id = 1")
    #expect(try count(database) == 1_999)
  }

  /// What another process has written to the old file is in the log that is beside the new one.
  @Test func theLogOfAReplacedFileIsNotCopiedIntoTheNewOne() throws {
    let folder = try TestFolder()
    let path = try folder.makeStore()
    try folder.makeStore("new.sqlite", journalMode: "DELETE")
    let new = try folder.bytes(of: "new.sqlite")
    do {
      let reader = try Database(path: path, access: .readOnly)
      #expect(try count(reader) == 3)
      do {
        let other = try Connection(path: path)
        try other.keepLogWhenClosed()
        try other.execute("UPDATE item SET name = 'old'")
      }
      #expect(folder.size(of: "store.sqlite-wal") > 0)
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.moveItem(atPath: folder.file("new.sqlite"), toPath: path)
    }
    #expect(try folder.bytes() == new)
  }

  /// Copying a file closes a descriptor of it, which would release the locks of this process.
  @Test func aFileThatThisProcessHasOpenIsNotCopied() async throws {
    let folder = try TestFolder()
    let database = try Database(path: try folder.makeStore())
    let held = try database.snapshot()
    var configuration = Database.Configuration()
    configuration.prepareConnection = { try $0.execute("ATTACH 'missing/missing' AS m") }
    let error = databaseError {
      _ = try Database(path: folder.file(), access: .readOnly, configuration: configuration)
    }
    #expect(error.map { .cannotOpen ~= $0.resultCode } == true)
    // With the locks gone, another process would copy the log when it closes the file, and remove it.
    await #expect(processExitsWith: .success) { [path = folder.file() as String] in
      try Connection(path: path).execute("DELETE FROM item")
    }
    #expect(folder.size(of: "store.sqlite-wal") > 0)
    #expect(try held.read { try $0.value(Int.self, "SELECT count(*) FROM item") } == 3)
  }
}
