import Foundation
import SQLiteStorage
import Testing

@testable import SectionsServer

/// All that a window shows comes in one stream, in order, of the newest version.
@Suite(.timeLimit(.minutes(20))) struct StreamTests {
  private static let rowCount = 100_000
  private static let schema = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER, x REAL);
    WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < \(rowCount))
    INSERT INTO t SELECT i, i % 5000, i * 1.25 FROM c;
    CREATE TABLE small(id INTEGER PRIMARY KEY, n);
    WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < 1000)
    INSERT INTO small SELECT i, i FROM c;
    """

  /// Beside 43 commits a second, each of 50 pages, the log grew by 8 MB a second, since older versions were held.
  @Test func theLogStaysShortBesideAWriter() async throws {
    let server = try await TestServer(Self.schema)
    let client = try await server.events("/api/events?source=t&count=60")
    _ = try await client.event("window")
    let reading = Task { while try await client.event() != nil {} }
    defer { reading.cancel() }
    let log = URL(filePath: server.path + "-wal")
    let writer = try Connection(path: server.path, access: .readWrite)
    var next = ContinuousClock.now
    var longest = 0
    // The log must pass its limit if it is never reset: 350 commits do that.
    for _ in 0..<400 {
      try writer.execute(
        script: """
          UPDATE t SET x = x + 1 WHERE id IN (SELECT abs(random()) % \(Self.rowCount) + 1
            FROM small LIMIT 50)
          """)
      let size = try FileManager.default.attributesOfItem(atPath: log.path)[.size] as? Int
      longest = max(longest, try #require(size))
      next += .seconds(1) / 43
      try await Task.sleep(until: next, clock: .continuous)
    }
    #expect(longest < 64_000_000, "the log had \(longest) bytes")
  }

  /// A client asked for rows of a version, and asked again since an event had come meanwhile: so it never had rows.
  @Test func aMoveIsAnsweredAtAnyRateOfCommits() async throws {
    let server = try await TestServer(Self.schema)
    let client = try await server.events("/api/events?source=small&count=60")
    let first = try await client.event("window")
    var model = try WindowModel(first.json)
    let writing = Task {
      for number in 0... {
        try Task.checkCancellation()
        try server.write("UPDATE small SET n = n + 1 WHERE id = \(number % 1000 + 1)")
        await Task.yield()
      }
    }
    defer { writing.cancel() }
    for move in 1...40 {
      // A network in between: events come meanwhile.
      try await Task.sleep(for: .milliseconds(20))
      let from = move * 317 % 900
      #expect(try await server.move(first.window, move, to: "from=\(from)&count=60") == 204)
      var count = 0
      while true {
        let event = try #require(try await client.event())
        try model.apply(event)
        count += 1
        if event.move == move { break }
      }
      #expect(model.from == from && model.lines.count == 60)
      // Those that were on their way, and one more.
      #expect(count < 100)
    }
  }

  @Test func aMoveSendsOnlyTheLinesThatAreNew() async throws {
    let server = try await TestServer(Self.schema)
    let client = try await server.events("/api/events?source=small&from=100&count=60")
    let first = try await client.event("window")
    var model = try WindowModel(first.json)
    #expect(try await server.move(first.window, 1, to: "from=130&count=60") == 204)
    let event = try await client.event("changes")
    try model.apply(event)
    #expect(event.move == 1 && model.from == 130 && model.lines.count == 60)
    #expect((event.json["patch"] as? [Any])?.first as? [Int] == [130, 30])
    #expect((event.json["changed"] as? [String: [Int]])?.values.allSatisfy(\.isEmpty) == true)
    let rows = try await server.json("/api/rows?source=small&from=130&count=60")
    #expect(try model == WindowModel(rows))
  }

  @Test func anEarlierMoveThatArrivesLaterDoesNothing() async throws {
    let server = try await TestServer(Self.schema)
    let client = try await server.events("/api/events?source=small&count=10")
    let window = try await client.event("window").window
    #expect(try await server.move(window, 2, to: "from=500&count=10") == 204)
    #expect(try await server.move(window, 1, to: "from=200&count=10") == 204)
    #expect(try await client.event("changes").json["from"] as? Int == 500)
    try server.write("UPDATE small SET n = 0 WHERE id = 501")
    let next = try await client.event("changes")
    #expect(next.move == 2 && next.json["from"] as? Int == 500)
  }

  @Test func aMoveToARowHasItInTheMiddle() async throws {
    let server = try await TestServer(Self.schema)
    let client = try await server.events("/api/events?source=small&count=10&key=400")
    let first = try await client.event("window")
    #expect(first.json["from"] as? Int == 394)
    #expect(try await server.move(first.window, 1, to: "from=7&count=10&key=700") == 204)
    #expect(try await client.event("changes").json["from"] as? Int == 694)
    // There is no such row: the number of the line holds.
    #expect(try await server.move(first.window, 2, to: "from=7&count=10&key=7000") == 204)
    #expect(try await client.event("changes").json["from"] as? Int == 7)
  }

  @Test func aWindowThatDoesNotExistIsNotMoved() async throws {
    let server = try await TestServer(Self.schema)
    let client = try await server.events("/api/events?source=small&count=10")
    let window = try await client.event("window").window
    for name in ["x.1", "1", "", window + "0", window + ".1"] {
      #expect(try await server.move(name, 1, to: "from=7&count=10") == 404, "\(name)")
    }
    #expect(try await server.move(window, 1, to: "from=-1&count=10") == 400)
    #expect(try await server.move(window, 1, to: "from=1&count=100000") == 400)
    let origin = ["Origin": "http://elsewhere.example"]
    let foreign = try await server.get("/api/windows/\(window)?from=1", origin, method: "POST")
    #expect(foreign.status == 403)
    #expect(try await server.get("/api/windows/\(window)", method: "DELETE").status == 204)
    #expect(try await server.move(window, 1, to: "from=7&count=10") == 404)
  }

  @Test func severalWindowsShareAStream() async throws {
    let server = try await TestServer(Self.schema)
    let client = try await server.events("/api/events?source=small&count=10")
    let first = try await client.event("window")
    let other = first.window.replacing(".1", with: ".2")
    let place = "source=t&sort=a&from=5&count=3"
    #expect(try await server.put(other, place) == 204)
    let second = try await client.event("window")
    #expect(second.window == other)
    var models = [first.window: try WindowModel(first.json), other: try WindowModel(second.json)]
    try server.write("UPDATE small SET n = 0 WHERE id = 3; UPDATE t SET x = 0 WHERE a = 0")
    for _ in 0..<2 {
      let event = try await client.event("changes")
      try models[event.window]?.apply(event)
    }
    #expect(models[first.window]?.lines[2].contains(#""n":0"#) == true)
    let rows = try await server.json("/api/rows?\(place)")
    #expect(try models[other] == WindowModel(rows))
    // Another list under the same number, then none.
    #expect(try await server.put(other, "source=small&from=99&count=1") == 204)
    #expect(try await client.event("window").json["from"] as? Int == 99)
    #expect(try await server.get("/api/windows/\(other)", method: "DELETE").status == 204)
    #expect(try await server.get("/api/windows/\(other)", method: "DELETE").status == 404)
    try server.write("UPDATE small SET n = 5 WHERE id IN (1, 100)")
    #expect(try await client.event("changes").window == first.window)
    try server.write("UPDATE small SET n = 6 WHERE id IN (1, 100)")
    #expect(try await client.event("changes").window == first.window)
  }

  @Test func aStreamHasALimitOfWindows() async throws {
    let server = try await TestServer(Self.schema) { $0.limits.windowsOfClient = 2 }
    let client = try await server.events("/api/events?source=small&count=10")
    let window = try await client.event("window").window
    for (number, status) in [(2, 204), (3, 503), (2, 204)] {
      let name = window.replacing(".1", with: ".\(number)")
      #expect(try await server.put(name, "source=small&count=1") == status)
    }
    #expect(try await server.put("x.1", "source=small&count=1") == 404)
    #expect(try await server.put(window, "source=nothing&count=1") == 404)
  }

  @Test func aWindowFollowsARowWhereverItIs() async throws {
    let server = try await TestServer(Self.schema)
    let client = try await server.events("/api/events?source=small&sort=n&where=n:lt:5000&row=700")
    var model = try WindowModel(try await client.event("window").json)
    #expect(model.from == 699 && model.lines.count == 1)
    try server.write("UPDATE small SET n = -1 WHERE id = 700")
    try model.apply(try await client.event("changes"))
    #expect(model.from == 0 && model.lines[0].contains(#""n":-1"#))
    // It leaves the list, and comes again.
    try server.write("UPDATE small SET n = 6000 WHERE id = 700")
    try model.apply(try await client.event("changes"))
    #expect(model.lines == [])
    try server.write("UPDATE small SET n = 500.5 WHERE id = 700")
    try model.apply(try await client.event("changes"))
    #expect(model.from == 500 && model.lines.count == 1)
    try server.write("DELETE FROM small WHERE id = 700")
    try model.apply(try await client.event("changes"))
    #expect(model.lines == [])
  }

  @Test func aWindowShowsTheLargestSections() async throws {
    let server = try await TestServer(Self.schema)
    let client = try await server.events("/api/events?source=small&count=10")
    let other = try await client.event("window").window.replacing(".1", with: ".2")
    try server.write("UPDATE small SET n = id % 3 WHERE id <= 7")
    _ = try await client.event("changes")
    let list = "source=small&columns=n&by=n&where=id:le:8"
    #expect(try await server.put(other, "\(list)&largest=2") == 204)
    var model = try WindowModel(try await client.event("window").json)
    func sections() -> [String] {
      model.lines.compactMap { $0.firstMatch(of: /"title":"([^"]*)"/).map { String($0.1) } }
    }
    #expect(sections() == ["1", "0"] && model.counts == [4, 8, 4])
    // Another order, with one of equal sections before the other.
    try server.write("UPDATE small SET n = 2 WHERE id IN (1, 4)")
    /// The next change; the first window has its own.
    func change() async throws -> ServerEvent {
      while true {
        let event = try await client.event("changes")
        if event.window == other { return event }
      }
    }
    try model.apply(try await change())
    #expect(sections() == ["2", "0"])
    #expect(try model == WindowModel(try await server.json("/api/rows?\(list)&largest=2")))
    try await server.move(other, 1, to: "largest=1000")
    let event = try await change()
    try model.apply(event)
    #expect(event.move == 1 && sections().count == 4)
    #expect(try await server.put(other, "source=small&largest=2") == 400)
    #expect(try await server.put(other, "\(list)&largest=1001") == 400)
  }

  @Test func veryManySectionsKeepTheirOrder() async throws {
    let server = try await TestServer(Self.schema)
    try server.write(
      """
      CREATE TABLE many(x); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
        WHERE i < 10001) INSERT INTO many SELECT i FROM n; INSERT INTO many VALUES (10001);
      """)
    func first(_ condition: String) async throws -> [Int] {
      let list = "source=many&columns=x&by=x&largest=1000&where=\(condition)"
      let window = try await server.json("/api/rows?\(list)")["window"] as? [[String: Any]] ?? []
      return window.prefix(2).compactMap { ($0["header"] as? [String: Any])?["section"] as? Int }
    }
    #expect(try await first("x:gt:0") == [1, 2])
    #expect(try await first("x:gt:1") == [10001, 2])
  }

  @Test func anErrorIsSaidAgainAfterAMove() async throws {
    let server = try await TestServer(Self.schema)
    let client = try await server.events("/api/events?source=small&count=10")
    let window = try await client.event("window").window
    try server.write("ALTER TABLE small RENAME TO tiny")
    _ = try await client.event("error")
    #expect(try await server.move(window, 1, to: "from=500&count=10") == 204)
    #expect(try await client.event("changes").json["from"] as? Int == 500)
    _ = try await client.event("error")
  }

  /// The marks of rows that were changed in versions that a client has missed are those of all of them.
  @Test func marksOfSeveralVersionsAreCombined() async throws {
    let server = try await TestServer(Self.schema)
    let client = try await server.events(
      "/api/events?source=small&sort=n&count=1000", receiving: 4_096)
    let other = try await server.events("/api/events?source=small&sort=n&count=1000")
    var model = try WindowModel(try await client.event("window").json)
    _ = try await other.event("window")
    var inserted: Set<Int> = []
    var changed: Set<Int> = []
    for number in 1...60 {
      // Large enough that the events do not fit into what the systems read in advance.
      try server.write(
        """
        INSERT INTO small VALUES (\(2_000 + number), -\(number));
        UPDATE small SET n = n + 0.25 WHERE id < 900
        """)
      _ = try await other.event("changes")
    }
    while model.lines.first?.contains("2060") != true {
      let event = try await client.event("changes")
      try model.apply(event)
      let marks = try #require(event.json["changed"] as? [String: [Int]])
      inserted.formUnion(marks["inserted"] ?? [])
      changed.formUnion(marks["updated"] ?? [])
    }
    #expect(!inserted.isEmpty && !changed.isEmpty)
  }

  @Test func aStreamThatIsNotReadIsClosed() async throws {
    let server = try await TestServer(Self.schema) {
      $0.limits.readTime = .milliseconds(500)
      $0.limits.clients = 1
    }
    let path = "/api/events?source=small&count=1000"
    let client = try await server.events(path, receiving: 4_096)
    var status = 503
    while status == 503 {
      try server.write("UPDATE small SET n = n + 1")
      let other = try await TestClient(port: server.port)
      try await other.send(path, method: "HEAD")
      status = try await other.head().status
    }
    #expect(status == 200)
    withExtendedLifetime(client) {}
  }

  @Test func aStreamHasCommentsWhenNothingChanges() async throws {
    let server = try await TestServer(Self.schema) { $0.limits.commentTime = .milliseconds(50) }
    let client = try await server.events("/api/events?source=small&count=1")
    _ = try await client.event("window")
    for _ in 0..<3 { #expect(try await client.chunk() == Array(":\n\n".utf8)) }
  }
}
