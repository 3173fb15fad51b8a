import Foundation
import SQLiteStorage
import SectionsServer
import Testing

/// The tables and views with their counts.
@Suite(.timeLimit(.minutes(10))) struct SourceListTests {
  @Test func theSourcesOfAVersionAreCountedOnce() async throws {
    let server = try await TestServer(
      """
      CREATE TABLE t(x); INSERT INTO t VALUES (1);
      CREATE VIEW slow AS WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c
        WHERE i < 1000000000000) SELECT count(*) AS n FROM c;
      """
    ) {
      // It must exceed what an answer without counting takes on a busy machine.
      $0.limits.countTime = .seconds(2)
    }
    func counts() async throws -> (numbers: [Int?], seconds: Double) {
      let start = ContinuousClock.now
      let sources = try await server.json("/api/sources")["sources"] as? [[String: Any]]
      let numbers = try #require(sources).map { $0["count"] as? Int }
      return (numbers, start.duration(to: .now) / .seconds(1))
    }
    let first = try await counts()
    #expect(first.numbers == [nil, 1])
    #expect(first.seconds >= 2)
    let second = try await counts()
    #expect(second.numbers == [nil, 1])
    #expect(second.seconds < 2)
    try server.write("INSERT INTO t VALUES (2)")
    let third = try await counts()
    #expect(third.numbers == [nil, 2])
  }

  /// The counts of a server's tables and views, by their names; nil for one that takes too long.
  private func counts(_ server: TestServer) async throws -> [String: Int?] {
    let sources = try await server.json("/api/sources")["sources"] as? [[String: Any]]
    return Dictionary(
      uniqueKeysWithValues: try #require(sources).map { source in
        (source["name"] as? String ?? "", source["count"] as? Int)
      })
  }

  @Test(arguments: ["WAL", "DELETE"])
  func allCountsAreOfOneVersion(journalMode: String) async throws {
    let server = try await TestServer(
      (1...9).map { "CREATE TABLE t\($0)(x);" }.joined(),
      journalMode: journalMode)
    let isDone = Locked(false)
    let writing = Task.detached { [path = server.path] in
      let writer = try Connection(path: path)
      try writer.execute("PRAGMA synchronous = OFF")
      while !isDone.withLock({ $0 }) {
        try writer.transaction {
          for number in 1...9 {
            try writer.execute(SQL(verbatim: "INSERT INTO t\(number) VALUES (1)"))
          }
        }
        // Readers of a file that is not in WAL mode find no time between two writes otherwise.
        try await Task.sleep(for: .milliseconds(1))
      }
    }
    for _ in 0..<60 {
      let counts = try await counts(server)
      #expect(Set(counts.values).count == 1, "\(counts)")
    }
    isDone.withLock { $0 = true }
    try await writing.value
  }

  @Test func aCountThatTakesTooLongEndsNoOther() async throws {
    let server = try await TestServer(
      """
      CREATE TABLE t(x); INSERT INTO t VALUES (1);
      CREATE VIEW broken AS SELECT * FROM missing;
      CREATE VIEW slow AS WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c
        WHERE i < 1000000000000) SELECT count(*) AS n FROM c;
      CREATE TABLE u(x); CREATE VIEW w AS SELECT * FROM t, t AS other;
      """
    ) { $0.limits.countTime = .milliseconds(500) }
    #expect(try await counts(server) == ["t": 1, "broken": nil, "slow": nil, "u": 0, "w": 1])
  }
}
