import Testing

@testable import SectionsServer

/// A server below a path, as a proxy may show it.
@Suite(.timeLimit(.minutes(10))) struct BasePathTests {
  private static let token = "0123456789abcdef"

  private func server(_ change: (inout ServerOptions) -> Void = { _ in }) async throws -> TestServer
  {
    let path = try #require(BasePath("/team/db/"))
    return try await TestServer("CREATE TABLE t(x); INSERT INTO t VALUES (1);") {
      $0.basePath = path
      change(&$0)
    }
  }

  @Test func allAddressesBeginWithIt() async throws {
    let server = try await server()
    let first = try await server.get("/team/db?source=t")
    #expect(first.status == 308)
    #expect(first.headers["location"] == "/team/db/?source=t")
    #expect(try await server.get("/team/db").headers["location"] == "/team/db/")
    // Those on the page, and where it leads, are relative.
    #expect(try await server.get("/team/db/").headers["location"] == "?source=t")
    for path in ["?source=t", "schema", "assets/page.js", "api/rows?source=t", "healthz"] {
      #expect(try await server.get("/team/db/\(path)").status == 200)
    }
    for path in ["?source=t", "schema"] {
      let page = try await server.get("/team/db/\(path)").text
      #expect(page.contains("assets/page.css"))
      #expect(page.firstMatch(of: /(?:href|src|action)="?\//) == nil)
    }
    for path in ["/", "/api/rows?source=t", "/team", "/team/dbx/", "/team/db2/api/rows?source=t"] {
      #expect(try await server.get(path).status == 404)
    }
    #expect(try await server.get("/healthz").status == 200)
  }

  @Test func cookiesAreForIt() async throws {
    let server = try await server { $0.token = Self.token }
    let client = try await TestClient(port: server.port)
    try await client.send("/team/db/?source=t&token=\(Self.token)")
    let answer = try await client.answer()
    #expect(answer.status == 303)
    #expect(answer.headers["location"] == "?source=t")
    #expect(answer.headers["set-cookie"]?.contains("; Path=/team/db; ") == true)
    #expect(try await server.get("/team/db/?token=\(Self.token)").headers["location"] == "./")
  }

  @Test(arguments: [
    ("/", ""), ("/db", "/db"), ("/db/", "/db"), ("/a/b.c_d~e-f", "/a/b.c_d~e-f"), ("db", nil),
    ("", nil), ("//db", nil), ("/a//b", nil), ("/a b", nil), ("/../a", nil), ("/é", nil),
    ("/a?b", nil), ("/a%20", nil),
  ])
  func aPathHasOnlyPlainParts(_ text: String, _ path: String?) {
    #expect(BasePath(text)?.text == path)
  }
}
