import SQLiteStorage
import Testing

@testable import FetchedResults

/// The key and the order of a SELECT that declares neither.
@Suite struct SelectIdentityTests {
  static let schema = """
    CREATE TABLE artist(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE album(id INTEGER PRIMARY KEY, title TEXT, artist INTEGER REFERENCES artist, year);
    CREATE TABLE tag(album INTEGER, label TEXT, PRIMARY KEY(album, label)) WITHOUT ROWID;
    CREATE TABLE folded(name TEXT COLLATE NOCASE);
    CREATE TABLE country(code TEXT PRIMARY KEY NOT NULL, iso TEXT UNIQUE, phone INT NOT NULL UNIQUE,
      name TEXT NOT NULL COLLATE NOCASE, area TEXT NOT NULL COLLATE NOCASE UNIQUE,
      part TEXT NOT NULL, UNIQUE(part, name));
    CREATE UNIQUE INDEX countryName ON country(name COLLATE BINARY);
    CREATE UNIQUE INDEX countryPart ON country(part) WHERE phone > 9;
    CREATE UNIQUE INDEX countryUpper ON country(upper(part || code));
    CREATE TABLE city(id INTEGER PRIMARY KEY, country TEXT NOT NULL, phone INT, name TEXT NOT NULL);
    INSERT INTO country VALUES ('de', NULL, 49, 'Germany', 'a', 'Europe'),
      ('fr', NULL, 33, 'France', 'b', 'EUROPE'), ('jp', 'JP', 81, 'Japan', 'c', 'Asia');
    INSERT INTO city VALUES (1, 'de', 49, 'Berlin'), (2, 'de', 49, 'Jena'), (3, 'jp', 81, 'Kyoto');
    CREATE VIEW numbered AS SELECT oid, title FROM album;
    CREATE VIEW coded AS SELECT name, oid FROM country;
    CREATE VIEW newest AS SELECT id, title, year FROM album ORDER BY year DESC, title COLLATE NOCASE;
    INSERT INTO artist VALUES (1, 'Nena'), (2, 'Sade'), (3, NULL);
    INSERT INTO album VALUES (1, 'b', 1, 1983), (2, 'A', 1, 1984), (3, 'c', 2, 1984), (4, 'd', NULL, 1);
    INSERT INTO tag VALUES (1, 'x'), (1, 'y'), (3, 'x');
    """

  static let keys: [(select: String, key: [String])] = [
    ("SELECT title, id FROM album", ["id"]),
    ("SELECT title AS id FROM album", []),
    ("SELECT code, name FROM country", ["code"]),
    ("SELECT iso, name FROM country", []),
    ("SELECT name, phone AS p FROM country", ["p"]),
    ("SELECT name FROM country", []),
    ("SELECT area FROM country", ["area"]),
    ("SELECT part FROM country", []),
    ("SELECT name, part FROM country", ["part", "name"]),
    ("SELECT upper(part) FROM country", []),
    ("SELECT rowid, code FROM country", ["rowid"]),
    // The rowid may be a column.
    ("SELECT rowid, title FROM album", ["rowid"]),
    ("SELECT b.id, a.name FROM album b JOIN artist a ON a.rowid = b.artist", ["id"]),
    ("SELECT * FROM (SELECT _rowid_, year FROM album)", ["_rowid_"]),
    ("SELECT * FROM numbered", ["id"]),
    ("SELECT * FROM coded", ["rowid"]),
    ("SELECT DISTINCT phone, name FROM country", ["phone"]),
    ("SELECT c.code, d.phone FROM country c, country d", ["code", "phone"]),
    ("SELECT code, n FROM (SELECT code, count(*) OVER () AS n FROM country)", ["code"]),
    ("SELECT label, album FROM tag", ["album", "label"]),
    ("SELECT album.id, title, name FROM album JOIN artist ON artist.id = artist", ["id"]),
    ("SELECT album.id, name FROM album LEFT JOIN artist ON artist.id = album.artist", ["id"]),
    ("SELECT name, album.id FROM artist LEFT JOIN album ON artist.id = album.artist", []),
    ("SELECT a.id AS a, b.id AS b FROM artist a LEFT JOIN album b ON b.artist = a.id", ["a", "b"]),
    ("SELECT a.id AS a, b.id AS b FROM artist a, album b", ["a", "b"]),
    ("SELECT artist, count(*) AS n FROM album GROUP BY artist", ["artist"]),
    ("SELECT count(*) AS n FROM album GROUP BY artist", []),
    ("SELECT artist, year, max(id) FROM album GROUP BY year, artist", ["year", "artist"]),
    (
      "SELECT name, n FROM (SELECT artist, count(*) AS n FROM album GROUP BY 1) JOIN artist ON id = artist",
      []
    ),
    (
      "SELECT artist, n FROM (SELECT artist, count(*) AS n FROM album GROUP BY 1) WHERE n > 1",
      ["artist"]
    ),
    ("SELECT DISTINCT year FROM album", ["year"]),
    ("SELECT DISTINCT id, year FROM album", ["id"]),
    ("SELECT id FROM album UNION SELECT id FROM artist", ["id"]),
    ("SELECT id FROM album UNION ALL SELECT id FROM artist", []),
    ("SELECT id, year FROM album EXCEPT SELECT id, year FROM album WHERE id = 1", ["id", "year"]),
    ("SELECT count(*) AS n FROM album", []),
    ("SELECT * FROM newest", ["id"]),
    ("SELECT id FROM album LIMIT 2", []),
    ("SELECT id, row_number() OVER (PARTITION BY artist ORDER BY year) AS n FROM album", ["id"]),
    ("VALUES (1), (2)", []),
    ("SELECT * FROM (SELECT year FROM album UNION ALL SELECT year FROM album)", []),
    ("SELECT * FROM (SELECT 1 AS a UNION SELECT 2)", ["a"]),
    ("SELECT column1 FROM (VALUES (1), (1))", []),
    ("SELECT album.id, value FROM album, json_each('[1, 1]')", []),
    (
      """
      SELECT id, artist FROM (
        SELECT id, artist, row_number() OVER (PARTITION BY artist ORDER BY year, id) AS n FROM album
      ) WHERE n < 3
      """, ["id", "artist"]
    ),
    (
      "SELECT id, rank() OVER (PARTITION BY artist ORDER BY year) AS n, artist FROM album",
      ["id", "artist"]
    ),
    (
      "SELECT id, n FROM album LEFT JOIN (SELECT album, count(*) AS n FROM tag GROUP BY 1) ON album = id",
      ["id"]
    ),
  ]

  @Test(arguments: keys.indices) func theKeyFollowsFromTheSelect(_ index: Int) throws {
    let (select, key) = Self.keys[index]
    let store = try Database.store(Self.schema)
    let source = try store.read {
      try ResolvedSource(
        FetchRequest<Row>(select: SQL(verbatim: select)).description, in: $0, mayLackKey: true)
    }
    #expect(source.key == key, "\(select)")
    #expect(source.isKeyUnique == !key.isEmpty)
  }

  /// The country has a column with a collation, under which a value is equal to several keys.
  @Test func aRowThatIsJoinedByAUniqueColumnIsDetermined() throws {
    let store = try Database.store(
      """
      CREATE TABLE country(code TEXT PRIMARY KEY NOT NULL, phone INT NOT NULL UNIQUE, iso INT UNIQUE);
      CREATE TABLE city(id INTEGER PRIMARY KEY, country TEXT NOT NULL, phone INT);
      """)
    let keys: [(select: String, key: [String])] = [
      ("SELECT city.id, code FROM city JOIN country ON code = country", ["id"]),
      ("SELECT city.id FROM city LEFT JOIN country ON country.phone = city.phone", ["id"]),
      ("SELECT city.id FROM city JOIN country ON country.iso = city.phone", []),
      (
        "SELECT city.id, code FROM city JOIN country ON country.phone > city.phone", ["id", "code"]
      ),
    ]
    for (select, key) in keys {
      let source = try store.read {
        try ResolvedSource(
          FetchRequest<Row>(select: SQL(verbatim: select)).description, in: $0, mayLackKey: true)
      }
      #expect(source.key == key, "\(select)")
    }
  }

  @Test func aListWhoseKeyIsAUniqueColumnCostsLookUps() throws {
    let store = try Database.store(Self.schema)
    for select in [
      "SELECT phone, name FROM country", "SELECT area, code FROM country WHERE phone > 40",
    ] {
      let list = try LiveList(store, FetchRequest<Row>(select: SQL(verbatim: select)))
      #expect(list.provider.maintenance == .touchedRows, "\(select)")
      try list.commit("UPDATE country SET name = name || '!', phone = phone + 1 WHERE code = 'fr'")
      try list.commit("UPDATE country SET area = upper(area) WHERE code = 'jp'")
      try list.commit(
        """
        UPDATE country SET phone = -1, area = 'z' WHERE code = 'de';
        UPDATE country SET phone = 50, area = 'A' WHERE code = 'fr';
        INSERT INTO country VALUES ('x' || random(), NULL, 7, 'X', 'x', 'None')
        """)
      try list.commit("DELETE FROM country WHERE phone = 7")
    }
  }

  static let orders: [(select: String, ids: [Int64])] = [
    ("SELECT id FROM album ORDER BY year DESC, title", [2, 3, 1, 4]),
    ("SELECT id, title, year FROM album ORDER BY 3 DESC, title COLLATE NOCASE DESC", [3, 2, 1, 4]),
    ("SELECT id, artist FROM album ORDER BY artist DESC NULLS FIRST, id DESC", [4, 3, 2, 1]),
    ("SELECT id, year AS y FROM album ORDER BY y, -id", [4, 1, 3, 2]),
    ("SELECT id, title FROM newest", [2, 3, 1, 4]),
    ("SELECT id, lower(title) AS l FROM album ORDER BY lower(title) DESC", [4, 3, 1, 2]),
    ("SELECT id, 1 FROM album UNION SELECT 9, 1 ORDER BY id DESC", [9, 4, 3, 2, 1]),
    (
      "SELECT max(id) AS id, artist FROM album GROUP BY artist ORDER BY count(*) DESC, 1",
      [2, 3, 4]
    ),
    (
      "SELECT max(id) AS id, artist, count(*) FROM album GROUP BY artist ORDER BY count(*), 1",
      [3, 4, 2]
    ),
  ]

  /// Whether the key is inferred or not, the rows are in the order that SQLite gives.
  @Test(arguments: orders.indices) func theOrderIsThatOfTheSelect(_ index: Int) throws {
    let (select, ids) = Self.orders[index]
    let store = try Database.store(Self.schema)
    let provider = try FetchedResultsProvider(
      database: store, request: FetchRequest<Row>(select: SQL(verbatim: select)))
    try provider.performFetch()
    let rows = try #require(provider.fetchedObjects)
    #expect(try rows.indices.map { try rows.object(at: $0)["id"] } == ids.map { Value.integer($0) })
  }

  @Test func aGroupedSelectThatIsSortedByItsCountCostsLookUps() throws {
    let store = try Database.store(Self.schema + "CREATE INDEX byArtist ON album(artist);")
    let list = try LiveList(
      store,
      FetchRequest<Row>(
        select: "SELECT artist, count(*) AS n FROM album GROUP BY artist ORDER BY n DESC"))
    #expect(list.provider.maintenance == .touchedRows)
    let changes = try list.commit(
      "INSERT INTO album VALUES (9, 'e', NULL, 2), (10, 'f', NULL, 2)")
    #expect(changes.description == "[0,1]>[0,0]")
    #expect(try list.provider.object(at: [0, 0]).values == [.null, 3])
  }
}
