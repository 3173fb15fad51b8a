import Testing

@testable import SQLiteStorage

@Suite struct WALIndexHeaderTests {
  @Test func itCountsTheFramesOfTheLog() throws {
    let folder = try TestFolder()
    let connection = try Connection(path: try folder.makeStore())
    try connection.execute("PRAGMA wal_autocheckpoint = 0")
    try connection.execute("DELETE FROM item WHERE id = 1")
    let first = try #require(WALIndexHeader(of: connection))
    #expect(first.frameCount == 1)
    #expect(first.backfilledFrameCount == 0)
    try connection.execute("DELETE FROM item WHERE id = 2")
    #expect(WALIndexHeader(of: connection)?.frameCount == 2)
    #expect(folder.size(of: "store.sqlite-wal") == 32 + 2 * (24 + 4_096))
    #expect(connection.checkpoint())
    let copied = try #require(WALIndexHeader(of: connection))
    #expect(copied.frameCount == 2)
    #expect(copied.backfilledFrameCount == 2)
    // Nobody needs the frames, so the next commit starts the log over.
    try connection.execute("DELETE FROM item WHERE id = 3")
    #expect(WALIndexHeader(of: connection)?.frameCount == 1)
    #expect(WALIndexHeader(of: connection)?.backfilledFrameCount == 0)
  }

  @Test func aReaderHoldsBackTheCheckpoint() throws {
    let folder = try TestFolder()
    let connection = try Connection(path: try folder.makeStore())
    try connection.execute("DELETE FROM item WHERE id = 1")
    let reader = try Connection(path: folder.file(), access: .readOnly)
    try reader.transaction(.deferred) {
      _ = try reader.value(Int.self, "SELECT count(*) FROM item")
      try connection.execute("DELETE FROM item WHERE id = 2")
      #expect(!connection.checkpoint())
      #expect(WALIndexHeader(of: connection)?.backfilledFrameCount == 1)
    }
    #expect(connection.checkpoint())
  }

  @Test func aReaderReadsItToo() throws {
    let folder = try TestFolder()
    let connection = try Connection(path: try folder.makeStore())
    try connection.execute("DELETE FROM item WHERE id = 1")
    let reader = try Connection(path: folder.file(), access: .readOnly)
    _ = try reader.value(Int.self, "SELECT count(*) FROM item")
    #expect(WALIndexHeader(of: reader) == WALIndexHeader(of: connection))
  }

  @Test func aFileThatNobodyCanChangeHasNone() throws {
    let folder = try TestFolder()
    let path = try folder.makeStore(journalMode: "DELETE")
    let connection = try Connection(path: path, access: .immutable)
    _ = try connection.value(Int.self, "SELECT count(*) FROM item")
    #expect(WALIndexHeader(of: connection) == nil)
  }
}
