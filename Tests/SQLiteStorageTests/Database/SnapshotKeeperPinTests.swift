import Testing

@testable import SQLiteStorage

/// Commits of others at the worst moment: when a version is pinned, and before it is known which one.
@Suite struct SnapshotKeeperPinTests {
  private let folder: TestFolder
  private let database: Database
  /// How many of the next pins are followed by a commit of another connection.
  private let commitCount = Locked(0)
  private let traces = Locked<[StatementTrace]>([])

  init() throws {
    folder = try TestFolder()
    let path = try folder.makeStore(rows: 10)
    let other = Locked(try Connection(path: path))
    var configuration = Database.Configuration.unsynced
    configuration.prepareConnection = { [commitCount, traces] connection in
      let trace = try StatementTrace(of: connection) { [unowned connection] sql in
        // Such a read in a transaction is what pins a version.
        guard sql.hasSuffix("schema_version"), connection.isInTransaction else { return }
        let isDue = commitCount.withLock { count in
          count -= 1
          return count >= 0
        }
        guard isDue else { return }
        #expect(throws: Never.self) {
          try other.withLock { try $0.execute("INSERT INTO item(name) VALUES ('other')") }
        }
      }
      traces.withLock { $0.append(trace) }
    }
    database = try Database(path: path, configuration: configuration)
  }

  private func count(_ snapshot: Snapshot) throws -> Int? {
    try snapshot.read { try $0.value(Int.self, "SELECT count(*) FROM item") }
  }

  @Test func aVersionThatIsNotTheNewestAnyMoreIsPinnedAnew() throws {
    commitCount.withLock { $0 = 1 }
    let snapshot = try database.snapshot()
    #expect(try count(snapshot) == 11)
    #expect(try database.snapshot() === snapshot)
  }

  @Test func aVersionThatCannotBeToldIsNotTakenForTheNewest() throws {
    commitCount.withLock { $0 = 1_000 }
    let snapshot = try database.snapshot()
    commitCount.withLock { $0 = 0 }
    let next = try database.snapshot()
    let newest = try database.read { try $0.value(Int.self, "SELECT count(*) FROM item") }
    #expect(try count(next) == newest)
    #expect(try count(snapshot) ?? 0 < count(next) ?? 0)
    #expect(snapshot.capturedChanges(to: next) == .unknown(.otherWriter))
    #expect(next.version > snapshot.version)
  }
}
