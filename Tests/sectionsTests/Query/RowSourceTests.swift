import CLibrary
import FetchedResults
import RowQueries
import SQLiteStorage
import TestProcesses
import Testing

@testable import sections

/// What SOURCE can be.
@Suite(.timeLimit(.minutes(10))) struct RowSourceTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func query(
    _ source: String, _ arguments: String..., stdin: String = ""
  ) async throws -> Tool.Result {
    try await Tool.run(["query", "a.db", source] + arguments, in: folder, stdin: stdin)
  }

  /// The rows that the tool would print, read in this process.
  private func rows(of source: String) throws -> [Row] {
    var configuration = Database.Configuration()
    configuration.usesWAL = false
    let database = try Database(
      path: folder.file("a.db"), access: .readOnly, configuration: configuration)
    return try database.withSnapshot { version in
      try version.read { connection in
        let query = try RowArguments(source).query(in: connection)
        return try query.reading { try connection.fetchAll(query.request) }
      }
    }
  }

  @Test(arguments: [
    "Order Details", "it's", "say \"hi\"", "a[b]", "back`tick", "tab\tname", "two\nlines", "", "%",
    "SELECT 1", "file:x?mode=memory", "größe 日本", "--", "select",
  ])
  func aTableMayHaveAnyName(_ name: String) async throws {
    try folder.makeDatabase(
      """
      CREATE TABLE \(name.quotedIdentifier)(\(name.quotedIdentifier));
      INSERT INTO \(name.quotedIdentifier) VALUES (7);
      """)
    let by = name.hasPrefix("-") ? ["--by=\(name)"] : ["--by", name]
    // After `--` nothing is an option.
    let result = try await Tool.run(
      ["query", "--format", "ndjson"] + by + ["--sort=\(name):desc", "--", "a.db", name],
      in: folder)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(result.stdout.hasPrefix("{\"section\":7,\"row\":{"))
    #expect(result.stdout.hasSuffix("\":7}}\n"))
  }

  @Test func namesAreComparedAsSQLiteDoes() async throws {
    try folder.makeDatabase("CREATE TABLE Track(Name); INSERT INTO Track VALUES ('b'), ('a')")
    try await query("TRACK", "--by", "name", "--sort", "NAME:desc", "--columns", "nAME")
      .expect("section\tName\nb\tb\na\ta\n")
  }

  @Test func sqlCanBeReadFromStandardInput() async throws {
    try folder.makeDatabase()
    try await query("-", stdin: "SELECT name\nFROM t -- the end").expect("name\none\ntwo\nthree\n")
    // It is SQL whatever it looks like, also where it has no white space.
    try await query("-", stdin: "VALUES(1)").expect("column1\n1\n")
    try await query("-", stdin: "t").expectFailure(65, "syntax error")
    try await query("-").expectFailure(65, "the SQL holds no statement")
    try await query("-", stdin: "SELECT 1\0").expectFailure(65, "NUL")
  }

  @Test func aDashIsNeverATable() async throws {
    try folder.makeDatabase("CREATE TABLE \"-\"(x)")
    try await query("-", stdin: "SELECT 1 AS one").expect("one\n1\n")
  }

  private static let selects = [
    "WITH x AS (SELECT 3 AS n) SELECT n FROM x", "VALUES (3)", "SELECT 3 ; ", "SELECT 3;--",
    "/* a */ SELECT 3", "\n SELECT\n3", "SELECT value FROM json_each('[3]')",
    "SELECT count(*) FROM pragma_table_info('three')",
    "SELECT(3)", "select/**/3", "VALUES(3)", "SELECT'3'", "SELECT\"3\"FROM\"select(1)\"",
    "SELECT+3", "/**/SELECT-(-3)",
  ]

  private func makeTablesNamedLikeSelects() throws {
    try folder.makeDatabase(
      """
      CREATE TABLE three(a, b, c);
      CREATE TABLE "select(1)"("3"); INSERT INTO "select(1)" VALUES (3);
      CREATE TABLE "select"(x); CREATE TABLE "VALUES-2"(x);
      """)
  }

  @Test(arguments: selects)
  func aSelectIsRecognisedByItsWhiteSpaceOrItsFirstWord(_ sql: String) throws {
    try makeTablesNamedLikeSelects()
    let values = try #require(try rows(of: sql).last).values
    #expect(values == [3] || values == ["3"])
  }

  @Test(arguments: [selects[0], selects[3], selects[12]])
  func theToolReadsASelect(_ sql: String) async throws {
    try makeTablesNamedLikeSelects()
    let result = try await query(sql)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(result.lines.last == "3")
  }

  @Test(arguments: ["select", "VALUES-2", "select(1)"])
  func aTableMayHaveANameThatBeginsASelect(_ name: String) async throws {
    try folder.makeDatabase(
      "CREATE TABLE \"select\"(x); CREATE TABLE \"VALUES-2\"(x); CREATE TABLE \"select(1)\"(x)")
    try await query(name).expect("x\n")
  }

  @Test func aViewOfTheFileMayHoldATextInDoubleQuotes() async throws {
    try folder.makeDatabase(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, a);
      INSERT INTO t VALUES (1, 'x');
      CREATE VIEW v AS SELECT id, a || "!" AS s FROM t;
      """)
    try await query("v").expect("id\ts\n1\tx!\n")
    try await query("v", "--where", "s = 'x!'", "--sort", "s").expect("id\ts\n1\tx!\n")
    try await query("v", "--where", "s = \"x!\"").expectFailure(65, "no such column: x!")
    try await query("SELECT s || \"?\" FROM v").expectFailure(65, "no such column: ?")
  }

  @Test func aColumnWithAnUnknownCollationIsReadUnlessItSorts() async throws {
    let path = try folder.makeDatabase("CREATE TABLE empty(x)")
    let connection = try Connection(path: path)
    try connection.register(CustomCollation("LOCALIZED") { $0 < $1 ? -1 : $0 == $1 ? 0 : 1 })
    try connection.execute(
      script: """
        CREATE TABLE ch(id INTEGER PRIMARY KEY, name TEXT COLLATE LOCALIZED);
        INSERT INTO ch VALUES (1, 'b'), (2, 'a');
        CREATE VIEW v AS SELECT name, id FROM ch;
        """)
    try await query("ch").expect("id\tname\n1\tb\n2\ta\n")
    try await query("SELECT id, name FROM ch").expect("id\tname\n1\tb\n2\ta\n")
    try await query("v", "--sort", "id:desc").expect("name\tid\na\t2\nb\t1\n")
    try await query("v", "--sort", "name").expectFailure(65, "the collation LOCALIZED is not known")
    try await query("ch", "--where", "name = 'a'")
      .expectFailure(65, "no such collation sequence: LOCALIZED")
  }

  @Test(arguments: [
    (2000, ")"), (1998, ", PRIMARY KEY (c0, c7, c1997))"),
    (2000, ", PRIMARY KEY (c3)) WITHOUT ROWID"),
  ])
  func aTableMayHaveAsManyColumnsAsSQLiteAllows(_ count: Int, _ end: String) async throws {
    let columns = (0..<count).map { "c\($0)" }.joined(separator: ",")
    try folder.makeDatabase(
      "CREATE TABLE t(\(columns)\(end); INSERT INTO t (c0, c3, c7, c1997) VALUES (1, 2, 3, 4)")
    let result = try await query("t", "--sort", "c0", "--format", "csv")
    #expect(result.stderr == "")
    #expect(result.lines.last?.split(separator: ",").map(String.init) == ["1", "2", "3", "4"])
  }

  private static let refused: [(String, String)] = [
    ("DELETE FROM t", "DELETE"), ("DELETE FROM t RETURNING id", "DELETE"),
    ("INSERT INTO t(name) VALUES ('x') RETURNING id", "INSERT"),
    ("WITH x AS (SELECT 1) UPDATE t SET name = 'x' RETURNING id", "UPDATE"),
    ("ATTACH 'b.db' AS b", "ATTACH"), ("DROP TABLE t", "DROP TABLE"),
    ("PRAGMA journal_mode = WAL", "PRAGMA"), ("PRAGMA user_version = 7", "PRAGMA"),
    ("VACUUM INTO 'b.db'", "no rows"), ("BEGIN EXCLUSIVE", "a transaction"),
    ("CREATE TEMP TABLE x(y)", "CREATE TEMP TABLE"), ("SELECT 1; DELETE FROM t", "more than one"),
    ("SELECT load_extension('x.so')", "load_extension"),
    ("SELECT writefile('b.db', 'x')", "writefile"),
    ("SELECT readfile('/etc/passwd')", "readfile"), ("SELECT * FROM", "incomplete input"),
    ("SELECT * FROM gone", "no such table: gone"), (" ", "no statement"),
  ]

  @Test(arguments: refused)
  func whatDoesMoreThanReadIsRefused(_ sql: String, _ reason: String) throws {
    try folder.makeDatabase()
    let before = try folder.contents()
    let error = try #require(throws: (any Error).self) { try rows(of: sql) }
    guard case .failure(.badData, let message) = Sections.ending(with: error) else {
      Issue.record(error)
      return
    }
    #expect(message.contains(reason), "\(message)")
    #expect(try folder.contents() == before)
  }

  @Test(arguments: [refused[1], refused[4], refused[12]])
  func theToolRefusesWhatDoesMoreThanRead(_ sql: String, _ reason: String) async throws {
    try folder.makeDatabase()
    let before = try folder.contents()
    try await query(sql).expectFailure(65, reason)
    #expect(try folder.contents() == before)
  }

  @Test func viewsOfViewsAreSources() async throws {
    try folder.makeDatabase(
      """
      CREATE TABLE t(a, b);
      INSERT INTO t VALUES (1, 'x'), (2, 'x'), (3, 'y');
      CREATE VIEW v AS SELECT b, count(*) AS n, count(*) AS n FROM t GROUP BY b;
      CREATE VIEW w AS SELECT v.n AS m, t.a FROM v JOIN t USING (b);
      """)
    try await query("v").expect("b\tn\tn:1\nx\t2\t2\ny\t1\t1\n")
    for condition in ["1) UNION SELECT 1, 2, (3", "1) OR (1", "nope", "1 LIMIT 1"] {
      try await query("v", "--where", condition).expectFailure(65, condition)
    }
    try await query("w", "--by", "m", "--sort", "m:desc,a:desc", "--where", "w.a > :a", "-p", "a=1")
      .expect("section\tm\ta\n2\t2\t2\n1\t1\t3\n")
  }

  @Test func aViewOfADroppedTableIsNamedAndHidesNothing() async throws {
    try folder.makeDatabase("CREATE TABLE t(a); CREATE VIEW v AS SELECT * FROM gone")
    try await query("v").expectFailure(65, "of v", "no such table: main.gone", "sqlite_schema")
    try await query("t").expect("a\n")
    try await query("missing").expectFailure(65, "missing", "The database has: t, v")
  }

  @Test func fullTextSearchWorksOnTheTableAndInSQL() async throws {
    try folder.makeDatabase(
      """
      CREATE VIEW broken AS SELECT * FROM gone; -- hides virtual tables from SQLite's own list
      CREATE VIRTUAL TABLE note USING fts5(title, body);
      INSERT INTO note VALUES ('one', 'the quick brown fox'), ('two', 'the lazy dog');
      """)
    try await query("note", "--where", "note MATCH :word", "-p", "word=fox", "--columns", "title")
      .expect("title\none\n")
    try await query("SELECT title FROM note WHERE note MATCH 'lazy'").expect("title\ntwo\n")
    try await query("note", "--where", "note MATCH '\"'").expectFailure(65, "unterminated string")
  }

  @Test func tablesOfEveryKindAreSources() async throws {
    try folder.makeDatabase(
      """
      CREATE TABLE gen(a INTEGER, b AS (a * 2), c TEXT GENERATED ALWAYS AS ('x' || a) STORED);
      INSERT INTO gen(a) VALUES (1);
      CREATE TABLE strict(i INT, r REAL, t TEXT, b BLOB, a ANY) STRICT;
      INSERT INTO strict VALUES (1, 1, 't', x'00', '1');
      CREATE TABLE wr(b, a, PRIMARY KEY(a, b)) WITHOUT ROWID;
      INSERT INTO wr VALUES (1, 'z'), (2, 'a');
      CREATE TABLE auto(id INTEGER PRIMARY KEY AUTOINCREMENT);
      INSERT INTO auto DEFAULT VALUES;
      CREATE TABLE rowidless(rowid TEXT, n); -- the name is taken
      INSERT INTO rowidless VALUES ('z', 1), ('y', 2);
      CREATE VIRTUAL TABLE box USING rtree(id, low, high);
      INSERT INTO box VALUES (1, 2, 3);
      """)
    try await query("gen").expect("a\tb\tc\n1\t2\tx1\n")
    try await query("strict", "--format", "csv").expect("i,r,t,b,a\n1,1.0,t,AA==,1\n")
    try await query("wr").expect("b\ta\n2\ta\n1\tz\n")
    try await query("sqlite_sequence").expect("name\tseq\nauto\t1\n")
    try await query("sqlite_master", "--where", "name = 'gen'", "--columns", "type")
      .expect("type\ntable\n")
    try await query("sqlite_schema", "--limit", "1", "--columns", "name").expect("name\ngen\n")
    try await query("rowidless", "--sort", "rowid").expect("rowid\tn\ny\t2\nz\t1\n")
    try await query("box").expect("id\tlow\thigh\n1\t2.0\t3.0\n")
  }

  @Test func columnsMayHaveAllNamesOfTheRowID() async throws {
    try folder.makeDatabase(
      """
      CREATE TABLE a(rowid TEXT, _rowid_ TEXT, oid TEXT);
      INSERT INTO a VALUES ('a', 'b', 'c'), ('a', 'b', 'c'), ('d', 'e', 'f');
      CREATE TABLE b(rowid TEXT, _rowid_ TEXT, oid TEXT, id INTEGER PRIMARY KEY);
      INSERT INTO b SELECT *, NULL FROM a;
      CREATE TABLE c(ROWID TEXT PRIMARY KEY, _rowid_ TEXT, OID TEXT);
      INSERT INTO c VALUES (NULL, 1, 2), ('a', 3, 4);
      """)
    try await query("a").expect("rowid\t_rowid_\toid\na\tb\tc\na\tb\tc\nd\te\tf\n")
    try await query("a", "--by", "oid", "--sort", "oid:desc", "--columns", "rowid")
      .expect("section\trowid\nf\td\nc\ta\nc\ta\n")
    try await query("SELECT 1 AS rowid, 2 AS _rowid_, 3 AS oid", "--format", "ndjson")
      .expect("{\"section\":null,\"row\":{\"rowid\":1,\"_rowid_\":2,\"oid\":3}}\n")
    try await query("b", "--sort", "id:desc", "--limit", "1")
      .expect("rowid\t_rowid_\toid\tid\nd\te\tf\t3\n")
    try await query("c", "--sort", "OID:desc").expect("ROWID\t_rowid_\tOID\na\t3\t4\n\t1\t2\n")
    let run = try WatchRun(["a.db", "a"], in: folder)
    let row = #"{"rowid":"a","_rowid_":"b","oid":"c"}"#
    #expect(await run.next()?.contains("[\(row),\(row),") == true)
    try Connection(path: folder.file("a.db")).execute("UPDATE a SET rowid = 'x' WHERE oid = 'f'")
    #expect(await run.next()?.contains(#"{"rowid":"x","_rowid_":"e","oid":"f"}"#) == true)
    run.send(SIGINT)
    _ = try await run.end()
  }

  @Test func aRowWithoutAKeyIsARowAsWell() async throws {
    try folder.makeDatabase(
      """
      CREATE TABLE t(k TEXT PRIMARY KEY, n);
      INSERT INTO t VALUES (NULL, 1), (NULL, 2), ('a', 3);
      """)
    try await query("t", "--by", "k", "--sort", "k:desc,n:desc", "--format", "list").expect(
      """
      a (1)
        a · 3

      NULL (2)
        NULL · 2
        NULL · 1

      """)
  }

  @Test func columnsOfOneNameKeepTheirValues() async throws {
    try folder.makeDatabase()
    let sql = "SELECT 1 AS a, x'0102' AS A, 'three' AS a"
    try await query(sql, "--format", "list").expect("1 · <blob 2 bytes> · three\n")
    try await query(sql, "--format", "csv").expect("a,A,a\n1,AQI=,three\n")
  }

  @Test func aTableMayHaveAlmostAsManyColumnsAsSQLiteAllows() async throws {
    // The key is read as well, and SQLite has 2,000 columns at the most.
    let names = (0..<1990).map { "c\($0)" }
    try folder.makeDatabase("CREATE TABLE t(\(names.joined(separator: ",")))")
    for format in [OutputFormat.csv, .table] {
      let result = try await query("t", "--format", format.rawValue)
      #expect(result.status == 0, "\(result.stderr)")
      #expect(result.stdout.contains("c1989"))
    }
    let result = try await query("t", "--columns", "nope")
    result.expectFailure(65, "there is no column nope in t", "c0, c1", "(1990 in all)")
    #expect(result.stderr.utf8.count < 300)
  }

  @Test(arguments: [("UTF-16le", "z 日本 é"), ("UTF-16be", "z é 日本 😀 😀")])
  func aDatabaseMayBeInUTF16(_ encoding: String, _ order: String) async throws {
    try folder.makeDatabase(
      """
      PRAGMA encoding = '\(encoding)';
      CREATE TABLE t(name TEXT);
      INSERT INTO t VALUES ('é'), ('z'), ('日本'), ('😀'), ('😀');
      """)
    // By bytes, as SQLite sorts.
    let names = order.split(separator: " ").map { "\($0)\t\($0)\n" }.joined()
    try await query("t", "--by", "name", "--sort", "name", "--where", "name > :a", "-p", "a=a")
      .expect("section\tname\n" + names)
    try await query("SELECT upper(name) AS n FROM t WHERE name = :n", "-p", "n=日本")
      .expect("n\n日本\n")
  }

  #if os(Linux)
    @Test(.enabled(if: !Sanitizer.isUsed, "sanitizers need more address space than there is"))
    func aHugeBlobIsNotReadForPeople() async throws {
      try folder.makeDatabase(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (1, zeroblob(150000000))")
      // Less address space than reading it would need.
      let result = try await Tool.shell(
        "ulimit -v 220000; exec \"$sections\" query a.db t --format table", in: folder)
      result.expect("id │ b\n───┼────────────────\n 1 │ <blob 150.0 MB>\n(1 row)\n")
    }
  #endif
}
