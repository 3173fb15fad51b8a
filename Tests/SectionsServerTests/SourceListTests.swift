import CLibrary
import Foundation
import SQLiteStorage
import Testing

@testable import SectionsServer

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

  /// Another part of the program has all connections.
  @Test func theTimeOfAQueryBeginsWhenItHasAConnection() async throws {
    let server = try await TestServer("CREATE TABLE t(x)")
    let database = server.database
    let list = list({ $0.queryTime = .milliseconds(100) }) { database }
    let (started, end) = (Locked(0), DispatchSemaphore(value: 0))
    let others = (0..<4).map { _ in
      Task {
        try await database.read { _ in
          started.withLock { $0 += 1 }
          end.wait()
        }
      }
    }
    while started.withLock({ $0 }) < others.count { await Task.yield() }
    let query = Task { try await list.reading { try $0.value(Int.self, "SELECT 1") } }
    try await Task.sleep(for: .milliseconds(500))
    for _ in others { end.signal() }
    #expect(try await query.value == 1)
    for other in others { try await other.value }
  }

  /// It may be a request that notices first that the file was replaced.
  @Test func whoFollowsTheSourcesSeesAnotherFile() async throws {
    let server = try await TestServer("CREATE TABLE t(x)")
    let path = server.path
    let list = list {
      var configuration = Database.Configuration()
      configuration.usesWAL = false
      configuration.fileCheckInterval = .zero
      return try Database(path: path, access: .readOnly, configuration: configuration)
    }
    let shown = Locked<Int?>(nil)
    let following = Task {
      await list.follow(pause: .zero) { content in
        shown.withLock { $0 = content.entries.first?.count }
      }
    }
    defer { following.cancel() }
    for count in 0...10 {
      if count > 0 {
        let new = path + ".new"
        try Connection(path: new, access: .readWriteCreate).execute(
          script: "CREATE TABLE t(x);"
            + String(repeating: "INSERT INTO t VALUES (1);", count: count))
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        #expect(rename(new, path) == 0)
        // The old file may still be in use.
        _ = try? await list.sources()
      }
      let end = ContinuousClock.now + .seconds(30)
      while shown.withLock({ $0 }) != count {
        try #require(ContinuousClock.now < end, "\(count)")
        try await Task.sleep(for: .milliseconds(5))
      }
    }
  }

  private func list(
    _ change: (inout ServerLimits) -> Void = { _ in },
    open: @escaping @Sendable () throws -> Database
  ) -> SourceList {
    var options = ServerOptions(databaseName: "test.db", toolVersion: "1.2.3")
    change(&options.limits)
    return SourceList(
      options, SourceCatalog(given: [], namesFiles: true),
      DatabaseOpener(limits: options.limits) { _ in try open() })
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
