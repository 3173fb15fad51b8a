import Foundation
import Testing

@testable import SQLiteStorage

@Suite struct WALHeaderTests {
  private let folder: TestFolder
  private let connection: Connection

  init() throws {
    folder = try TestFolder()
    connection = try Connection(path: try folder.makeStore())
    try connection.execute("PRAGMA synchronous = OFF")
    try connection.execute("PRAGMA wal_autocheckpoint = 0")
    try connection.execute("UPDATE item SET name = 'first'")
  }

  private func version(of connection: Connection? = nil) throws -> WALHeader {
    try #require(WALIndexHeader(of: connection ?? self.connection)).version
  }

  // MARK: - As SQLite keeps it

  @Test func eachCommitOfAnyConnectionIsTheNextVersion() throws {
    let other = try Connection(path: folder.file())
    var last = try version()
    for round in 0..<20 {
      try (round.isMultiple(of: 3) ? other : connection).execute(
        "UPDATE item SET name = ?", [.integer(Int64(round))])
      let next = try version()
      #expect(next.isNext(after: last, frameCount: last.frameCount + 1))
      #expect(!next.isNext(after: last, frameCount: last.frameCount))
      #expect(!next.hasSameContent(as: last))
      #expect(try version(of: other) == next)
      last = next
    }
  }

  @Test func twoCommitsAreNotOne() throws {
    let first = try version()
    try connection.execute("UPDATE item SET name = 'a'")
    try connection.execute("UPDATE item SET name = 'b'")
    let last = try version()
    #expect(!last.isNext(after: first, frameCount: last.frameCount))
  }

  @Test func whatIsNotCommittedLeavesItAlone() throws {
    let first = try version()
    try connection.execute("BEGIN IMMEDIATE")
    try connection.execute("UPDATE item SET name = 'a'")
    #expect(try version() == first)
    try connection.execute("ROLLBACK")
    try connection.execute("BEGIN IMMEDIATE")
    try connection.execute("COMMIT")
    try connection.execute("UPDATE item SET name = name")
    #expect(try version() == first)
  }

  @Test func aCheckpointLeavesItAlone() throws {
    let first = try version()
    #expect(connection.checkpoint() == .complete)
    #expect(try version() == first)
  }

  @Test(arguments: ["RESTART", "TRUNCATE"])
  func startingTheLogOverLeavesTheContent(by mode: String) throws {
    let first = try version()
    try connection.execute(SQL(verbatim: "PRAGMA wal_checkpoint(\(mode))"))
    let restarted = try version()
    if mode == "TRUNCATE" {
      #expect(restarted != first)
      #expect(restarted.frameCount == 0)
    }
    #expect(restarted.hasSameContent(as: first))
    // The next commit resets the log, unless the checkpoint has.
    try connection.execute("UPDATE item SET name = 'a'")
    let next = try version()
    #expect(next.isNext(after: first, frameCount: 1))
    #expect(!next.hasSameContent(as: first))
    #expect(!next.hasSameContent(as: restarted))
  }

  @Test func startingTheLogOverDoesNotHideTheCommitsBeforeIt() throws {
    let first = try version()
    try connection.execute("UPDATE item SET name = 'a'")
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let restarted = try version()
    #expect(restarted.frameCount == 0)
    #expect(!restarted.hasSameContent(as: first))
  }

  @Test func vacuumIsACommit() throws {
    let first = try version()
    try connection.execute("VACUUM")
    #expect(!(try version().hasSameContent(as: first)))
  }

  @Test func anIndexThatIsMadeAnewFromTheLogDoesNotPassForTheOldOne() throws {
    let first = try version()
    try connection.execute("UPDATE item SET name = 'a'")
    let next = try version()
    // A crash leaves the log, and the next to open the file makes the index.
    try FileManager.default.copyItem(atPath: folder.file(), toPath: folder.file("copy.sqlite"))
    try FileManager.default.copyItem(
      atPath: folder.file("store.sqlite-wal"), toPath: folder.file("copy.sqlite-wal"))
    let copy = try Connection(path: folder.file("copy.sqlite"))
    #expect(try copy.value(String.self, "SELECT name FROM item") == "a")
    let recovered = try version(of: copy)
    #expect(recovered.frameCount == next.frameCount)
    #expect(recovered != next)
    #expect(!recovered.isNext(after: first, frameCount: recovered.frameCount))
  }

  // MARK: - As memory

  /// The memory of a header.
  private func memory(
    version: UInt32 = 3_007_000, isInitialized: Bool = true, frameCount: UInt32 = 5,
    pageCount: UInt32 = 9, change: (inout [UInt32]) -> Void = { _ in }
  ) -> [UInt32] {
    var fields: [UInt32] = [version, 0, 7, 0, frameCount, pageCount, 11, 12, 13, 14, 0, 0]
    fields[3] = UInt32(littleEndian: isInitialized ? 0x1000_0001 : 0x1000_0000)
    for index in stride(from: 0, to: 10, by: 2) {
      fields[10] = fields[10] &+ fields[index] &+ fields[11]
      fields[11] = fields[11] &+ fields[index + 1] &+ fields[10]
    }
    var memory = fields + fields
    change(&memory)
    return memory
  }

  private func read(_ memory: [UInt32]) -> WALHeader? {
    memory.withUnsafeBytes { WALHeader($0) }
  }

  @Test func aWholeHeaderIsRead() throws {
    let version = try #require(read(memory()))
    #expect(version.frameCount == 5)
    #expect(version == read(memory()))
    #expect(WALHeader.size == 48)
  }

  @Test func anEmptyLogOfAFileOfAnotherSizeIsOtherContent() throws {
    let version = try #require(read(memory()))
    let restarted = try #require(read(memory(frameCount: 0)))
    #expect(restarted.hasSameContent(as: version))
    // After a crash the commits are counted from 0 again.
    let other = try #require(read(memory(frameCount: 0, pageCount: 10)))
    #expect(!other.hasSameContent(as: version))
  }

  @Test func aHalfWrittenHeaderIsNotRead() {
    for index in 0..<24 {
      #expect(read(memory { $0[index] ^= 1 }) == nil, "one copy is newer, at \(index)")
    }
    for index in 0..<12 {
      let torn = memory {
        $0[index] ^= 1
        $0[index + 12] ^= 1
      }
      #expect(read(torn) == nil, "the checksum is wrong, at \(index)")
    }
  }

  @Test func aHeaderThatIsNotInUseIsNotRead() {
    #expect(read(memory(isInitialized: false)) == nil)
    #expect(read(Array(repeating: 0, count: 24)) == nil)
  }
}
