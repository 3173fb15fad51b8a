import Foundation
import SQLiteStorage
import Testing

@testable import SectionsServer

/// SQL that a client has typed: what is answered, to whom, and within which limits.
@Suite(.timeLimit(.minutes(20))) struct TypedSQLTests {
  private static let schema = """
    CREATE TABLE track(id INTEGER PRIMARY KEY, name TEXT, ms INTEGER);
    INSERT INTO track VALUES (1, 'So What', 562), (2, 'Naima', 261), (3, 'Blue in Green', 337);
    """
  private static let token = "0123456789abcdef-._~"

  private func address(_ kind: String, _ sql: String, _ more: String = "") -> String {
    "/api/\(kind)?sql=\(QueryItems.encoded(sql))\(more)"
  }

  private func answer(
    _ server: TestServer, _ sql: String, _ kind: String = "rows", _ more: String = ""
  ) async throws -> Answer {
    try await server.get(address(kind, sql, more), ["Sections-SQL": "run"])
  }

  private func error(_ answer: Answer) throws -> [String: Any] {
    try #require(try answer.json["error"] as? [String: Any])
  }

  // MARK: Answers

  @Test func aTypedSelectIsAListLikeAnyOther() async throws {
    let server = try await TestServer(Self.schema)
    let sql = "SELECT id, upper(name) AS title, ms FROM track"
    let rows = try await answer(server, sql, "rows", "&sort=ms&where=ms:gt:300&columns=title").json
    #expect(rows["rows"] as? Int == 2)
    #expect(rows["columns"] as? [String] == ["title"])
    #expect("\(try #require(rows["window"]))".contains("BLUE IN GREEN"))
    let values = try await answer(server, sql, "values", "&column=title").json
    #expect((values["values"] as? [Any])?.count == 3)
    let export = try await answer(server, sql, "export", "&format=csv")
    #expect(export.text.hasPrefix("id,title,ms\n"))
    #expect(export.headers["content-disposition"] == "attachment; filename=\"rows.csv\"")
  }

  /// It was read from the first table of the file, if that had a column of the name.
  @Test func aValueOfATypedSelectIsItsOwn() async throws {
    let server = try await TestServer(
      """
      CREATE TABLE a(id INTEGER PRIMARY KEY, x); CREATE TABLE b(id INTEGER PRIMARY KEY, x);
      INSERT INTO a VALUES (1, 'of a'); INSERT INTO b VALUES (1, 'of b');
      """)
    let value = try await answer(server, "SELECT id, x FROM b", "blob", "&key=1&column=x")
    #expect(value.text == "of b")
  }

  @Test func aTypedSelectIsLive() async throws {
    let server = try await TestServer(Self.schema)
    let client = try await server.events(
      address("events", "SELECT count(*) AS number FROM track", "&from=0&count=5"),
      ["Sec-Fetch-Site": "same-origin"])
    var window = try WindowModel(try await client.event("window").json)
    try server.write("INSERT INTO track VALUES (4, 'Impressions', 863)")
    try window.apply(try await client.event("changes"))
    #expect(window.lines.contains { $0.contains("\"number\":4") })
  }

  @Test func theAnswerSaysHowTheListIsKeptUpToDate() async throws {
    let server = try await TestServer(
      Self.schema + "CREATE TABLE note(id INTEGER PRIMARY KEY, track, text);")
    let held = try await answer(server, "SELECT count(*) FROM track", "explain").json
    #expect(held["verdict"] as? String == "touchedRows")
    let sql =
      "SELECT track.id, note.id AS note, text FROM track JOIN note ON note.track = track.name"
    let join = try await answer(server, sql, "explain", "&columns=text").json
    #expect(join["verdict"] as? String != "touchedRows")
    #expect(join["columns"] as? [String] == ["id", "note", "text"])
    let indexes = try #require(join["indexes"] as? [[String: Any]])
    for index in indexes { try server.write(try #require(index["sql"] as? String)) }
    let better = try await answer(server, sql, "explain").json
    #expect(better["verdict"] as? String == "touchedRows")
    // Tables are explained too.
    let table = try await server.json("/api/explain?source=track")
    #expect(table["source"] as? String == "track")
  }

  // MARK: Refusals

  @Test(
    arguments: [
      ("", "there is no SQL"), (" \n", "there is no SQL"), ("-- nothing", "SQL"),
      ("DELETE FROM track", "must only read"),
      ("INSERT INTO track(id) VALUES (9)", "must only read"),
      ("WITH a AS (SELECT 1) DELETE FROM track", "must only read"),
      ("ATTACH 'other.db' AS other", "ATTACH"), ("DETACH main", "DETACH"),
      ("PRAGMA journal_mode = DELETE", "PRAGMA"), ("PRAGMA table_info(track)", "PRAGMA"),
      ("CREATE TABLE x(y)", "CREATE TABLE"), ("CREATE TEMP TABLE x(y)", "must only read"),
      ("BEGIN", "a transaction"), ("SAVEPOINT a", "a savepoint"), ("VACUUM", "the statement"),
      ("VACUUM INTO 'copy.db'", "the statement"), ("REINDEX", "the statement"),
      ("ANALYZE", "must only read"), ("EXPLAIN SELECT 1", "EXPLAIN"),
      ("SELECT load_extension('x')", "load_extension"),
      ("SELECT 1; SELECT 2", "more than one statement"),
      ("SELECT random() AS x", "random"), ("SELECT readfile('/etc/passwd')", "no such function"),
      ("SELECT writefile('x', 'y')", "no such function"),
    ] as [(String, String)])
  func whatDoesNotOnlyReadIsRefused(_ sql: String, _ message: String) async throws {
    let server = try await TestServer(Self.schema)
    for kind in ["rows", "events", "explain", "index"] {
      let answer = try await answer(server, sql, kind)
      #expect(answer.status == 400)
      #expect("\(try error(answer)["message"] ?? "")".contains(message), "\(answer.text)")
    }
    let count = try await server.database.read {
      try $0.value(Int.self, "SELECT count(*) FROM track")
    }
    #expect(count == 3)
  }

  @Test(arguments: [
    ("SELECT id,\n nme FROM track", "no such column: nme", 12),
    ("SELECT 'é😀', FROM track", "near \"FROM\": syntax error", 14),
    ("SELEC 1", "near \"SELEC\": syntax error", 0),
  ])
  func anErrorHasItsPlaceInTheSQL(_ sql: String, _ message: String, _ place: Int) async throws {
    let server = try await TestServer(Self.schema)
    let error = try error(try await answer(server, sql))
    #expect(error["message"] as? String == message)
    #expect(error["place"] as? Int == place)
    #expect(error["nextStep"] as? String == "Change the SQL")
  }

  @Test func aValueIsWrittenIntoTheSQL() async throws {
    let server = try await TestServer(Self.schema)
    for sql in ["SELECT * FROM track WHERE ms > :n", "SELECT ? AS x", "SELECT random() AS x"] {
      let answer = try await answer(server, sql)
      #expect(answer.status == 400)
      #expect(try error(answer)["nextStep"] as? String == "Write the value into the SQL")
    }
  }

  @Test func aSourceAndSQLAreNotGivenTogether() async throws {
    let server = try await TestServer(Self.schema)
    #expect(try await answer(server, "SELECT 1 AS x", "rows", "&source=track").status == 400)
  }

  // MARK: Who may have SQL run

  @Test(arguments: ["rows", "events", "explain", "index", "values", "export", "blob"])
  func onlyTheOwnPageHasSQLRun(_ kind: String) async throws {
    let server = try await TestServer(Self.schema)
    let more = "&column=id&format=csv&key=1"
    let address = address(kind, "SELECT id, name FROM track", more)
    func status(_ headers: [String: String]) async throws -> Int {
      let client = try await TestClient(port: server.port)
      try await client.send(address, headers)
      return try await client.head().status
    }
    #expect(try await status([:]) == 403)
    for site in ["none", "same-site", "cross-site"] {
      #expect(try await status(["Sec-Fetch-Site": site]) == 403)
      #expect(try await status(["Sec-Fetch-Site": site, "Sections-SQL": "run"]) == 403)
    }
    let allowed = kind == "blob" ? 400 : 200  // Of a blob, since the value is a number.
    #expect(try await status(["Sec-Fetch-Site": "same-origin"]) == allowed)
    #expect(try await status(["Sections-SQL": "run"]) == allowed)
  }

  @Test func aWindowBesideAnotherHasTheSameRules() async throws {
    let server = try await TestServer(Self.schema)
    let client = try await server.events("/api/events?source=track&from=0&count=5")
    let name = try await client.event("window").window
    let other = "\(name.split(separator: ".")[0]).2"
    let path = "/api/windows/\(other)?sql=SELECT+1+AS+x&from=0&count=1"
    #expect(try await server.get(path, method: "PUT").status == 403)
    let headers = ["Sec-Fetch-Site": "same-origin"]
    #expect(try await server.get(path, headers, method: "PUT").status == 204)
  }

  @Test func aLinkLeadsToThePageAndRunsNothing() async throws {
    let server = try await TestServer(Self.schema)
    let navigation = [
      "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document",
    ]
    let page = try await server.get("/?sql=SELECT+name+FROM+track", navigation)
    #expect(page.status == 200)
    #expect(!page.text.contains("Naima"))
    #expect(page.text.contains("<script type=\"application/json\" id=\"first\"></script>"))
  }

  @Test func aSiteThatMayReadTheListsHasNoSQLRun() async throws {
    let site = "https://lists.example.org"
    let server = try await TestServer(Self.schema) {
      $0.allowedOrigins = [site]
      $0.sql = true
    }
    let headers = ["Origin": site, "Sec-Fetch-Site": "cross-site", "Sections-SQL": "run"]
    #expect(try await server.get(address("rows", "SELECT 1 AS x"), headers).status == 403)
    // Before it sends a header of its own, the browser asks.
    let client = try await TestClient(port: server.port)
    try await client.send("/api/rows", headers, method: "OPTIONS")
    let permission = try await client.head().headers["access-control-allow-headers"]
    #expect(permission == "Authorization")
  }

  @Test func overUnencryptedHTTPTheStrictCookieIsNeeded() async throws {
    let server = try await TestServer(Self.schema) { $0.token = Self.token }
    let client = try await TestClient(port: server.port)
    try await client.send("/?token=\(Self.token)")
    let first = try await client.head()
    #expect(first.status == 303)
    let name = "sections-\(server.port)"
    let value = SessionCookie.value(of: Self.token)
    let lax = "\(name)=\(value)"
    let strict = "\(name)-strict=\(value)"
    let address = address("export", "SELECT 1 AS x", "&format=csv")
    #expect(try await server.get(address, ["Cookie": lax]).status == 403)
    #expect(try await server.get(address, ["Cookie": "\(lax); \(name)-strict=no"]).status == 403)
    #expect(try await server.get(address, ["Cookie": strict]).status == 401)
    #expect(try await server.get(address, ["Cookie": "\(lax); \(strict)"]).status == 200)
  }

  @Test func aServerThatOthersReachRunsNoSQLUnlessItIsToldTo() async throws {
    var options = ServerOptions(databaseName: "", toolVersion: "")
    #expect(options.allowsSQL)
    options.address = "0.0.0.0"
    #expect(!options.allowsSQL)
    options.sql = true
    #expect(options.allowsSQL)
    options = ServerOptions(databaseName: "", toolVersion: "")
    options.allowedOrigins = ["https://lists.example.org"]
    #expect(!options.allowsSQL)
    let server = try await TestServer(Self.schema) { $0.sql = false }
    for path in [address("rows", "SELECT 1 AS x"), "/?sql=SELECT+1"] {
      #expect(try await server.get(path, ["Sections-SQL": "run"]).status == 403)
    }
    #expect(try await server.json("/api/sources")["sql"] as? Bool == false)
  }

  @Test func othersDoNotReadThePathOfTheFile() async throws {
    for isProxied in [false, true] {
      let server = try await TestServer(Self.schema) {
        if isProxied { $0.allowedOrigins = ["https://lists.example.org"] }
        $0.sql = true
      }
      for table in ["pragma_database_list", "main.\"PRAGMA_database_list\" AS x"] {
        let answer = try await answer(server, "SELECT * FROM \(table)")
        #expect(answer.text.contains("test.db\"") != isProxied, "\(answer.text)")
        #expect(answer.status == (isProxied ? 400 : 200))
      }
    }
  }

  // MARK: Limits

  @Test func aQueryHasATimeLimit() async throws {
    let server = try await TestServer(Self.schema) { $0.limits.queryTime = .milliseconds(300) }
    let endless =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS x FROM n"
    #expect(try await answer(server, endless).status == 504)
    #expect(try await answer(server, endless, "values", "&column=x").status == 504)
    // How it could be faster is told also then.
    #expect(try await answer(server, endless, "explain").status == 200)
    #expect(try await answer(server, "SELECT 1 AS x").status == 200)
  }

  @Test func aValueHasALimitOfBytes() async throws {
    let server = try await TestServer(Self.schema + "CREATE TABLE long(id INTEGER PRIMARY KEY, x);")
    {
      $0.limits.typedValue = 100_000
    }
    try server.write("INSERT INTO long VALUES (1, zeroblob(200000))")
    for sql in [
      "SELECT zeroblob(1000000) AS x", "SELECT hex(zeroblob(90000)) AS x", "SELECT id, x FROM long",
    ] {
      let answer = try await answer(server, sql)
      #expect(answer.status == 400, "\(sql): \(answer.text.prefix(200))")
      #expect("\(try error(answer)["nextStep"] ?? "")".contains("long values"))
    }
    #expect(try await answer(server, "SELECT id, length(x) AS n FROM long").status == 200)
    #expect(try await server.get("/api/rows?source=long").status == 200)
    // A pattern takes as long as both lengths multiplied.
    let pattern = String(repeating: "%a", count: 200)
    #expect(
      try await answer(server, "SELECT id FROM track WHERE name LIKE '\(pattern)'").status == 400)
  }

  /// In a process of its own: what SQLite may use is a limit of the process, and other tests would have no memory.
  @Test func preparingHasALimitOfMemory() async {
    await #expect(processExitsWith: .success) { try await TypedSQLTests().prepareAboveTheLimit() }
  }

  private func prepareAboveTheLimit() async throws {
    // Each table names the one before twice.
    let tables = (1...30).map { "a\($0) AS (SELECT 1 AS x FROM a\($0 - 1) p, a\($0 - 1) q)" }
    let sql = "WITH a0 AS (SELECT 1 AS x), \(tables.joined(separator: ", ")) SELECT x FROM a30"
    let server = try await TestServer(Self.schema)
    let answer = try await answer(server, sql, "explain")
    try #require(answer.status == 400)
    try #require(try error(answer)["nextStep"] as? String == "Write simpler SQL")
    try #require(try await self.answer(server, "SELECT 1 AS x").status == 200)
  }

  @Test func typedListsCountAsLists() async throws {
    let server = try await TestServer(Self.schema) {
      $0.limits.lists = 2
      $0.limits.idleTime = .milliseconds(100)
    }
    var clients: [TestClient] = []
    for number in 0..<2 {
      let client = try await server.events(
        address("events", "SELECT \(number) AS x", "&from=0&count=1"), ["Sections-SQL": "run"])
      _ = try await client.event("window")
      clients.append(client)
    }
    #expect(try await answer(server, "SELECT 2 AS x").status == 503)
    clients.removeLast()
    while try await answer(server, "SELECT 2 AS x").status != 200 {
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  @Test func fewListsAreLookedAtAtTheSameTime() async throws {
    let server = try await TestServer(Self.schema) { $0.limits.inspections = 0 }
    let answer = try await answer(server, "SELECT 1 AS x", "explain")
    #expect(answer.status == 503)
    #expect(answer.headers["retry-after"] == "1")
  }
}
