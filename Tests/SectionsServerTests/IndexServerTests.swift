import Foundation
import SQLiteStorage
import Testing

@testable import SectionsServer

/// Several databases at one address.
@Suite(.timeLimit(.minutes(10))) struct IndexServerTests {
  private static let token = "0123456789abcdef"

  /// Serves databases, each with a table of so many rows.
  private func withServer(
    _ databases: [(name: String, rows: Int)], _ change: (inout ServerOptions) -> Void = { _ in },
    _ body: (TestServer.Address) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "IndexServerTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var options = ServerOptions(databaseName: "", toolVersion: "1.2.3")
    options.port = 0
    change(&options)
    var sources: [(name: String, open: DatabaseOpener.Opening)] = []
    for (number, database) in databases.enumerated() {
      let path = folder.appending(path: "\(number).db").path
      try Database(path: path).withWriter {
        try $0.execute(
          script: """
            CREATE TABLE t(x);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(database.rows))
            INSERT INTO t SELECT i FROM n;
            CREATE VIEW v AS SELECT x FROM t;
            """)
      }
      sources.append(
        (
          database.name,
          { prepare in
            var configuration = Database.Configuration()
            configuration.prepareConnection = prepare
            return try Database(path: path, access: .readOnly, configuration: configuration)
          }
        ))
    }
    let server = IndexServer(options, sources)
    let (ports, continuation) = AsyncStream.makeStream(of: UInt16.self)
    let task = Task {
      defer { continuation.finish() }
      try await server.run { continuation.yield($0) }
    }
    let port = try #require(await ports.first { _ in true })
    try await body(TestServer.Address(port: port))
    task.cancel()
    try await task.value
  }

  @Test func eachDatabaseIsBelowItsName() async throws {
    try await withServer([("shop.db", 1_234), ("my music.db", 2), ("my-music.db", 3)]) { server in
      let page = try await server.get("/")
      #expect(page.status == 200)
      #expect(page.headers["content-type"] == "text/html; charset=utf-8")
      for text in [
        "<a href=\"shop.db/\">shop.db</a></th><td class=\"number\">1</td><td class=\"number\">1</td>"
          + "<td class=\"number\">1,234</td>",
        "<a href=\"my-music.db/\">my music.db</a>", "<a href=\"my-music.db-2/\">my-music.db</a>",
      ] {
        #expect(page.text.contains(text), "\(page.text)")
      }
      for (path, count) in [("shop.db", 1_234), ("my-music.db", 2), ("my-music.db-2", 3)] {
        #expect(try await server.get("/\(path)").headers["location"] == "/\(path)/")
        let rows = try await server.get("/\(path)/api/rows?source=t").json["rows"]
        #expect(rows as? Int == count)
        #expect(try await server.get("/\(path)/api/sources").json["index"] as? String == "../")
        #expect(try await server.get("/\(path)/assets/page.js").status == 200)
      }
      for path in ["/assets/page.css", "/healthz", "/shop.db/schema", "/shop.db/healthz"] {
        #expect(try await server.get(path).status == 200, "\(path)")
      }
      for path in ["/shop", "/shop.dbx/", "/api/sources", "/schema", "/my%20music.db/"] {
        #expect(try await server.get(path).status == 404, "\(path)")
      }
      #expect(try await server.get("/", method: "POST").status == 405)
    }
  }

  @Test func oneTokenIsForAll() async throws {
    let path = try #require(BasePath("/db"))
    try await withServer([("a", 1), ("b", 1)]) {
      $0.token = Self.token
      $0.basePath = path
    } _: { server in
      for path in ["/db/", "/db/a/", "/db/b/api/sources", "/db/assets/page.css"] {
        #expect(try await server.get(path).status == 401, "\(path)")
      }
      let answer = try await server.get("/db/?token=\(Self.token)")
      #expect(answer.status == 303)
      let cookie = try #require(answer.headers["set-cookie"])
      #expect(cookie.contains("; Path=/db; "))
      let header = ["Cookie": String(cookie.prefix { $0 != ";" })]
      for path in ["/db/", "/db/a/schema", "/db/b/api/sources", "/db/assets/page.css"] {
        #expect(try await server.get(path, header).status == 200, "\(path)")
      }
      // Who opens one of them first can open the others too.
      let other = try await server.get("/db/a/?token=\(Self.token)")
      #expect(other.headers["location"] == "./")
      #expect(other.headers["set-cookie"] == cookie)
      let bearer = ["Authorization": "Bearer \(Self.token)"]
      #expect(try await server.get("/db/a/api/rows?source=t", bearer).status == 200)
      #expect(try await server.get("/db/", ["Host": "evil.example"]).status == 403)
    }
  }

  @Test func aFileThatCannotBeReadIsSaidInItsLine() async throws {
    let entries: [IndexPage.Entry] = [
      .init(
        name: "<a>", path: "a", content: .failure(RequestError(503, "it is gone", nextStep: ""))),
      .init(
        name: "b", path: "b",
        content: .success(
          .init(tableCount: 2, viewCount: 0, rowCount: 5, isRowCountExact: false, size: 12_345))),
    ]
    let html = String(decoding: IndexPage(entries: entries).html.bytes, as: UTF8.self)
    #expect(html.contains("&lt;a&gt;</a></th><td colspan=\"4\" class=\"wrong\">It is gone</td>"))
    #expect(html.contains("5 or more</td><td class=\"number\">12.3 kB</td>"))
  }

  @Test(arguments: [
    (["a.db", "a.db", "A.db"], ["a.db", "a.db-2", "A.db"]),
    (["assets", "healthz", ".."], ["assets-2", "healthz-2", "..-2"]),
    (["ä b/c?.db", "-"], ["--b-c-.db", "-"]),
  ])
  func pathsArePlainAndDifferent(_ names: [String], _ paths: [String]) {
    #expect(IndexServer.paths(of: names) == paths)
  }

  @Test(arguments: [
    (0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567"),
  ])
  func numbersHaveThousands(_ number: Int, _ text: String) {
    #expect(IndexPage.text(number) == text)
  }
}
