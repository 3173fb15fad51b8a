import Foundation
import Testing

@testable import SectionsServer

/// That the file has changed, and what its sources are then.
@Suite(.timeLimit(.minutes(20))) struct FileFeedTests {
  private static let schema = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, x);
    INSERT INTO t VALUES (1, 1), (2, 2);
    """

  private struct News {
    let version: String
    let schema: Int
    /// The numbers of rows by the names of the sources; nil if the event has no sources.
    let counts: [String: Int]?

    init(_ event: ServerEvent) throws {
      version = try #require(event.json["version"] as? String)
      schema = try #require(event.json["schema"] as? Int)
      let all = event.json["sources"] as? [String: Any]
      counts = try all.map { all in
        let sources = try #require(all["sources"] as? [[String: Any]])
        return try Dictionary(
          uniqueKeysWithValues: sources.map {
            (try #require($0["name"] as? String), try #require($0["count"] as? Int))
          })
      }
    }
  }

  /// A server that reports each commit.
  private func server(pause: Duration = .zero) async throws -> TestServer {
    try await TestServer(Self.schema) { $0.limits.filePause = pause }
  }

  @Test func aStreamOfTheFileBeginsWithTheSources() async throws {
    let server = try await server()
    let client = try await server.events("/api/events?file=all")
    let event = try await client.event("file")
    #expect(event.window.hasSuffix(".1"))
    #expect(try News(event).counts == ["t": 2])
    let sources = try await server.json("/api/sources")
    #expect(try #require(event.json["sources"] as? NSDictionary) == sources as NSDictionary)
  }

  @Test func aCommitIsToldWithTheSourcesIfTheyAreOthers() async throws {
    let server = try await server()
    let client = try await server.events("/api/events?file=all")
    let first = try News(try await client.event("file"))
    try server.write("UPDATE t SET x = 3 WHERE id = 1")
    let second = try News(try await client.event("file"))
    #expect(second.version != first.version && second.counts == nil)
    #expect(second.schema == first.schema)
    try server.write("INSERT INTO t VALUES (3, 3)")
    #expect(try News(try await client.event("file")).counts == ["t": 3])
    try server.write("CREATE TABLE other(x)")
    let last = try News(try await client.event("file"))
    #expect(last.counts == ["t": 3, "other": 0] && last.schema > first.schema)
    // An index is in no source.
    try server.write("CREATE INDEX t_x ON t(x)")
    let index = try News(try await client.event("file"))
    #expect(index.counts == nil && index.schema > last.schema)
  }

  @Test func whoKnowsTheSourcesDoesNotGetThemAgain() async throws {
    let server = try await server()
    let client = try await server.events("/api/events?source=t&count=1")
    let name = try await client.event("window").window.split(separator: ".")[0]
    #expect(try await server.put("\(name).2", "file=all") == 204)
    let first = try News(try await client.event("file"))
    #expect(try await server.put("\(name).3", "file=all&after=\(first.version)") == 204)
    let again = try News(try await client.event("file"))
    #expect(again.version == first.version && again.counts == nil)
    for other in ["x.1", "x", "", first.version + "0"] {
      #expect(try await server.put("\(name).3", "file=all&after=\(other)") == 204)
      #expect(try News(try await client.event("file")).counts == ["t": 2], "\(other)")
    }
  }

  @Test func whoComesAgainIsToldWhatHasChangedMeanwhile() async throws {
    let server = try await server()
    var client: TestClient? = try await server.events("/api/events?file=all")
    let first = try News(try #require(try await client?.event("file")))
    client = nil
    try server.write("INSERT INTO t VALUES (3, 3)")
    let next = try await server.events("/api/events?file=all&after=\(first.version)")
    // The first event comes at once, perhaps before the commit was seen.
    var news = try News(try await next.event("file"))
    while news.version == first.version { news = try News(try await next.event("file")) }
    #expect(news.counts == ["t": 3])
  }

  /// All rows are counted for each report.
  @Test func manyCommitsAreToldTogether() async throws {
    let server = try await server(pause: .milliseconds(200))
    let client = try await server.events("/api/events?file=all")
    _ = try await client.event("file")
    let start = ContinuousClock.now
    for number in 0..<200 { try server.write("INSERT INTO t(x) VALUES (\(number))") }
    var reports = 0
    var count = 0
    while count < 202 {
      reports += 1
      count = try #require(try News(try await client.event("file")).counts?["t"])
    }
    #expect(reports <= 2 + Int(start.duration(to: .now) / .milliseconds(200)))
  }

  @Test func theFollowedFileHoldsNoOldVersion() async throws {
    let server = try await server(pause: .seconds(600))
    let client = try await server.events("/api/events?file=all")
    _ = try await client.event("file")
    for _ in 0..<3 {
      try server.write("INSERT INTO t VALUES (NULL, zeroblob(20000))")
      while try !server.copyLog() { try await Task.sleep(for: .milliseconds(20)) }
    }
  }

  @Test func whatIsNoWindowHasNoMoves() async throws {
    let server = try await server()
    let client = try await server.events("/api/events?file=all")
    let name = try await client.event("file").window
    #expect(try await server.move(name, 1, to: "from=1") == 404)
    #expect(try await server.get("/api/windows/\(name)", method: "DELETE").status == 204)
    #expect(try await server.get("/api/windows/\(name)", method: "DELETE").status == 404)
  }
}
