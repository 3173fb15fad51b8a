import CLibrary
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import SQLiteStorage

/// What a capture makes of commits, and of commits that fail.
@Suite struct WriteCaptureTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try folder.makeStore(rows: 10)
  }

  private func stamp(_ connection: Connection) throws -> WALHeader {
    try #require(WALIndexHeader(of: connection)?.version)
  }

  private func take(_ capture: WriteCapture, from connection: Connection) throws -> Touched {
    let version = try connection.schemaVersion(of: "main")
    let stamp = try stamp(connection)
    return capture.commitLock.withLock { _ in
      capture.take(pinnedAt: stamp, schemaVersion: version)
    }
  }

  @Test func withoutTheHookOfTheLibraryNothingIsKnown() throws {
    let connection = try Connection(path: folder.file())
    let capture = connection.startCapture(hook: nil)
    let told = Atomic(0)
    let versions = VersionChain()
    versions.append(1, touched: .none)
    capture.start(
      WriteCapture.Task(versions: versions) { _ in
        told.add(1, ordering: .relaxed)
      }, on: connection)
    #expect(try take(capture, from: connection) == .unknown(.noHook))
    try connection.execute("DELETE FROM item WHERE id = 1")
    #expect(try take(capture, from: connection) == .unknown(.noHook))
    // But that there was a commit is known.
    #expect(told.load(ordering: .relaxed) == 1)
  }

  @Test(.enabled(if: Connection.supportsPreupdateHook))
  func anUnknownVersionIsAStorm() throws {
    let connection = try Connection(path: folder.file())
    let capture = connection.startCapture()
    let task = WriteCapture.Task(versions: VersionChain()) { _ in }
    capture.start(task, on: connection)
    let version = try connection.schemaVersion(of: "main")
    let touched = capture.commitLock.withLock { _ in
      capture.take(pinnedAt: nil, schemaVersion: version)
    }
    #expect(touched == .unknown(.storm))
    #expect(try take(capture, from: connection) == .unknown(.otherWriter))
    #expect(try take(capture, from: connection) == .none)
  }

  @Test(.enabled(if: Connection.supportsPreupdateHook))
  func anotherHookForTheLogIsReplaced() throws {
    let database = try Database(path: folder.file(), configuration: .unsynced)
    try database.withWriter { try $0.execute("PRAGMA wal_autocheckpoint = 500") }
    let before = try database.snapshot()
    try database.write { try $0.execute("DELETE FROM item WHERE id = 1") }
    let touched = try before.capturedChanges(to: try database.snapshot()).known()
    #expect(touched.rows(of: "item") == .rowIDs([1]))
  }

  @Test(.enabled(if: Connection.supportsPreupdateHook))
  func aStatementPreparedBeforeTheFirstWriteReportsTheRowsItDeletes() throws {
    var configuration = Database.Configuration.unsynced
    let prepare = configuration.prepareConnection
    configuration.prepareConnection = { connection in
      try prepare?(connection)
      _ = try connection.cachedStatement("DELETE FROM item")
    }
    let database = try Database(path: folder.file(), configuration: configuration)
    let before = try database.snapshot()
    try database.write { try $0.execute("DELETE FROM item") }
    let touched = try before.capturedChanges(to: try database.snapshot()).known()
    #expect(touched.rows(of: "item") == .rowIDs(Set(1...10)))
  }

  /// A program may make and drop any number of them.
  @Test(.enabled(if: Connection.supportsPreupdateHook))
  func namesOfTemporaryTablesAreNotKept() throws {
    let connection = try Connection(path: folder.file())
    let recorder = TouchRecorder(hook: try #require(PreupdateHook.ofLibrary))
    let insert: Int32 = 18  // `SQLITE_INSERT`
    for (schema, table) in [("main", "a"), ("temp", "b"), ("temp", "c")] {
      recorder.record(
        operation: insert, schema: schema, table: table, oldRowID: 1, newRowID: 1,
        handle: connection.handle)
    }
    #expect(recorder.tableCount == 1)
    #expect(try recorder.take().known().rows(of: "a") == .all)
  }

  @Test func aCommitWithoutTheCommitHookIsReported() throws {
    let connection = try Connection(path: folder.file())
    let capture = connection.startCapture()
    let told = Atomic(0)
    let task = WriteCapture.Task(versions: VersionChain()) { _ in
      told.add(1, ordering: .relaxed)
    }
    capture.start(task, on: connection)
    // Of a write only the hook of the log hears.
    try connection.execute("VACUUM")
    #expect(told.load(ordering: .relaxed) == 1)
  }

  // MARK: - The gate

  @Test(.enabled(if: Connection.supportsPreupdateHook))
  func noVersionIsTakenBetweenACommitAndItsRows() throws {
    let connection = try Connection(path: folder.file())
    let capture = connection.startCapture()
    let versions = VersionChain()
    versions.append(1, touched: .none)
    let task = WriteCapture.Task(versions: versions) { _ in }
    capture.start(task, on: connection)
    #expect(try take(capture, from: connection) == .unknown(.otherWriter))
    let taken = DispatchSemaphore(value: 0)
    let trace = try StatementTrace(of: connection) { sql in
      guard sql.hasPrefix("DELETE") else { return }
      // The commit is done, and the capture does not know yet.
      Thread.detachNewThread { capture.commitLock.withLock { _ in _ = taken.signal() } }
      #expect(taken.wait(timeout: .now() + .milliseconds(200)) == .timedOut)
    }
    try connection.execute("DELETE FROM item WHERE id = 1")
    trace.stop()
    #expect(taken.wait(timeout: .now() + .seconds(60)) == .success)
    #expect(try take(capture, from: connection).known().rows(of: "item") == .rowIDs([1]))
  }

  // MARK: - Commits that fail

  @Test(.enabled(if: Connection.supportsPreupdateHook))
  func aCommitThatViolatesADeferredConstraint() throws {
    let database = try Database(path: folder.file(), configuration: .unsynced)
    try database.write { connection in
      try connection.execute(
        """
        CREATE TABLE child(id INTEGER PRIMARY KEY,
          item REFERENCES item DEFERRABLE INITIALLY DEFERRED)
        """)
    }
    let before = try database.snapshot()
    let error = databaseError {
      try database.write { connection in
        try connection.execute("INSERT INTO child VALUES (1, 77)")
        #expect(try database.keeper.snapshot() === before)
      }
    }
    #expect(error.map { .constraint ~= $0.resultCode } == true)
    #expect(try database.snapshot() === before)
    try database.write { try $0.execute("INSERT INTO child VALUES (2, 7)") }
    let touched = try before.capturedChanges(to: try database.snapshot()).known()
    #expect(touched.rows(of: "child") == .rowIDs([2]))
  }

  @Test(.enabled(if: Connection.supportsPreupdateHook))
  func aCommitThatFindsAnAttachedFileBusy() throws {
    let path = try folder.makeStore("plain.sqlite", journalMode: "DELETE")
    var configuration = Database.Configuration.unsynced
    configuration.usesWAL = false
    configuration.busyTimeout = .zero
    configuration.prepareConnection = { try $0.execute("ATTACH ? AS plain", [.text(path)]) }
    let database = try Database(path: folder.file(), configuration: configuration)
    let before = try database.snapshot()
    let reader = try Connection(path: path)
    try reader.execute("BEGIN")
    _ = try reader.value(Int.self, "SELECT count(*) FROM item")
    let write = {
      try database.write { connection in
        try connection.execute("DELETE FROM plain.item WHERE id = 1")
        try connection.execute("DELETE FROM main.item WHERE id = 1")
      }
    }
    let error = databaseError(write)
    #expect(error.map { .busy ~= $0.resultCode } == true)
    // The gate is open again, and nothing was committed.
    #expect(try database.snapshot() === before)
    try reader.execute("COMMIT")
    try write()
    let after = try database.snapshot()
    #expect(after !== before)
    let count = try after.read { try $0.value(Int.self, "SELECT count(*) FROM main.item") }
    #expect(count == 9)
  }

  @Test(.enabled(if: Connection.supportsPreupdateHook))
  func aCommitThatTheDiskHasNoRoomFor() async {
    await #expect(processExitsWith: .success) { [path = folder.file() as String] in
      let database = try Database(path: path, configuration: .unsynced)
      try database.write { try $0.execute("DELETE FROM item WHERE id = 1") }
      let before = try database.snapshot()
      // Whatever is written beyond this many bytes of a file fails.
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit()
      getrlimit(resourceLimit, &limit)
      let unlimited = limit
      limit.rlim_cur = 20_000
      setrlimit(resourceLimit, &limit)
      let error = databaseError {
        try database.write { connection in
          try connection.execute("UPDATE item SET name = hex(zeroblob(10000))")
        }
      }
      #expect(error != nil)
      #expect(try database.snapshot() === before)
      limit = unlimited
      setrlimit(resourceLimit, &limit)
      try database.write { try $0.execute("DELETE FROM item WHERE id = 2") }
      let touched = try before.capturedChanges(to: try database.snapshot()).known()
      #expect(touched.rows(of: "item") == .rowIDs([2]))
    }
  }
}

#if canImport(Glibc)
  private let resourceLimit = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
#else
  private let resourceLimit = RLIMIT_FSIZE
#endif
