import Foundation
import Testing

@testable import SQLiteStorage

/// Files that this process may not write, and folders in which it may make none.
///
/// Tests may run as root, whom permissions do not bind, so each works in a process of its own.
@Suite struct ReadOnlyPlaceTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// Makes the folder one in which nobody but root can change anything.
  private func lock() throws {
    for name in try folder.contents() {
      try ChildProcess.setPermissions(0o444, of: folder.file(name))
    }
    try ChildProcess.setPermissions(0o555, of: folder.path)
  }

  /// Makes a store of which a delete is in the log alone.
  private func makeStoreWithLog() throws {
    try folder.makeStore("origin.sqlite")
    let origin = try Connection(path: folder.file("origin.sqlite"))
    try origin.execute("DELETE FROM item WHERE id = 1")
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: folder.file("origin.sqlite" + suffix), toPath: folder.file() + suffix)
    }
  }

  private func unlock() throws { try ChildProcess.setPermissions(0o755, of: folder.path) }

  @Test(arguments: ["WAL", "DELETE"])
  func aFileInAReadOnlyFolderIsReadAndLeftAsItIs(_ journalMode: String) async throws {
    try folder.makeStore(journalMode: journalMode)
    let before = try folder.bytes()
    try lock()
    await #expect(processExitsWith: .success) { [path = folder.file() as String] in
      #expect(ChildProcess.dropPrivileges())
      let database = try Database(path: path, access: .readOnly)
      #expect(database.path == path)
      let snapshot = try database.snapshot()
      let counts = [
        try snapshot.read { try $0.value(Int.self, "SELECT count(*) FROM item") },
        try await database.read { try $0.value(Int.self, "SELECT count(*) FROM item") },
      ]
      #expect(counts == [3, 3])
    }
    try unlock()
    #expect(try folder.contents() == ["store.sqlite"])
    #expect(try folder.bytes() == before)
  }

  @Test func aFileInAReadOnlyFolderIsReadWithItsLog() async throws {
    try makeStoreWithLog()
    try lock()
    await #expect(processExitsWith: .success) { [path = folder.file() as String] in
      #expect(ChildProcess.dropPrivileges())
      let database = try Database(path: path, access: .readOnly)
      let snapshot = try database.snapshot()
      #expect(try snapshot.read { try $0.value(Int.self, "SELECT count(*) FROM item") } == 2)
    }
    try unlock()
  }

  /// Runs `body` on a thread. A task would need one of the threads that wait for child processes.
  ///
  /// - Returns: a stream that ends with `body`.
  private func inThread(_ body: @escaping @Sendable () throws -> Void) -> AsyncStream<Never> {
    let (ends, end) = AsyncStream<Never>.makeStream()
    Thread.detachNewThread {
      #expect(throws: Never.self) { try body() }
      end.finish()
    }
    return ends
  }

  /// Deletes a row when a file is there, which a child process makes, and keeps the database open until `isDone`.
  private func deleteItem(after signal: String, _ isDone: Flag) -> AsyncStream<Never> {
    inThread { [folder] in
      while !FileManager.default.fileExists(atPath: signal) { usleep(5_000) }
      try ChildProcess.setPermissions(0o755, of: folder.path)
      try ChildProcess.setPermissions(0o644, of: folder.file())
      let writer = try Connection(path: folder.file())
      try writer.execute("DELETE FROM item WHERE id = 1")
      while !isDone.isSet { usleep(5_000) }
    }
  }

  /// The error of the first snapshot that cannot be made.
  private static func firstError(of database: Database) -> DatabaseError? {
    while true {
      if let error = databaseError({ _ = try database.snapshot() }) { return error }
    }
  }

  /// Only a program that may write makes the WAL-index. Until then the file is read as a copy.
  @Test func aCopiedFileIsReadInPlaceWhenItsWriterComes() async throws {
    try folder.makeStore()
    let signals = try TestFolder()
    try ChildProcess.setPermissions(0o777, of: signals.path)
    let isDone = Flag()
    let writing = deleteItem(after: signals.file("opened"), isDone)
    try lock()
    await #expect(processExitsWith: .success) {
      [path = folder.file() as String, signal = signals.file("opened") as String] in
      #expect(ChildProcess.dropPrivileges())
      let copied = try Database(path: path, access: .readOnly)
      let before = try copied.snapshot()
      #expect(FileManager.default.createFile(atPath: signal, contents: nil))
      #expect(ReadOnlyPlaceTests.firstError(of: copied)?.code == .fileReplaced)
      #expect(try before.read { try $0.value(Int.self, "SELECT count(*) FROM item") } == 3)
      // The file changes when the log is made, before the commit.
      while true {
        let database = try Database(path: path, access: .readOnly)
        let count = try database.read { try $0.value(Int.self, "SELECT count(*) FROM item") }
        if database.snapshotKind == .pinned, count == 2 { break }
      }
    }
    isDone.set()
    for await _ in writing {}
    try unlock()
  }

  /// The WAL-index, which the writer has made, can be read as well.
  @Test func aReaderWithoutPermissionToWriteKnowsWhatAWriterHasChanged() async throws {
    let path = try folder.makeStore()
    let isDone = Flag()
    let (openings, opening) = AsyncStream<Never>.makeStream()
    let writing = inThread {
      // The permissions do not concern files that are open.
      let writer = try Connection(path: path)
      while !isDone.isSet {
        try writer.execute("UPDATE item SET name = name || 'x' WHERE id = 2")
        opening.finish()
        usleep(20_000)
      }
    }
    for await _ in openings {}
    try lock()
    await #expect(processExitsWith: .success) { [path = folder.file() as String] in
      #expect(ChildProcess.dropPrivileges())
      let database = try Database(path: path, access: .readOnly)
      #expect(database.snapshotKind == .pinned)
      let before = try database.snapshot()
      var after = before
      while after === before { after = try database.snapshot() }
      #expect(try before.changes(to: after).known().rows(of: "item") == .rowIDs([2]))
    }
    isDone.set()
    for await _ in writing {}
    try unlock()
  }

  @Test func aFileThatCannotBeWrittenIsNotOpenedForWriting() async throws {
    try folder.makeStore(journalMode: "DELETE")
    try ChildProcess.setPermissions(0o444, of: folder.file())
    await #expect(processExitsWith: .success) { [path = folder.file() as String] in
      #expect(ChildProcess.dropPrivileges())
      let error = databaseError { _ = try Database(path: path) }
      #expect(error?.resultCode == .readOnly)
      #expect(error?.message == "the file cannot be written: \(path)")
      #expect(error?.nextStep?.contains(".readOnly") == true)
    }
  }

  @Test func aFileThatCannotBeReadIsNamed() async throws {
    try folder.makeStore(journalMode: "DELETE")
    try ChildProcess.setPermissions(0o000, of: folder.file())
    await #expect(processExitsWith: .success) { [path = folder.file() as String] in
      #expect(ChildProcess.dropPrivileges())
      for access in [Connection.Access.readOnly, .readWrite] {
        let error = databaseError { _ = try Database(path: path, access: access) }
        #expect(error.map { .cannotOpen ~= $0.resultCode } == true)
        #expect(error?.message.contains(path) == true)
      }
    }
  }

  @Test func aReadOnlyVisitorWhoMayNotCleanUpStillReads() async throws {
    // The folder can be written, the file cannot.
    try folder.makeStore()
    try ChildProcess.setPermissions(0o777, of: folder.path)
    try ChildProcess.setPermissions(0o444, of: folder.file())
    let before = try folder.bytes()
    await #expect(processExitsWith: .success) { [path = folder.file() as String] in
      #expect(ChildProcess.dropPrivileges())
      let database = try Database(path: path, access: .readOnly)
      let snapshot = try database.snapshot()
      #expect(try snapshot.read { try $0.value(Int.self, "SELECT count(*) FROM item") } == 3)
    }
    #expect(try folder.bytes() == before)
  }

  #if os(Linux)
    private static let isRoot = geteuid() == 0

    @Test(.enabled(if: isRoot), arguments: ["WAL", "DELETE"])
    func aFileOnReadOnlyMediaIsReadInPlace(_ journalMode: String) async throws {
      try folder.makeStore(journalMode: journalMode)
      await #expect(processExitsWith: .success) {
        [
          folder = folder.path as String, path = folder.file() as String,
          journalMode = journalMode as String
        ] in
        #expect(ChildProcess.makeReadOnlyMedia(of: folder))
        #expect(
          databaseError { _ = try Connection(path: folder + "/x", access: .readWriteCreate) } != nil
        )
        let database = try Database(path: path, access: .readOnly)
        #expect(database.snapshotKind == (journalMode == "WAL" ? .immutable : .released))
        let snapshot = try database.snapshot()
        #expect(try snapshot.read { try $0.value(Int.self, "SELECT count(*) FROM item") } == 3)
        #expect(try database.snapshot() === snapshot)
        #expect(databaseError { _ = try Database(path: path) } != nil)
      }
      #expect(try folder.contents() == ["store.sqlite"])
    }

    /// The folder of a container can be read-only there, and written by others.
    @Test(.enabled(if: isRoot)) func aWriteToReadOnlyMediaIsNoticed() async throws {
      try folder.makeStore()
      let signals = try TestFolder()
      let isDone = Flag()
      let writing = deleteItem(after: signals.file("opened"), isDone)
      await #expect(processExitsWith: .success) {
        [
          folder = folder.path as String, path = folder.file() as String,
          signal = signals.file("opened") as String
        ] in
        #expect(ChildProcess.makeReadOnlyMedia(of: folder))
        let database = try Database(path: path, access: .readOnly)
        #expect(database.snapshotKind == .immutable)
        _ = try database.snapshot()
        #expect(FileManager.default.createFile(atPath: signal, contents: nil))
        #expect(ReadOnlyPlaceTests.firstError(of: database)?.code == .fileReplaced)
      }
      isDone.set()
      for await _ in writing {}
    }

    @Test(.enabled(if: isRoot)) func aLogOnReadOnlyMediaIsReadToo() async throws {
      try folder.makeStore("origin.sqlite")
      let origin = try Connection(path: folder.file("origin.sqlite"))
      try origin.execute("DELETE FROM item WHERE id = 1")
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(
          atPath: folder.file("origin.sqlite" + suffix), toPath: folder.file() + suffix)
      }
      await #expect(processExitsWith: .success) {
        [folder = folder.path as String, path = folder.file() as String] in
        #expect(ChildProcess.makeReadOnlyMedia(of: folder))
        let database = try Database(path: path, access: .readOnly)
        let snapshot = try database.snapshot()
        #expect(try snapshot.read { try $0.value(Int.self, "SELECT count(*) FROM item") } == 2)
      }
    }
  #endif

  @Test func aLogThatMayNotBeReadIsNamed() async throws {
    try makeStoreWithLog()
    try lock()
    try ChildProcess.setPermissions(0o000, of: folder.file() + "-wal")
    await #expect(processExitsWith: .success) { [path = folder.file() as String] in
      #expect(ChildProcess.dropPrivileges())
      let error = databaseError { _ = try Database(path: path, access: .readOnly) }
      #expect(error?.resultCode == .cannotOpen)
      #expect((error?.cause as? POSIXError)?.code == .EACCES)
      #expect(error?.message == "permission denied: \(path)-wal")
    }
    try unlock()
  }
}
