import Foundation
import Testing

@testable import SectionsServer

/// Who is answered, and what never becomes HTML.
@Suite(.timeLimit(.minutes(20))) struct SafetyTests {
  private static let schema =
    "CREATE TABLE t(id INTEGER PRIMARY KEY, x); INSERT INTO t VALUES (1, 2)"
  private static let token = "0123456789abcdef-._~"

  @Test(arguments: [
    ("127.0.0.1", 200), ("localhost:8080", 200), ("[::1]:80", 200), ("evil.example", 403),
    ("127.0.0.1.evil.example", 403), ("localhost.evil.example", 403), ("192.168.0.7:8080", 403),
    ("localhost:x", 403), ("[::1", 403), ("127.0.0.1@evil.example", 403), ("", 403),
  ])
  func onlyNamesOfThisMachineAreAnswered(_ host: String, _ status: Int) async throws {
    let server = try await TestServer(Self.schema)
    #expect(try await server.get("/api/sources", ["Host": host]).status == status)
  }

  @Test func pagesOfOtherSitesAreRefused() async throws {
    let server = try await TestServer(Self.schema)
    let own = "http://127.0.0.1:\(server.port)"
    #expect(try await server.get("/api/sources", ["Origin": own]).status == 200)
    for origin in ["http://evil.example", "null", "https://127.0.0.1:\(server.port)", own + "1"] {
      #expect(try await server.get("/api/sources", ["Origin": origin]).status == 403)
    }
    let cross = ["Sec-Fetch-Site": "cross-site"]
    #expect(try await server.get("/api/sources", cross).status == 403)
    // A link to the page is followed, but no image of another site runs a query.
    for (mode, destination, status) in [
      ("navigate", "document", 200), ("no-cors", "image", 403), ("navigate", "iframe", 403),
    ] {
      let headers = ["Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": destination].merging(cross) { $1 }
      #expect(try await server.get("/?source=t", headers).status == status)
    }
    #expect(try await server.get("/?source=t", cross).status == 403)
  }

  @Test(arguments: [true, false])
  func othersAreNotToldWhereTheFileIs(_ isProxied: Bool) async throws {
    let server = try await TestServer(Self.schema) {
      if isProxied { $0.allowedOrigins = ["https://lists.example.org"] }
    }
    for suffix in ["", "-wal", "-shm"] {
      try FileManager.default.removeItem(atPath: server.path + suffix)
    }
    // For some milliseconds reads rely on the last look at the files.
    while try await server.get("/healthz").status == 200 {}
    var texts = ""
    for path in ["/api/sources", "/api/rows?source=t", "/?source=t"] {
      let answer = try await server.get(path)
      #expect(answer.status >= 500)
      texts += answer.text
    }
    #expect(texts.contains("test.db") == !isProxied, "\(texts)")
  }

  @Test func pagesOfAnAllowedOriginMayReadTheAnswers() async throws {
    let site = "https://lists.example.org"
    let server = try await TestServer(Self.schema) {
      $0.allowedOrigins = [site]
      $0.token = Self.token
    }
    let headers = ["Origin": site, "Sec-Fetch-Site": "cross-site"]
    let client = try await TestClient(port: server.port)
    // What a browser asks before it sends the token.
    try await client.send("/api/rows?source=t", headers, method: "OPTIONS")
    let permission = try await client.head()
    #expect(permission.status == 204)
    #expect(permission.headers["access-control-allow-origin"] == site)
    #expect(permission.headers["access-control-allow-headers"]?.contains("Authorization") == true)
    let token = ["Authorization": "Bearer \(Self.token)"]
    for path in ["/api/rows?source=t", "/api/sources", "/assets/sections.js", "/api/rows?source=x"]
    {
      let answer = try await server.get(path, headers.merging(token) { $1 })
      #expect(answer.status == (path.hasSuffix("x") ? 404 : 200))
      #expect(answer.headers["access-control-allow-origin"] == site)
      #expect(answer.headers["vary"] == "Origin")
      #expect(try await server.get(path, headers).status == 401)
    }
    for origin in ["https://lists.example.org.evil.example", "http://lists.example.org", "null"] {
      let other = ["Origin": origin].merging(token) { $1 }
      let answer = try await server.get("/api/sources", other)
      #expect(answer.status == 403)
      #expect(answer.headers["access-control-allow-origin"] == nil)
      try await client.send("/api/rows?source=t", ["Origin": origin], method: "OPTIONS")
      #expect(try await client.answer().status == 405)
    }
  }

  @Test func aTokenIsNeededOnceInTheAddressOrAlwaysInAHeader() async throws {
    let server = try await TestServer(Self.schema) { $0.token = Self.token }
    #expect(try await server.get("/").status == 401)
    #expect(try await server.get("/assets/page.js").status == 401)
    #expect(try await server.get("/?token=0123456789abcdeX").status == 401)
    let first = try await server.get("/?token=\(Self.token)&source=t")
    #expect(first.status == 303)
    #expect(first.headers["location"] == "?source=t")
    let cookie = try #require(first.headers["set-cookie"])
    #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"))
    let pair = String(cookie.prefix { $0 != ";" })
    #expect(try await server.get("/api/sources", ["Cookie": "a=b; \(pair)"]).status == 200)
    let value = String(pair.drop { $0 != "=" }.dropFirst())
    #expect(!cookie.contains(Self.token))
    // The cookie is no token, and the token no cookie.
    let name = pair.prefix { $0 != "=" }
    for headers in [
      ["Authorization": "Bearer \(value)"], ["Cookie": "\(name)=\(Self.token)"],
      ["Cookie": "\(name)="],
    ] {
      #expect(try await server.get("/api/sources", headers).status == 401)
    }
    #expect(try await server.get("/?token=\(value)").status == 401)
    // Open pages go on when the server is started again.
    let other = try await TestServer(Self.schema) { $0.token = Self.token }
    let again = "sections-\(other.port)=\(value)"
    #expect(try await other.get("/api/sources", ["Cookie": again]).status == 200)
    let bearer = ["Authorization": "Bearer \(Self.token)"]
    #expect(try await server.get("/api/sources", bearer).status == 200)
    #expect(try await server.get("/api/sources?token=\(Self.token)").status == 200)
  }

  /// The cases 1, 2 and 6 of RFC 4231.
  @Test(arguments: [
    (
      [UInt8](repeating: 0x0b, count: 20), "Hi There",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      [UInt8](repeating: 0xaa, count: 131),
      "Test Using Larger Than Block-Size Key - Hash Key First",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ])
  func theCookieIsAnAuthenticationCode(_ key: [UInt8], _ message: String, _ code: String) {
    let bytes = SessionCookie.authenticationCode(of: Array(message.utf8), key: key)
    #expect(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == code)
  }

  /// A page of another site can send a body of its choice.
  @Test(arguments: [0, 10_000, 3_000_000])
  func aBodyIsNotReadAsARequest(padding: Int) async throws {
    let server = try await TestServer(Self.schema)
    let client = try await TestClient(port: server.port)
    let request = "GET /api/sources HTTP/1.1\r\nHost: localhost\r\n\r\n"
    let body = Array(request.utf8) + [UInt8](repeating: 10, count: padding)
    try await client.send("/", method: "POST", body: body)
    #expect(try await client.answer().status == 405)
    try await client.send("/api/rows?source=t")
    #expect(try await client.answer().json["rows"] as? Int == 1)
  }

  // MARK: Requests that nobody has authenticated

  /// A socket of IPv6 gives the addresses of IPv4 in a form of its own.
  @Test func clientsOfThisMachineAreNotCountedAtASocketOfIPv6() async throws {
    guard
      let server = try? await TestServer(
        Self.schema,
        {
          $0.address = "::"
          $0.token = Self.token
          $0.limits.connectionsOfAddress = 0
        })
    else { return }  // A machine without IPv6.
    let bearer = ["Authorization": "Bearer \(Self.token)"]
    #expect(try await server.get("/api/sources", bearer).status == 200)
  }

  @Test func anAddressOfIPv6IsCountedWithItsNetwork() throws {
    let one = try #require(IPAddress("2001:db8:1:2:3::4"))
    #expect(IPAddress("2001:db8:1:2:ffff::5")?.network == one.network)
    #expect(IPAddress("2001:db8:1:3:3::4")?.network != one.network)
    #expect(IPAddress("192.168.0.7")?.network != IPAddress("192.168.0.8")?.network)
    #expect(IPAddress("::ffff:192.168.0.7")?.network == IPAddress("192.168.0.7")?.network)
  }

  /// The time to read a head was quadratic in its length.
  @Test func aHeadThatIsTooLongIsRefusedAtOnce() async throws {
    let server = try await TestServer(Self.schema) { $0.token = Self.token }
    let start = ContinuousClock.now
    for path in ["/?" + String(repeating: "a", count: 300_000), "/"] {
      let client = try await TestClient(port: server.port)
      let header = path == "/" ? String(repeating: "b", count: 300_000) : "b"
      // The server may close the connection before all of it was sent.
      try? await client.send(path, ["X": header])
      if let answer = try? await client.answer() { #expect(answer.status == 400) }
    }
    let client = try await TestClient(port: server.port)
    let many = (0..<4_000).map { "X-\($0): y\r\n" }.joined()
    try? await client.send(bytes: Array("GET / HTTP/1.1\r\nHost: localhost\r\n\(many)\r\n".utf8))
    if let answer = try? await client.answer() { #expect(answer.status == 400) }
    // Others are answered.
    #expect(try await server.get("/assets/page.js").status == 401)
    #expect(ContinuousClock.now - start < .seconds(10))
  }

  @Test func aConnectionWithoutACompleteRequestIsClosed() async throws {
    // On a busy machine the test needs seconds for its requests.
    let server = try await TestServer(Self.schema) { $0.limits.requestTime = .seconds(5) }
    // Events may come after any time: it is older than the connections that are closed.
    let events = try await server.events("/api/events?source=t&from=0&count=9")
    _ = try await events.event("window")
    let silent = try await TestClient(port: server.port)
    let slow = try await TestClient(port: server.port)
    try await slow.send(bytes: Array("GET / HTTP/1.1\r\nHost: local".utf8))
    let idle = try await TestClient(port: server.port)
    try await idle.send("/api/rows?source=t")
    #expect(try await idle.answer().status == 200)
    for client in [silent, slow, idle] {
      await #expect(throws: TestClient.Closed.self) { try await client.answer() }
    }
    try server.write("UPDATE t SET x = 3")
    _ = try await events.event("changes")
  }

  /// It was noticed with the next comment, after 15 seconds.
  @Test func aClientThatGoesIsNoticedAtOnce() async throws {
    let server = try await TestServer(Self.schema) { $0.limits.clients = 1 }
    let deadline = ContinuousClock.now + .seconds(60)
    for _ in 0..<5 {
      while true {
        let client = try await TestClient(port: server.port)
        try await client.send("/api/events?source=t&from=0&count=9")
        if try await client.head().status == 200 {
          _ = try await client.event("window")
          break
        }
        try #require(ContinuousClock.now < deadline)
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  @Test func aRequestIsReadInOneWayOnly() async throws {
    let server = try await TestServer(Self.schema)
    func status(_ head: String) async throws -> Int {
      let client = try await TestClient(port: server.port)
      try await client.send(bytes: Array("\(head)\r\n\r\n".utf8))
      return try await client.head().status
    }
    #expect(try await status("GET /api/rows?source=t HTTP/1.1\r\nHost: localhost") == 200)
    #expect(
      try await status("GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example") == 400)
    #expect(try await status("GET /\u{e9} HTTP/1.1\r\nHost: localhost") == 400)
    #expect(try await status("GET /a b HTTP/1.1\r\nHost: localhost") == 400)
    #expect(try await status("GET / HTTP/1.1") == 403)
  }

  @Test func headIsAnsweredAsGetWithoutTheBody() async throws {
    let server = try await TestServer(Self.schema)
    let client = try await TestClient(port: server.port)
    for path in ["/api/rows?source=t", "/?source=t", "/assets/page.js", "/nothing"] {
      let whole = try await server.get(path)
      try await client.send(path, method: "HEAD")
      let head = try await client.head()
      #expect(head.status == whole.status)
      #expect(head.headers["content-length"] == "\(whole.body.count)")
      #expect(head.headers["content-type"] == whole.headers["content-type"])
    }
    try await client.send("/api/rows?source=t")
    #expect(try await client.answer().json["rows"] as? Int == 1)
  }

  @Test func aConnectionIsClosedIfTheClientWantsThat() async throws {
    let server = try await TestServer(Self.schema)
    let client = try await TestClient(port: server.port)
    try await client.send("/api/rows?source=t", ["Connection": "close"])
    #expect(try await client.answer().headers["connection"] == "close")
    await #expect(throws: TestClient.Closed.self) { try await client.answer() }
  }

  @Test func otherMachinesNameTheServerByItsAddress() {
    var options = ServerOptions(databaseName: "a", toolVersion: "1")
    options.address = "0.0.0.0"
    let check = RequestGuard(options: options)
    #expect(check.isAllowed(host: "192.168.0.7:8080"))
    #expect(!check.isAllowed(host: "evil.example:8080"))
    #expect(!options.isLoopback)
  }

  @Test func thePageForbidsWhatItDoesNotNeed() async throws {
    let server = try await TestServer(Self.schema)
    let page = try await server.get("/?source=t")
    #expect(
      page.headers["content-security-policy"] == """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src \
        'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'
        """)
    #expect(page.headers["x-content-type-options"] == "nosniff")
    for (name, file) in PageAssets.files {
      // What the page imports is asked for at once.
      let isOfPage = !name.hasSuffix(".ts") && name != "schema.css"
      #expect(page.text.contains("href=\"assets/\(name)\"") == isOfPage)
      let answer = try await server.get("/assets/\(name)")
      #expect(answer.body == file.bytes)
      #expect(answer.headers["content-type"] == file.type)
    }
  }

  @Test(arguments: [
    ("/api/events?source=t&from=0&count=3", "default-src 'none'"),
    ("/api/sources", "default-src 'none'"),
    ("/api/export?source=t&format=csv", "sandbox"),
  ])
  func eachAnswerForbidsWhatItDoesNotNeed(_ path: String, _ policy: String) async throws {
    let server = try await TestServer(Self.schema)
    let client = try await TestClient(port: server.port)
    try await client.send(path)
    let headers = try await client.head().headers
    #expect(headers["content-security-policy"] == policy)
    #expect(headers["referrer-policy"] == "no-referrer")
    #expect(headers["x-content-type-options"] == "nosniff")
  }

  @Test func noTextOfTheFileBecomesHTML() async throws {
    let hostile = "</script><script>alert(1)</script>\n\"'><img src=x onerror=alert(1)>{{rows}}"
    let name = hostile.quotedForTest
    let text = "'" + hostile.replacing("'", with: "''") + "'"
    let server = try await TestServer(
      """
      CREATE TABLE \(name)(id INTEGER PRIMARY KEY, \(name) TEXT, g TEXT);
      INSERT INTO \(name) VALUES (1, \(text), \(text));
      """)
    let source = QueryItems.encoded(hostile)
    for list in ["source=\(source)", "source=\(source)&by=g", "source=\(source)&sort=\(source)"] {
      let page = try await server.get("/?\(list)")
      #expect(page.status == 200)
      #expect(!page.text.contains("<script>alert"))
      #expect(!page.text.contains("<img"))
      // In JSON a quote is text.
      let html = try #require(page.text.split(separator: "application/json").first)
      #expect(!html.contains("\"'>"))
      let json = try await server.json("/api/rows?\(list)")
      let window = try #require(json["window"] as? [[String: Any]])
      let row = try #require(window.last?["row"] as? [String: Any])
      #expect(row[hostile] as? String == hostile)
    }
    let client = try await server.events("/api/events?source=\(source)&from=0&count=3")
    #expect(try await client.event("window").json["rows"] as? Int == 1)
    // Errors repeat what the URL has.
    let error = try await server.get("/api/rows?source=\(source)x")
    #expect(error.status == 404)
    #expect(error.headers["content-type"] == "application/json; charset=utf-8")
    let errorPage = try await server.get("/?source=\(source)x")
    #expect(errorPage.status == 404)
    #expect(!errorPage.text.contains("<script") && !errorPage.text.contains("<img"))
  }

  @Test func theFilesOfThePageAreInTheBinary() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/SectionsServer/Page").standardized
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Set(names) == Set(PageAssets.files.keys).union(["page.html"]))
  }
}

extension String {
  fileprivate var quotedForTest: String { "\"" + replacing("\"", with: "\"\"") + "\"" }
}
