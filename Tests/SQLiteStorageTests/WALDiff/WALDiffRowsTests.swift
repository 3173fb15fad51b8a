import Testing

@testable import SQLiteStorage

/// Which rows the pages of two versions tell.
@Suite struct WALDiffRowsTests {
  private let store: ObservedStore

  init() throws { store = try ObservedStore() }

  @Test func undoneWritesAreNotReported() throws {
    let script = """
      BEGIN; UPDATE item SET name = 'kept' WHERE id = 1;
      SAVEPOINT s; DELETE FROM item WHERE id > 5; ROLLBACK TO s; COMMIT;
      """
    #expect(try store.rows(by: script) == .rowIDs([1]))
    #expect(
      try store.rows(by: "UPDATE item SET name = 'a' WHERE id = 2; DELETE FROM item WHERE id = 3;")
        == .rowIDs([2, 3]))
    // The page is written again, and is as it was.
    let same = "UPDATE item SET name = 'b' WHERE id = 2; UPDATE item SET name = 'a' WHERE id = 2"
    #expect(try store.rows(by: same) == nil)
  }

  @Test func aTableEmptiedWithoutWritingItsPagesIsReported() throws {
    // The pages below the first one are only put on the list of free ones.
    guard case .rowIDs(let rowIDs) = try store.rows(by: "DELETE FROM item") else {
      Issue.record("not told")
      return
    }
    #expect(rowIDs == Set(1...2_000))
    // And put to use again, by another table.
    try store.other.execute("CREATE TABLE next(id INTEGER PRIMARY KEY, a)")
    _ = try store.database.snapshot()
    let fill = """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
      INSERT INTO next SELECT i, 'next ' || i FROM n
      """
    #expect(try store.rows(of: "next", by: fill) == .rowIDs(Set(1...900)))
    #expect(try store.rows(of: "item", by: "DELETE FROM next") == nil)
  }

  @Test func keysOfTablesWithoutRowIDsAreReported() throws {
    try store.other.execute(
      script: """
        CREATE TABLE pair(note, a REAL, b TEXT, PRIMARY KEY(b DESC, a)) WITHOUT ROWID;
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
        INSERT INTO pair SELECT 'n', i, 'b' || (i % 10) FROM n;
        """)
    #expect(
      try store.rows(of: "pair", by: "UPDATE pair SET note = 1 WHERE a = 17")
        == .keys([["b7", 17.0]]))
    #expect(
      try store.rows(of: "pair", by: "UPDATE pair SET a = a + 0.5 WHERE a = 20")
        == .keys([["b0", 20.0], ["b0", 20.5]]))
    guard case .keys(let keys) = try store.rows(of: "pair", by: "DELETE FROM pair WHERE b = 'b3'")
    else {
      Issue.record("not told")
      return
    }
    #expect(keys.count == 300)
  }

  @Test func aKeyThatCannotBeReadCountsAsAnyRow() throws {
    try store.other.execute("CREATE TABLE word(word PRIMARY KEY, n) WITHOUT ROWID")
    #expect(try store.rows(of: "word", by: "INSERT INTO word VALUES ('a', 1)") == .keys([["a"]]))
    // Longer than what fits in a page.
    #expect(
      try store.rows(of: "word", by: "INSERT INTO word VALUES (hex(zeroblob(9000)), 1)") == .all)
    // Not valid in UTF-8.
    #expect(
      try store.rows(of: "word", by: "INSERT INTO word VALUES (CAST(x'61FF' AS TEXT), 1)") == .all)
  }

  @Test func allKindsOfKeysReadAsTheyAre() throws {
    try store.other.execute("CREATE TABLE word(word PRIMARY KEY, n) WITHOUT ROWID")
    let values = [
      "0", "1", "-1", "127", "-129", "70000", "-8388609", "5000000000", "-5000000000",
      "140737488355328", "9223372036854775807", "-9223372036854775808", "1.5", "-2e300", "'ü'",
      "''", "x''", "x'00FF'",
    ]
    for value in values {
      let stored = try store.other.value(Value.self, SQL(verbatim: "SELECT \(value)"))
      #expect(
        try store.rows(of: "word", by: "INSERT INTO word VALUES (\(value), 0)")
          == .keys([[try #require(stored)]]), "\(value)")
    }
  }

  @Test func rowsThatOneTableTakesOverFromAnotherAreReportedForBoth() throws {
    try store.other.execute(script: "CREATE TABLE copy(id INTEGER PRIMARY KEY, name TEXT)")
    let tables = [TouchedRows.Table("item", in: "main"), TouchedRows.Table("copy", in: "main")]
    for (old, new) in [(tables[0], tables[1]), (tables[1], tables[0])] {
      _ = try store.database.snapshot()
      // The one is put into the pages that the other had, and many of its rows into the same.
      let script = """
        BEGIN; CREATE TEMP TABLE kept AS SELECT * FROM \(old.name); DELETE FROM \(old.name);
        INSERT INTO \(new.name) SELECT * FROM kept; COMMIT; DROP TABLE kept;
        """
      let before = try store.database.snapshot()
      try store.other.execute(script: script)
      let touched = try before.changes(to: store.database.snapshot()).known()
      for table in tables { #expect(touched.rows(of: table.name.text) == .rowIDs(Set(1...2_000))) }
    }
  }

  // MARK: - Long rows

  private func makeLongRows() throws {
    // Pages that are free are left as they are.
    try store.other.execute("PRAGMA secure_delete = OFF")
    try store.other.execute(
      script: """
        CREATE TABLE long(id INTEGER PRIMARY KEY, body);
        CREATE TABLE filler(id INTEGER PRIMARY KEY, body);
        INSERT INTO long VALUES (1, zeroblob(20000)), (2, zeroblob(20000)), (3, 'short');
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
        INSERT INTO filler SELECT i, zeroblob(4000) FROM n; DELETE FROM filler WHERE id < 50;
        """)
    _ = try store.database.snapshot()
  }

  private let changed = "CAST(zeroblob(19999) || x'01' AS BLOB)"

  @Test func aLongRowChangedInTheMiddleIsReportedWithItsNeighbour() throws {
    try makeLongRows()
    // The page that the row begins in is written for the neighbour.
    let script = """
      BEGIN; UPDATE long SET body = \(changed) WHERE id = 2;
      UPDATE long SET body = 'other' WHERE id = 3; COMMIT;
      """
    #expect(try store.rows(of: "long", by: script) == .rowIDs([2, 3]))
  }

  @Test func aLongRowThatContinuesElsewhereIsReported() throws {
    try makeLongRows()
    // Its own pages are free now and not written, and it begins as it did.
    for round in 1...20 {
      let script = """
        BEGIN; DELETE FROM long WHERE id = 1; DELETE FROM filler WHERE id = \(3 * round);
        INSERT INTO long VALUES (1, CAST(zeroblob(19999) || x'\(10 + round)' AS BLOB)); COMMIT;
        """
      #expect(try store.rows(of: "long", by: script) == .rowIDs([1]), "\(round)")
      try store.other.execute(
        SQL(verbatim: "INSERT INTO filler VALUES (\(1_000 + round), zeroblob(9000))"))
      _ = try store.database.snapshot()
    }
  }

  @Test func longEntriesOfAnIndexAreNoRows() throws {
    try store.other.execute(
      script: """
        CREATE TABLE long(id INTEGER PRIMARY KEY, body); CREATE INDEX long_body ON long(body);
        INSERT INTO long VALUES (1, zeroblob(20000)), (2, zeroblob(20000));
        """)
    _ = try store.database.snapshot()
    // The new entry goes on in the pages that the old one went on in.
    let script = "UPDATE long SET body = zeroblob(18000) WHERE id = 1"
    #expect(try store.rows(of: "long", by: script) == .rowIDs([1]))
  }

  // MARK: - Names

  @Test func aVirtualTableIsReportedAsAWhole() throws {
    let options = try store.other.rows("PRAGMA compile_options").map(\.values)
    guard options.contains([.text("ENABLE_FTS5")]) else { return }
    try store.other.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
    #expect(try store.rows(of: "words", by: "INSERT INTO words VALUES ('hello')") == .all)
  }

  @Test func namesAreReportedAsTheSchemaSpellsThem() throws {
    try store.other.execute("CREATE TABLE \"Größe ''x\"(id INTEGER PRIMARY KEY)")
    let insert = "INSERT INTO \"Größe ''x\" VALUES (7)"
    #expect(try store.rows(of: "Größe ''x", by: insert) == .rowIDs([7]))
  }
}
