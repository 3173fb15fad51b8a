import CSQLite
import Testing

@testable import SQLiteStorage

/// Which tables and views there are: the answer of `PRAGMA table_list`, without its cost.
@Suite struct ListedTableTests {
  private static let schema = """
    CREATE TABLE plain(x); CREATE TABLE "Öl"(x); CREATE TABLE under_score(x);
    CREATE TABLE rowid_key(id INTEGER PRIMARY KEY); CREATE TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT);
    CREATE TABLE descending(id INTEGER PRIMARY KEY DESC); CREATE TABLE int_key(id INT PRIMARY KEY);
    CREATE TABLE text_key(k TEXT PRIMARY KEY, v UNIQUE); CREATE TABLE two_keys(a, b, PRIMARY KEY(b, a));
    CREATE TABLE strict(id INTEGER PRIMARY KEY, x TEXT) STRICT;
    CREATE TABLE without(k TEXT PRIMARY KEY, v UNIQUE) WITHOUT ROWID;
    CREATE TABLE without_integer(id INTEGER PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE without_two(a TEXT, b INT, c ANY, PRIMARY KEY(b, a)) STRICT, WITHOUT ROWID;
    CREATE INDEX "index of plain" ON plain(x); CREATE UNIQUE INDEX unique_v ON without(v, k);
    CREATE VIEW shown AS SELECT x FROM plain; CREATE VIEW broken AS SELECT * FROM gone;
    CREATE VIEW text_shown AS SELECT 1 AS x;
    CREATE VIRTUAL TABLE text USING fts5(body); CREATE VIRTUAL TABLE tree USING rtree(id, lo, hi);
    CREATE TABLE text_of_mine(x); CREATE TABLE tree_of_mine(k PRIMARY KEY) WITHOUT ROWID;
    """

  /// Tables of all kinds in three schemas; some names are in several.
  private func store() throws -> TestConnection {
    let store = try TestConnection(ListedTableTests.schema)
    let other = try Connection(path: store.folder.file("other"), access: .readWriteCreate)
    try other.execute(
      script: """
        CREATE TABLE PLAIN(k PRIMARY KEY) WITHOUT ROWID; CREATE VIEW "öl" AS SELECT 1 AS x;
        CREATE TABLE without(x); CREATE TABLE only_here(x); CREATE VIEW strict AS SELECT 1 AS x;
        ANALYZE;
        """)
    try store.connection.execute(
      "ATTACH ? AS \"An 'other'\"", [.text(store.folder.file("other"))])
    try store.connection.execute("CREATE TEMP TABLE shown(x)")
    try store.connection.execute("CREATE TEMP VIEW plain AS SELECT 2 AS x")
    try store.connection.execute("ANALYZE")
    return store
  }

  private func listed(
    _ connection: Connection, _ name: String? = nil, in schema: String? = nil
  ) throws -> [String] {
    try connection.listedTables(named: name.map { [$0] }, in: schema).map {
      "\($0.schema).\($0.name) \($0.kind) \($0.isWithoutRowID ? 1 : 0)"
    }
  }

  private func pragma(_ connection: Connection, _ condition: String = "true") throws -> [String] {
    try connection.values(
      String.self,
      SQL(
        verbatim: """
          SELECT schema || '.' || name || ' ' || type || ' ' || wr FROM pragma_table_list
          WHERE \(condition)
          """))
  }

  @Test func allAreAsThePragmaListsThem() throws {
    let connection = try store().connection
    #expect(try listed(connection).sorted() == pragma(connection).sorted())
    for schema in ["main", "MAIN", "temp", "An 'other'", "an 'OTHER'", "none"] {
      #expect(
        try listed(connection, in: schema).sorted()
          == pragma(connection, "schema = \(schema.quotedLiteral) COLLATE NOCASE").sorted())
    }
    // Nothing is temporary.
    let plain = try TestConnection("CREATE TABLE t(x)").connection
    #expect(try listed(plain).sorted() == pragma(plain).sorted())
  }

  @Test func eachNameIsAsThePragmaFindsIt() throws {
    let connection = try store().connection
    // Used as a table, but none.
    #expect(try connection.value(Int.self, "SELECT count(*) FROM json_each('[1, 2]')") == 2)
    let names = try connection.values(
      String.self,
      "SELECT name FROM pragma_table_list UNION SELECT upper(name) FROM pragma_table_list")
    #expect(names.count > 60)
    let others = ["gone", "json_each", "pragma_table_list", "", "ÖL", "sqlite_master", "main"]
    for name in names + others {
      let condition = "name = \(name.quotedLiteral) COLLATE NOCASE"
      #expect(try listed(connection, name) == pragma(connection, condition), "\(name)")
      let schemas = try connection.values(
        String.self,
        SQL(
          verbatim: """
            SELECT schema FROM pragma_table_list WHERE \(condition)
            ORDER BY CASE schema WHEN 'temp' THEN 0 WHEN 'main' THEN 1 ELSE 2 END
            """))
      #expect(try connection.schemas(with: name) == schemas, "\(name)")
    }
  }

  // MARK: The cost

  /// Makes a file with views, and opens a connection to it that has not used any.
  private func connectionBesideViews() throws -> TestConnection {
    let store = try TestConnection(
      """
      CREATE TABLE a(x); CREATE TABLE k(x PRIMARY KEY) WITHOUT ROWID; CREATE VIRTUAL TABLE f USING fts5(x);
      CREATE VIEW va AS SELECT x FROM a; CREATE VIEW vva AS SELECT x FROM va WHERE x > 1;
      """)
    return try TestConnection(opening: store.folder)
  }

  /// The views that SQLite prepares while `body` runs.
  private func preparedViews(
    in connection: Connection, _ body: () throws -> Void
  ) throws -> Set<String> {
    final class Views { var names: Set<String> = [] }
    let views = Views()
    sqlite3_set_authorizer(
      connection.handle,
      { context, _, _, _, _, source in
        if let context, let source {
          Unmanaged<Views>.fromOpaque(context).takeUnretainedValue().names.insert(
            String(cString: source))
        }
        return SQLITE_OK
      }, Unmanaged.passUnretained(views).toOpaque())
    defer { sqlite3_set_authorizer(connection.handle, nil, nil) }
    try withExtendedLifetime(views) { try body() }
    return views.names
  }

  @Test func viewsArePreparedOnlyForWhatMayBelongToAVirtualTable() throws {
    for name in ["a", "k", "va", "gone", "sqlite_schema", "json_each"] {
      let store = try connectionBesideViews()
      #expect(
        try preparedViews(in: store.connection) {
          _ = try store.connection.table(named: name)
          _ = try store.connection.schemas(with: name)
        } == [], "\(name)")
    }
    let store = try connectionBesideViews()
    var shadow: TableDescription?
    let views = try preparedViews(in: store.connection) {
      shadow = try store.connection.table(named: "f_data")
    }
    #expect(shadow?.kind == .shadow)
    #expect(views == ["va", "vva"])
  }

  @Test func whatAStatementReadsIsFoundWithoutPreparingOtherViews() throws {
    let store = try connectionBesideViews()
    let region = try store.connection.readRegion(of: "SELECT x FROM a, k USING (x)")
    #expect(Set(region.columns.keys) == ["a", "k"])
    // SQLite prepares views for the pragma only if it has not done so before.
    #expect(
      try preparedViews(in: store.connection) {
        try store.connection.query("SELECT 1 FROM pragma_table_list") { _ in }
      } == ["va", "vva"])
  }

  @Test func allTablesAreListedWithoutPreparingViews() throws {
    let store = try TestConnection("CREATE TABLE a(x); CREATE VIEW v AS SELECT x FROM a;")
    let connection = try TestConnection(opening: store.folder).connection
    var names: [[String]] = []
    let views = try preparedViews(in: connection) {
      names = [
        try connection.tables().map(\.name),
        try connection.captureSchema().tables.map(\.name).sorted(),
      ]
    }
    #expect(names == [["a", "v"], ["a", "sqlite_schema"]])
    #expect(views.isEmpty)
  }
}
