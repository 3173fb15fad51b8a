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
    CREATE VIEW newest AS SELECT id, title, year FROM album ORDER BY year DESC, title COLLATE NOCASE;
    INSERT INTO artist VALUES (1, 'Nena'), (2, 'Sade'), (3, NULL);
    INSERT INTO album VALUES (1, 'b', 1, 1983), (2, 'A', 1, 1984), (3, 'c', 2, 1984), (4, 'd', NULL, 1);
    INSERT INTO tag VALUES (1, 'x'), (1, 'y'), (3, 'x');
    """

  static let keys: [(select: String, key: [String])] = [
    ("SELECT title, id FROM album", ["id"]),
    ("SELECT title AS id FROM album", []),
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
        FetchRequest<Row>(select: select).description, in: $0, mayLackKey: true)
    }
    #expect(source.key == key, "\(select)")
    #expect(source.isKeyUnique == !key.isEmpty)
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
      database: store, request: FetchRequest<Row>(select: select))
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
