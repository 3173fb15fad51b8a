import Testing

@testable import SQLiteStorage

/// What others have written is told from the pages of two versions, whoever writes it and whatever
/// becomes of the log.
@Suite struct WALDiffTests {
  private let store: ObservedStore

  init() throws { store = try ObservedStore() }

  // MARK: - Who writes

  @Test func writesOfAnotherConnectionAreReported() throws {
    #expect(
      try store.rows(by: "UPDATE item SET name = 'x' WHERE id IN (3, 700)") == .rowIDs([3, 700]))
    #expect(try store.rows(by: "DELETE FROM item WHERE id = 1999") == .rowIDs([1_999]))
    #expect(
      try store.rows(by: "INSERT INTO item VALUES (5000, 'y'), (-1, '')") == .rowIDs([5_000, -1]))
    #expect(try store.rows(by: "UPDATE item SET id = 9999 WHERE id = 10") == .rowIDs([10, 9_999]))
  }

  @Test func writesOfAnotherProcessAreReported() async throws {
    let before = try store.database.snapshot()
    await #expect(processExitsWith: .success) { [path = store.folder.file() as String] in
      let database = try Database(path: path)
      try database.write { try $0.execute("UPDATE item SET name = 'z' WHERE id = 77") }
    }
    let touched = try before.changes(to: store.database.snapshot()).known()
    #expect(touched.rows(of: "item") == .rowIDs([77]))
  }

  @Test func ownWritesBetweenThoseOfOthersAreReportedToo() throws {
    let before = try store.database.snapshot()
    try store.database.write { try $0.execute("DELETE FROM item WHERE id = 1") }
    try store.other.execute("DELETE FROM item WHERE id = 2")
    try store.database.write { try $0.execute("DELETE FROM item WHERE id = 3") }
    let touched = try before.changes(to: store.database.snapshot()).known()
    #expect(touched.rows(of: "item") == .rowIDs([1, 2, 3]))
  }

  @Test func ownWritesAloneNeedNoPages() throws {
    let before = try store.database.snapshot()
    try store.database.write { try $0.execute("DELETE FROM item WHERE id = 1") }
    let detected = before.detectedChanges(to: try store.database.snapshot())
    #expect(try detected.touched.known().rows(of: "item") == .rowIDs([1]))
    // Without the hook, the pages tell what is written here as well.
    #expect(detected.isCaptured == Connection.supportsPreupdateHook)
  }

  @Test func writesToAReadOnlyDatabaseAreReported() throws {
    let reader = try Database(path: store.folder.file(), access: .readOnly)
    let before = try reader.snapshot()
    try store.other.execute("DELETE FROM item WHERE id = 4")
    let touched = try before.changes(to: reader.snapshot()).known()
    #expect(touched.rows(of: "item") == .rowIDs([4]))
  }

  // MARK: - The log

  @Test func theLogIsStartedOverUnderASnapshot() throws {
    var configuration = Database.Configuration.unsynced
    configuration.checkpointThreshold = 10
    let database = try Database(path: store.folder.file(), configuration: configuration)
    var last = try database.snapshot()
    var logs: Set<[UInt8]> = []
    for round in 1...200 {
      try store.other.execute(
        "UPDATE item SET name = ? WHERE id = ?", [.integer(0), .integer(Int64(round))])
      try store.other.execute("UPDATE item SET name = 'n' || name WHERE id = 1500")
      let next = try database.snapshot()
      let touched = try last.changes(to: next).known()
      #expect(touched.rows(of: "item") == .rowIDs([Int64(round), 1_500]))
      last = next
      // The only one that is left now.
      _ = try database.snapshot()
      logs.insert(try #require(WALIndexHeader(of: store.other)).version.salts)
    }
    #expect(logs.count > 3)
  }

  @Test func othersMayCopyTheLogAtAnyTime() throws {
    let before = try store.database.snapshot()
    try store.other.execute("DELETE FROM item WHERE id = 1")
    for mode in ["PASSIVE", "FULL", "RESTART", "TRUNCATE"] {
      try store.other.execute(SQL(verbatim: "PRAGMA wal_checkpoint(\(mode))"))
      try store.other.execute("DELETE FROM item WHERE id = 2")
      let touched = try before.changes(to: store.database.snapshot()).known()
      #expect(touched.rows(of: "item") == .rowIDs([1, 2]), "\(mode)")
    }
  }

  @Test func versionsThatAreNotPinnedAreNotRead() throws {
    let pages = try #require(try store.database.snapshot().pages)
    let versions = try store.other.value(Int64.self, "PRAGMA schema_version")
    func writeTwice() throws -> [WALHeader] {
      try store.other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      return try [1, 1_500].map { id in
        try store.other.execute(
          SQL(verbatim: "UPDATE item SET name = name || 'x' WHERE id = \(id)"))
        return try #require(WALIndexHeader(of: store.other)?.version)
      }
    }
    let old = try writeTwice()
    // The same pages in the same frames of another log.
    let new = try writeTwice()
    let known = try #require(versions)
    #expect(
      pages.touched(from: old[0], to: old[1], schemaVersion: known) == .unknown(.logUnreadable))
    let touched = try pages.touched(from: new[0], to: new[1], schemaVersion: known).known()
    #expect(touched.rows(of: "item") == .rowIDs([1_500]))
  }

  // MARK: - Cost

  @Test func thePlacesOfNewPagesAreRemembered() throws {
    let pages = try #require(try store.database.snapshot().pages)
    let fill = """
      WITH RECURSIVE n(i) AS (SELECT 2001 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
      INSERT INTO item SELECT i, 'new ' || i FROM n
      """
    #expect(try store.rows(by: fill) == .rowIDs(Set(2_001...4_000)))
    for id in [2_500, 3_000, 3_500] as [Int64] {
      let update = "UPDATE item SET name = 'x' WHERE id = \(id)"
      #expect(try store.rows(by: update) == .rowIDs([id]))
    }
    #expect(pages.work.mappingCount == 1)
  }

  @Test func twoOldVersionsDoNotForgetTheChangesOfEachOther() throws {
    let first = try store.database.snapshot()
    let pages = try #require(first.pages)
    try store.other.execute("DELETE FROM item WHERE id = 1")
    let second = try store.database.snapshot()
    try store.other.execute("DELETE FROM item WHERE id = 2")
    let newest = try store.database.snapshot()
    let before = pages.work.comparisonCount
    for _ in 0..<3 {
      #expect(try first.changes(to: newest).known().rows(of: "item") == .rowIDs([1, 2]))
      #expect(try second.changes(to: newest).known().rows(of: "item") == .rowIDs([2]))
    }
    #expect(pages.work.comparisonCount == before + 2)
  }

  @Test func aChangedRowCostsAFewPages() throws {
    let store = try ForeignStore(ForeignStore.Form(rowCount: 20_000))
    let database = try Database(path: store.folder.file(), configuration: .unsynced)
    let pages = try #require(try database.snapshot().pages)
    var last = try database.snapshot()
    for count in [1, 1, 40, 1] {
      let before = pages.work
      try store.other.transaction {
        for index in 0..<count {
          try store.other.execute(
            "UPDATE item SET note = ? WHERE id = ?",
            [.integer(Int64(before.readCount)), .integer(Int64(37 + 450 * index))])
        }
      }
      let next = try database.snapshot()
      #expect(try last.changes(to: next).known().count == count)
      // All who ask for the same are told the same.
      #expect(try last.changes(to: next).known().count == count)
      let after = pages.work
      #expect(after.comparisonCount == before.comparisonCount + 1)
      // The pages above all leaves are read once.
      #expect(after.mappingCount == 1)
      if before.mappingCount == 1 {
        // Two images of the page and of one that it may have grown into, the pages above, and the
        // headers; of some thousand.
        #expect(after.readCount - before.readCount <= 4 * count + 12)
      }
      last = next
    }
  }
}
