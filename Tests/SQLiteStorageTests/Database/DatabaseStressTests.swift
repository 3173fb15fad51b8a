import TableDataTesting
import Testing

@testable import SQLiteStorage

/// Everything at once. What makes a torn read visible: the total of all amounts never changes, and
/// each commit counts one up.
@Suite(.timeLimit(.minutes(5))) struct DatabaseStressTests {
  private let folder: TestFolder
  private let configuration: Database.Configuration

  init() throws {
    folder = try TestFolder()
    var configuration = Database.Configuration()
    // Often enough that the log is reset many times.
    configuration.checkpointThreshold = 20
    configuration.busyTimeout = .seconds(60)
    configuration.prepareConnection = { try $0.execute("PRAGMA synchronous = OFF") }
    self.configuration = configuration
    let database = try Database(path: folder.file(), configuration: configuration)
    try database.write { connection in
      try connection.execute(
        script: """
          CREATE TABLE account(id INTEGER PRIMARY KEY, amount INTEGER NOT NULL);
          CREATE TABLE tally(commits INTEGER NOT NULL);
          INSERT INTO tally VALUES (0);
          """)
      for id in Int64(0)..<100 {
        try connection.execute("INSERT INTO account VALUES (?, 100)", [.integer(id)])
      }
    }
  }

  private static func transfer(_ connection: Connection, round: Int) throws {
    let values: [Value] = [.integer(Int64(round % 100))]
    try connection.execute("UPDATE account SET amount = amount - 1 WHERE id = ?", values)
    try connection.execute("UPDATE account SET amount = amount + 1 WHERE id = 99 - ?", values)
    try connection.execute("UPDATE tally SET commits = commits + 1")
  }

  /// The number of commits that `connection` sees.
  private static func check(_ connection: Connection) throws -> Int {
    let total = try connection.value(Int.self, "SELECT sum(amount) FROM account")
    let commits = try connection.value(Int.self, "SELECT commits FROM tally")
    #expect(total == 10_000)
    #expect(try connection.value(Int.self, "SELECT commits FROM tally") == commits)
    return commits ?? -1
  }

  private enum Role: CaseIterable {
    case write, writeElsewhere, read, snapshot, hold, snapshotElsewhere
  }

  @Test func threadsNeverSeeHalfACommit() throws {
    let database = try Database(path: folder.file(), configuration: configuration)
    let elsewhere = try Database(path: folder.file(), configuration: configuration)
    let rounds = SeededGenerator.scaled(1_000)
    onThreads(Role.allCases.count) { thread in
      do {
        try play(Role.allCases[thread], rounds: rounds, database, elsewhere)
      } catch {
        Issue.record(error)
      }
    }
    #expect(try database.read(DatabaseStressTests.check) == 2 * rounds)
    #expect(folder.size(of: "store.sqlite-wal") < 8 << 20)
  }

  private func play(
    _ role: Role, rounds: Int, _ database: Database, _ elsewhere: Database
  ) throws {
    var held: (snapshot: Snapshot, commits: Int)?
    var last = (commits: 0, version: 0)
    for round in 0..<rounds {
      switch role {
      case .write:
        try database.write { try DatabaseStressTests.transfer($0, round: round) }
      case .writeElsewhere:
        try elsewhere.write { try DatabaseStressTests.transfer($0, round: round) }
      case .read:
        let commits = try database.read(DatabaseStressTests.check)
        #expect(commits >= last.commits)
        last.commits = commits
      case .snapshot, .snapshotElsewhere:
        let source = role == .snapshot ? database : elsewhere
        let snapshot = try source.snapshot()
        let commits = try snapshot.read(DatabaseStressTests.check)
        #expect(commits >= last.commits)
        #expect(snapshot.version >= last.version)
        last = (commits, snapshot.version)
      case .hold:
        if let held { #expect(try held.snapshot.read(DatabaseStressTests.check) == held.commits) }
        if round.isMultiple(of: 7) {
          let snapshot = try database.snapshot()
          held = (snapshot, try snapshot.read(DatabaseStressTests.check))
        }
      }
    }
  }

  @Test func tasksMayBeCancelledAtAnyTime() async throws {
    let database = try Database(path: folder.file(), configuration: configuration)
    let rounds = SeededGenerator.scaled(200)
    let committed = await withTaskGroup(of: Bool.self) { group in
      for round in 0..<rounds {
        group.addTask {
          let work = Task {
            if round.isMultiple(of: 2) {
              try await database.write { try DatabaseStressTests.transfer($0, round: round) }
            } else {
              _ = try await database.read(DatabaseStressTests.check)
            }
          }
          if round.isMultiple(of: 3) { work.cancel() }
          do {
            try await work.value
            return round.isMultiple(of: 2)
          } catch is CancellationError {
            return false
          } catch {
            Issue.record(error)
            return false
          }
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(try await database.read(DatabaseStressTests.check) == committed)
    try database.readers.checkInvariants()
    try database.readQueue.checkInvariants()
    try database.keeper.versions.checkInvariants()
  }

  @Test func anotherProcessMayWriteMeanwhile() async throws {
    let database = try Database(path: folder.file(), configuration: configuration)
    let rounds = SeededGenerator.scaled(150)
    async let other = #expect(processExitsWith: .success) {
      [path = folder.file() as String, rounds = rounds as Int] in
      var configuration = Database.Configuration()
      configuration.busyTimeout = .seconds(60)
      let database = try Database(path: path, configuration: configuration)
      var held = try database.snapshot()
      for round in 0..<rounds {
        try database.withWriter { connection in
          try connection.transaction { try DatabaseStressTests.transfer(connection, round: round) }
        }
        held = try database.snapshot()
        _ = try held.read(DatabaseStressTests.check)
      }
    }
    let mine = Task {
      var last = 0
      for round in 0..<rounds {
        try await database.write { try DatabaseStressTests.transfer($0, round: round) }
        let commits = try database.snapshot().read(DatabaseStressTests.check)
        #expect(commits > last)
        last = commits
      }
    }
    try await mine.value
    _ = await other
    #expect(try await database.read(DatabaseStressTests.check) == 2 * rounds)
  }
}
