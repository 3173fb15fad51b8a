import Foundation
import SQLiteStorage
import Testing

@testable import SectionsServer

/// How long lists are held, and that no version but the newest is.
@Suite(.timeLimit(.minutes(20))) struct HeldVersionTests {
  private static let schema = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, x);
    WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < 100)
    INSERT INTO t SELECT i, i FROM c;
    CREATE TABLE other(x);
    """

  @Test func theLogDoesNotGrowUnderAPageThatStaysOpen() async throws {
    let server = try await TestServer(Self.schema)
    let client = try await server.events("/api/events?source=t&from=0&count=3")
    _ = try await client.event("window")
    // The log can be copied to its end only if no older version is held.
    for number in 0..<6 {
      try server.write(
        number < 3
          ? "INSERT INTO other VALUES (zeroblob(20000))" : "UPDATE t SET x = x + 1 WHERE id = 1")
      while try !server.copyLog() { try await Task.sleep(for: .milliseconds(20)) }
    }
    try server.write("DELETE FROM t WHERE id = 1")
    while try await client.event("changes").json["rows"] as? Int != 99 {}
  }

  /// Each one postponed the release of the version that `/api/sources` had shown.
  @Test func aHealthCheckHoldsNoOldVersion() async throws {
    let server = try await TestServer(Self.schema)
    _ = try await server.json("/api/sources")
    try server.write("INSERT INTO other VALUES (zeroblob(20000))")
    let end = ContinuousClock.now + .seconds(60)
    repeat {
      try #require(ContinuousClock.now < end, "the version is still held")
      #expect(try await server.get("/healthz").status == 200)
    } while try !server.copyLog()
  }

  /// Between the choice of a list and the first use of it, another request ended the list. While a request
  /// ended the idle lists, others made as many, and it was refused.
  @Test(arguments: [(limit: 32, lists: 60), (limit: 24, lists: 200)])
  func noRequestIsRefusedWhileAListIsIdle(limit: Int, lists: Int) async throws {
    let server = try await TestServer(Self.schema) { $0.limits.lists = limit }
    let refused = try await withThrowingTaskGroup(of: [String].self) { group in
      for client in 0..<20 {
        group.addTask {
          var refused: [String] = []
          for number in 0..<20 {
            let list = "source=t&where=x:eq:\((client * 7 + number) % lists)"
            let answer = try await server.get("/api/rows?\(list)")
            if answer.status != 200 { refused.append(answer.text) }
          }
          return refused
        }
      }
      return try await group.reduce([], +)
    }
    #expect(refused == [])
  }

  /// Both ended the idle list, one made the new list, and the other was refused.
  @Test func twoRequestsForANewListShareItsPlace() async throws {
    let server = try await TestServer(Self.schema) { $0.limits.lists = 1 }
    for number in 0..<100 {
      async let one = server.get("/api/rows?source=t&where=x:eq:\(number)")
      async let other = server.get("/api/rows?source=t&where=x:eq:\(number)")
      let statuses = try await [one.status, other.status]
      #expect(statuses == [200, 200])
    }
  }

  /// They waited without a limit.
  @Test func aRequestIsRefusedWhileARemovedLogIsStillHeld() async throws {
    let server = try await TestServer(Self.schema)
    let client = try await server.events("/api/events?source=t&from=0&count=3")
    _ = try await client.event("window")
    // The database of the test keeps the log.
    for name in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: server.path + name) }
    _ = try await client.event("error")
    // The last version can be read until the file is opened again.
    var answer = try await server.get("/api/rows?source=t")
    while answer.status == 200 { answer = try await server.get("/api/rows?source=t") }
    #expect(answer.status == 503)
    #expect(answer.headers["retry-after"] == "1")
  }

  @Test func aListWhoseFirstFetchIsLongIsNotIdle() async throws {
    let server = try await TestServer(
      """
      CREATE TABLE t(x);
      CREATE VIEW slow AS WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c
        WHERE i < 3000000) SELECT count(*) AS n FROM c;
      """
    ) { $0.limits.idleTime = .milliseconds(200) }
    #expect(try await server.get("/api/rows?source=slow").status == 200)
  }

  @Test func requestsAfterAFailureShareOneList() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/a.db"
    try Database(path: path).withWriter { try $0.execute(script: Self.schema) }
    let fails = Locked(true)
    let parameters = try ListParameters(QueryItems("source=t"))
    for _ in 0..<50 {
      let lists = ServedLists(
        ServedList.Context(
          catalog: SourceCatalog(given: [], namesFiles: true),
          opener: DatabaseOpener(limits: ServerLimits()) { _ in
            if fails.withLock({ $0 }) { throw CancellationError() }
            // A list that ends interrupts the queries of its database.
            return try Database(path: path)
          }, run: RunName(), limits: ServerLimits(),
          terms: RequestError.Terms(queryTime: .seconds(5), namesFiles: true)))
      fails.withLock { $0 = true }
      await #expect(throws: (any Error).self) {
        try await lists.using(parameters) { try await $0.number }
      }
      fails.withLock { $0 = false }
      async let one = lists.using(parameters) { $0 }
      async let other = lists.using(parameters) { $0 }
      let (first, second) = try await (one, other)
      #expect(first === second)
      #expect(try await first.number > 0)
      await lists.end()
    }
  }

  @Test func aListWithoutClientsEnds() async throws {
    let server = try await TestServer(Self.schema) { options in
      options.limits.lists = 1
      options.limits.idleTime = .milliseconds(600)
    }
    do {
      let client = try await server.events("/api/events?source=t&from=0&count=3")
      _ = try await client.event("window")
      #expect(try await server.get("/api/rows?source=other").status == 503)
    }
    // The server notices a closed connection when it writes to it.
    var status = 503
    while status == 503 {
      try server.write("UPDATE t SET x = x + 1")
      status = try await server.get("/api/rows?source=other").status
    }
    #expect(status == 200)
  }
}
