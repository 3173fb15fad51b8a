import Foundation
import SQLiteStorage
import TableDataTesting
import Testing

/// Random histories: each client applies the patches it gets, moves its window, and must have what `/api/rows` answers
/// for the same version.
@Suite(.timeLimit(.minutes(20))) struct RandomWindowTests {
  @Test(arguments: [true, false]) func patchesLeadToTheWindowsOfTheirVersions(
    isSectioned: Bool
  ) async throws {
    for _ in 0..<SeededGenerator.scaled(3) {
      let seed = UInt64.random(in: .min ... .max)
      do {
        try await run(isSectioned, seed)
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
  }

  private func run(_ isSectioned: Bool, _ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let server = try await TestServer(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, g, n INTEGER);
      CREATE TABLE other(x);
      WITH RECURSIVE c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < 40)
      INSERT INTO t SELECT i, i * 7 % 5, i * 13 % 37 FROM c;
      """)
    let list = isSectioned ? "source=t&by=g&sort=n:desc" : "source=t&sort=n:desc"
    var clients: [Client] = []
    for _ in 0..<4 {
      let size = Int.random(in: 1...20, using: &random)
      let from = Bool.random(using: &random) ? 0 : Int.random(in: 0..<45, using: &random)
      let client = try await server.events("/api/events?\(list)&from=\(from)&count=\(size)")
      let first = try await client.event("window")
      clients.append(
        Client(
          client: client, window: first.window, model: try WindowModel(first.json), size: size))
    }
    for step in 0..<25 {
      var script = "UPDATE t SET n = n + 1 WHERE id = (SELECT min(id) FROM t);"
      script +=
        "INSERT INTO t(g, n) VALUES (\(step % 5), \(Int.random(in: 0..<37, using: &random)));"
      for _ in 0..<Int.random(in: 0..<6, using: &random) {
        let id = Int.random(in: 1..<80, using: &random)
        let number = Int.random(in: 0..<37, using: &random)
        let statement =
          switch Int.random(in: 0..<5, using: &random) {
          case 0: "DELETE FROM t WHERE id = \(id);"
          case 1: "UPDATE t SET n = \(number) WHERE id = \(id);"
          case 2: "UPDATE t SET g = \(number % 6) WHERE id = \(id);"
          case 3: "REPLACE INTO t VALUES (\(id), \(number % 5), \(number));"
          default: "DELETE FROM t WHERE n = \(number);"
          }
        script += statement
      }
      try server.write(script)
      for index in clients.indices where Int.random(in: 0..<3, using: &random) > 0 || step == 24 {
        if Bool.random(using: &random) {
          clients[index].size = Int.random(in: 1...20, using: &random)
          clients[index].moves += 1
          let place = "from=\(Int.random(in: 0..<45, using: &random))&count=\(clients[index].size)"
          try #require(
            try await server.move(clients[index].window, clients[index].moves, to: place) == 204)
        }
        try await clients[index].follow(server, list)
      }
    }
  }

  private struct Client {
    let client: TestClient
    let window: String
    var model: WindowModel
    var size: Int
    var moves = 0
    var shownMove = 0

    /// Receives events until the window is that of the newest version, and compares it.
    mutating func follow(_ server: TestServer, _ list: String) async throws {
      while true {
        let rows = try WindowModel(
          try await server.json("/api/rows?\(list)&from=\(model.from)&count=\(size)"))
        if rows.version == model.version, shownMove == moves {
          return try #require(model == rows)
        }
        let event = try #require(try await client.event())
        try #require(event.move >= shownMove)
        shownMove = event.move
        try model.apply(event)
      }
    }
  }
}
