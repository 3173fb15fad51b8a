import Foundation
import Testing

@testable import SQLiteStorage

/// What others have written is told from the pages of two versions.
@Suite struct LogPagesTests {
  private let folder: TestFolder
  private let database: Database
  private let other: Connection

  init() throws {
    folder = try TestFolder()
    let path = try folder.makeStore(rows: 2_000)
    database = try Database(path: path, configuration: .unsynced)
    other = try Connection(path: path)
    try other.execute("PRAGMA synchronous = OFF")
  }

  private func rows(of table: String = "item", by script: String) throws -> TouchedRows.Rows? {
    let before = try database.snapshot()
    try other.execute(script: script)
    let after = try database.snapshot()
    let (touched, source) = before.changesAndSource(to: after)
    #expect(source == .pages)
    return try touched.known().rows(of: table)
  }

  private func reason(_ script: String) throws -> Touched {
    let before = try database.snapshot()
    try other.execute(script: script)
    return before.changes(to: try database.snapshot())
  }

  // MARK: - Who writes

  @Test func anotherConnectionIsTold() throws {
    #expect(try rows(by: "UPDATE item SET name = 'x' WHERE id IN (3, 700)") == .rowIDs([3, 700]))
    #expect(try rows(by: "DELETE FROM item WHERE id = 1999") == .rowIDs([1_999]))
    #expect(try rows(by: "INSERT INTO item VALUES (5000, 'y'), (-1, '')") == .rowIDs([5_000, -1]))
    #expect(try rows(by: "UPDATE item SET id = 9999 WHERE id = 10") == .rowIDs([10, 9_999]))
  }

  @Test func anotherProcessIsTold() async throws {
    let before = try database.snapshot()
    await #expect(processExitsWith: .success) { [path = folder.file() as String] in
      let database = try Database(path: path)
      try database.write { try $0.execute("UPDATE item SET name = 'z' WHERE id = 77") }
    }
    let touched = try before.changes(to: database.snapshot()).known()
    #expect(touched.rows(of: "item") == .rowIDs([77]))
  }

  @Test func ownWritesBetweenThoseOfOthersAreToldToo() throws {
    let before = try database.snapshot()
    try database.write { try $0.execute("DELETE FROM item WHERE id = 1") }
    try other.execute("DELETE FROM item WHERE id = 2")
    try database.write { try $0.execute("DELETE FROM item WHERE id = 3") }
    let touched = try before.changes(to: database.snapshot()).known()
    #expect(touched.rows(of: "item") == .rowIDs([1, 2, 3]))
  }

  @Test func ownWritesAloneNeedNoPages() throws {
    let before = try database.snapshot()
    try database.write { try $0.execute("DELETE FROM item WHERE id = 1") }
    let (touched, source) = before.changesAndSource(to: try database.snapshot())
    #expect(try touched.known().rows(of: "item") == .rowIDs([1]))
    // Without the hook, the pages tell what is written here as well.
    #expect(source == (Connection.supportsPreupdateHook ? .capture : .pages))
  }

  @Test func aDatabaseThatIsOnlyReadIsTold() throws {
    let reader = try Database(path: folder.file(), access: .readOnly)
    let before = try reader.snapshot()
    try other.execute("DELETE FROM item WHERE id = 4")
    let touched = try before.changes(to: reader.snapshot()).known()
    #expect(touched.rows(of: "item") == .rowIDs([4]))
  }

  @Test func anAttachedFileIsTold() throws {
    let path = try folder.makeStore("aux.sqlite", rows: 50)
    var configuration = Database.Configuration.unsynced
    configuration.prepareConnection = { try $0.execute("ATTACH ? AS aux", [.text(path)]) }
    let database = try Database(path: folder.file(), configuration: configuration)
    let before = try database.snapshot()
    try Connection(path: path).execute("DELETE FROM item WHERE id = 8")
    try other.execute("DELETE FROM item WHERE id = 9")
    let touched = try before.changes(to: database.snapshot()).known()
    #expect(touched.rows(of: "item", in: "aux") == .rowIDs([8]))
    #expect(touched.rows(of: "item") == .rowIDs([9]))
  }

  // MARK: - What is written

  @Test func whatIsUndoneIsNotTold() throws {
    let script = """
      BEGIN; UPDATE item SET name = 'kept' WHERE id = 1;
      SAVEPOINT s; DELETE FROM item WHERE id > 5; ROLLBACK TO s; COMMIT;
      """
    #expect(try rows(by: script) == .rowIDs([1]))
    #expect(
      try rows(by: "UPDATE item SET name = 'a' WHERE id = 2; DELETE FROM item WHERE id = 3;")
        == .rowIDs([2, 3]))
    // The page is written again, and is as it was.
    let same = "UPDATE item SET name = 'b' WHERE id = 2; UPDATE item SET name = 'a' WHERE id = 2"
    #expect(try rows(by: same) == nil)
  }

  @Test func aTableThatIsEmptiedWithoutWritingItsPagesIsTold() throws {
    // The pages below the first one are only put on the list of free ones.
    guard case .rowIDs(let rowIDs) = try rows(by: "DELETE FROM item") else {
      Issue.record("not told")
      return
    }
    #expect(rowIDs == Set(1...2_000))
    // And put to use again, by another table.
    try other.execute("CREATE TABLE next(id INTEGER PRIMARY KEY, a)")
    _ = try database.snapshot()
    let fill = """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
      INSERT INTO next SELECT i, 'next ' || i FROM n
      """
    #expect(try rows(of: "next", by: fill) == .rowIDs(Set(1...900)))
    #expect(try rows(of: "item", by: "DELETE FROM next") == nil)
  }

  @Test func keysOfTablesWithoutRowIDsAreTold() throws {
    try other.execute(
      script: """
        CREATE TABLE pair(note, a REAL, b TEXT, PRIMARY KEY(b DESC, a)) WITHOUT ROWID;
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
        INSERT INTO pair SELECT 'n', i, 'b' || (i % 10) FROM n;
        """)
    #expect(
      try rows(of: "pair", by: "UPDATE pair SET note = 1 WHERE a = 17") == .keys([["b7", 17.0]]))
    #expect(
      try rows(of: "pair", by: "UPDATE pair SET a = a + 0.5 WHERE a = 20")
        == .keys([["b0", 20.0], ["b0", 20.5]]))
    guard case .keys(let keys) = try rows(of: "pair", by: "DELETE FROM pair WHERE b = 'b3'") else {
      Issue.record("not told")
      return
    }
    #expect(keys.count == 300)
  }

  @Test func aKeyThatCannotBeReadCountsAsAnyRow() throws {
    try other.execute("CREATE TABLE word(word PRIMARY KEY, n) WITHOUT ROWID")
    #expect(try rows(of: "word", by: "INSERT INTO word VALUES ('a', 1)") == .keys([["a"]]))
    // Longer than what fits in a page.
    #expect(try rows(of: "word", by: "INSERT INTO word VALUES (hex(zeroblob(9000)), 1)") == .all)
    // Not valid in UTF-8.
    #expect(
      try rows(of: "word", by: "INSERT INTO word VALUES (CAST(x'61FF' AS TEXT), 1)") == .all)
  }

  @Test func allKindsOfKeysReadAsTheyAre() throws {
    try other.execute("CREATE TABLE word(word PRIMARY KEY, n) WITHOUT ROWID")
    let values = [
      "0", "1", "-1", "127", "-129", "70000", "-8388609", "5000000000", "-5000000000",
      "140737488355328", "9223372036854775807", "-9223372036854775808", "1.5", "-2e300", "'ü'",
      "''", "x''", "x'00FF'",
    ]
    for value in values {
      let stored = try other.value(Value.self, "SELECT \(value)")
      #expect(
        try rows(of: "word", by: "INSERT INTO word VALUES (\(value), 0)")
          == .keys([[try #require(stored)]]), "\(value)")
    }
  }

  @Test func aVirtualTableIsToldAsAWhole() throws {
    let options = try other.rows("PRAGMA compile_options").map(\.values)
    guard options.contains([.text("ENABLE_FTS5")]) else { return }
    try other.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
    #expect(try rows(of: "words", by: "INSERT INTO words VALUES ('hello')") == .all)
  }

  @Test func namesAreToldAsTheSchemaSpellsThem() throws {
    try other.execute("CREATE TABLE \"Größe ''x\"(id INTEGER PRIMARY KEY)")
    let insert = "INSERT INTO \"Größe ''x\" VALUES (7)"
    #expect(try rows(of: "Größe ''x", by: insert) == .rowIDs([7]))
  }

  // MARK: - What cannot be told

  @Test(arguments: ["CREATE TABLE other(a)", "VACUUM", "DROP TABLE item"])
  func aChangeOfTheSchemaIsNotTold(by sql: String) throws {
    #expect(try reason(sql) == .unknown(.schemaChanged))
  }

  @Test func anOldPairAfterAChangeOfTheSchemaIsNotTold() throws {
    let before = try database.snapshot()
    try other.execute("DELETE FROM item WHERE id = 4")
    let after = try database.snapshot()
    try other.execute("CREATE TABLE other(a)")
    // Which trees there were could only be asked of the newest version, and that has others.
    #expect(before.changes(to: after) == .unknown(.schemaChanged))
  }

  @Test func aChangeOfTheSchemaAfterAComparisonIsNotTold() throws {
    // From here on the trees of this schema are known.
    #expect(try rows(by: "DELETE FROM item WHERE id = 4") == .rowIDs([4]))
    let script = "DROP TABLE item; CREATE TABLE other(id INTEGER PRIMARY KEY, name TEXT)"
    #expect(try reason(script) == .unknown(.schemaChanged))
  }

  @Test(.enabled(if: HandEditing.isPossible))
  func aSchemaThatIsEditedByHandIsNotTold() throws {
    #expect(try rows(by: "DELETE FROM item WHERE id = 4") == .rowIDs([4]))
    try HandEditing.allow(on: other)
    // This leaves the number alone by which others would know.
    let script = """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = sql || ' ' WHERE name = 'item';
      DELETE FROM item WHERE id = 5;
      """
    #expect(try reason(script) == .unknown(.schemaChanged))
  }

  @Test(.enabled(if: HandEditing.isPossible))
  func tablesThatShareTheirPagesAreNotTold() throws {
    try HandEditing.allow(on: other)
    try other.execute(
      script: """
        PRAGMA writable_schema = ON;
        INSERT INTO sqlite_schema SELECT type, 'twin', 'twin', rootpage,
          'CREATE TABLE twin(id INTEGER PRIMARY KEY, name TEXT)'
          FROM sqlite_schema WHERE name = 'item';
        PRAGMA schema_version = 999;
        """)
    _ = try database.snapshot()
    #expect(try reason("DELETE FROM item WHERE id = 6") == .unknown(.pageMalformed))
  }

  @Test func aLongRowThatIsChangedInTheMiddleIsNotTold() throws {
    try other.execute(
      script: """
        CREATE TABLE long(id INTEGER PRIMARY KEY, body BLOB);
        INSERT INTO long VALUES (1, zeroblob(20000)), (2, zeroblob(20000));
        """)
    _ = try database.snapshot()
    let before = try database.snapshot()
    let sql = "UPDATE long SET body = CAST(zeroblob(19999) || x'01' AS BLOB) WHERE id = 2"
    try other.execute(sql)
    #expect(try before.changes(to: database.snapshot()) == .unknown(.longRowChanged))
    // Where its entry is written too, it is.
    #expect(
      try rows(of: "long", by: "UPDATE long SET body = zeroblob(300) WHERE id = 1")
        == .rowIDs([1]))
    // And where it is not the one that is changed.
    #expect(
      try rows(of: "long", by: "INSERT INTO long VALUES (3, 'short')") == .rowIDs([3]))
  }

  @Test func moreThanIsWorthItIsNotTold() throws {
    try other.execute("CREATE TABLE big(id INTEGER PRIMARY KEY, a)")
    let fill = """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)
      INSERT INTO big SELECT i, zeroblob(4000) FROM n
      """
    _ = try database.snapshot()
    #expect(try reason(fill) == .unknown(.tooManyPages))
  }

  // MARK: - The log

  @Test func theLogIsStartedOverUnderASnapshot() throws {
    var configuration = Database.Configuration.unsynced
    configuration.checkpointThreshold = 10
    let database = try Database(path: folder.file(), configuration: configuration)
    var last = try database.snapshot()
    var logs: Set<[UInt8]> = []
    for round in 1...200 {
      try other.execute(
        "UPDATE item SET name = ? WHERE id = ?", [.integer(0), .integer(Int64(round))])
      try other.execute("UPDATE item SET name = 'n' || name WHERE id = 1500")
      let next = try database.snapshot()
      let touched = try last.changes(to: next).known()
      #expect(touched.rows(of: "item") == .rowIDs([Int64(round), 1_500]))
      last = next
      // The only one that is left now.
      _ = try database.snapshot()
      logs.insert(try #require(VersionStamp(of: other.handle, attached: [])).logs[0].salts)
    }
    #expect(logs.count > 3)
  }

  @Test func othersMayCopyTheLogAtAnyTime() throws {
    let before = try database.snapshot()
    try other.execute("DELETE FROM item WHERE id = 1")
    for mode in ["PASSIVE", "FULL", "RESTART", "TRUNCATE"] {
      try other.execute("PRAGMA wal_checkpoint(\(mode))")
      try other.execute("DELETE FROM item WHERE id = 2")
      let touched = try before.changes(to: database.snapshot()).known()
      #expect(touched.rows(of: "item") == .rowIDs([1, 2]), "\(mode)")
    }
  }

  // MARK: - Cost

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
