import Foundation
import RowQueries
import SQLiteStorage
import Testing

@testable import SectionsServer

/// What has changed in all tables.
@Suite(.timeLimit(.minutes(20))) struct ChangeFeedTests {
  private static let schema = """
    PRAGMA journal_mode = WAL;
    CREATE TABLE track(id INTEGER PRIMARY KEY, name TEXT, ms INTEGER);
    CREATE TABLE pair(a, b, PRIMARY KEY(a, b)) WITHOUT ROWID;
    INSERT INTO track VALUES (1, 'So What', 562), (2, 'Naima', 261);
    """

  /// A stream with the feed in its window 2; the news that it begins with are received.
  private func feed(
    _ server: TestServer, after last: String? = nil
  ) async throws -> (client: TestClient, news: News) {
    let client = try await server.events("/api/events?source=track&from=0&count=1")
    let name = try await client.event("window").window.split(separator: ".")[0]
    let status = try await server.put(
      "\(name).2", "changes=all" + (last.map { "&after=\($0)" } ?? ""))
    try #require(status == 204)
    return (client, try News(try await client.event("log").json))
  }

  struct News {
    let before: String
    let last: String
    let entries: [[String: Any]]

    init(_ json: [String: Any]) throws {
      before = try #require(json["before"] as? String)
      last = try #require(json["last"] as? String)
      entries = try #require(json["entries"] as? [[String: Any]])
    }
  }

  /// The next news; events of lists are skipped.
  private func next(_ client: TestClient) async throws -> News {
    while true {
      let event = try #require(try await client.event())
      if event.name == "log" { return try News(event.json) }
    }
  }

  /// Waits until the file is followed, and all that was written for this is told. Returns the last news.
  private func begin(_ server: TestServer, _ client: TestClient) async throws -> News {
    var length = 562
    repeat {
      try server.write("UPDATE track SET ms = ms + 1 WHERE id = 1")
      length += 1
      try await Task.sleep(for: .milliseconds(50))
    } while try await News(server.json("/api/changes")).entries.isEmpty
    while true {
      let news = try await next(client)
      if news.entries.contains(where: { $0["new"] as? [Int] == [length] }) { return news }
    }
  }

  /// The entries of all news until one of them is about a table, from the first on.
  private func entries(_ client: TestClient, about table: String) async throws -> [[String: Any]] {
    while true {
      let entries = try await next(client).entries.filter { $0["table"] as? String == table }
      if !entries.isEmpty { return entries }
    }
  }

  @Test func aChangedRowIsToldBeforeAndAfter() async throws {
    let server = try await TestServer(Self.schema)
    let (client, first) = try await feed(server)
    #expect(first.entries.isEmpty)
    _ = try await begin(server, client)
    try server.write("INSERT INTO pair VALUES ('a,', 1.5)")
    let inserted = try #require(try await entries(client, about: "pair").first)
    #expect(inserted["op"] as? String == "insert")
    #expect(inserted["key"] as? String == "'a%2C',r1.5")
    #expect(inserted["columns"] as? [String] == ["a", "b"])
    #expect(inserted["old"] == nil)
    #expect("\(inserted["new"] ?? "")" == "\(["a,", 1.5] as [Any])")
    let time = try #require(inserted["time"] as? Double)
    #expect(abs(time / 1_000 - Date().timeIntervalSince1970) < 600)
    // Its key leads to the row.
    let row = try await server.json(
      "/api/rows?source=pair&key=\(QueryItems.encoded("'a%2C',r1.5"))")
    #expect((row["window"] as? [Any])?.count == 1)
    try server.write("DELETE FROM pair")
    let deleted = try #require(try await entries(client, about: "pair").first)
    #expect(deleted["op"] as? String == "delete")
    #expect(deleted["new"] == nil)
    try server.write("UPDATE track SET name = NULL WHERE id = 2")
    var updated = try await entries(client, about: "track")
    updated.removeAll { $0["key"] as? String != "2" }
    #expect(updated.first?["columns"] as? [String] == ["name"])
    #expect(updated.first?["old"] as? [String] == ["Naima"])
    #expect((updated.first?["new"] as? [Any])?.first is NSNull)
  }

  @Test func whoComesAgainGetsWhatItHasNotSeen() async throws {
    let server = try await TestServer(Self.schema)
    let (client, _) = try await feed(server)
    let begun = try await begin(server, client)
    try server.write("INSERT INTO pair VALUES (1, 1)")
    _ = try await entries(client, about: "pair")
    let (_, all) = try await feed(server)
    #expect(all.entries.count >= 2)
    let (_, later) = try await feed(server, after: begun.last)
    #expect(later.before == begun.last)
    #expect(later.entries.contains { $0["table"] as? String == "pair" })
    let (_, none) = try await feed(server, after: all.last)
    #expect(none.entries.isEmpty)
    // A name of another server says nothing: all is told.
    let (_, other) = try await feed(server, after: "x.1")
    #expect(other.entries.count == all.entries.count)
  }

  @Test func aLongBatchIsCounted() async throws {
    let server = try await TestServer(Self.schema) {
      $0.limits.changesOfBatch = 5
      $0.limits.changes = 4
    }
    let (client, _) = try await feed(server)
    _ = try await begin(server, client)
    try server.write(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
      INSERT INTO pair SELECT i, i FROM n
      """)
    var news = try await next(client)
    while news.entries.last?["more"] == nil { news = try await next(client) }
    #expect(news.entries.last?["more"] as? Int == 995)
    #expect(news.entries.last?["tables"] as? [String] == ["pair"])
    // The oldest ones are forgotten, and who has not seen them is told so.
    let (_, all) = try await feed(server, after: "\(news.last.split(separator: ".")[0]).0")
    #expect(all.entries.count == 4)
    #expect(!all.before.hasSuffix(".0"))
  }

  @Test func longValuesAreCutAndNotKeptForLong() async throws {
    let server = try await TestServer(Self.schema) { $0.limits.changesSize = 3_000 }
    let (client, _) = try await feed(server)
    _ = try await begin(server, client)
    for number in 1...4 {
      try server.write(
        "INSERT INTO pair VALUES (\(number), printf('%.*c', 100000, 'x')), (-\(number), zeroblob(100000))"
      )
      _ = try await entries(client, about: "pair")
    }
    let kept = try await server.get("/api/changes")
    #expect(kept.body.count < 5_000)
    #expect(kept.text.contains("\"length\":100000") && kept.text.contains("{\"blob\":100000"))
  }

  @Test func aChangeOfTheSchemaIsTold() async throws {
    let server = try await TestServer(Self.schema)
    let (client, _) = try await feed(server)
    _ = try await begin(server, client)
    try server.write("CREATE TABLE new(x)")
    while true {
      let entry = try await next(client).entries.first { $0["schema"] != nil }
      guard let entry else { continue }
      #expect(entry["schema"] as? String == "created")
      #expect(entry["name"] as? String == "new")
      break
    }
  }

  @Test func afterATimeWithoutClientsTheChangesInBetweenAreNotClaimed() async throws {
    let server = try await TestServer(Self.schema) { $0.limits.changesTime = .milliseconds(50) }
    var client: TestClient? = nil
    let last: String
    do {
      let (first, _) = try await feed(server)
      last = try await begin(server, first).last
      client = first
    }
    withExtendedLifetime(client) {}
    client = nil
    // The connection is noticed to have ended when something is sent.
    while true {
      try server.write("UPDATE track SET ms = ms + 1")
      try await Task.sleep(for: .milliseconds(200))
      let (_, news) = try await feed(server, after: last)
      if news.before != last { break }
    }
  }

  @Test func theChangesOfAFileThatIsNotInWALModeAreNotFollowed() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let other = folder + "/a.db"
    try Connection(path: other, access: .readWriteCreate).execute("CREATE TABLE a(b)")
    let feed = ChangeFeed(
      ServedList.Context(
        catalog: SourceCatalog(given: [], namesFiles: true),
        opener: DatabaseOpener(limits: ServerLimits()) { _ in
          var configuration = Database.Configuration()
          configuration.usesWAL = false
          return try Database(path: other, access: .readOnly, configuration: configuration)
        }, run: RunName(), limits: ServerLimits(),
        terms: RequestError.Terms(queryTime: .seconds(5), namesFiles: true)))
    defer { feed.end() }
    feed.touch()
    while true {
      let buffer = OutputBuffer()
      buffer.object { feed.content.append(after: nil, RunName(), to: buffer) }
      if String(decoding: buffer.bytes, as: UTF8.self).contains("not in WAL mode") { break }
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}
