import Testing

@testable import SQLiteStorage

/// What the pages of two versions do not tell, so that the rows are compared instead.
@Suite struct WALDiffUnknownTests {
  private let store: ObservedStore

  init() throws { store = try ObservedStore() }

  @Test(arguments: ["CREATE TABLE other(a)", "VACUUM", "DROP TABLE item"])
  func aChangeOfTheSchemaIsUnknown(by sql: String) throws {
    #expect(try store.reason(sql) == .unknown(.schemaChanged))
  }

  @Test func anOldPairAfterAChangeOfTheSchemaIsUnknown() throws {
    let before = try store.database.snapshot()
    try store.other.execute("DELETE FROM item WHERE id = 4")
    let after = try store.database.snapshot()
    try store.other.execute("CREATE TABLE other(a)")
    // Which trees there were could only be asked of the newest version, and that has others.
    #expect(before.changes(to: after) == .unknown(.schemaChanged))
  }

  @Test func aVersionThatIsLostIsNotRead() throws {
    let before = try store.database.snapshot()
    try store.other.execute("DELETE FROM item WHERE id = 4")
    let after = try store.database.snapshot()
    try before.read { try $0.execute("ROLLBACK") }
    #expect(before.changes(to: after) == .unknown(.otherWriter))
  }

  @Test func aChangeOfTheSchemaAfterAComparisonIsUnknown() throws {
    // From here on the trees of this schema are known.
    #expect(try store.rows(by: "DELETE FROM item WHERE id = 4") == .rowIDs([4]))
    let script = "DROP TABLE item; CREATE TABLE other(id INTEGER PRIMARY KEY, name TEXT)"
    #expect(try store.reason(script) == .unknown(.schemaChanged))
  }

  @Test(.enabled(if: HandEditing.isPossible))
  func aSchemaEditedByHandIsUnknown() throws {
    #expect(try store.rows(by: "DELETE FROM item WHERE id = 4") == .rowIDs([4]))
    try HandEditing.allow(on: store.other)
    // This leaves the number alone by which others would know.
    let script = """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = sql || ' ' WHERE name = 'item';
      DELETE FROM item WHERE id = 5;
      """
    #expect(try store.reason(script) == .unknown(.schemaChanged))
  }

  @Test(.enabled(if: HandEditing.isPossible))
  func tablesThatShareTheirPagesAreUnknown() throws {
    try HandEditing.allow(on: store.other)
    try store.other.execute(
      script: """
        PRAGMA writable_schema = ON;
        INSERT INTO sqlite_schema SELECT type, 'twin', 'twin', rootpage,
          'CREATE TABLE twin(id INTEGER PRIMARY KEY, name TEXT)'
          FROM sqlite_schema WHERE name = 'item';
        PRAGMA schema_version = 999;
        """)
    _ = try store.database.snapshot()
    #expect(try store.reason("DELETE FROM item WHERE id = 6") == .unknown(.pageMalformed))
  }

  @Test func aLongRowChangedInTheMiddleIsUnknown() throws {
    try store.other.execute(
      script: """
        CREATE TABLE long(id INTEGER PRIMARY KEY, body BLOB);
        INSERT INTO long VALUES (1, zeroblob(20000)), (2, zeroblob(20000));
        """)
    _ = try store.database.snapshot()
    let before = try store.database.snapshot()
    let sql = "UPDATE long SET body = CAST(zeroblob(19999) || x'01' AS BLOB) WHERE id = 2"
    try store.other.execute(sql)
    #expect(try before.changes(to: store.database.snapshot()) == .unknown(.longRowChanged))
    // Where its entry is written too, it is.
    #expect(
      try store.rows(of: "long", by: "UPDATE long SET body = zeroblob(300) WHERE id = 1")
        == .rowIDs([1]))
    // And where it is not the one that is changed.
    #expect(
      try store.rows(of: "long", by: "INSERT INTO long VALUES (3, 'short')") == .rowIDs([3]))
  }

  @Test func pagesOfIndexesAreNotTooMany() throws {
    try store.other.execute("CREATE TABLE words(id INTEGER PRIMARY KEY, a, b)")
    try store.other.execute("CREATE INDEX by_a ON words(a)")
    let fill = """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
      INSERT INTO words SELECT i, hex(randomblob(150)), NULL FROM n
      """
    try store.other.execute(script: fill)
    let change = "UPDATE words SET a = a || 'x', b = 1 WHERE id % 4 = 0"
    guard case .rowIDs(let rowIDs) = try store.rows(of: "words", by: change) else {
      Issue.record("the rows are not known")
      return
    }
    #expect(rowIDs == Set((1...15_000).map { Int64($0) * 4 }))
  }

  @Test func tooManyPagesAreUnknown() throws {
    try store.other.execute("CREATE TABLE big(id INTEGER PRIMARY KEY, a)")
    let fill = """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)
      INSERT INTO big SELECT i, zeroblob(4000) FROM n
      """
    _ = try store.database.snapshot()
    #expect(try store.reason(fill) == .unknown(.tooManyPages))
  }
}
