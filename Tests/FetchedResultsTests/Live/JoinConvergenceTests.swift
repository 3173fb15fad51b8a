import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// What is told of a join when rows of one of its tables change. Each step is compared with a fresh
/// fetch as well.
struct JoinConvergenceTests {
  static let store = """
    CREATE TABLE artist(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE album(
      id INTEGER PRIMARY KEY, title TEXT, artist INTEGER REFERENCES artist(id) ON DELETE CASCADE);
    CREATE TABLE track(id INTEGER PRIMARY KEY, name TEXT, album INTEGER);
    CREATE INDEX album_artist ON album(artist);
    CREATE INDEX track_album ON track(album);
    INSERT INTO artist VALUES (1, 'Abba'), (2, 'Beck'), (3, 'Cher');
    INSERT INTO album VALUES (1, 'Odelay', 2), (2, 'Arrival', 1), (3, 'Sea', 2), (4, 'Solo', NULL);
    INSERT INTO track VALUES (1, 'Money', 2), (2, 'Fernando', 2), (3, 'Golden', 3);
    """

  private func list(
    _ select: String, key: [String] = ["id"], sort: String, section: String? = nil,
    store: String = "", refine: (FetchRequest<Row>) -> FetchRequest<Row> = { $0 },
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> LiveList {
    let list = try LiveList(
      try .store(Self.store + store),
      refine(FetchRequest(select: SQL(verbatim: select), key: key)).sorted(by: \Row[sort]),
      sectionedBy: section.map { .property(\Row[$0]) })
    #expect(list.isFast, sourceLocation: sourceLocation)
    return list
  }

  private func expect(
    _ list: LiveList, _ script: String, tells events: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let told = try list.commit(script, sourceLocation: sourceLocation).description
    #expect(told == events, sourceLocation: sourceLocation)
  }

  private func expect(
    _ list: LiveList, shows lines: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let shown = try list.provider.lines()
    #expect(shown == lines, sourceLocation: sourceLocation)
  }

  // MARK: To one

  private func albums() throws -> LiveList {
    try list(
      "SELECT album.*, name FROM album LEFT JOIN artist ON artist.id = artist", sort: "title",
      section: "name")
  }

  @Test func renamingAnArtistMovesItsAlbums() throws {
    let list = try albums()
    try expect(list, shows: ["NULL: 4", "\"Abba\": 2", "\"Beck\": 1 3"])
    try expect(
      list, "UPDATE artist SET name = 'Aaron' WHERE id = 2",
      tells: "-[2] +[1] -[2,1] -[2,0] +[1,0] +[1,1]")
    try expect(
      list, "UPDATE artist SET name = 'Abba' WHERE id = 2",
      tells: "-[1] -[1,1] -[1,0] +[1,1] +[1,2]")
    try expect(list, "UPDATE artist SET name = 'Dido' WHERE id = 3", tells: "no changes")
  }

  @Test func anArtistWithoutAlbumsIsNoEvent() throws {
    let list = try albums()
    try expect(list, "INSERT INTO artist VALUES (4, 'Dido')", tells: "no changes")
    try expect(list, "DELETE FROM artist WHERE id = 3", tells: "no changes")
  }

  @Test func anArtistThatIsInsertedLaterIsSeen() throws {
    let list = try list(
      "SELECT track.*, title FROM track LEFT JOIN album ON album.id = album", sort: "name")
    try list.commit("UPDATE track SET album = 9 WHERE id = 1")
    try expect(list, "INSERT INTO album VALUES (9, 'Ring', 1)", tells: "[0,2]=[0,2]")
    try expect(list, "UPDATE album SET id = 8 WHERE id = 9", tells: "[0,2]=[0,2]")
    try expect(list, "DELETE FROM album WHERE id = 8", tells: "no changes")
    try expect(list, "REPLACE INTO album VALUES (2, 'Departure', 1)", tells: "[0,0]=[0,0]")
  }

  @Test func aCascadeDeletesAlbums() throws {
    let list = try albums()
    try expect(list, "DELETE FROM artist WHERE id = 2", tells: "-[2] -[2,1] -[2,0]")
  }

  @Test func aChainIsFollowedToItsEnd() throws {
    let list = try list(
      """
      SELECT track.id, track.name, artist.name AS who FROM track
      LEFT JOIN album ON album.id = track.album LEFT JOIN artist ON artist.id = album.artist
      """, sort: "name", section: "who")
    try expect(list, shows: ["\"Abba\": 2 1", "\"Beck\": 3"])
    try expect(
      list, "UPDATE artist SET name = 'Cat' WHERE id = 1",
      tells: "-[0] +[1] -[0,1] -[0,0] +[1,0] +[1,1]")
    try expect(
      list, "UPDATE album SET artist = 2 WHERE id = 2", tells: "-[1] -[1,1] -[1,0] +[0,0] +[0,2]")
  }

  // MARK: To many

  private func tracks(_ condition: String = "") throws -> LiveList {
    try list(
      """
      SELECT album.id, ifnull(track.id, 0) AS track, title, name
      FROM album LEFT JOIN track ON track.album = album.id \(condition)
      """, key: ["id", "track"], sort: "title")
  }

  @Test func theFirstAndTheLastChildChangeTheParentsRow() throws {
    let list = try tracks()
    try expect(list, shows: ["all: 2, 1 2, 2 1, 0 3, 3 4, 0"])
    // The row of the album alone goes, that with its track comes.
    try expect(list, "INSERT INTO track VALUES (4, 'Loser', 1)", tells: "-[0,2] +[0,2]")
    try expect(list, "DELETE FROM track WHERE id = 4", tells: "-[0,2] +[0,2]")
    try expect(list, "DELETE FROM track WHERE id = 1", tells: "-[0,0]")
    try expect(
      list, "UPDATE track SET album = 4 WHERE id = 2", tells: "-[0,3] -[0,0] +[0,0] +[0,3]")
  }

  @Test func aConditionOfTheJoinIsObeyed() throws {
    let list = try tracks("AND name > 'G'")
    try expect(list, shows: ["all: 2, 1 1, 0 3, 3 4, 0"])
    try expect(list, "UPDATE track SET name = 'A' WHERE id = 3", tells: "-[0,2] +[0,2]")
    try expect(list, "UPDATE track SET name = 'B' WHERE id = 3", tells: "no changes")
  }

  @Test func aParentIsInTheListForAsLongAsItHasNoChild() throws {
    let list = try list(
      """
      SELECT album.* FROM album LEFT JOIN track ON track.album = album.id WHERE track.id IS NULL
      """, sort: "title")
    try expect(list, shows: ["all: 1 4"])
    // The track is in no row of the result, before or after.
    try expect(list, "INSERT INTO track VALUES (4, 'Loser', 1)", tells: "-[0,0]")
    try expect(list, "DELETE FROM track WHERE id = 3", tells: "+[0,0]")
    try expect(list, "UPDATE track SET album = 3 WHERE id = 4", tells: "-[0,0] +[0,0]")
  }

  @Test func manyToManyIsSeenFromAllSides() throws {
    let list = try list(
      """
      SELECT part.track, part.artist, track.name, artist.name AS who, role
      FROM part JOIN track ON track.id = part.track JOIN artist ON artist.id = part.artist
      """, key: ["track", "artist"], sort: "who", section: "role",
      store: """
        CREATE TABLE part(track INTEGER, artist INTEGER, role TEXT, PRIMARY KEY(artist, track))
          WITHOUT ROWID;
        CREATE INDEX part_track ON part(track);
        INSERT INTO part VALUES (1, 1, 'sings'), (1, 2, 'plays'), (3, 2, 'sings');
        """)
    try expect(list, shows: ["\"plays\": 1, 2", "\"sings\": 1, 1 3, 2"])
    try expect(list, "UPDATE artist SET name = 'A' WHERE id = 2", tells: "[1,1]>[1,0] [0,0]=[0,0]")
    try expect(list, "UPDATE track SET name = 'M' WHERE id = 1", tells: "[0,0]=[0,0] [1,1]=[1,1]")
    try expect(
      list, "UPDATE part SET track = 2 WHERE track = 1 AND artist = 2", tells: "-[0,0] +[0,0]")
    try expect(list, "DELETE FROM track WHERE id IN (2, 3)", tells: "-[0] -[1,0] -[0,0]")
  }

  // MARK: The same table

  @Test func aTableJoinedWithItselfIsSeenInBothPlaces() throws {
    let list = try list(
      """
      SELECT p.id, p.name, boss.name AS boss FROM person p LEFT JOIN person boss ON boss.id = p.boss
      """, sort: "name",
      store: """
        CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, boss INTEGER);
        CREATE INDEX person_boss ON person(boss);
        INSERT INTO person VALUES (1, 'a', 3), (2, 'b', 3), (3, 'c', NULL);
        """)
    try expect(
      list, "UPDATE person SET name = 'd' WHERE id = 3",
      tells: "[0,0]=[0,0] [0,1]=[0,1] [0,2]=[0,2]")
    try expect(
      list, "UPDATE person SET id = 4 WHERE id = 3", tells: "-[0,2] +[0,2] [0,0]=[0,0] [0,1]=[0,1]")
    try expect(list, "UPDATE person SET boss = 2 WHERE id = 1", tells: "[0,0]=[0,0]")
  }

  // MARK: Triggers, keys, schemas

  @Test func aTriggersWritesAreSeen() throws {
    let list = try list(
      "SELECT track.*, title FROM track JOIN album ON album.id = album", sort: "name",
      store: """
        CREATE TRIGGER t AFTER UPDATE OF name ON artist BEGIN
          UPDATE album SET title = new.name || ' sings' WHERE artist = new.id;
        END;
        """)
    try expect(
      list, "UPDATE artist SET name = 'Björn' WHERE id = 1", tells: "[0,0]=[0,0] [0,2]=[0,2]")
  }

  @Test func textKeysAreFound() throws {
    let list = try list(
      "SELECT word.*, meaning FROM word LEFT JOIN sense ON sense.code = word.code", key: ["word"],
      sort: "word",
      store: """
        CREATE TABLE word(word TEXT NOT NULL PRIMARY KEY, code TEXT);
        CREATE TABLE sense(code TEXT COLLATE NOCASE PRIMARY KEY, meaning TEXT) WITHOUT ROWID;
        CREATE INDEX word_code ON word(code COLLATE NOCASE);
        INSERT INTO word VALUES ('a', 'X'), ('b', 'y'), ('c', 'x');
        INSERT INTO sense VALUES ('x', 'first'), ('y', 'second');
        """)
    try expect(
      list, "UPDATE sense SET meaning = 'other' WHERE code = 'x'", tells: "[0,0]=[0,0] [0,2]=[0,2]")
    try expect(list, "UPDATE word SET word = 'd' WHERE word = 'a'", tells: "-[0,0] +[0,2]")
    try expect(list, "UPDATE sense SET code = 'X' WHERE code = 'x'", tells: "no changes")
  }

  @Test func tablesOfAnAttachedFileAreFollowed() throws {
    let folder = try TestFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.file("attached.sqlite")
    let database = try Database.store("") {
      $0.prepareConnection = { try $0.execute(SQL(verbatim: "ATTACH '\(path)' AS side")) }
    }
    try database.run(
      Self.store.replacing("TABLE artist", with: "TABLE side.artist")
        .replacing("INTO artist", with: "INTO side.artist")
        .replacing("REFERENCES artist(id) ON DELETE CASCADE", with: ""))
    let list = try LiveList(
      database,
      FetchRequest(
        select: "SELECT album.*, name FROM album JOIN artist AS a ON a.id = artist", key: ["id"]
      ).sorted(by: \Row["name"]))
    #expect(list.isFast)
    try expect(list, "UPDATE artist SET name = 'Z' WHERE id = 1", tells: "[0,0]>[0,2]")
  }

  @Test func viewsOfViewsAreFollowed() throws {
    let database = try Database.store(
      Self.store + """
        CREATE VIEW named("no", title, who) AS
          SELECT album.id, title, name FROM album LEFT JOIN artist ON artist.id = artist;
        CREATE VIEW short AS SELECT * FROM named WHERE length(title) < 7 ORDER BY title;
        """)
    let list = try LiveList(
      database, FetchRequest(table: "short", key: ["no"]).sorted(by: \Row["who"]))
    #expect(list.isFast)
    try expect(list, shows: ["all: 4 1 3"])
    try expect(list, "UPDATE artist SET name = NULL WHERE id = 2", tells: "[0,1]>[0,0] [0,2]>[0,1]")
    #expect(try list.commit("UPDATE album SET title = 'Odelay!' WHERE id = 1").rowCount == 1)
  }

  // MARK: By comparison where that is better

  @Test func aTableWithoutAnIndexIsCompared() throws {
    let list = try LiveList(
      try .store(Self.store),
      FetchRequest(
        select: "SELECT album.*, name FROM album JOIN artist ON artist.name = title", key: ["id"]))
    try list.commit("INSERT INTO album VALUES (5, 'Cher', 3)")
    try expect(list, "UPDATE artist SET name = 'Cherry' WHERE id = 3", tells: "-[0,0]")
    try expect(list, "UPDATE album SET title = 'Cherry' WHERE id = 5", tells: "+[0,0]")
  }

  @Test func aPopularParentIsCompared() throws {
    let list = try albums()
    try list.commit(
      """
      WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 209)
      INSERT INTO album SELECT i, 'Hit ' || i, 3 FROM n
      """)
    let changes = try list.commit("UPDATE artist SET name = 'Dido' WHERE id = 3")
    #expect(changes.insertedRows.count == 200)
  }

  @Test func aRowWithoutAPartnerHasNullInItsKey() throws {
    let list = try list(
      "SELECT album.id, track.id AS track FROM album LEFT JOIN track ON track.album = album.id",
      key: ["id", "track"], sort: "track", refine: { $0.filter("id = 3") })
    try expect(list, "DELETE FROM track WHERE id = 3", tells: "-[0,0] +[0,0]")
    #expect(try list.provider.identity(at: [0, 0]) == RowIdentity([3, .null]))
    try expect(list, "INSERT INTO track VALUES (5, 'Paper', 3)", tells: "-[0,0] +[0,0]")
  }
}
