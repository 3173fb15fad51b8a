import Testing

@testable import SQLiteStorage

@Suite struct WALIndexTests {
  /// More frames than the first two pieces of the index have room for.
  @Test func theIndexAgreesWithTheFrames() throws {
    let folder = try TestFolder()
    let connection = try Connection(path: folder.file(), access: .readWriteCreate)
    try connection.execute(
      script: """
        PRAGMA page_size = 512; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
        PRAGMA wal_autocheckpoint = 0; CREATE TABLE item(id INTEGER PRIMARY KEY, a);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        INSERT INTO item SELECT i, zeroblob(400) FROM n;
        """)
    for round in 1...30 {
      try connection.execute(
        "UPDATE item SET a = ?", [.blob([UInt8](repeating: UInt8(round), count: 400))])
    }
    let header = try #require(WALIndexHeader(of: connection))
    #expect(header.frameCount > 4_062 + 4_096)
    #expect(header.version.pageSize == 512)
    let index = try #require(WALIndex(handle: connection.handle, schema: "main"))
    let file = try #require(LoggedFile(handle: connection.handle, schema: "main"))
    var last: [UInt32: Int] = [:]
    for frame in 1...header.frameCount {
      let bytes = PageBytes(try file.read(.log, 24, 32 + (frame - 1) * (24 + 512)))
      let page = try bytes.uint32(at: 0)
      #expect(bytes[8..<16].elementsEqual(header.version.salts))
      last[page] = frame
      #expect(try index.frame(of: page, upTo: frame) == frame)
      if [4_062, 4_063, 8_158, 8_159].contains(frame) {
        let pages = try index.pages(ofFrames: 1..<frame + 1, limit: .max)
        #expect(pages == last)
        #expect(try index.pages(ofFrames: frame..<frame + 1, limit: 1) == [page: frame])
        for (page, frame) in last { #expect(try index.frame(of: page, upTo: 9_000) ?? 0 >= frame) }
      }
    }
    #expect(try index.pages(ofFrames: 1..<header.frameCount + 1, limit: .max) == last)
    for (page, frame) in last {
      #expect(try index.frame(of: page, upTo: header.frameCount) == frame)
    }
    #expect(try index.frame(of: 99_999, upTo: header.frameCount) == nil)
    #expect(try index.frame(of: 1, upTo: 0) == nil)
    #expect(throws: PageDiffError.tooManyPages) {
      try index.pages(ofFrames: 1..<header.frameCount + 1, limit: 10)
    }
  }

  @Test func aFileInRollbackJournalModeHasNone() throws {
    let store = try TestConnection("CREATE TABLE item(id)")
    let index = WALIndex(handle: store.connection.handle, schema: "main")
    #expect(index?.region(0) == nil)
    #expect(WALIndex(handle: store.connection.handle, schema: "nowhere") == nil)
  }
}

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
    #expect(connection.checkpoint() == .complete)
    let copied = try #require(WALIndexHeader(of: connection))
    #expect(copied.frameCount == 2)
    #expect(copied.backfilledFrameCount == 2)
    // Nobody needs the frames, so the next commit resets the log.
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
      #expect(connection.checkpoint() == .partial)
      #expect(WALIndexHeader(of: connection)?.backfilledFrameCount == 1)
    }
    #expect(connection.checkpoint() == .complete)
  }

  @Test func aReaderReadsItToo() throws {
    let folder = try TestFolder()
    let connection = try Connection(path: try folder.makeStore())
    try connection.execute("DELETE FROM item WHERE id = 1")
    let reader = try Connection(path: folder.file(), access: .readOnly)
    _ = try reader.value(Int.self, "SELECT count(*) FROM item")
    #expect(WALIndexHeader(of: reader) == WALIndexHeader(of: connection))
  }

  @Test func anUnchangeableFileHasNone() throws {
    let folder = try TestFolder()
    let path = try folder.makeStore(journalMode: "DELETE")
    let connection = try Connection(path: path, access: .immutable)
    _ = try connection.value(Int.self, "SELECT count(*) FROM item")
    #expect(WALIndexHeader(of: connection) == nil)
  }
}
