import CSQLite
import Testing

@testable import SQLiteStorage

@Suite struct WriteLockGuardTests {
  private let folder: TestFolder
  private let writer: Connection
  private let reader: Connection

  init() throws {
    folder = try TestFolder()
    writer = try Connection(path: try folder.makeStore())
    reader = try Connection(path: folder.file(), access: .readOnly)
    reader.leaveWriteLock()
    try writer.execute("DELETE FROM item WHERE id = 1")
    #expect(try count() == 2)
  }

  private func count() throws -> Int? {
    try reader.value(Int.self, "SELECT count(*) FROM item")
  }

  /// Changes the first copy of the header, as a writer does that has not changed the second yet.
  private func changeHeader() throws {
    let memory = try #require(writer.walIndex?.region(0))
    UnsafeMutableRawBufferPointer(mutating: memory)[8] ^= 1
  }

  /// Takes the lock of writers as SQLite's reader does, and releases it.
  private func takeWriteLock() throws -> Int32 {
    let file = try #require(openFile(SQLITE_FCNTL_FILE_POINTER, of: reader.handle, schema: "main"))
    let lock = try #require(file.pointee.pMethods.pointee.xShmLock)
    let status = lock(file, 0, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE)
    if status == SQLITE_OK { _ = lock(file, 0, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE) }
    return status
  }

  @Test func theLockIsNotTakenWhileTheHeaderIsBeingWritten() throws {
    #expect(try takeWriteLock() == SQLITE_OK)
    try changeHeader()
    #expect(try takeWriteLock() == SQLITE_BUSY)
    try changeHeader()
    #expect(try takeWriteLock() == SQLITE_OK)
    #expect(try count() == 2)
  }

  @Test func aHeaderThatStaysHalfWrittenIsRepaired() throws {
    try changeHeader()
    let began = ContinuousClock.now
    #expect(WALIndexHeader(of: writer) == nil)
    #expect(try count() == 2)
    #expect(.now - began >= .seconds(1))
    #expect(WALIndexHeader(of: writer) != nil)
  }

  @Test func aHeaderThatChangesAgainIsNotRepaired() throws {
    try changeHeader()
    #expect(try takeWriteLock() == SQLITE_BUSY)
    let memory = try #require(writer.walIndex?.region(0))
    sqlite3_sleep(1_100)
    // Of another commit.
    UnsafeMutableRawBufferPointer(mutating: memory)[9] ^= 1
    #expect(try takeWriteLock() == SQLITE_BUSY)
    UnsafeMutableRawBufferPointer(mutating: memory)[9] ^= 1
    try changeHeader()
  }
}
