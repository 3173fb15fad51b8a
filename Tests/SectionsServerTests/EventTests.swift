import Foundation
import SQLiteStorage
import Testing

@testable import SectionsServer

/// What the clients of a window receive.
@Suite(.timeLimit(.minutes(20))) struct EventTests {
  private static let schema = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, g TEXT, n TEXT);
    WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < 60)
    INSERT INTO t SELECT i, char(65 + i / 20), printf('n%03d', i * 2) FROM c;
    """
  private static let list = "source=t&by=g&sort=n"

  @Test func allClientsOfAWindowGetTheSameBytes() async throws {
    let server = try await TestServer(Self.schema)
    let clients = try await [
      server.events("/api/events?\(Self.list)&from=0&count=30"),
      server.events("/api/events?\(Self.list)&from=0&count=30"),
    ]
    let first = [try await clients[0].event("window"), try await clients[1].event("window")]
    #expect(first[0].bytes == first[1].bytes)
    try server.write("UPDATE t SET n = 'n000' WHERE id = 25; DELETE FROM t WHERE id = 3")
    let next = [try await clients[0].event("changes"), try await clients[1].event("changes")]
    #expect(next[0].bytes == next[1].bytes)
    #expect(next[0].window == first[0].window && next[0].window != next[1].window)
  }

  @Test func aWindowKeepsItsFirstRowWhenRowsAreInsertedAbove() async throws {
    let server = try await TestServer(Self.schema)
    let client = try await server.events("/api/events?\(Self.list)&from=10&count=5")
    var model = try WindowModel(try await client.event("window").json)
    let lines = model.lines
    try server.write("INSERT INTO t VALUES (1000, 'A', 'n000'), (1001, 'A', 'n001')")
    let event = try await client.event("changes")
    try model.apply(event)
    #expect(model.from == 12)
    #expect(model.lines == lines)
    #expect(event.json["patch"] as? [[Int]] == [[10, 5]])
  }

  @Test func aWindowAtTheStartShowsWhatIsInsertedThere() async throws {
    let server = try await TestServer(Self.schema)
    let client = try await server.events("/api/events?source=t&sort=n&from=0&count=5")
    var model = try WindowModel(try await client.event("window").json)
    try server.write("INSERT INTO t VALUES (1000, 'A', 'n000')")
    let event = try await client.event("changes")
    try model.apply(event)
    #expect(model.from == 0)
    #expect(model.lines.count == 5)
    #expect((event.json["changed"] as? [String: [Int]])?["inserted"] == [0])
  }

  @Test func aRowDeletedInTheWindowBringsOneInAtTheEnd() async throws {
    let server = try await TestServer(Self.schema)
    let client = try await server.events("/api/events?\(Self.list)&from=10&count=5")
    var model = try WindowModel(try await client.event("window").json)
    try server.write("DELETE FROM t WHERE id = (SELECT id FROM t ORDER BY n LIMIT 1 OFFSET 9)")
    try model.apply(try await client.event("changes"))
    #expect(model.from == 10)
    #expect(model.lines.count == 5)
    #expect(try await model == Self.rows(server, model))
  }

  @Test func aServerThatEndsEndsItsStreams() async throws {
    let server = try await TestServer(Self.schema)
    let path = "/api/events?\(Self.list)&from=0&count=10"
    let client = try await server.events(path)
    _ = try await client.event("window")
    let other = try await server.restarted()
    // The connection ends, with or without a last chunk.
    if let event = try? await client.event() { Issue.record("\(event.name) after the end") }
    _ = try await other.events(path).event("window")
  }

  @Test func anErrorThatIsOverIsFollowedByAnEvent() async throws {
    let script = "CREATE TABLE t(id INTEGER PRIMARY KEY, x); INSERT INTO t VALUES (1, 2);"
    let server = try await TestServer(script)
    let client = try await server.events("/api/events?source=t&from=0&count=3")
    _ = try await client.event("window")
    try server.write("ALTER TABLE t RENAME TO u")
    _ = try await client.event("error")
    try server.write("ALTER TABLE u RENAME TO t")
    let end = try await client.event("changes")
    #expect(end.json["rows"] as? Int == 1)
  }

  @Test func anErrorIsSentOnceToEachClient() async throws {
    let server = try await TestServer(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE TABLE other(y)")
    let path = "/api/events?source=t&from=0&count=3"
    let other = try await server.events("/api/events?source=other&from=0&count=3")
    _ = try await other.event("window")
    let client = try await server.events(path)
    _ = try await client.event("window")
    try server.write("ALTER TABLE t RENAME TO u")
    let error = try await client.event("error")
    for number in 1...5 {
      try server.write("INSERT INTO other VALUES (\(number))")
      while try await other.event()?.json["rows"] as? Int != number {}
    }
    // A new window of the list.
    let late = try await server.events("/api/events?source=t&from=0&count=2")
    _ = try await late.event("window")
    #expect(try await late.event("error").bytes == error.bytes)
    try server.write("ALTER TABLE u RENAME TO t")
    #expect(try await client.event()?.name == "changes")
    #expect(try await late.event()?.name == "changes")
  }

  private static let counting = """
    CREATE TABLE limits(n); INSERT INTO limits VALUES (10);
    CREATE VIEW numbers AS WITH RECURSIVE c(i) AS (
      SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < (SELECT n FROM limits)) SELECT i FROM c;
    """

  @Test func aRefreshThatTakesTooLongIsAnErrorUntilTheNextCommit() async throws {
    let server = try await TestServer(Self.counting) { $0.limits.queryTime = .seconds(1) }
    let client = try await server.events("/api/events?source=numbers&from=0&count=3")
    #expect(try await client.event("window").json["rows"] as? Int == 10)
    try server.write("UPDATE limits SET n = 1000000000000")
    let error = try await client.event("error")
    #expect(error.json["message"] as? String == "the query took longer than 1 s")
    #expect(try await server.get("/api/rows?source=limits").status == 200)
    try server.write("UPDATE limits SET n = 12")
    while true {
      let event = try #require(try await client.event())
      guard ["changes", "window"].contains(event.name) else { continue }
      #expect(event.json["rows"] as? Int == 12)
      break
    }
  }

  /// In a process of its own, whose processor time no other test uses.
  @Test func aRefreshThatTakesLongEndsWithTheLastClient() async throws {
    await #expect(processExitsWith: .success) { try await EventTests.endLongRefresh() }
  }

  private static func endLongRefresh() async throws {
    let server = try await TestServer(counting) { options in
      options.limits.queryTime = .seconds(600)
      options.limits.idleTime = .milliseconds(300)
    }
    do {
      let client = try await server.events("/api/events?source=numbers&from=0&count=3")
      _ = try await client.event("window")
      try server.write("UPDATE limits SET n = 1000000000000")
      // Also on a busy machine, on which the refresh gets a part of the time.
      while try await processorTime({ try await Task.sleep(for: .milliseconds(300)) }) < 0.06 {}
    }
    // Once it is over, the process does next to nothing.
    let end = ContinuousClock.now + .seconds(30)
    while try await processorTime({ try await Task.sleep(for: .seconds(1)) }) > 0.05 {
      try #require(ContinuousClock.now < end, "the refresh goes on")
    }
  }

  /// The seconds that this process used a processor meanwhile.
  private static func processorTime(_ body: () async throws -> Void) async throws -> Double {
    let start = clock()
    try await body()
    return Double(clock() - start) / Double(CLOCKS_PER_SEC)
  }

  @Test func aSlowClientGetsOnePatchForSeveralVersions() async throws {
    let server = try await TestServer(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, n TEXT);
      WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < 200)
      INSERT INTO t SELECT i, hex(zeroblob(900)) FROM c;
      """)
    let path = "/api/events?source=t&from=0&count=200"
    let slow = try await server.events(path, receiving: 65_536)
    let fast = try await server.events(path)
    var models = [
      try WindowModel(try await slow.event("window").json),
      try WindowModel(try await fast.event("window").json),
    ]
    // Together the events have 12 megabytes, more than the sockets hold.
    for number in 1...30 {
      try server.write("UPDATE t SET n = '\(number)' || substr(n, 3)")
      try models[1].apply(try await fast.event("changes"))
    }
    var count = 0
    while models[0].version != models[1].version {
      try models[0].apply(try await slow.event("changes"))
      count += 1
    }
    #expect(models[0] == models[1])
    #expect(count < 10, "\(count) events for 30 versions")
  }

  @Test func aReplacedFileIsANewWindow() async throws {
    let server = try await TestServer(Self.schema)
    let client = try await server.events("/api/events?source=t&from=0&count=10")
    _ = try await client.event("window")
    let other = server.path + ".new"
    try Connection(path: other, access: .readWriteCreate).execute(
      script: "CREATE TABLE t(id INTEGER PRIMARY KEY, n); INSERT INTO t VALUES (1, 2)")
    for name in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: server.path + name) }
    #expect(rename(other, server.path) == 0)
    while true {
      let event = try #require(try await client.event())
      guard event.name == "window" else { continue }
      #expect(event.json["rows"] as? Int == 1)
      break
    }
  }

  private static func rows(_ server: TestServer, _ model: WindowModel) async throws -> WindowModel {
    try WindowModel(
      try await server.json(
        "/api/rows?\(list)&from=\(model.from)&count=\(model.lines.count)"))
  }
}
