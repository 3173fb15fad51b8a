import Foundation
import RowQueries
import SQLiteStorage
import Testing

@testable import SectionsServer

/// The answers to single requests.
@Suite(.timeLimit(.minutes(20))) struct RouteTests {
  private static let schema = """
    CREATE TABLE track(id INTEGER PRIMARY KEY, genre TEXT, name TEXT, ms INTEGER, art BLOB);
    INSERT INTO track VALUES (1, 'Jazz', 'So What', 562, x'89504E470D0A1A0A00'),
      (2, 'Jazz', 'Naima', 260, x'00FF'), (3, 'Rock', 'Angie', 273, NULL);
    CREATE VIEW long AS SELECT id, name FROM track WHERE ms > 500;
    CREATE TABLE blank(k TEXT PRIMARY KEY, n);
    INSERT INTO blank VALUES ('a,b''%', 1), ('<b>&"', 2);
    """

  @Test func sourcesHaveColumnsAndCounts() async throws {
    let server = try await TestServer(Self.schema)
    let json = try await server.json("/api/sources")
    #expect(json["database"] as? String == "test.db")
    #expect(json["tool"] as? String == "1.2.3")
    #expect(json["protocol"] as? Int == 2)
    let sources = try #require(json["sources"] as? [[String: Any]])
    #expect(sources.map { $0["name"] as? String } == ["blank", "long", "track"])
    #expect(sources.map { $0["kind"] as? String } == ["table", "view", "table"])
    #expect(sources.map { $0["count"] as? Int } == [2, 1, 3])
    let columns = try #require(sources[2]["columns"] as? [[String: Any]])
    #expect(columns.map { $0["key"] as? Bool } == [true, false, false, false, false])
  }

  @Test func aColumnNamesWhatItRefersTo() async throws {
    let server = try await TestServer(
      """
      CREATE TABLE Artist(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
      CREATE TABLE pair(a, b, PRIMARY KEY(a, b));
      CREATE TABLE album(
        x REFERENCES artist, y REFERENCES ARTIST(NAME), z REFERENCES gone, a, b,
        FOREIGN KEY(a, b) REFERENCES pair);
      """)
    let sources = try await server.json("/api/sources")["sources"] as? [[String: Any]]
    let album = try #require(sources?.first { $0["name"] as? String == "album" })
    let columns = try #require(album["columns"] as? [[String: Any]])
    let references = columns.map { $0["references"] as? [String: String] }
    #expect(references[0] == ["source": "Artist", "column": "id"])
    #expect(references[1] == ["source": "Artist", "column": "name"])
    // A table that does not exist, and a key of two columns.
    #expect(references[2...].allSatisfy { $0 == nil })
    let keys = try #require(album["keys"] as? [[String: Any]])
    #expect(keys.count == 1)
    #expect(keys[0]["source"] as? String == "pair")
    #expect(keys[0]["columns"] as? [String] == ["a", "b"])
    #expect(keys[0]["referred"] as? [String] == ["a", "b"])
    #expect(sources?.first { $0["name"] as? String == "pair" }?["keys"] == nil)
    #expect(sources?.first { $0["name"] as? String == "Artist" }?["label"] as? String == "name")
    #expect(album["label"] == nil)
  }

  @Test func aWindowIsReadAroundARow() async throws {
    let server = try await TestServer(Self.schema)
    try server.write(
      """
      WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
      INSERT INTO track SELECT i, 'Pop', 'x', i, NULL FROM n
      """)
    func window(_ parameters: String) async throws -> (from: Int?, keys: [String?]) {
      let json = try await server.json("/api/rows?source=track&\(parameters)")
      let items = try #require(json["window"] as? [[String: Any]])
      return (json["from"] as? Int, items.map { $0["key"] as? String })
    }
    // Two headers and two rows of Jazz come before the rows of Pop.
    var (from, keys) = try await window("by=genre&key=200&count=5")
    #expect(from == 3 + 1 + 190 - 2)
    #expect(keys == ["198", "199", "200", "201", "202"])
    (from, keys) = try await window("key=1&count=4")
    #expect(from == 0 && keys == ["1", "2", "3", "10"])
    (from, keys) = try await window("key=400&count=3")
    #expect(keys == ["399", "400"])
    for key in ["401", "nonsense", "'x'"] {
      let path = "/api/rows?source=track&key=\(QueryItems.encoded(key))"
      #expect(try await server.get(path).status == 404)
    }
  }

  @Test func theMostFrequentValuesOfAColumnAreCounted() async throws {
    let server = try await TestServer(Self.schema)
    #expect(
      try await server.get("/api/values?source=track&column=GENRE").text
        == #"{"values":[{"value":"Jazz","count":2},{"value":"Rock","count":1}],"more":false}"#)
    #expect(
      try await server.get("/api/values?source=track&column=art&count=2&where=ms:lt:500").text
        == #"{"values":[{"value":null,"count":1},{"value":{"blob":2,"type":null},"count":1}],"more":false}"#
    )
    // Sections, order and columns of the list make no difference, but its conditions do.
    let path = "/api/values?source=track&by=genre&sort=ms&columns=id&where=genre:eq:Jazz"
    #expect(
      try await server.get("\(path)&column=name&count=1").text
        == #"{"values":[{"value":"Naima","count":1}],"more":true}"#)
    try server.write("INSERT INTO track VALUES (4, 'Jazz', 'So What', 1, NULL)")
    #expect(
      try await server.get("\(path)&column=name&count=1").text
        == #"{"values":[{"value":"So What","count":2}],"more":true}"#)
    #expect(try await server.get("/api/values?source=track&column=gone").status == 400)
    #expect(try await server.get("/api/values?source=track").status == 400)
    #expect(try await server.get("/api/values?source=gone&column=a").status == 404)
  }

  @Test func rowsHaveNames() async throws {
    let server = try await TestServer(
      """
      CREATE TABLE artist(id INTEGER PRIMARY KEY, code TEXT UNIQUE, name TEXT);
      INSERT INTO artist VALUES (1, 'a,b', 'Ella'), (2, 'c', NULL), (3, 'd', hex(zeroblob(2000)));
      """)
    func names(_ parameters: String) async throws -> [[String: Any]] {
      try #require(
        try await server.json("/api/names?source=artist&name=name&\(parameters)")["names"]
          as? [[String: Any]])
    }
    let found = try await names("column=id&value=1&value=2&value=9")
    #expect(found.map { $0["value"] as? Int } == [1, 2])
    #expect(found.map { $0["name"] as? String } == ["Ella", nil])
    #expect(try await names("column=code&value='a%252Cb'").first?["name"] as? String == "Ella")
    #expect(try await names("column=id&value=3").first?["name"] is [String: Any])
    let many = (0...200).map { "&value=\($0)" }.joined()
    // Rows are found by their names too, the shortest first.
    try server.write("INSERT INTO artist VALUES (4, 'e', 'Stella'), (5, 'f', '100 %')")
    #expect(try await names("column=id&contains=ELL").map { $0["value"] as? Int } == [1, 4])
    #expect(try await names("column=id&contains=%25").map { $0["value"] as? Int } == [5])
    #expect(try await names("column=id&contains=nobody").isEmpty)
    let long = "column=id&contains=\(String(repeating: "x", count: 300))"
    for wrong in [
      "column=id", "column=id&value=y", "column=no&value=1", "column=id\(many)", "",
      "column=id&value=1&contains=a", long,
      // SQLite would look for what is before the NUL.
      "column=id&contains=El%00x",
    ] {
      let path = "/api/names?source=artist&name=name&\(wrong)"
      #expect(try await server.get(path).status == 400, "\(wrong)")
    }
    #expect(try await server.get("/api/names?source=x&column=id&name=name&value=1").status == 404)
    let schema = "/api/names?source=sqlite_schema&column=name&name=sql&value='artist'"
    #expect(try await server.get(schema).status == 404)
  }

  @Test func theSourceOfTheCommandLineHasValuesToo() async throws {
    let server = try await TestServer(Self.schema) { options in
      options.given = [
        GivenSource(.init(select: "SELECT id, upper(genre) AS g FROM track", condition: "id < 3"))
      ]
    }
    #expect(
      try await server.get("/api/values?source=SELECT&column=g").text
        == #"{"values":[{"value":"JAZZ","count":2}],"more":false}"#)
  }

  @Test func valuesThatTakeTooLongAreAnError() async throws {
    let server = try await TestServer(
      """
      CREATE VIEW endless AS WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT i FROM c;
      """
    ) { $0.limits.queryTime = .milliseconds(200) }
    let answer = try await server.get("/api/values?source=endless&column=i")
    #expect(answer.status == 504)
    #expect(answer.text.contains("the query took longer than 0.2 s"))
  }

  @Test func rowsAreLinesOfAWindow() async throws {
    let server = try await TestServer(Self.schema)
    let answer = try await server.get("/api/rows?source=track&by=genre&sort=name&from=0&count=2")
    let version = try #require(try answer.json["version"] as? String)
    #expect(
      answer.text == """
        {"version":"\(version)","lines":5,"rows":3,"sections":2,"from":0,"section":0,\
        "columns":["id","genre","name","ms","art"],"window":[\
        {"header":{"at":0,"key":"#'Jazz'","section":"Jazz","title":"Jazz","indexTitle":"J","count":2}},\
        {"at":[0,0],"key":"2","row":{"id":2,"genre":"Jazz","name":"Naima","ms":260,\
        "art":{"blob":2,"type":null}}}]}
        """)
    let rest = try await server.json(
      "/api/rows?source=track&by=genre&sort=name&from=2&count=9&columns=art")
    #expect((rest["sticky"] as? [String: Any])?["title"] as? String == "Jazz")
    let window = try #require(rest["window"] as? [[String: Any]])
    let art = (window[0]["row"] as? [String: Any])?["art"] as? [String: Any]
    #expect(art?["type"] as? String == "image/png")
    #expect(window.count == 3)
  }

  @Test func whatIsUnchangedIsNotSentAgain() async throws {
    let server = try await TestServer(Self.schema)
    for path in [
      "/api/rows?source=track", "/api/sources", "/api/index?source=track&by=genre",
      "/assets/page.js", "/assets/page.css",
    ] {
      let first = try await server.get(path)
      let tag = try #require(first.headers["etag"], "\(path)")
      let second = try await server.get(path, ["If-None-Match": tag])
      #expect(second.status == 304, "\(path)")
      #expect(second.body.isEmpty)
    }
    let tag = try #require(try await server.get("/api/rows?source=track").headers["etag"])
    try server.write("DELETE FROM track WHERE id = 1")
    let client = try await server.events("/api/events?source=track&from=0&count=3")
    while try await client.event()?.json["rows"] as? Int != 2 {}
    #expect(try await server.get("/api/rows?source=track", ["If-None-Match": tag]).status == 200)
  }

  @Test func theIndexLeadsToLines() async throws {
    let server = try await TestServer(Self.schema)
    let json = try await server.json("/api/index?source=track&by=genre")
    let entries = try #require(json["entries"] as? [[String: Any]])
    #expect(entries.map { $0["title"] as? String } == ["J", "R"])
    #expect(entries.map { $0["line"] as? Int } == [0, 3])
  }

  @Test func theIndexOfNumbersAndDatesHasAllOfThem() async throws {
    let server = try await TestServer(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, n, day TEXT);
      INSERT INTO t(n, day) VALUES (-5, '2026-01-02'), (9, '2026-02'), (10, '10th'), (12.5, '1st'),
        (2026, 'second');
      """)
    func titles(_ column: String) async throws -> [String?] {
      let json = try await server.json("/api/index?source=t&by=\(column)")
      return try #require(json["entries"] as? [[String: Any]]).map { $0["title"] as? String }
    }
    #expect(try await titles("n") == ["-5", "9", "10", "12.5", "2026"])
    #expect(try await titles("day") == ["10", "1", "2026-01-02", "2026-02", "S"])
  }

  @Test func theWholeAddressMayBeSent() async throws {
    let server = try await TestServer(Self.schema)
    let own = "127.0.0.1:\(server.port)"
    for (address, host, status) in [
      ("http://\(own)/api/rows?source=track", own, 200), ("HTTP://\(own)?source=track", own, 200),
      ("http://\(own)/api/sources", "evil.example", 200), ("http://evil.example/", own, 403),
      ("http://user@\(own)/api/sources", own, 403), ("ftp://\(own)/", own, 404),
    ] {
      #expect(try await server.get(address, ["Host": host]).status == status, "\(address)")
    }
  }

  @Test func infinityIsNotNull() async throws {
    let server = try await TestServer(
      "CREATE TABLE r(id INTEGER PRIMARY KEY, x REAL); INSERT INTO r VALUES (1, 9e999), (2, -9e999);"
    )
    let text = try await server.get("/api/rows?source=r&by=x").text
    #expect(text.contains(#""row":{"id":1,"x":{"real":"Infinity"}}"#))
    #expect(text.contains(#""section":{"real":"-Infinity"}"#))
  }

  @Test func aWindowWithoutRowsHasTheColumnsOfItsVersion() async throws {
    let server = try await TestServer("CREATE TABLE empty(a)")
    let client = try await server.events("/api/events?source=empty&from=0&count=3")
    #expect(try await client.event("window").json["columns"] as? [String] == ["a"])
    try server.write("ALTER TABLE empty ADD COLUMN b")
    #expect(try await client.event()?.json["columns"] as? [String] == ["a", "b"])
    #expect(try await server.get("/api/export?source=empty&format=csv").text == "a,b\n")
  }

  @Test func blobsAreImagesOrAttachments() async throws {
    let server = try await TestServer(Self.schema)
    let image = try await server.get("/api/blob?source=track&key=1&column=art")
    #expect(image.headers["content-type"] == "image/png")
    #expect(image.headers["x-content-type-options"] == "nosniff")
    #expect(image.headers["content-security-policy"] == "sandbox")
    #expect(image.body.count == 9)
    let other = try await server.get("/api/blob?source=track&key=2&column=art")
    #expect(other.headers["content-type"] == "application/octet-stream")
    #expect(other.headers["content-disposition"]?.hasPrefix("attachment") == true)
    #expect(try await server.get("/api/blob?source=track&key=9&column=art").status == 404)
    #expect(try await server.get("/api/blob?source=track&key=1&column=nothing").status == 400)
  }

  @Test(
    arguments: [
      ("bytes=0-3", 206, "89504e47", "bytes 0-3/9"), ("bytes=7-", 206, "0a00", "bytes 7-8/9"),
      ("bytes=-1", 206, "00", "bytes 8-8/9"), ("bytes=8-99", 206, "00", "bytes 8-8/9"),
      ("bytes=9-", 416, "", "bytes */9"), ("bytes=-0", 416, "", "bytes */9"),
      ("bytes=3-1", 200, nil, nil), ("bytes=0-1,3-4", 200, nil, nil), ("lines=1-2", 200, nil, nil),
    ] as [(String, Int, String?, String?)])
  func aPartOfABlobIsSent(
    _ range: String, _ status: Int, _ bytes: String?, _ content: String?
  ) async throws {
    let server = try await TestServer(Self.schema)
    let path = "/api/blob?source=track&key=1&column=art"
    let whole = try await server.get(path)
    #expect(whole.headers["accept-ranges"] == "bytes")
    let answer = try await server.get(path, ["Range": range])
    #expect(answer.status == status)
    #expect(answer.headers["content-range"] == content)
    let digits = answer.body.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    if let bytes { #expect(digits == bytes) } else { #expect(answer.body == whole.body) }
  }

  @Test func aLongTextIsCutAndCanBeReadInFull() async throws {
    let server = try await TestServer(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, x); INSERT INTO t VALUES (1, hex(zeroblob(4000)))")
    let json = try await server.json("/api/rows?source=t")
    let row = (json["window"] as? [[String: Any]])?[0]["row"] as? [String: Any]
    let text = try #require(row?["x"] as? [String: Any])
    #expect(text["length"] as? Int == 8_000)
    #expect((text["text"] as? String)?.count == 500)
    #expect(try await server.get("/api/blob?source=t&key=1&column=x").body.count == 8_000)
  }

  @Test func keysOfAnyTextLeadToTheirRows() async throws {
    let server = try await TestServer(Self.schema)
    let json = try await server.json("/api/rows?source=blank&sort=n")
    for line in try #require(json["window"] as? [[String: Any]]) {
      let key = try #require(line["key"] as? String)
      let row = try #require(line["row"] as? [String: Any])
      let path = "/api/blob?source=blank&key=\(QueryItems.encoded(key))&column=k"
      #expect(try await server.get(path).text == row["k"] as? String)
    }
  }

  @Test(
    arguments: [
      ("/api/rows?source=nothing", 404), ("/api/rows?source=sqlite_schema", 404),
      ("/api/rows?source=SELECT%201", 404), ("/api/rows?source=track&by=1%2B1", 400),
      ("/api/rows?source=track&by=nothing", 400), ("/api/rows?source=track&sort=nothing", 400),
      ("/api/rows?source=track&sort=ms%2B1", 400), ("/api/rows?source=track&where=ms", 400),
      ("/api/rows?source=track&where=ms:like:1", 400),
      ("/api/rows?source=track&where=:eq:1", 400), ("/api/rows?source=track&where=1=1:eq:1", 400),
      ("/api/rows?source=track&where=name:contains:%00", 400),
      ("/api/rows?source=track&where=:begins:a%00b", 400),
      ("/api/rows?source=track&where=:matches:a%00b", 400),
      ("/api/rows?source=track&where=name:is:Naima", 400),
      ("/api/rows?source=track&where=name:is:1,2", 400),
      ("/api/rows?source=track&columns=nothing", 400), ("/api/rows?source=track&count=0", 400),
      ("/api/rows?source=track&count=100000", 400), ("/api/rows?source=track&from=-1", 400),
      ("/api/rows?source=track&columns=id&columns=name&columns=id", 400),
      ("/api/rows?source=track&where=name:contains:\(String(repeating: "a", count: 257))", 400),
      ("/api/rows?source=track&where=:contains:\(String(repeating: "a", count: 257))", 400),
      ("/nothing", 404), ("/assets/nothing.js", 404), ("/assets/../page.html", 404),
    ] as [(String, Int)])
  func whatIsWrongIsRefused(_ path: String, _ status: Int) async throws {
    let server = try await TestServer(Self.schema)
    let answer = try await server.get(path)
    #expect(answer.status == status)
    let error = try #require(try answer.json["error"] as? [String: String])
    #expect(error["message"]?.isEmpty == false)
    #expect(error["nextStep"]?.isEmpty == false)
  }

  @Test func textsThatSwiftTakesForEqualAreDifferentLists() async throws {
    let server = try await TestServer(
      "CREATE TABLE t(name TEXT); INSERT INTO t VALUES ('\u{E9}'), ('e\u{301}'), ('e\u{301}')")
    let composed = try await server.json("/api/rows?source=t&where=name:eq:%C3%A9")
    let decomposed = try await server.json("/api/rows?source=t&where=name:eq:e%CC%81")
    #expect(composed["rows"] as? Int == 1)
    #expect(decomposed["rows"] as? Int == 2)
  }

  @Test func headersOfEqualLookHaveKeysOfTheirOwn() async throws {
    let server = try await TestServer(
      "CREATE TABLE t(b); INSERT INTO t VALUES (x'01'), (x'02'), (NULL), (9e999), (-9e999)")
    let window = try await server.json("/api/rows?source=t&by=b")["window"] as? [[String: Any]]
    let keys = (window ?? []).compactMap { ($0["header"] as? [String: Any])?["key"] as? String }
    #expect(keys.count == 5 && Set(keys).count == 5)
  }

  @Test func aListOfTheConfigurationNamesItsColumns() async throws {
    let server = try await TestServer(Self.schema) {
      $0.given = [GivenSource(.init("track", columns: ["name,id"]), list: "names")]
    }
    let sources = try await server.json("/api/sources")["sources"] as? [[String: Any]]
    #expect(sources?[0]["shown"] as? [String] == ["name", "id"])
    #expect((sources?[0]["columns"] as? [Any])?.count == 5)
    #expect(sources?[1]["shown"] == nil)
  }

  @Test func onlyTheMethodsOfAnAddressAreAnswered() async throws {
    let server = try await TestServer(Self.schema)
    for (path, method, allowed) in [
      ("/api/sources", "POST", "GET, HEAD"), ("/api/windows/a.1", "GET", "POST, PUT, DELETE"),
      ("/api/events", "DELETE", "GET, HEAD"),
    ] {
      let answer = try await server.get(path, method: method)
      #expect(answer.status == 405)
      #expect(answer.headers["allow"] == allowed)
    }
  }

  @Test func tooManyListsAndClientsAreRefused() async throws {
    let server = try await TestServer(Self.schema) { options in
      options.limits.lists = 1
      options.limits.clients = 1
    }
    let client = try await server.events("/api/events?source=track&from=0&count=3")
    _ = try await client.event("window")
    let list = try await server.get("/api/rows?source=long")
    #expect(list.status == 503)
    #expect(list.headers["retry-after"] != nil)
    #expect(try await server.get("/api/events?source=track&from=0&count=3").status == 503)
  }

  @Test func thePageOfAnErrorIsStyledAndTriesAgainIfThatMayHelp() async throws {
    let server = try await TestServer(Self.schema) { $0.limits.lists = 1 }
    let missing = try await server.get("/?source=nothing")
    #expect(missing.status == 404)
    #expect(missing.text.contains(#"<link rel="stylesheet" href="assets/page.css">"#))
    #expect(missing.headers["content-security-policy"]?.contains("style-src 'self'") == true)
    #expect(missing.headers["refresh"] == nil)
    let client = try await server.events("/api/events?source=track&from=0&count=1")
    _ = try await client.event("window")
    let busy = try await server.get("/?source=long")
    #expect(busy.status == 503)
    #expect(busy.headers["refresh"] == busy.headers["retry-after"])
  }

  @Test func aWindowHasALimitOfBytes() async throws {
    let columns = (0..<40).map { "c\($0)" }
    let server = try await TestServer(
      """
      CREATE TABLE wide(id INTEGER PRIMARY KEY, \(columns.joined(separator: ", ")));
      WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < 1000)
      INSERT INTO wide SELECT i, \(columns.map { _ in "hex(zeroblob(250))" }.joined(separator: ", ")) FROM c;
      """)
    let long = try await server.get("/api/rows?source=wide&count=1000")
    #expect(long.status == 400)
    #expect(long.text.contains("the window has more than 16 MB"))
    #expect(try await server.get("/api/rows?source=wide&count=500").status == 200)
    #expect(try await server.get("/api/rows?source=wide&count=1000&columns=c1").status == 200)
  }

  @Test func thePageOfAnEmptyDatabaseNoticesTheFirstTable() async throws {
    let server = try await TestServer("CREATE TABLE t(x); DROP TABLE t;")
    let empty = try await server.get("/")
    #expect(empty.status == 404)
    #expect(empty.headers["refresh"] == "2")
    try server.write("CREATE TABLE t(x)")
    #expect(try await server.get("/").headers["location"] == "?source=t")
  }

  /// It waited until the query was over, or had taken as long as it may.
  @Test func aServerEndsDuringASlowQuery() async throws {
    let server = try await TestServer(
      """
      CREATE VIEW slow AS WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c)
        SELECT count(*) AS n FROM c;
      """
    ) { $0.limits.queryTime = .seconds(120) }
    let client = try await TestClient(port: server.port)
    try await client.send("/api/rows?source=slow")
    try await Task.sleep(for: .milliseconds(500))
    let start = ContinuousClock.now
    await server.stop()
    // A moment, and on a busy machine some seconds.
    #expect(ContinuousClock.now - start < .seconds(30))
  }

  @Test func aSlowQueryIsRefused() async throws {
    let server = try await TestServer(
      """
      CREATE TABLE t(x); INSERT INTO t VALUES (1);
      CREATE VIEW slow AS WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c
        WHERE i < 1000000000) SELECT count(*) AS n FROM c;
      """
    ) { options in
      // It must exceed what a short query takes on a busy machine.
      options.limits.queryTime = .seconds(1)
      options.limits.countTime = .milliseconds(200)
    }
    #expect(try await server.get("/api/rows?source=t").status == 200)
    let answer = try await server.get("/api/rows?source=slow")
    // It would take as long again.
    #expect(answer.status == 504)
    #expect(answer.headers["retry-after"] == nil)
    let error = try answer.json["error"] as? [String: Any]
    #expect(error?["message"] as? String == "the query took longer than 1 s")
    #expect(try await server.get("/?source=slow").headers["refresh"] == nil)
    let sources = try await server.json("/api/sources")["sources"] as? [[String: Any]]
    #expect(sources?[0]["count"] is NSNull)
    #expect(try await server.get("/api/rows?source=t").status == 200)
  }

  @Test func keysThatAreNotUTF8AreTwoRowsAndTwoSections() async throws {
    let server = try await TestServer(
      """
      CREATE TABLE t(id TEXT PRIMARY KEY NOT NULL, data BLOB) WITHOUT ROWID;
      INSERT INTO t VALUES (CAST(x'FF61' AS TEXT), x'01'), (CAST(x'FE61' AS TEXT), x'02'),
        (char(0xFFFD) || 'a', x'03');
      """)
    for (path, count) in [("/api/rows?source=t", 3), ("/api/rows?source=t&by=id", 6)] {
      let lines = try #require(try await server.json(path)["window"] as? [[String: Any]])
      #expect(lines.count == count)
      let keys = lines.map { line in
        (line["key"] ?? (line["header"] as? [String: Any])?["key"]) as? String ?? ""
      }
      #expect(Set(keys).count == count, "\(keys)")
      for key in keys where !key.hasPrefix("#") {
        let key = QueryItems.encoded(key)
        let blob = try await server.get("/api/blob?source=t&column=data&key=\(key)")
        #expect(blob.status == 200)
      }
    }
  }

  /// What is not an identity is refused, and nothing is read beyond its end.
  @Test(arguments: [
    "p", "p0", "pzz", "p01", "p0300000000000000ff41", "p03ffffffffffffffff41", "p09", "p0301000000",
  ])
  func aPackedKeyIsChecked(_ key: String) async throws {
    let server = try await TestServer(Self.schema)
    let blob = try await server.get("/api/blob?source=track&column=name&key=\(key)")
    #expect([400, 404].contains(blob.status))
  }

  @Test func healthIsToldWithoutATokenUnderAnyName() async throws {
    let server = try await TestServer(Self.schema) { $0.token = "0123456789abcdef" }
    let well = try await server.get("/healthz", ["Host": "proxy.example"])
    #expect(well.status == 200)
    #expect(well.text == "ok\n")
    try FileManager.default.moveItem(atPath: server.path, toPath: server.path + ".moved")
    // Some milliseconds later, as the file was found just now.
    var ill = try await server.get("/healthz")
    while ill.status == 200 { ill = try await server.get("/healthz") }
    #expect(ill.status == 503)
    #expect(ill.text == "unavailable\n")
    try FileManager.default.moveItem(atPath: server.path + ".moved", toPath: server.path)
    #expect(try await server.get("/healthz").status == 200)
  }

  @Test func eachRequestIsLoggedWithoutItsToken() async throws {
    let lines = Locked<[String]>([])
    let server = try await TestServer(Self.schema) {
      $0.token = "0123456789abcdef"
      $0.log = { line in lines.withLock { $0.append(line) } }
    }
    _ = try await server.get("/?token=0123456789abcdef")
    _ = try await server.get("/api/rows?source=track&from=0&token=0123456789abcdef&count=2")
    for wrong in [
      "/a%0Ab?token=wrong", "/wrong", "/?source=track?token=wrong", "/api/rows?source=wrong",
      "/?Token=wrong",
    ] {
      #expect(try await server.get(wrong).status == 401)
    }
    #expect(try await server.get("/?token=wrong", method: "POST").status == 405)
    #expect(try await server.get("/?wrong", ["Host": "wrong.example"]).status == 403)
    let bearer = ["Authorization": "Bearer 0123456789abcdef"]
    _ = try await server.get("/api/rows?source=track?token=0123456789abcdef&by=genre", bearer)
    _ = try await server.get("/0123456789abcdef", bearer)
    let logged = lines.withLock { $0 }.map { $0.replacing(/\d+ ms/, with: "n ms") }
    #expect(
      logged == [
        "GET / 303 n ms", "GET /api/rows?source=track&from=0&count=2 200 n ms",
        "GET /… 401 n ms", "GET /… 401 n ms", "GET / 401 n ms", "GET /… 401 n ms",
        "GET / 401 n ms", "POST / 405 n ms", "GET / 403 n ms",
        "GET /api/rows?by=genre 404 n ms", "GET /… 404 n ms",
      ])
  }

  @Test func theSourceOfTheCommandLineHasItsConditionAndTotals() async throws {
    let server = try await TestServer(Self.schema) { options in
      options.given = [
        GivenSource(
          .init(
            select: "SELECT id, name, ms FROM track", condition: "ms < 500",
            by: "substr(name, 1, 1)",
            totals: [TotalOption(argument: "sum(ms)")].compactMap(\.self)))
      ]
    }
    let page = try await server.get("/")
    #expect(page.status == 302)
    let path = try #require(page.headers["location"])
    #expect(try await server.get("/" + path).status == 200)
    let json = try await server.json("/api/rows" + path)
    #expect(json["rows"] as? Int == 2)
    #expect((json["totals"] as? [String: Int])?["sum(ms)"] == 533)
    #expect(json["sections"] as? Int == 2)
    #expect(try await server.get("/api/rows?source=SELECT&by=substr(name,1,2)").status == 400)
  }

  /// The page keeps the given order when the user chooses other sections.
  @Test func anOrderByTheGivenSectionsIsOnlyForThem() async throws {
    let server = try await TestServer(Self.schema) { options in
      options.given = [
        GivenSource(
          .init(
            "track", by: "substr(name, 1, 1)",
            sort: ["substr(name, 1, 1):desc", "name"]), list: "initials")
      ]
    }
    let path = try #require(try await server.get("/").headers["location"])
    #expect(try await server.get("/api/rows" + path).status == 200)
    let sort = "sort=substr(name%2C%201%2C%201)%3Adesc&sort=name"
    for by in ["", "&by=genre"] {
      #expect(try await server.get("/api/rows?source=initials&\(sort)\(by)").status == 200)
    }
    #expect(try await server.get("/api/rows?source=initials&sort=substr(name)").status == 400)
  }

  /// It is no use to ask again, and the other tables can be reached.
  @Test func aViewThatCannotBeReadIsAnErrorThatStays() async throws {
    let server = try await TestServer(Self.schema + "CREATE VIEW a_old AS SELECT * FROM gone;")
    #expect(try await server.get("/api/rows?source=a_old").status == 400)
    #expect(try await server.get("/").headers["location"]?.contains("a_old") == false)
  }

  @Test func listsOfAConfigurationAreNamedAndHaveTheirOwnOrder() async throws {
    let server = try await TestServer(Self.schema) { options in
      options.given = [
        GivenSource(
          .init(
            select: "SELECT id, name, ms FROM track WHERE ms < :limit",
            sort: ["ms:desc"], parameters: ["limit": .integer(500)], key: "id"), list: "fast ones"),
        // In place of the table.
        GivenSource(.init("blank", condition: "n > 1", by: "n", columns: ["k"]), list: "blank"),
      ]
    }
    let json = try await server.json("/api/sources")
    let sources = try #require(json["sources"] as? [[String: Any]])
    #expect(sources.map { $0["name"] as? String } == ["fast ones", "blank", "long", "track"])
    #expect(sources.map { $0["kind"] as? String } == ["list", "list", "view", "table"])
    #expect(sources.map { $0["sort"] as? [String] } == [["ms:desc"], nil, nil, nil])
    #expect(sources.map { $0["by"] as? String } == [nil, "n", nil, nil])
    #expect(sources.map { $0["count"] as? Int } == [nil, 1, 1, 3])
    #expect(try await server.get("/").headers["location"] == "?source=fast%20ones&sort=ms%3Adesc")
    let rows = try await server.json("/api/rows?source=fast%20ones&sort=ms:desc")
    let window = try #require(rows["window"] as? [[String: Any]])
    #expect(window.map { ($0["row"] as? [String: Any])?["id"] as? Int } == [3, 2])
    let blank = try await server.json("/api/rows?source=blank&by=n")
    #expect(blank["rows"] as? Int == 1)
    #expect(blank["columns"] as? [String] == ["k"])
    let page = try await server.get("/?source=track")
    #expect(page.text.contains("<a href=\"?source=fast%20ones&amp;sort=ms%3Adesc\">"))
  }

  @Test func aListWhoseTableIsGoneIsListedAndItsErrorIsShownWhenItIsOpened() async throws {
    let server = try await TestServer(Self.schema) { options in
      options.given = [GivenSource(.init("none"), list: "gone")]
    }
    let sources = try await server.json("/api/sources")["sources"] as? [[String: Any]]
    #expect(sources?.first?["name"] as? String == "gone")
    #expect(try await server.get("/api/rows?source=gone").status == 404)
    #expect(try await server.get("/api/rows?source=track").status == 200)
  }
}
