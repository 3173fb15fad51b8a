import SQLiteStorage
import Testing

@testable import FetchedResults

/// How a result is kept true, and what is said where it is by comparison.
struct MaintenanceCompilerTests {
  static let schema = """
    CREATE TABLE artist(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE album(id INTEGER PRIMARY KEY, artist INTEGER, title TEXT, year INTEGER);
    CREATE TABLE code(k TEXT, n INTEGER, v TEXT, PRIMARY KEY(k, n)) WITHOUT ROWID;
    CREATE TABLE hidden(rowid TEXT, _rowid_ TEXT, oid TEXT, k TEXT PRIMARY KEY);
    CREATE INDEX album_artist ON album(artist);
    CREATE VIEW old AS SELECT * FROM album WHERE year < 1990;
    CREATE VIEW older(a, "b c") AS SELECT id, title FROM old WHERE year < 1970;
    CREATE VIEW counted AS SELECT artist AS id, count(*) AS n FROM album GROUP BY artist;
    CREATE VIEW overcounted AS SELECT * FROM counted WHERE n > 1;
    CREATE TABLE one(id INTEGER PRIMARY KEY);
    CREATE VIRTUAL TABLE post USING fts5(body);
    """

  private func maintenance(
    _ request: FetchRequest<Row>, _ more: String = "", by key: SectionKey<Row>? = nil
  ) throws -> Maintenance? {
    let provider = try FetchedResultsProvider(
      database: try .store(Self.schema + more), request: request, sectionedBy: key)
    try provider.performFetch()
    return provider.maintenance
  }

  private func maintenance(
    _ select: String, key: [String] = ["id"], _ more: String = ""
  ) throws -> Maintenance? {
    try maintenance(FetchRequest(select: SQL(verbatim: select), key: key), more)
  }

  // MARK: From touched rows

  @Test(arguments: [
    "SELECT * FROM album",
    "SELECT ALL * FROM album AS a WHERE a.year > 3 AND a.title IN ('x', 'y') ORDER BY year;",
    "select id, \"from\" FROM (SELECT id, title AS \"from\" FROM album) -- WHERE",
    "SELECT id, 'SELECT ) FROM' AS [group], max(year, 3) AS `limit` FROM main.album t",
    "SELECT album.id, name FROM album, artist WHERE artist.id = artist",
    "SELECT album.id, name FROM artist JOIN album ON artist.id = artist",
    "SELECT album.id, name FROM album LEFT JOIN artist ON artist.id = artist",
    "SELECT b.id, c.id AS other FROM album b LEFT OUTER JOIN album c ON c.artist == b.artist",
    "SELECT old.id, name FROM old CROSS JOIN artist ON old.artist = artist.id",
    "SELECT album.id, v FROM code JOIN album ON artist = n WHERE k = 'x'",
    "SELECT id FROM album LEFT JOIN (SELECT id AS artist, name FROM artist) USING (artist)",
    "SELECT id, CASE WHEN title BETWEEN 'a' AND 'b' THEN 1 ELSE 2 END FROM album",
    "SELECT DISTINCT id FROM album",
    "SELECT artist AS id, count(*) FROM album GROUP BY artist",
    "SELECT id FROM album UNION ALL SELECT id FROM artist",
    "SELECT id FROM album EXCEPT SELECT id FROM artist",
    "WITH a AS (SELECT id FROM album) SELECT id FROM a",
    "SELECT id FROM album NATURAL JOIN (SELECT id FROM artist)",
    "SELECT id FROM album WHERE EXISTS (SELECT 1 FROM artist WHERE artist.id = artist)",
    "SELECT id FROM album WHERE artist IN (SELECT id FROM artist)",
    "SELECT id FROM album WHERE (id) IN one",
    "SELECT id, (SELECT name FROM artist WHERE id = artist) FROM album",
    "SELECT album.id FROM album, json_each('[1]')",
    "SELECT album.id FROM album JOIN post ON post.rowid = album.id",
    "SELECT album.id FROM album INDEXED BY album_artist WHERE artist = 1",
    "SELECT album.id FROM album JOIN counted ON counted.id = artist",
    "SELECT artist AS id, year, row_number() OVER (PARTITION BY artist ORDER BY id) FROM album",
  ])
  func aSelectIsKeptFromTouchedRows(_ select: String) throws {
    #expect(try maintenance(select) == .touchedRows)
  }

  @Test func viewsAreKeptFromTouchedRows() throws {
    #expect(try maintenance(FetchRequest(table: "old", key: ["id"])) == .touchedRows)
    #expect(try maintenance(FetchRequest(table: "OLDER", key: ["A"])) == .touchedRows)
    #expect(try maintenance(FetchRequest(table: "overcounted", key: ["id"])) == .touchedRows)
  }

  @Test func tablesAreKeptFromTouchedRows() throws {
    #expect(try maintenance(FetchRequest(table: "album")) == .touchedRows)
    #expect(try maintenance(FetchRequest(table: "code")) == .touchedRows)
    #expect(try maintenance(FetchRequest(table: "album", key: ["artist"])) == .touchedRows)
  }

  /// SQLite does not report that it reads artist.
  @Test func aTableThatOnlyUSINGReadsIsKnown() throws {
    let more = """
      CREATE TABLE label(artist INT, name TEXT, PRIMARY KEY(artist)) WITHOUT ROWID;
      CREATE INDEX label_name ON label(name);
      CREATE VIEW counts AS SELECT name, count(*) AS n FROM album JOIN label USING (artist) GROUP BY name;
      """
    for select in [
      "SELECT name, count(*) AS n FROM album JOIN label USING (artist) GROUP BY name",
      "WITH album(artist) AS (SELECT id FROM artist) SELECT label.name, count(*) AS n FROM album JOIN label USING (artist) GROUP BY label.name",
      "SELECT * FROM counts",
    ] {
      #expect(try maintenance(select, key: ["name"], more) == .touchedRows)
    }
  }

  // MARK: By comparison

  static let refused: [String: String] = [
    "SELECT ifnull(max(id), 0) AS id FROM album": "finding a row by id reads all of album",
    "SELECT \"COUNT\" (*) AS id FROM album": "finding a row by id reads all of album",
    "SELECT id FROM album ORDER BY year LIMIT 3": "finding a row by id reads all of album",
    "SELECT id, row_number() OVER (ORDER BY year, id) FROM album":
      "finding a row by id reads all of album",
    "SELECT id, artist, row_number() OVER (PARTITION BY artist ORDER BY year) FROM album":
      "row_number() depends on the order of rows that are equal in its window: add a key to its ORDER BY",
    "SELECT column1 AS id FROM (VALUES (1))": "it reads no table",
    "SELECT 1 AS id": "it reads no table",
    // Many rows have no album.
    "SELECT album.id FROM album FULL JOIN artist ON artist = artist.id":
      "finding a row by id reads all of album",
    "SELECT album.id FROM artist RIGHT JOIN album USING (id)":
      "a RIGHT or FULL JOIN has NATURAL or USING",
    "SELECT artist AS id, title FROM album GROUP BY artist":
      "SQLite chooses the row of title, which GROUP BY does not determine",
    "SELECT id FROM album WHERE EXISTS (SELECT 1 FROM artist)":
      "finding a row by id reads all of artist",
    "SELECT a.id FROM album a JOIN artist b ON b.id = (SELECT artist FROM album c)":
      "finding a row by id reads all of c",
    "SELECT album.id FROM album LEFT JOIN (artist JOIN code ON n = artist.id) ON artist = artist.id":
      "finding a row by id reads all of code",
    "SELECT album.id FROM album JOIN hidden ON k = title": "columns hide the rowid of hidden",
  ]

  @Test(arguments: refused.keys.sorted())
  func anyOtherSelectIsCompared(_ select: String) throws {
    #expect(
      try maintenance(select) == Self.refused[select].map { .comparison(reason: $0) })
  }

  /// Two rows of it are one group for the column.
  @Test func aKeyWithAnotherCollationThanItsColumnIdentifiesNoGroup() throws {
    let more = """
      CREATE TABLE w(code TEXT COLLATE NOCASE, name, PRIMARY KEY(code COLLATE BINARY)) WITHOUT ROWID;
      """
    #expect(
      try maintenance("SELECT code, name FROM w GROUP BY code", key: ["code"], more)
        == .comparison(reason: "the key of w has another collation than its columns"))
  }

  @Test func aViewHasTheKeyOfItsTable() throws {
    #expect(try maintenance(FetchRequest(table: "old")) == .touchedRows)
  }

  @Test func aSelectWithoutAKeyIsCompared() throws {
    #expect(
      try maintenance(FetchRequest(select: "SELECT title FROM album"))
        == .comparison(reason: "nothing identifies its rows"))
  }

  @Test func aTemporaryTableIsCompared() throws {
    let store = try Database.store(Self.schema) {
      $0.prepareConnection = { try $0.execute("CREATE TEMP TABLE chosen(id INTEGER PRIMARY KEY)") }
    }
    let provider = try FetchedResultsProvider(
      database: store,
      request: FetchRequest(
        select: "SELECT album.id FROM album JOIN chosen ON chosen.id = artist", key: ["id"]))
    try provider.performFetch()
    #expect(
      provider.maintenance == .comparison(reason: "it reads the temporary chosen"))
  }

  @Test func aSelectInTheRequestIsPartOfIt() throws {
    let album = FetchRequest(table: "album")
    for request in [
      album.filter("artist IN (SELECT id FROM artist)"), album.filter("artist IN one"),
      // The same table: other rows depend on the one that was touched.
      album.filter("EXISTS (SELECT 1 FROM album b WHERE b.artist = album.artist AND b.id > 3)"),
      album.sorted(.expression("(SELECT name FROM artist WHERE id = artist)")),
    ] {
      #expect(try maintenance(request) == .touchedRows)
    }
    #expect(
      try maintenance(album, by: .expression("(SELECT name FROM artist WHERE id = artist)"))
        == .touchedRows)
    #expect(
      try maintenance(album, by: .expression("(SELECT count(*) FROM artist)"))
        == .comparison(reason: "finding a row by id reads all of artist"))
    #expect(try maintenance(album.filter("title <> 'a SELECT (in) IN b'")) == .touchedRows)
  }

  @Test func spellingsOfAKeyThatAreMergedAreCompared() throws {
    let more =
      "CREATE TABLE word(id INTEGER PRIMARY KEY, w TEXT COLLATE NOCASE);"
      + "CREATE INDEX word_w ON word(w);"
    let reason = "rows that are merged may have keys of several spellings"
    #expect(
      try maintenance("SELECT w, count(*) FROM word GROUP BY w", key: ["w"], more)
        == .comparison(reason: reason))
    #expect(try maintenance("SELECT w, id FROM word", key: ["w", "id"], more) == .touchedRows)
  }

  // MARK: Indexes

  @Test func aMissingIndexIsNamed() throws {
    let select = "SELECT album.id, name FROM album LEFT JOIN artist ON artist.name = title"
    #expect(
      try maintenance(select, "CREATE INDEX artist_name ON artist(name);")
        == .partlyTouchedRows(
          reason: """
            finding the rows that depend on artist reads all of album: an index on album(title) would help
            """))
    #expect(
      try maintenance(
        select,
        "CREATE INDEX artist_name ON artist(name); CREATE INDEX album_title ON album(title);")
        == .touchedRows)
  }

  /// The reason why touched rows of the left joined table lead to no rows.
  private func reason(ofJoin on: String, _ more: String = "") throws -> String? {
    let schema = """
      CREATE TABLE l(id INTEGER PRIMARY KEY, b TEXT, n TEXT COLLATE NOCASE, i INTEGER);
      CREATE TABLE r(id INTEGER PRIMARY KEY, b TEXT, n TEXT COLLATE NOCASE, i INTEGER);
      CREATE INDEX r_b ON r(b); CREATE INDEX r_n ON r(n); CREATE INDEX r_i ON r(i);
      CREATE INDEX r_nb ON r(b COLLATE NOCASE); CREATE INDEX r_bn ON r(n COLLATE BINARY);
      """
    let select = "SELECT l.id, r.b FROM l LEFT JOIN r ON \(on)"
    guard case .partlyTouchedRows(let reason) = try maintenance(select, schema + more) else {
      return nil
    }
    return reason
  }

  @Test(arguments: [
    ("l.b = r.b", "b"), ("r.n = l.b", "b COLLATE NOCASE"), ("l.n = r.b", "n"),
    ("l.b = r.n", "b"), ("l.b = r.b COLLATE NOCASE", "b COLLATE NOCASE"), ("l.i = r.i", "i"),
  ]) func theAdvisedIndexHasTheCollationOfTheComparison(_ on: String, _ column: String) throws {
    let reason = try #require(try reason(ofJoin: on))
    #expect(reason.hasSuffix("reads all of l: an index on l(\(column)) would help"))
    #expect(try self.reason(ofJoin: on, "CREATE INDEX l_x ON l(\(column));") == nil)
  }

  @Test func noIndexIsAdvisedThatCannotHelp() throws {
    // The values of the column are converted before they are compared.
    #expect(try reason(ofJoin: "l.b = r.i")?.hasSuffix("reads all of l") == true)
    // It exists already, and SQLite cannot use it.
    #expect(
      try reason(ofJoin: "r.n = l.b", "CREATE INDEX l_b ON l(b);")?
        .hasSuffix("an index on l(b COLLATE NOCASE) would help") == true)
    let folded = "CREATE TABLE word(id INTEGER PRIMARY KEY, w TEXT COLLATE NOCASE);"
    let request = FetchRequest<Row>(table: "word", key: ["w"])
    #expect(
      try maintenance(request, folded + "CREATE INDEX word_w ON word(w COLLATE BINARY);")
        == .comparison(
          reason: "finding a row by w reads all of word: an index on w would help"))
    #expect(try maintenance(request, folded + "CREATE INDEX word_w ON word(w);") == .touchedRows)
  }

  @Test func aTableThatIsLeftJoinedIsNamedAsInTheQuery() throws {
    let select = "SELECT album.id, name FROM album LEFT JOIN artist ON artist.name = title"
    #expect(
      try maintenance(select)
        == .comparison(reason: "finding a row by id reads all of artist"))
  }

  @Test func aJoinThatNoIndexServesIsCompared() throws {
    guard
      case .comparison(let reason) = try maintenance(
        "SELECT a.id || '-' || b.id AS id FROM album a, album b")
    else {
      Issue.record("every row is read")
      return
    }
    #expect(reason.hasPrefix("finding a row by id reads all of "))
  }

  @Test func aKeyWithoutAnIndexIsCompared() throws {
    let maintenance = try maintenance(FetchRequest(table: "album", key: ["title"]))
    #expect(
      maintenance
        == .comparison(
          reason: "finding a row by title reads all of album: an index on title would help"))
    #expect(
      try self.maintenance("SELECT id + 1 AS k FROM album", key: ["k"])
        == .comparison(reason: "finding a row by k reads all of album"))
  }
}
