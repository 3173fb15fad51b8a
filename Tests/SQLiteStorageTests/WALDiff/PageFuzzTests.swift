import TableDataTesting
import Testing

@testable import SQLiteStorage

/// Whatever is in a file, reading it neither traps nor goes on for ever.
@Suite struct PageFuzzTests {
  @Test(arguments: [512, 4_096, 65_536]) func randomPagesAreReadOrRefused(size: Int) {
    let seed = UInt64.random(in: 0...UInt64.max)
    var numbers = SeededGenerator(seed: seed)
    var readCount = 0
    for _ in 0..<SeededGenerator.scaled(300) {
      var bytes = (0..<size).map { _ in UInt8.random(in: 0...255, using: &numbers) }
      let kinds: [UInt8] = [2, 5, 10, 13]
      let page: UInt32 = numbers.chance(10) ? 1 : 2
      let start = page == 1 ? 100 : 0
      bytes[start] = kinds[Int.random(in: 0..<4, using: &numbers)]
      if numbers.chance(80) {
        // Few enough cells, all inside of the page, that some are looked at to the end.
        let count = Int(numbers.small(4))
        (bytes[start + 3], bytes[start + 4]) = (0, UInt8(count))
        for index in 0..<count {
          let offset = Int.random(in: size / 2..<size - 8, using: &numbers)
          let pointer = start + (bytes[start] < 10 ? 12 : 8) + 2 * index
          (bytes[pointer], bytes[pointer + 1]) = (UInt8(offset >> 8), UInt8(offset & 0xFF))
          if numbers.chance(50) { bytes[offset] = UInt8(numbers.small(100)) }
        }
      }
      do throws(PageDiffError) {
        let node = try BTreePage(PageBytes(bytes), page: page)
        _ = try node.children()
        for cell in try node.cells() {
          let columns = [0, 1, 5].map { KeyColumn(position: $0, isReal: $0 == 1) }
          _ = try cell.key(columns)
        }
        readCount += 1
      } catch {
        #expect(error == .malformed, "seed \(seed)")
      }
    }
    #expect(readCount > 0, "seed \(seed)")
  }

  @Test func aDamagedFileIsComparedOrRefused() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var numbers = SeededGenerator(seed: seed)
    var counts: [String: Int] = [:]
    for form in [
      ForeignStore.Form(pageSize: 512, rowCount: 300),
      ForeignStore.Form(pageSize: 1_024, autoVacuum: "FULL", rowCount: 300),
    ] {
      let pair = try PinnedPair(form, &numbers)
      // Without any damage it is all told.
      let comparison = try pair.comparison(reading: pair.file)
      #expect(throws: Never.self, "seed \(seed)") { try comparison.checkInvariants() }
      for _ in 0..<SeededGenerator.scaled(400) {
        let state = numbers.next()
        let kind = Int.random(in: 0..<4, using: &numbers)
        let share = Int.random(in: 1...12, using: &numbers)
        let damaged = LoggedFile { (part, count, offset) throws(PageDiffError) in
          var bytes = try pair.file.read(part, count, offset)
          // The same damage each time the same is read.
          var local = SeededGenerator(seed: state ^ UInt64(offset) ^ (part == .log ? 1 << 40 : 0))
          guard local.chance(share) else { return bytes }
          switch kind {
          case 0: throw .unreadable
          case 1: bytes = bytes.map { _ in UInt8.random(in: 0...255, using: &local) }
          default:
            for _ in 0..<local.small(4) {
              bytes[Int.random(in: bytes.indices, using: &local)] =
                kind == 2 ? UInt8.random(in: 0...255, using: &local) : 0xFF
            }
          }
          return bytes
        }
        do throws(PageDiffError) {
          _ = try pair.compare(reading: damaged)
          counts["told", default: 0] += 1
        } catch {
          counts["\(error)", default: 0] += 1
        }
      }
    }
    // Each of the ways out was taken.
    for outcome in ["told", "malformed", "unreadable"] {
      #expect(counts[outcome, default: 0] > 0, "seed \(seed), \(counts)")
    }
  }

  @Test func moreEntriesThanThereIsRoomForAreRefused() throws {
    // A thousand pointers to one row.
    var bytes = [UInt8](repeating: 0, count: 4_096)
    (bytes[0], bytes[3], bytes[4]) = (13, 0x03, 0xE8)
    for index in 0..<1_000 { (bytes[8 + 2 * index], bytes[9 + 2 * index]) = (0x0F, 0xF0) }
    #expect(throws: PageDiffError.malformed) { try BTreePage(PageBytes(bytes), page: 2) }
    (bytes[3], bytes[4]) = (0, 1)
    #expect(try BTreePage(PageBytes(bytes), page: 2).cells().count == 1)
  }

  @Test func aPageThatCannotBeReadIsNotTakenForAnother() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var numbers = SeededGenerator(seed: seed)
    let pair = try PinnedPair(ForeignStore.Form(pageSize: 512, rowCount: 300), &numbers)
    let truth = try pair.compare(reading: pair.file)
    // Each read fails once, and only once.
    var reads = 0
    var failing = 0
    var hasFailed = true
    while hasFailed {
      (reads, hasFailed, failing) = (0, false, failing + 1)
      let flaky = LoggedFile { (part, count, offset) throws(PageDiffError) in
        reads += 1
        guard reads != failing else {
          hasFailed = true
          throw .unreadable
        }
        return try pair.file.read(part, count, offset)
      }
      do throws(PageDiffError) {
        #expect(try pair.compare(reading: flaky) == truth, "seed \(seed), read \(failing)")
      } catch {
        #expect(error == .unreadable, "seed \(seed), read \(failing)")
      }
    }
    #expect(failing > 10)
  }

  @Test func aFrameOfAnotherLogIsRefused() throws {
    var numbers = SeededGenerator(seed: 1)
    let pair = try PinnedPair(ForeignStore.Form(pageSize: 512, rowCount: 300), &numbers)
    let other = LoggedFile { (part, count, offset) throws(PageDiffError) in
      var bytes = try pair.file.read(part, count, offset)
      if part == .log { bytes[8] ^= 1 }
      return bytes
    }
    #expect(throws: PageDiffError.unreadable) { try pair.compare(reading: other) }
  }
}

/// Two versions of a store, pinned by connections of their own.
private struct PinnedPair {
  let file: LoggedFile
  private let store: ForeignStore
  private let older: Connection
  private let newer: Connection
  private let logs: (older: WALHeader, newer: WALHeader)
  private let index: WALIndex
  private let trees: SchemaTrees

  init(_ form: ForeignStore.Form, _ numbers: inout SeededGenerator) throws {
    let store = try ForeignStore(form)
    self.store = store
    trees = try store.other.transaction(.deferred) { try store.other.schemaTrees() }
    func pin() throws -> (Connection, WALHeader) {
      let connection = try Connection(path: store.folder.file(), access: .readOnly)
      try connection.execute("BEGIN")
      _ = try connection.schemaVersion(of: "main")
      return (connection, try #require(WALIndexHeader(of: connection)).version)
    }
    let (older, olderLog) = try pin()
    for _ in 0..<6 { try store.other.execute(script: store.script(&numbers)) }
    // A branch that is freed as a whole, and some pages of its that are put to use again.
    try store.other.execute(script: "DELETE FROM odd; UPDATE item SET note = 'longer than it was'")
    let (newer, newerLog) = try pin()
    (self.older, self.newer, logs) = (older, newer, (olderLog, newerLog))
    file = try #require(LoggedFile(handle: newer.handle, schema: "main"))
    index = try #require(WALIndex(handle: newer.handle))
  }

  @discardableResult
  func compare(reading file: LoggedFile) throws(PageDiffError) -> TouchedRows {
    try comparison(reading: file).touchedRows()
  }

  /// A comparison that was run.
  func comparison(reading file: LoggedFile) throws(PageDiffError) -> PageComparison {
    let reader = try VersionReader(file, index, from: logs.older, to: logs.newer)
    var comparison = try PageComparison(
      of: try VersionPages(reader), trees: trees, parents: TreeParents())
    _ = try comparison.run()
    return comparison
  }
}
