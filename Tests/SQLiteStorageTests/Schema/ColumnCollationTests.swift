import SQLiteStorage
import Testing

/// Under which collation a column is compared, as SQLite itself tells.
struct ColumnCollationTests {
  private let store: TestConnection
  private var connection: Connection { store.connection }

  private static let longName = "a name of more than eighteen bytes"

  init() throws {
    store = try TestConnection()
    for name in ["backwards", ColumnCollationTests.longName] {
      try connection.register(CustomCollation(name) { $0 < $1 ? 1 : $0 == $1 ? 0 : -1 })
    }
    try connection.execute(
      script: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, plain TEXT, folded TEXT COLLATE NOCASE,
          trimmed TEXT COLLATE RTRIM, own TEXT COLLATE backwards,
          long TEXT COLLATE "\(ColumnCollationTests.longName)");
        CREATE INDEX folded ON t(folded);
        CREATE VIEW v AS SELECT folded AS x FROM t;
        CREATE VIEW vv AS SELECT plain AS x FROM t UNION ALL SELECT x FROM v;
        """)
  }

  @Test(arguments: [
    "SELECT plain FROM t": "BINARY", "SELECT folded FROM t": "NOCASE",
    "SELECT trimmed FROM t": "RTRIM", "SELECT own FROM t": "backwards",
    "SELECT long FROM t": longName, "SELECT id FROM t": "BINARY",
    // The first arm decides, wherever the compound stands.
    "SELECT plain FROM t UNION ALL SELECT folded FROM t": "BINARY",
    "SELECT folded FROM t UNION ALL SELECT plain FROM t": "NOCASE",
    "SELECT * FROM (SELECT plain FROM t UNION ALL SELECT folded FROM t)": "BINARY",
    "SELECT plain FROM t UNION SELECT folded FROM t": "BINARY",
    "SELECT folded FROM t EXCEPT SELECT plain FROM t": "NOCASE",
    "SELECT x FROM v": "NOCASE", "SELECT x FROM vv": "BINARY", "SELECT * FROM vv": "BINARY",
    "WITH c AS (SELECT folded AS x FROM t) SELECT x FROM c": "NOCASE",
    // A scalar subquery and a function have none of their own.
    "SELECT (SELECT folded FROM t LIMIT 1)": "BINARY", "SELECT lower(folded) FROM t": "BINARY",
    "SELECT folded || '' FROM t": "BINARY", "SELECT coalesce(folded, '') FROM t": "BINARY",
    "SELECT CAST(folded AS TEXT) FROM t": "NOCASE", "SELECT +folded FROM t": "NOCASE",
    "SELECT plain COLLATE NOCASE FROM t": "NOCASE", "SELECT folded COLLATE BINARY FROM t": "BINARY",
    "SELECT DISTINCT folded FROM t": "NOCASE", "SELECT folded FROM t GROUP BY folded": "NOCASE",
    "SELECT max(folded) FROM t": "BINARY", "SELECT folded FROM t ORDER BY plain LIMIT 3": "NOCASE",
    "SELECT * FROM (SELECT plain FROM t LIMIT 2) UNION ALL SELECT folded FROM t": "BINARY",
    "VALUES ('a'), ('B')": "BINARY", "SELECT NULL": "BINARY", "SELECT 1.5": "BINARY",
    "SELECT folded FROM t WHERE plain < 'x' AND folded = :value -- a comment": "NOCASE",
  ])
  func aColumnIsComparedUnder(select: String, collation: String) throws {
    #expect(try connection.collation(ofColumn: 0, of: 1, in: select) == collation)
  }

  @Test func eachColumnHasItsOwnAlsoUnderOneName() throws {
    let select = "SELECT plain AS x, folded AS x, own AS \"x:1\", * FROM t"
    let names = try (0..<9).map { try connection.collation(ofColumn: $0, of: 9, in: select) }
    #expect(
      names == [
        "BINARY", "NOCASE", "backwards", "BINARY", "BINARY", "NOCASE", "RTRIM", "backwards",
        ColumnCollationTests.longName,
      ])
    #expect(try connection.collations(ofAllColumns: 9, in: select) == names)
  }

  @Test func allColumnsAreAskedForTogether() throws {
    for (select, collations) in [
      ("SELECT plain, folded, trimmed, own FROM t", ["BINARY", "NOCASE", "RTRIM", "backwards"]),
      (
        "SELECT own, 'x', NULL, 1, lower(folded), folded FROM t",
        ["backwards", "BINARY", "BINARY", "BINARY", "BINARY", "NOCASE"]
      ),
      ("SELECT folded, plain FROM t UNION ALL SELECT plain, folded FROM t", ["NOCASE", "BINARY"]),
      (
        "SELECT folded, folded, trimmed FROM t UNION SELECT plain, plain, plain FROM t ORDER BY 2",
        ["NOCASE", "NOCASE", "RTRIM"]
      ),
      ("SELECT x, x FROM vv JOIN v USING (x)", ["BINARY", "BINARY"]),
      (
        "SELECT s.folded, t.trimmed, s.trimmed FROM t LEFT JOIN t AS s ON s.id = t.plain OR s.own = t.own",
        ["NOCASE", "RTRIM", "RTRIM"]
      ),
      (
        "WITH RECURSIVE n(i, k) AS (SELECT 'a' COLLATE NOCASE, 'b' UNION ALL SELECT i, k FROM n) SELECT k, i FROM n",
        ["BINARY", "NOCASE"]
      ),
      ("VALUES ('a', 'b'), ('c', 'd' COLLATE NOCASE)", ["BINARY", "BINARY"]),
    ] {
      #expect(
        try connection.collations(ofAllColumns: collations.count, in: select) == collations,
        "\(select)")
      let single = try collations.indices.map {
        try connection.collation(ofColumn: $0, of: collations.count, in: select)
      }
      #expect(single == collations, "\(select)")
    }
  }

  @Test func noRowIsRead() throws {
    let endless = """
      WITH RECURSIVE n(i) AS (SELECT 'a' COLLATE NOCASE UNION ALL SELECT i FROM n) SELECT i FROM n
      """
    #expect(try connection.collation(ofColumn: 0, of: 1, in: endless) == "NOCASE")
  }

  @Test func aCollationThatIsNotRegisteredHasItsName() throws {
    let other = try Connection(path: store.folder.file())
    for (column, name) in [("own", "backwards"), ("long", ColumnCollationTests.longName)] {
      let select = "SELECT \(column) FROM t"
      #expect(try other.collation(ofColumn: 0, of: 1, in: select) == name)
      #expect(try other.collations(ofAllColumns: 1, in: select) == nil)
    }
    // Any other error is one.
    let error = databaseError { _ = try connection.collation(ofColumn: 0, of: 1, in: "SELECT y") }
    #expect(error?.message == "no such column: y")
  }

  @Test func namesThatSQLiteShowsAlikeAreAnError() throws {
    let other = ColumnCollationTests.longName + ", again"
    try connection.register(CustomCollation(other) { _, _ in 0 })
    let columns = "SELECT plain, long FROM t"
    #expect(try connection.collations(ofAllColumns: 2, in: columns) == nil)
    #expect(try connection.collation(ofColumn: 0, of: 2, in: columns) == "BINARY")
    let error = databaseError {
      _ = try connection.collation(ofColumn: 0, of: 1, in: "SELECT long FROM t")
    }
    #expect(
      error?.message
        == "the collations \(ColumnCollationTests.longName) and \(other) cannot be told apart")
  }
}
