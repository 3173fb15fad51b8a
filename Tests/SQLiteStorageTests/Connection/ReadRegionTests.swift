import SQLiteStorage
import Testing

@Suite struct ReadRegionTests {
  private let store: TestConnection

  init() throws {
    store = try TestConnection(
      """
      CREATE TABLE album(id INTEGER PRIMARY KEY, title TEXT, year INTEGER);
      CREATE TABLE track(album INTEGER, name TEXT, rating INTEGER);
      CREATE TABLE "odd ""name"(x);
      CREATE INDEX titles ON album(title);
      CREATE VIEW loud AS SELECT upper(name) AS name, album FROM track WHERE rating > 3;
      CREATE VIEW wide AS SELECT a.title, l.name FROM album a JOIN loud l ON l.album = a.id;
      CREATE VIEW top AS SELECT DISTINCT album, max(rating) AS best FROM track GROUP BY album;
      """)
  }

  private func region(_ sql: String) throws -> ReadRegion {
    try store.connection.readRegion(of: sql)
  }

  @Test func theColumnsReadAreThoseUsedAnywhereInTheStatement() throws {
    let region = try region("SELECT name FROM track WHERE rating > 3 ORDER BY album")
    #expect(region.columns == ["track": ["name", "rating", "album"]])
    #expect(region.functions.isEmpty)
    #expect(region.views.isEmpty)
  }

  @Test func allNamesAreLookedUpTogether() throws {
    let connection = store.connection
    var listings: [String] = []
    connection.preparing = { if $0.contains("isVirtual") { listings.append($0) } }
    defer { connection.preparing = nil }
    let region = try region("SELECT * FROM wide, top, \"odd \"\"name\"")
    #expect(region.views == ["wide", "loud", "top"])
    #expect(listings.count == 1)
    for listing in listings {
      #expect(try connection.cachedStatement(listing).counter(.runs) == 1)
    }
  }

  @Test func aTableReadWithoutAnyColumnIsThereToo() throws {
    #expect(try region("SELECT count(*) FROM track").columns == ["track": []])
    #expect(try region("SELECT 1").columns.isEmpty)
  }

  @Test func joinsAndSubqueriesReadTheirTables() throws {
    let region = try region(
      """
      SELECT a.title, (SELECT count(*) FROM track t WHERE t.album = a.id) FROM album a
      WHERE EXISTS (SELECT 1 FROM "odd ""name" WHERE x = a.year)
      """)
    #expect(
      region.columns == [
        "album": ["title", "id", "year"], "track": ["album"], "odd \"name": ["x"],
      ])
    #expect(region.functions == ["count"])
  }

  @Test func theRowIDIsTheColumnThatNamesIt() throws {
    #expect(try region("SELECT rowid FROM album").columns == ["album": ["id"]])
    #expect(try region("SELECT rowid FROM track").columns == ["track": ["ROWID"]])
  }

  @Test func viewsAreDistinguishedFromTheTablesTheyRead() throws {
    let loud = try region("SELECT name FROM loud")
    #expect(loud.views == ["loud"])
    #expect(loud.columns == ["track": ["name", "rating", "album"]])
    #expect(loud.functions == ["upper"])
    let wide = try region("SELECT title FROM wide")
    #expect(wide.views == ["wide", "loud"])
    #expect(Set(wide.columns.keys) == ["album", "track"])
    let top = try region("SELECT best FROM top")
    #expect(top.views == ["top"])
    #expect(top.columns == ["track": ["album", "rating"]])
    #expect(try region("SELECT count(*) FROM top").views == ["top"])
  }

  @Test func aCommonTableExpressionIsNoView() throws {
    let region = try region(
      "WITH c AS (SELECT name, rating FROM track), d AS (SELECT max(rating) FROM c) SELECT * FROM d"
    )
    #expect(region.views.isEmpty)
    #expect(region.columns["track"] == ["name", "rating"])
    let recursive = try self.region(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5) SELECT * FROM n")
    #expect(recursive.views.isEmpty)
  }

  @Test func functionsAreNamedInLowerCase() throws {
    let region = try region("SELECT UPPER(name), Random(), max(rating) FROM track")
    #expect(region.functions == ["upper", "random", "max"])
  }

  @Test func parametersNeedNoValues() throws {
    #expect(try region("SELECT name FROM track WHERE rating > :r").columns.keys.contains("track"))
  }

  @Test(
    arguments: [
      ("INSERT INTO track VALUES (1, 2, 3)", "INSERT"),
      ("INSERT INTO track VALUES (1, 2, 3) RETURNING name", "INSERT"),
      ("UPDATE track SET name = 'x' RETURNING name", "UPDATE"),
      ("DELETE FROM track RETURNING name", "DELETE"), ("DELETE FROM track", "DELETE"),
      ("REPLACE INTO album VALUES (1, 2, 3)", "INSERT"), ("ATTACH 'x' AS y", "ATTACH"),
      ("DETACH main", "DETACH"), ("PRAGMA table_info(track)", "PRAGMA"),
      ("PRAGMA journal_mode = DELETE", "PRAGMA"), ("BEGIN", "a transaction"),
      ("COMMIT", "a transaction"), ("SAVEPOINT s", "a savepoint"),
      ("CREATE TABLE n(x)", "CREATE TABLE"),
      ("CREATE TABLE n AS SELECT * FROM track", "CREATE TABLE"),
      ("CREATE TEMP TABLE n(x)", "CREATE TEMP TABLE"),
      ("CREATE INDEX i ON track(name)", "CREATE INDEX"),
      ("CREATE VIEW v AS SELECT 1", "CREATE VIEW"),
      ("CREATE TEMP VIEW v AS SELECT 1", "CREATE TEMP VIEW"),
      ("CREATE TRIGGER g AFTER INSERT ON track BEGIN SELECT 1; END", "CREATE TRIGGER"),
      ("CREATE VIRTUAL TABLE v USING fts5(x)", "CREATE VIRTUAL TABLE"),
      ("DROP TABLE track", "DROP TABLE"),
      ("DROP VIEW loud", "DROP VIEW"), ("ALTER TABLE track RENAME TO other", "ALTER TABLE"),
      ("ALTER TABLE track ADD COLUMN c", "ALTER TABLE"), ("REINDEX", "REINDEX"),
      ("ANALYZE", "ANALYZE"),
      ("SELECT load_extension('x')", "load_extension()"),
    ] as [(String, String)])
  func whateverDoesNotOnlyReadIsRefusedByName(_ sql: String, _ action: String) throws {
    let before = try store.connection.rows("SELECT * FROM sqlite_schema")
    let error = databaseError { _ = try region(sql) }
    #expect(error?.code == .statementRefused)
    #expect(error?.message == "the statement must only read, but it runs \(action)")
    #expect(error?.sql == sql)
    #expect(!store.connection.isInTransaction)
    #expect(try store.connection.rows("SELECT * FROM sqlite_schema") == before)
  }

  @Test(arguments: ["VACUUM", "VACUUM INTO 'elsewhere.sqlite'"])
  func vacuumIsRefusedToo(_ sql: String) {
    #expect(databaseError { _ = try region(sql) }?.code == .statementRefused)
  }

  @Test func severalStatementsAndNoneAreRefused() {
    #expect(
      databaseError { _ = try region("SELECT 1; DELETE FROM track") }?.code == .statementRefused)
    #expect(databaseError { _ = try region("-- nothing") }?.code == .statementRefused)
  }

  @Test func wrongSQLIsReportedAsSuch() {
    let error = databaseError { _ = try region("SELECT * FROM missing") }
    #expect(error?.code == .sqlite)
    #expect(error?.message == "no such table: missing")
  }

  @Test func theAuthorizerIsRemovedAfterwards() throws {
    _ = databaseError { _ = try region("DELETE FROM track") }
    _ = try region("SELECT 1")
    try store.connection.execute("INSERT INTO track VALUES (1, 'x', 5)")
    #expect(try store.connection.value(String.self, "SELECT name FROM loud") == "X")
  }

  @Test func itMayBeAskedForWhileAStatementRuns() throws {
    try store.connection.execute("INSERT INTO track VALUES (1, 'x', 5), (2, 'y', 4)")
    var names: [String] = []
    try store.connection.query("SELECT name FROM track ORDER BY name") { row in
      names.append(row.string(at: 0))
      _ = try region("SELECT rating FROM track")
    }
    #expect(names == ["x", "y"])
  }

  @Test func virtualTablesOnlyReadAlsoWhenTheyAreMetForTheFirstTime() throws {
    let store = try TestConnection(
      """
      CREATE VIRTUAL TABLE words USING fts5(text);
      CREATE VIRTUAL TABLE boxes USING rtree(id, low, high);
      """)
    for sql in ["SELECT * FROM words WHERE words MATCH 'a'", "SELECT * FROM boxes WHERE low < 3"] {
      let connection = try Connection(path: store.connection.path, access: .readOnly)
      #expect(try connection.readRegion(of: sql).views.isEmpty)
      #expect(throws: DatabaseError.self) { try connection.readRegion(of: "DELETE FROM boxes") }
    }
  }

  @Test func tableValuedFunctionsOnlyRead() throws {
    let region = try region("SELECT value FROM json_each('[1, 2]')")
    #expect(region.columns["json_each"] == ["value"])
    #expect(try self.region("SELECT name FROM pragma_table_info('track')").views.isEmpty)
  }
}
