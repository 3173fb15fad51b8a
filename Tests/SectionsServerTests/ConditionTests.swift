import SQLiteStorage
import Testing

@testable import SectionsServer

/// The conditions in a URL.
@Suite(.timeLimit(.minutes(20))) struct ConditionTests {
  /// The ids of the rows that meet a condition.
  private func ids(
    _ server: TestServer, source: String = "track", where condition: String, _ more: String = ""
  ) async throws -> Set<Int> {
    let path = "/api/rows?source=\(source)&where=\(QueryItems.encoded(condition))\(more)"
    let json = try await server.json(path)
    let window = try #require(json["window"] as? [[String: Any]])
    return Set(window.compactMap { ($0["row"] as? [String: Any])?["id"] as? Int })
  }

  @Test(
    arguments: [
      ("ms:gt:261", [1, 3]), ("ms:eq:260", [2]), ("ms:ne:260", [1, 3]),
      ("name:contains:a", [2, 3, 1]),
      ("name:begins:na", [2]), ("art:null", [3]), ("art:notnull", [1, 2]), ("name:eq:So What", [1]),
      ("n%61me:eq:Angie", [3]), ("art:ne:nan", [1, 2, 3]), ("art:ne:Inf", [1, 2, 3]),
      ("name:contains:%", []), (":contains:JAZZ", [1, 2]), (":contains:26", [2]),
      (":contains:%", []),
    ] as [(String, [Int])])
  func conditionsChooseRows(_ condition: String, _ expected: [Int]) async throws {
    let server = try await TestServer(
      """
      CREATE TABLE track(id INTEGER PRIMARY KEY, genre TEXT, name TEXT, ms INTEGER, art BLOB);
      INSERT INTO track VALUES (1, 'Jazz', 'So What', 562, x'89504E470D0A1A0A00'),
        (2, 'Jazz', 'Naima', 260, x'00FF'), (3, 'Rock', 'Angie', 273, NULL);
      """)
    #expect(try await ids(server, where: condition) == Set(expected))
  }

  @Test(
    arguments: [
      ("x:is:1", [1, 2]), ("x:is:'1'", [3]), ("x:eq:1", [1, 2, 3]), ("x:is:r1.5", [4]),
      ("x:is:n", [5]),
      ("x:is:x31", [6]), ("x:is:''", [7]), ("x:is:'a%253Ab'", []), ("x:is:'a%3Ab'", [8]),
    ] as [(String, [Int])])
  func oneValueOfAColumnIsChosenWithItsType(_ condition: String, _ expected: [Int]) async throws {
    let server = try await TestServer(
      """
      CREATE TABLE track(id INTEGER PRIMARY KEY, x);
      INSERT INTO track VALUES (1, 1), (2, 1.0), (3, '1'), (4, 1.5), (5, NULL), (6, x'31'), (7, ''),
        (8, 'a:b');
      """)
    #expect(try await ids(server, where: condition) == Set(expected))
  }

  @Test(
    arguments: [
      ("x:not-contains:b", [1, 3, 4, 5]), ("x:not-eq:a", [2, 3, 4, 5]),
      ("x:not-begins:a", [2, 3, 4, 5]),
      ("n:between:2:4", [2, 3, 4]), ("n:not-between:2:4", [1, 5]), ("n:between:4:2", []),
      ("x:between:a:b", [1]), ("x:between:10%3A15:10%3A45", [4]),
      (":not-contains:b", [1, 3, 4, 5]),
      ("x:not-null", [1, 2, 4]), ("n:within:2:4", [2, 3]), ("n:not-within:2:4", [1, 4, 5]),
      ("x:within:a:z", [1]),
    ] as [(String, [Int])])
  func conditionsAreNegatedAndHaveTwoEnds(_ condition: String, _ expected: [Int]) async throws {
    let server = try await TestServer(
      """
      CREATE TABLE track(id INTEGER PRIMARY KEY, n INTEGER, x TEXT);
      INSERT INTO track VALUES (1, 1, 'a'), (2, 2, 'zb'), (3, 3, NULL), (4, 4, '10:30'), (5, NULL, NULL);
      """)
    #expect(try await ids(server, where: condition) == Set(expected))
  }

  @Test(
    arguments: [
      (":contains:davis", [1, 2]), (":not-contains:davis", [3, 4]), (":contains:what", [1, 2]),
      ("artist:contains:davis", []), (":contains:angie", [3, 4]), (":contains:blue", [1, 2]),
    ] as [(String, [Int])], ["", "&by=artist&total=sum:rating", "&sort=name"])
  func aTextIsSoughtInTheNamesThatForeignKeysAreShownBy(
    _ condition: (text: String, expected: [Int]), _ more: String
  ) async throws {
    let server = try await TestServer(
      """
      CREATE TABLE artist(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
      INSERT INTO artist VALUES (1, 'Miles Davis'), (2, 'The Rolling Stones'), (3, NULL);
      CREATE TABLE album(code TEXT PRIMARY KEY, "first name" TEXT, title TEXT) WITHOUT ROWID;
      INSERT INTO album VALUES ('KoB', 'x', 'Kind of Blue');
      CREATE TABLE "the track"(id INTEGER PRIMARY KEY, name TEXT, artist REFERENCES artist, rating INTEGER,
        album REFERENCES album, follows INTEGER REFERENCES "the track", other REFERENCES artist(name));
      INSERT INTO "the track" VALUES (1, 'So What', 1, 5, 'KoB', NULL, NULL),
        (2, 'Blue in Green', 1, 4, 'KoB', 1, NULL), (3, 'Angie', 2, 3, NULL, NULL, NULL),
        (4, 'Ruby', 3, 2, NULL, 3, NULL);
      """)
    let found = try await ids(server, source: "the%20track", where: condition.text, more)
    #expect(found == Set(condition.expected))
  }

  @Test func whatIsFoundByANameFollowsIt() async throws {
    let server = try await TestServer(
      """
      CREATE TABLE artist(id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO artist VALUES (1, 'Miles Davis'), (2, 'Sonny Rollins');
      CREATE TABLE track(id INTEGER PRIMARY KEY, artist INTEGER REFERENCES artist);
      CREATE INDEX track_artist ON track(artist);
      INSERT INTO track VALUES (1, 1), (2, 2), (3, 2);
      """)
    let list = "source=track&where=%3Acontains%3Arollins"
    let explained = try await server.json("/api/explain?\(list)")
    #expect(explained["verdict"] as? String == "touchedRows")
    #expect(try await ids(server, where: ":contains:rollins") == [2, 3])
    try server.write("UPDATE artist SET name = 'Theodore' WHERE id = 2")
    while try await ids(server, where: ":contains:rollins") != [] {}
  }

  @Test func conditionsHaveAlternatives() async throws {
    let server = try await TestServer(
      """
      CREATE TABLE track(id INTEGER PRIMARY KEY, n INTEGER, x TEXT);
      INSERT INTO track VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 3, NULL), (4, 1, 'b');
      """)
    func ids(_ parameters: String) async throws -> [Int?] {
      let json = try await server.json("/api/rows?source=track&\(parameters)")
      let window = try #require(json["window"] as? [[String: Any]])
      return window.map { ($0["row"] as? [String: Any])?["id"] as? Int }
    }
    #expect(try await ids("where=x:eq:a&or=x:null") == [1, 3])
    #expect(try await ids("where=x:eq:b&or=x:eq:a&where=n:eq:1") == [1, 4])
    #expect(try await ids("where=n:eq:1&where=x:eq:b&or=x:eq:a") == [1, 4])
    #expect(try await ids("where=n:eq:2&or=:contains:a&or=n:eq:3") == [1, 2, 3])
    // The alternatives belong to the condition before them: another place is another list.
    #expect(try await ids("where=n:eq:2&or=n:eq:3&where=x:null") == [3])
    #expect(try await ids("where=n:eq:2&where=x:null&or=n:eq:3") == [])
    for wrong in [
      "or=n:eq:1&where=n:eq:1", "where=n:between:1", "where=n:between:1:2:3", "where=n:not-:1",
    ] {
      #expect(try await server.get("/api/rows?source=track&\(wrong)").status == 400)
    }
  }

  @Test func allColumnsOfAWideTableAreSearched() async throws {
    let columns = (1..<1990).map { "c\($0)" }.joined(separator: ", ")
    let server = try await TestServer(
      """
      CREATE TABLE track(id INTEGER PRIMARY KEY, \(columns));
      INSERT INTO track (id, c1, c1989) VALUES (1, 'blue', NULL), (2, NULL, 'so blue'), (3, 'x', 'y');
      """)
    #expect(try await ids(server, where: ":contains:BLUE") == [1, 2])
  }

  private static let indexed = """
    CREATE TABLE track(id INTEGER PRIMARY KEY, name TEXT, album TEXT, ms INTEGER);
    CREATE VIEW long AS SELECT * FROM track;
    CREATE VIRTUAL TABLE "track ""words" USING fts5(
      name, album, content='Track', content_rowid=id, prefix='2 3');
    CREATE VIRTUAL TABLE other USING fts5(name);
    CREATE TRIGGER inserted AFTER INSERT ON track BEGIN
      INSERT INTO "track ""words"(rowid, name, album) VALUES (new.id, new.name, new.album);
    END;
    INSERT INTO track VALUES (1, 'So What', 'Kind of Blue', 562), (2, 'Naima', 'Giant Steps', 260),
      (3, 'Blue in Green', 'Kind of Blue', 337), (4, 'AND "so" it goes', '', 1);
    """

  @Test(
    arguments: [
      (":matches:blue", [1, 3]), (":matches:kind gre", [3]), (":matches:NAIMA", [2]),
      (":matches:giant naima", [2]), (":matches:blue naima", []), (":matches:what kin", [1]),
      (":matches:kin what", []), ("name:matches:blue", [3]), ("album:matches:blue", [1, 3]),
      // No operators.
      (":matches:AND", [4]), (":matches:\"so\"", [1, 4]), (":matches:blue OR naima", []),
      (":matches:blue*", [1, 3]), (":matches:name:blue", []), (":matches:-", []),
      (":matches:(", []),
    ] as [(String, [Int])])
  func wordsAreFoundByAFullTextIndex(_ condition: String, _ expected: [Int]) async throws {
    let server = try await TestServer(Self.indexed)
    #expect(try await ids(server, where: condition) == Set(expected))
  }

  @Test func rowsThatGetTheWordsAppear() async throws {
    let server = try await TestServer(Self.indexed)
    let client = try await server.events(
      "/api/events?source=track&from=0&count=9&where=:matches:blue&where=ms:gt:400")
    #expect(try await client.event()?.json["rows"] as? Int == 1)
    try server.write("INSERT INTO track VALUES (5, 'Blue Train', 'Blue Train', 643)")
    #expect(try await client.event()?.json["rows"] as? Int == 2)
  }

  @Test func onlyATableWithAFullTextIndexIsIndexed() async throws {
    let server = try await TestServer(Self.indexed)
    let sources = try await server.json("/api/sources")["sources"] as? [[String: Any]]
    let indexed = sources?.filter { $0["indexed"] as? Bool == true }
    #expect(indexed?.map { $0["name"] as? String } == ["track"])
    for (path, message) in [
      ("source=long&where=:matches:a", "has no full-text index"),
      ("source=other&where=:matches:a", "has no full-text index"),
      ("source=track&where=:matches:%20", "has no words"),
      ("source=track&where=ms:matches:a", "ms"),
      ("source=track&where=:begins:a", "without a column"),
    ] {
      let answer = try await server.get("/api/rows?\(path)")
      #expect(answer.status == 400, "\(path): \(answer.text)")
      #expect(answer.text.contains(message), "\(answer.text)")
    }
  }
}
