import Foundation
import SQLiteStorage
import Testing

@testable import SectionsServer

/// The rows of a list as a file.
@Suite(.timeLimit(.minutes(10))) struct ExportTests {
  private static let schema = """
    CREATE TABLE track(id INTEGER PRIMARY KEY, genre TEXT, name TEXT, art BLOB);
    INSERT INTO track VALUES (1, 'Jazz', 'So, What', x'00FF'), (2, 'Jazz', NULL, NULL),
      (3, 'Rock', 'Angie', NULL);
    """

  private static let many = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, x TEXT);
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
    INSERT INTO item SELECT i, 'a text of some length, ' || printf('%0200d', i) FROM n;
    """

  @Test func allRowsOfAListAreExported() async throws {
    let server = try await TestServer(Self.schema)
    let csv = try await server.get("/api/export?source=track&format=csv&sort=id:desc")
    #expect(csv.headers["content-type"] == "text/csv; charset=utf-8")
    #expect(csv.headers["content-disposition"] == "attachment; filename=\"track.csv\"")
    #expect(
      csv.text == """
        id,genre,name,art
        3,Rock,Angie,
        2,Jazz,,
        1,Jazz,"So, What",AP8=

        """)
    let list = "source=track&by=genre&columns=name&where=genre:eq:Jazz"
    let json = try await server.get("/api/export?\(list)&format=json")
    #expect(
      json.text == """
        [
        {"section":"Jazz","title":"Jazz","indexTitle":"J","count":2,"rows":[
        {"name":"So, What"},
        {"name":null}
        ]}
        ]

        """)
    let lines = try await server.get("/api/export?\(list)&format=ndjson")
    #expect(lines.headers["content-disposition"] == "attachment; filename=\"track.ndjson\"")
    #expect(
      lines.text == """
        {"section":"Jazz","row":{"name":"So, What"}}
        {"section":"Jazz","row":{"name":null}}

        """)
    let head = try await TestClient(port: server.port)
    try await head.send("/api/export?source=track&format=csv", method: "HEAD")
    #expect(try await head.head().status == 200)
  }

  @Test(arguments: ["", "&format=xml", "&format=csv&where=none:eq:1"])
  func whatCannotBeExportedIsRefused(_ parameters: String) async throws {
    let server = try await TestServer(Self.schema)
    #expect(try await server.get("/api/export?source=track\(parameters)").status == 400)
  }

  @Test func anExportIsOfOneVersion() async throws {
    let server = try await TestServer(Self.many)
    let client = try await TestClient(port: server.port, receiving: 4_096)
    try await client.send("/api/export?source=item&format=csv")
    var body: [UInt8] = []
    #expect(try await client.head().status == 200)
    var number = 0
    while let chunk = try await client.chunk() {
      body += chunk
      number += 1
      try server.write("UPDATE item SET x = 'new' WHERE id % 70 = \(number % 70)")
    }
    #expect(number > 20)
    let lines = String(decoding: body, as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 40_001)
    #expect(lines.dropFirst().allSatisfy { $0.contains("some length") })
  }

  /// The first rows are short: they said how many of the next ones were put into one piece.
  @Test func longRowsAreSentOneByOne() async throws {
    let server = try await TestServer(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, data BLOB);
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 230)
      INSERT INTO item SELECT i, zeroblob(iif(i > 200, 600000, 1)) FROM n;
      """)
    let client = try await TestClient(port: server.port)
    try await client.send("/api/export?source=item&format=csv")
    #expect(try await client.head().status == 200)
    var (lines, longest) = (0, 0)
    while let chunk = try await client.chunk() {
      lines += chunk.count { $0 == 10 }
      longest = max(longest, chunk.count)
    }
    #expect(lines == 231)
    #expect(longest < 1_000_000)
  }

  @Test func exportsAreLimited() async throws {
    let server = try await TestServer(Self.many) {
      $0.limits.exports = 1
      $0.limits.readTime = .milliseconds(500)
    }
    let path = "/api/export?source=item&format=csv"
    let client = try await TestClient(port: server.port, receiving: 4_096)
    try await client.send(path)
    #expect(try await client.head().status == 200)
    #expect(try await server.get(path).status == 503)
    // A client that does not read is closed, and its version released.
    let end = ContinuousClock.now + .seconds(60)
    while try await server.get(path + "&where=id:lt:3").status != 200 {
      try #require(ContinuousClock.now < end, "the export goes on")
      try await Task.sleep(for: .milliseconds(100))
    }
    await #expect(throws: (any Error).self) { while try await client.chunk() != nil {} }
  }

  @Test func anExportThatTakesTooLongHasNoEnd() async throws {
    let server = try await TestServer(Self.many) { $0.limits.exportTime = .zero }
    let client = try await TestClient(port: server.port)
    try await client.send("/api/export?source=item&format=csv")
    #expect(try await client.head().status == 200)
    await #expect(throws: TestClient.Closed.self) { while try await client.chunk() != nil {} }
  }
}
