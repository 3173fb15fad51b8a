import SectionsServer
import Testing

/// The page of the schema.
@Suite(.timeLimit(.minutes(10))) struct SchemaTests {
  private static let schema = """
    CREATE TABLE artist(id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT 'A & <b>');
    CREATE TABLE album(artist INTEGER REFERENCES Artist ON DELETE CASCADE, number INTEGER, title TEXT COLLATE NOCASE,
      upper TEXT AS (upper(title)), PRIMARY KEY (artist, number)) WITHOUT ROWID;
    CREATE TABLE track(id INTEGER PRIMARY KEY, artist, album, gone REFERENCES lost,
      FOREIGN KEY (artist, album) REFERENCES album, UNIQUE (album, artist));
    CREATE INDEX album_title ON album(title COLLATE BINARY DESC, length(title)) WHERE title IS NOT NULL;
    CREATE TRIGGER track_insert AFTER INSERT ON track BEGIN SELECT '<script>'; END;
    CREATE VIEW titles AS SELECT title FROM album;
    CREATE VIEW broken AS SELECT * FROM missing;
    CREATE TABLE "a ""<i>"" b%"(x);
    """

  @Test func aTableHasAllThatTheFileSaysOfIt() async throws {
    let server = try await TestServer(Self.schema)
    let page = try await server.get("/schema")
    #expect(page.status == 200)
    let text = page.text
    for part in [
      "<th scope=\"row\">artist</th><td>INTEGER</td><td>key, 1</td>",
      "<a href=\"#t-artist\">artist</a> ON DELETE CASCADE",
      "NOT NULL, DEFAULT &#39;A &amp; &lt;b&gt;&#39;", "<td>generated</td>",
      "<span class=\"count\">table, WITHOUT ROWID</span>",
      "artist, album → <a href=\"#t-album\">album</a>",
      "album_title (title DESC, an expression)", "WHERE title IS NOT NULL</pre>",
      "(album, artist), unique <span class=\"count\">by a constraint</span>", "<td>lost</td>",
      "track_insert\n<pre>CREATE TRIGGER track_insert", "&lt;script&gt;",
      "<span class=\"count\">view</span>",
      "CREATE VIEW broken AS SELECT * FROM missing",
      "<a href=\"./?source=a%20%22%3Ci%3E%22%20b%25\">",
      "id=\"t-a &quot;&lt;i&gt;&quot; b%\"",
    ] {
      #expect(text.contains(part), "\(part)")
    }
    #expect(!text.contains("<script>") && !text.contains("<i>") && !text.contains("t-sqlite_"))
    let tag = try #require(page.headers["etag"])
    #expect(try await server.get("/schema", ["If-None-Match": tag]).status == 304)
    try server.write("CREATE TABLE later(x)")
    #expect(try await server.get("/schema", ["If-None-Match": tag]).text.contains("id=\"t-later\""))
  }

  @Test func anErrorIsAPage() async throws {
    let server = try await TestServer(Self.schema) { $0.token = "0123456789abcdef" }
    let page = try await server.get("/schema")
    #expect(page.status == 401)
    #expect(page.headers["content-type"] == "text/html; charset=utf-8")
  }
}
