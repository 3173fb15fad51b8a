import SQLiteStorage
import Testing

@testable import FetchedResults

/// A request of several tables, or of views of them.
struct JoinCase: CustomTestStringConvertible, Sendable {
  let testDescription: String
  var select: String?
  var view = ""
  var key = ["id"]
  /// What is added to the request.
  var refine: @Sendable (FetchRequest<Row>) -> FetchRequest<Row> = { $0 }
  var section: String?
  /// Whether everything can be found from touched rows, whatever table they are of.
  var isFast = true

  var request: FetchRequest<Row> {
    let request =
      select.map { FetchRequest(select: SQL(verbatim: $0), key: key) }
      ?? FetchRequest(table: view, key: key)
    return refine(request)
  }

  var sectionKey: SectionKey<Row>? { section.map { .property(\Row[$0]) } }

  static let schema = """
    CREATE TABLE artist(id INTEGER PRIMARY KEY, name TEXT, mentor INTEGER);
    CREATE TABLE album(id INTEGER PRIMARY KEY, artist INTEGER, title TEXT, year INTEGER);
    CREATE TABLE track(
      id INTEGER PRIMARY KEY, album INTEGER, name TEXT, genre TEXT COLLATE NOCASE, rank INTEGER);
    CREATE TABLE genre(
      code TEXT COLLATE NOCASE PRIMARY KEY, label TEXT) WITHOUT ROWID;
    CREATE TABLE credit(
      track INTEGER, artist INTEGER, role TEXT, PRIMARY KEY(track, artist)) WITHOUT ROWID;
    CREATE TABLE note(code TEXT NOT NULL PRIMARY KEY, track INTEGER, body TEXT);
    CREATE INDEX artist_mentor ON artist(mentor);
    CREATE INDEX album_artist ON album(artist);
    CREATE INDEX track_album ON track(album);
    CREATE INDEX track_genre ON track(genre);
    CREATE INDEX credit_artist ON credit(artist);
    CREATE INDEX note_track ON note(track);
    CREATE TRIGGER renamed AFTER UPDATE OF title ON album WHEN new.year = 3 BEGIN
      UPDATE track SET rank = rank + 1 WHERE album = new.id;
    END;
    CREATE TRIGGER deleted AFTER DELETE ON artist WHEN old.id % 2 BEGIN
      DELETE FROM album WHERE artist = old.id;
    END;
    CREATE VIEW loud AS SELECT id, upper(name) AS name, album, rank FROM track WHERE rank > 1;
    CREATE VIEW listed(number, what, "by") AS
      SELECT loud.id, name || ifnull(title, '-'), album.artist
      FROM loud LEFT JOIN album ON album.id = loud.album;
    CREATE VIEW "all of it" AS
      SELECT listed.number AS id, what, artist.name FROM listed
      LEFT JOIN artist ON artist.id = listed."by" ORDER BY what;
    CREATE VIEW found AS
      SELECT listed.number AS id, what, credit.artist AS with_, role
      FROM listed JOIN credit ON credit.track = listed.number WHERE role <> 'x';
    """

  static let all: [JoinCase] = [
    JoinCase(
      testDescription: "to one",
      select: "SELECT track.*, title FROM track JOIN album ON album.id = track.album",
      refine: { $0.sorted(by: \Row["name"]) }, section: "title"),
    JoinCase(
      testDescription: "to one or none",
      select: "SELECT track.*, title FROM track LEFT JOIN album ON album.id = track.album",
      refine: { $0.sorted(by: \Row["rank"], .descending) }, section: "title"),
    JoinCase(
      testDescription: "a chain to one or none",
      select: """
        SELECT t.id, t.name, a.title, artist.name AS who
        FROM track AS t LEFT JOIN album a ON a.id = t.album
        LEFT OUTER JOIN artist ON a.artist = artist.id
        """,
      refine: { $0.sorted(by: \Row["title"]) }, section: "who"),
    JoinCase(
      testDescription: "a chain and a star",
      select: """
        SELECT t.id, t.name, rank, label, title, artist.name AS who FROM track t
        LEFT JOIN genre ON genre.code = t.genre
        LEFT JOIN album ON album.id = t.album
        LEFT JOIN artist ON artist.id = album.artist
        """,
      refine: { $0.filter("rank <> 2").sorted(by: \Row["who"]) }, section: "label"),
    JoinCase(
      testDescription: "to many",
      select: """
        SELECT album.id, track.id AS track, title, name
        FROM album JOIN track ON track.album = album.id
        """,
      key: ["id", "track"], refine: { $0.sorted(by: \Row["name"]) }, section: "title"),
    JoinCase(
      testDescription: "to many or none",
      select: """
        SELECT album.id, ifnull(track.id, -1) AS track, title, name
        FROM album LEFT JOIN track ON track.album = album.id
        """,
      key: ["id", "track"], refine: { $0.sorted(by: \Row["name"]) }, section: "title"),
    JoinCase(
      testDescription: "to many or none, with a condition",
      select: """
        SELECT album.id, ifnull(track.id, -1) AS track, title, name
        FROM album LEFT JOIN track ON (track.album = album.id) AND rank > 1 AND rank < year
        """,
      key: ["id", "track"], refine: { $0.sorted(by: \Row["title"]) }),
    JoinCase(
      testDescription: "those without a partner",
      select: """
        SELECT album.* FROM album LEFT JOIN track ON track.album = album.id
        WHERE track.id IS NULL
        """, refine: { $0.sorted(by: \Row["title"]) }),
    JoinCase(
      testDescription: "those without a partner's partner",
      select: """
        SELECT track.* FROM track LEFT JOIN album ON album.id = album
        LEFT JOIN artist ON artist.id = album.artist WHERE artist.name IS NULL
        """, refine: { $0.sorted(by: \Row["name"]) }),
    JoinCase(
      testDescription: "those the request finds without a partner",
      select: "SELECT track.*, title FROM track LEFT JOIN album ON album.id = track.album",
      refine: { $0.filter("title IS NULL").sorted(by: \Row["name"]) }),
    JoinCase(
      testDescription: "the same table",
      select: """
        SELECT a.id, a.name, m.name AS teacher FROM artist a LEFT JOIN artist m ON m.id = a.mentor
        """, refine: { $0.sorted(by: \Row["name"]) }, section: "teacher"),
    JoinCase(
      testDescription: "pairs",
      select: """
        SELECT x.id, y.id AS other, x.name, y.name AS name2
        FROM track x, track y WHERE y.album = x.album AND y.id > x.id
        """, key: ["id", "other"], refine: { $0.sorted(by: \Row["name"]) }),
    JoinCase(
      testDescription: "many to many",
      select: """
        SELECT credit.track, credit.artist, track.name, artist.name AS who, role
        FROM track INNER JOIN credit ON credit.track = track.id
        CROSS JOIN artist ON artist.id = credit.artist WHERE role <> 'x'
        """, key: ["track", "artist"], refine: { $0.sorted(by: \Row["who"]) }, section: "role"),
    JoinCase(
      testDescription: "a limit",
      select: """
        SELECT track.id, track.name, title, artist.name AS who FROM track
        JOIN album ON album.id = track.album JOIN artist ON artist.id = album.artist
        """, refine: { $0.sorted(by: \Row["who"]).limited(to: 5, offset: 2) }, section: "title"),
    JoinCase(
      testDescription: "LEFT JOIN before JOIN",
      select: """
        SELECT track.id, track.name, label, title, artist.name AS who FROM track
        LEFT JOIN genre ON genre.code = track.genre
        JOIN album ON album.id = ifnull(length(genre.label), track.album)
        JOIN artist ON artist.id = album.artist
        """, refine: { $0.sorted(by: \Row["name"]) }, isFast: false),
    JoinCase(
      testDescription: "a SELECT in a LEFT JOIN",
      select: """
        SELECT album.id, ifnull(number, -1) AS number, title, name FROM album
        LEFT JOIN (SELECT id AS number, album, name FROM track WHERE rank > 2) AS t
          ON t.album = album.id WHERE title <> ifnull(name, '')
        """, key: ["id", "number"], refine: { $0.sorted(by: \Row["name"]) }),
    JoinCase(
      testDescription: "a SELECT before a LEFT JOIN",
      select: """
        SELECT s.*, artist.name AS who FROM
          (SELECT track.id, track.name, album.artist FROM track
           LEFT JOIN album ON album.id = track.album WHERE title IS NULL OR year > 1) s
        LEFT JOIN artist ON artist.id = s.artist
        """, refine: { $0.sorted(by: \Row["name"]) }, section: "who"),
    JoinCase(
      testDescription: "USING and unqualified columns",
      select: """
        SELECT name, code, body, track AS id FROM note
        LEFT JOIN (SELECT id AS track, name FROM track) USING (track)
        """, key: ["code"], refine: { $0.sorted(by: \Row["body"]) }, section: "name"),
    JoinCase(
      testDescription: "text keys",
      select: "SELECT note.*, label FROM note LEFT JOIN genre ON genre.code = note.code",
      key: ["code"], refine: { $0.sorted(by: \Row["body"]) }, section: "label", isFast: false),
    JoinCase(
      testDescription: "a NOCASE key",
      select: """
        SELECT code, label, name, id FROM track JOIN genre ON code = genre
        """, key: ["id", "code"], refine: { $0.sorted(by: \Row["label"]) }, section: "code"),
    JoinCase(
      testDescription: "a view", view: "loud", refine: { $0.sorted(by: \Row["name"]) }),
    JoinCase(
      testDescription: "a view of a view", view: "listed", key: ["number"],
      refine: { $0.sorted(by: \Row["what"]) }, section: "by"),
    JoinCase(
      testDescription: "a view of a view of a view", view: "all of it",
      refine: { $0.sorted(by: \Row["what"]) }, section: "name"),
    JoinCase(
      testDescription: "views and tables", view: "found", key: ["id", "with_"],
      refine: { $0.filter("role < 'm' OR what > 'N'").sorted(by: \Row["what"]) }),
    JoinCase(
      testDescription: "a parameter",
      select: """
        SELECT track.*, title FROM track LEFT JOIN album
        ON album.id = track.album AND year > :year WHERE rank > :rank
        """,
      refine: {
        $0.filter("name <> \("n2")").sorted(by: \Row["name"])
          .with(parameters: ["year": 1, "rank": 0])
      }, section: "title"),
  ]
}
