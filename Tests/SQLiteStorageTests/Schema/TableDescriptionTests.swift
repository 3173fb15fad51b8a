import SQLiteStorage
import Testing

@Suite struct TableDescriptionTests {
  private func table(_ name: String, _ script: String) throws -> TableDescription {
    try #require(try TestConnection(script).connection.table(named: name))
  }

  @Test func aTableIsDescribedByItsColumns() throws {
    let table = try table(
      "T",
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, name VARCHAR(20) NOT NULL, bare,
        twice AS (bare * 2), kept AS (bare) STORED)
      """)
    #expect(table.name == "t")
    #expect(table.schema == "main")
    #expect(table.kind == .table)
    #expect(!table.isWithoutRowID)
    #expect(table.columns.map(\.name) == ["id", "name", "bare", "twice", "kept"])
    #expect(table.columns.map(\.declaredType) == ["INTEGER", "VARCHAR(20)", "", "", ""])
    #expect(table.columns.map(\.isNotNull) == [false, true, false, false, false])
    #expect(table.columns.map(\.primaryKeyPosition) == [1, 0, 0, 0, 0])
    #expect(table.columns.map(\.isGenerated) == [false, false, false, true, true])
  }

  @Test(
    arguments: [
      ("CREATE TABLE t(id INTEGER PRIMARY KEY)", ["id"], true),
      ("CREATE TABLE t(id integer primary key autoincrement)", ["id"], true),
      ("CREATE TABLE t(id INTEGER, x, PRIMARY KEY(id))", ["id"], true),
      ("CREATE TABLE t(id INTEGER, x, PRIMARY KEY(id DESC))", ["id"], true),
      ("CREATE TABLE t(id INTEGER PRIMARY KEY DESC)", ["id"], false),
      ("CREATE TABLE t(id INT PRIMARY KEY)", ["id"], false),
      ("CREATE TABLE t(id TEXT PRIMARY KEY)", ["id"], false),
      ("CREATE TABLE t(a, b, c, PRIMARY KEY(c, a))", ["c", "a"], false),
      ("CREATE TABLE t(id INTEGER PRIMARY KEY) WITHOUT ROWID", ["id"], false),
      ("CREATE TABLE t(a, b, PRIMARY KEY(b, a)) WITHOUT ROWID", ["b", "a"], false),
      ("CREATE TABLE t(x)", ["rowid"], true), ("CREATE TABLE t(RowID)", ["_rowid_"], true),
      ("CREATE TABLE t(rowid, _rowid_)", ["oid"], true),
      ("CREATE TABLE t(rowid, _rowid_, oid)", [], false),
      ("CREATE VIEW t AS SELECT 1 AS a", [], false),
    ] as [(String, [String], Bool)])
  func theKeyIsWhatIdentifiesARow(_ script: String, _ key: [String], _ isRowID: Bool) throws {
    let table = try table("t", script)
    #expect(table.key == key)
    #expect(table.isKeyRowID == isRowID)
  }

  @Test func aKeyThatIsTheRowIDIsFoundByIt() throws {
    for declaration in ["id INTEGER PRIMARY KEY", "id INTEGER, PRIMARY KEY(id DESC)"] {
      let store = try TestConnection(
        "CREATE TABLE t(\(declaration)); INSERT INTO t VALUES (7)")
      #expect(try store.connection.value(Int.self, "SELECT rowid FROM t") == 7)
    }
    let store = try TestConnection(
      "CREATE TABLE t(id INTEGER PRIMARY KEY DESC); INSERT INTO t VALUES (7)")
    #expect(try store.connection.value(Int.self, "SELECT rowid FROM t") == 1)
  }

  @Test func aViewOfADroppedTableDoesNotHideTheOthers() throws {
    let connection = try TestConnection(
      "CREATE TABLE t(a); CREATE VIEW v AS SELECT * FROM gone; CREATE VIEW w AS SELECT a FROM t"
    ).connection
    let tables = try connection.tables()
    #expect(tables.map(\.name) == ["t", "v", "w"])
    #expect(tables.map(\.kind) == [.table, .view, .view])
    #expect(tables[1].columns.isEmpty)
    #expect(throws: DatabaseError.self) { try connection.table(named: "v") }
  }

  @Test func viewsVirtualTablesAndTheirTablesAreListed() throws {
    let store = try TestConnection(
      """
      CREATE TABLE plain(x); CREATE VIEW shown AS SELECT x FROM plain;
      CREATE VIRTUAL TABLE tree USING rtree(id, lo, hi); CREATE TEMP TABLE passing(x);
      """)
    let tables = try store.connection.tables()
    #expect(tables.map(\.name) == ["plain", "shown", "tree"])
    #expect(tables.map(\.kind) == [.table, .view, .virtual])
    #expect(try store.connection.table(named: "tree_node")?.kind == .shadow)
    #expect(try store.connection.table(named: "tree")?.key == [])
    #expect(try store.connection.table(named: "passing")?.schema == "temp")
    #expect(try store.connection.table(named: "missing") == nil)
  }

  @Test(arguments: SQLQuotingTests.names) func anyNameIsFound(_ name: String) throws {
    let store = try TestConnection("CREATE TABLE \(name.quotedIdentifier)(x)")
    #expect(try store.connection.table(named: name)?.name == name)
    #expect(try store.connection.tables().map(\.name) == [name])
  }

  /// SQLite ignores the case of ASCII letters only: there is no INT in `ınt`.
  @Test(arguments: [
    ("", "BLOB"), ("Int", "INTEGER"), ("FLOATING POINT", "INTEGER"), ("nVarChar(9)", "TEXT"),
    ("blob", "BLOB"), ("double", "REAL"), ("real", "REAL"), ("date", "NUMERIC"), ("ınt", "NUMERIC"),
  ])
  func anAffinityIsThatOfSQLite(type: String, affinity: String) throws {
    #expect(TableDescription.Column.affinity(ofType: type) == affinity)
    let store = try TestConnection(
      "CREATE TABLE t(x \(type)); INSERT INTO t VALUES ('1.5'), ('1'), (1)")
    let stored: [String: [String]] = [
      "INTEGER": ["real", "integer", "integer"], "NUMERIC": ["real", "integer", "integer"],
      "REAL": ["real", "real", "real"], "TEXT": ["text", "text", "text"],
      "BLOB": ["text", "text", "integer"],
    ]
    #expect(try store.connection.values(String.self, "SELECT typeof(x) FROM t") == stored[affinity])
  }

  @Test func aTemporaryTableHidesAnother() throws {
    let store = try TestConnection("CREATE TABLE t(a); CREATE TEMP TABLE t(b)")
    #expect(try store.connection.table(named: "t")?.columns.map(\.name) == ["b"])
    try store.connection.execute("DROP TABLE temp.t")
    #expect(try store.connection.table(named: "t")?.columns.map(\.name) == ["a"])
  }

  @Test func tablesOfAnAttachedFileAreThereToo() throws {
    let store = try TestConnection("CREATE TABLE t(a)")
    try store.connection.execute(
      "ATTACH ? AS other", [.text(try store.folder.makeStore("other"))])
    #expect(try store.connection.table(named: "item")?.schema == "other")
    #expect(try store.connection.tables().map(\.name) == ["item", "t"])
    // A table with the name of another one.
    try store.connection.execute("CREATE TABLE other.t(b)")
    #expect(
      try store.connection.tables().map { "\($0.schema).\($0.name) \($0.columns.map(\.name))" } == [
        #"other.item ["id", "name"]"#, #"main.t ["a"]"#, #"other.t ["b"]"#,
      ])
  }
}
