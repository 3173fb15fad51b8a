import Foundation
import Testing

@testable import SectionsServer

/// A long answer arrives to its end, but a client that does not read is closed.
@Suite(.timeLimit(.minutes(10))) struct AnswerEndTests {
  /// More than the system keeps for a client that does not read.
  private static let length = 8_000_000
  private static let schema =
    "CREATE TABLE t(id INTEGER PRIMARY KEY, x); INSERT INTO t VALUES (1, zeroblob(\(length)))"
  private static let path = "/api/blob?source=t&key=1&column=x"

  /// The server closed the connection while the rest of the answer was still to be sent.
  @Test(arguments: ["HTTP/1.1", "HTTP/1.0"])
  func anAnswerThatEndsTheConnectionIsComplete(_ version: String) async throws {
    let server = try await TestServer(Self.schema)
    let client = try await TestClient(port: server.port, receiving: 65_536)
    let head = "GET \(Self.path) \(version)\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    try await client.send(bytes: Array(head.utf8))
    #expect(try await client.answer().body.count == Self.length)
    await #expect(throws: TestClient.Closed.self) { try await client.answer() }
  }

  @Test func requestsThatAreSentTogetherAreAnswered() async throws {
    let server = try await TestServer(Self.schema)
    let client = try await TestClient(port: server.port, receiving: 65_536)
    try await client.send(Self.path)
    try await client.send("/api/events?source=t&from=0&count=3")
    #expect(try await client.answer().body.count == Self.length)
    #expect(try await client.head().status == 200)
    _ = try await client.event("window")
    try server.write("INSERT INTO t VALUES (2, 2)")
    _ = try await client.event("changes")
  }

  @Test(arguments: ["keep-alive", "close"])
  func aClientThatDoesNotReadIsClosed(_ connection: String) async throws {
    let server = try await TestServer(Self.schema) {
      $0.limits.readTime = .milliseconds(500)
      $0.limits.longValues = 1
    }
    let client = try await TestClient(port: server.port, receiving: 65_536)
    try await client.send(Self.path, ["Connection": connection])
    #expect(try await client.head().status == 200)
    // As long as the connection is open, its value is the only long one that may be sent.
    while try await server.get(Self.path).status == 503 {}
    await #expect(throws: (any Error).self) { try await client.bytes(Self.length) }
  }

  @Test func aClientThatDoesNotReadDoesNotKeepTheServerFromEnding() async throws {
    let server = try await TestServer(Self.schema) { $0.limits.readTime = .seconds(600) }
    let client = try await TestClient(port: server.port, receiving: 65_536)
    try await client.send(Self.path, ["Connection": "close"])
    #expect(try await client.head().status == 200)
    let start = ContinuousClock.now
    await server.stop()
    #expect(ContinuousClock.now - start < .seconds(60))
  }

  /// Each value is in memory until its client has read it.
  @Test func fewLongValuesAreSentAtTheSameTime() async throws {
    let server = try await TestServer(Self.schema) { $0.limits.longValues = 2 }
    var clients: [TestClient] = []
    for _ in 0..<2 {
      let client = try await TestClient(port: server.port, receiving: 65_536)
      try await client.send(Self.path)
      #expect(try await client.head().status == 200)
      clients.append(client)
    }
    let refused = try await server.get(Self.path)
    #expect(refused.status == 503)
    #expect(refused.headers["retry-after"] == "1")
    clients = []
    while try await server.get(Self.path).status == 503 {}
  }

  /// Each one took the place of a long value while it was read.
  @Test func shortValuesAreNotCounted() async throws {
    let server = try await TestServer(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, x);
      INSERT INTO t VALUES (1, zeroblob(16000000)), (2, zeroblob(16000001));
      """
    ) {
      $0.limits.longValue = 16_000_000
      $0.limits.longValues = 1
    }
    // By one connection: so each answer is complete before the next one is asked for. The value is read, but not sent.
    @Sendable func status(_ client: TestClient, key: Int) async throws -> Int {
      try await client.send("/api/blob?source=t&key=\(key)&column=x", method: "HEAD")
      return try await client.head().status
    }
    let statuses = try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let client = try await TestClient(port: server.port)
          while !Task.isCancelled { _ = try await status(client, key: 1) }
        }
      }
      let client = try await TestClient(port: server.port)
      var statuses: Set<Int> = []
      for _ in 0..<60 { statuses.insert(try await status(client, key: 2)) }
      group.cancelAll()
      return statuses
    }
    #expect(statuses == [200])
  }
}
