import Dispatch
import Foundation
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults
@testable import SQLiteStorage

/// Writers, kills, checkpoints, VACUUMs, changes of the schema and a replica at once, for as long as the
/// environment variable `FETCHED_RESULTS_SOAK_MINUTES` says. `FETCHED_RESULTS_SOAK_SEED` repeats the choices
/// of a run; the moments at which processes meet are others each time.
@MainActor
@Suite(
  .serialized,
  .enabled(if: Soak.minutes != nil, "FETCHED_RESULTS_SOAK_MINUTES says how long it runs"))
struct SoakTests {
  /// What a process does over and over.
  nonisolated enum Role: String, CaseIterable, Codable, Sendable {
    case writer, checkpointer, vacuum, schema
  }

  /// A list, and the SELECT that it must be equal to.
  @MainActor private struct Shown {
    let screen: FaultScreen
    let truth: String

    /// Waits until the list is equal to the rows in the file, and checks all that must be true of it.
    func check(_ comment: Comment) async throws {
      let other = try Connection(path: screen.path, access: .readOnly)
      try other.setBusyTimeout(.seconds(30))
      let rows = try other.rows(SQL(verbatim: truth)).map(\.values)
      let end = ContinuousClock.now + .seconds(60)
      while try !shows(rows) {
        if ContinuousClock.now > end {
          let errors = screen.errors.map { "\($0)" }.joined(separator: "; ")
          throw Late(list: truth, comment: "\(comment): \(errors)")
        }
        try await Task.sleep(for: .milliseconds(5))
      }
      try screen.expectLawful()
      #expect(screen.errors.isEmpty, comment)
    }

    /// Whether the list shows these rows, and can be checked. When its version has expired, it does with its next batch: also a
    /// look at a file whose versions are not pinned may find another version, with the same rows.
    private func shows(_ rows: [[Value]]) throws -> Bool {
      do {
        guard try screen.rows == rows else { return false }
        try screen.provider.shownVersion?.checkInvariants()
        return true
      } catch let error as DatabaseError where error.code == .versionExpired {
        return false
      }
    }
  }

  /// A list is not equal to the rows in the file after a minute.
  private struct Late: Error {
    let list: String
    let comment: String
  }

  private static let few: FetchRequest<Row> = FetchRequest(table: "item")
    .filter("n % 2 = 0").sorted(by: \Row["n"], .descending).limited(to: 30, offset: 5)

  private func show(_ path: String, _ access: Connection.Access) throws -> [Shown] {
    [
      Shown(
        screen: try FaultScreen(path, access: access) { $0.copiesLongLogs = true },
        truth: "SELECT * FROM item ORDER BY id"),
      Shown(
        screen: try FaultScreen(path, access: access, SoakTests.few),
        truth: """
          SELECT * FROM item WHERE n % 2 = 0 ORDER BY n DESC, id LIMIT 30 OFFSET 5
          """),
    ]
  }

  @Test func everyListIsTrueAfterEachRound() async throws {
    let seed =
      Soak.variable("SEED").flatMap(UInt64.init) ?? UInt64.random(in: 0...UInt64(UInt32.max))
    let end = ContinuousClock.now + .seconds(60 * (Soak.minutes ?? 0))
    print("soak: FETCHED_RESULTS_SOAK_SEED=\(seed)")
    var numbers = SeededGenerator(seed: seed)
    let folder = try TestFolder()
    let path = try FaultStore.make(in: folder, rows: 300)
    let replica = folder.file("replica.sqlite")
    try await checkpoint(path)
    // Before this process has the file open: the copying would release all of its locks.
    try FileManager.default.copyItem(atPath: path, toPath: replica)
    let source = try FaultStore.other(at: path)
    let lists = try show(path, .readWrite) + show(path, .readOnly)
    let copies = try show(replica, .readOnly)
    for list in lists + copies { await list.screen.settle() }
    let logged = try Soak.followers(of: path, in: folder)
    var (round, killCount) = (0, 0)
    repeat {
      round += 1
      let comment: Comment = "seed \(seed), round \(round)"
      killCount += try await run(&numbers, on: path, comment)
      for list in lists { try await list.check(comment) }
      for copy in logged { try await copy.check(path, comment) }
      #expect(try source.value(String.self, "PRAGMA integrity_check") == "ok")
      // Each transaction leaves three rows of its number.
      let torn = try source.rows(
        "SELECT n FROM item WHERE n > 0 GROUP BY n HAVING count(*) % 3 <> 0")
      #expect(torn.isEmpty, comment)
      let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
      #expect(size ?? 0 < 64 << 20, comment)
      try await checkpoint(path, lists.map(\.screen.database) + logged.map(\.database))
      await #expect(processExitsWith: .success) {
        [path = path as String, replica = replica as String] in
        try Follower.apply(path, to: replica)
      }
      for copy in copies { try await copy.check(comment) }
    } while ContinuousClock.now < end
    let batchCount = (lists + copies).map(\.screen.batchCount).reduce(0, +)
    print(
      """
      soak: \(round) rounds, \(killCount) processes killed, \(batchCount) batches, \
      \(logged.map(\.batchCount).reduce(0, +)) of change logs
      """)
    for list in lists + copies { list.screen.stop() }
    for copy in logged { copy.stop() }
  }

  /// Copies all of the log, for the follower that reads the file alone.
  private func checkpoint(_ path: String, _ databases: [Database] = []) async throws {
    let connection = try Connection(path: path)
    try connection.setBusyTimeout(.milliseconds(50))
    let end = ContinuousClock.now + .seconds(60)
    while try connection.rows("PRAGMA wal_checkpoint(TRUNCATE)").first?["busy"] != 0 {
      // The lists need the main actor to release the version before.
      try await Task.sleep(for: .milliseconds(10))
      try #require(ContinuousClock.now < end, "\(Self.holders(of: path, databases))")
    }
  }

  /// Who may keep the log from being reset: what each database holds, and the locks of the
  /// WAL-index, from 120: writer, checkpointer, recovery, and the five read-marks.
  private static func holders(of path: String, _ databases: [Database]) -> String {
    var lines = databases.map { database in
      guard let keeper = try? database.opened().keeper else { return "closed" }
      let (newest, held, log, left) = keeper.state.withLock { state in
        (
          state.newest.snapshot, state.held.compactMap(\.object),
          state.source.monitor.flatMap { WALIndexHeader(of: $0) },
          state.source.log?.hasLeft == true
        )
      }
      return """
        log \(log?.frameCount ?? -1), copied \(log?.backfilledFrameCount ?? -1), pinned \
        \(keeper.versions.pinnedCount), newest \(newest?.version ?? -1), held \
        \(held.map { ($0.version, $0.stamp?.frameCount ?? -1) }), left \(left), is newest: \
        \(newest.map(database.isNewest) == true)
        """
    }
    let locks = (try? String(contentsOfFile: "/proc/locks", encoding: .utf8)) ?? ""
    let inode = (try? FileManager.default.attributesOfItem(atPath: path + "-shm"))?[
      .systemFileNumber]
    lines += locks.split(separator: "\n").filter { line in
      inode.map { line.contains(":\($0) ") } ?? false
    }.map(String.init)
    return lines.joined(separator: "\n")
  }

  /// Runs some processes at once until all have ended.
  ///
  /// - Returns: how many of them were killed.
  private func run(
    _ numbers: inout SeededGenerator, on path: String, _ comment: Comment
  ) async throws -> Int {
    let milliseconds = Int.random(in: 200...3_000, using: &numbers)
    // Two processes that change the schema would be in each other's way.
    var roles = Role.allCases.filter { _ in Bool.random(using: &numbers) } + [.writer]
    if Bool.random(using: &numbers) { roles.append(.writer) }
    let work = roles.map { role in
      (role, isKilled: Int.random(in: 0..<3, using: &numbers) == 0, seed: numbers.next())
    }
    // A test of an exit blocks a thread until the process has ended. The lists need the threads of Swift's
    // own pool, of which there is one for each processor.
    let threads = BlockingThreads()
    await withTaskGroup(of: Void.self) { group in
      for (role, isKilled, seed) in work {
        group.addTask(executorPreference: threads) {
          if isKilled {
            await #expect(
              processExitsWith: .signal(SIGKILL), "\(comment), \(String(describing: role))"
            ) {
              [
                path = path as String, role = role as Role, seed = seed as UInt64,
                milliseconds = milliseconds as Int
              ] in
              let death = Int(seed % UInt64(milliseconds * 1_000))
              DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(death)) {
                ChildProcess.die()
              }
              while true { try SoakTests.work(role, on: path, seed, .milliseconds(milliseconds)) }
            }
          } else {
            await #expect(processExitsWith: .success, "\(comment), \(String(describing: role))") {
              [
                path = path as String, role = role as Role, seed = seed as UInt64,
                milliseconds = milliseconds as Int
              ] in
              try SoakTests.work(role, on: path, seed, .milliseconds(milliseconds))
            }
          }
        }
      }
    }
    return work.count { $0.isKilled }
  }

  private nonisolated static func work(
    _ role: Role, on path: String, _ seed: UInt64, _ time: Duration
  ) throws {
    var numbers = SeededGenerator(seed: seed)
    let connection = try FaultStore.other(at: path)
    let end = ContinuousClock.now + time
    repeat {
      switch role {
      case .writer: try write(to: connection, &numbers)
      case .checkpointer:
        try connection.setBusyTimeout(.milliseconds(100))
        let mode = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"][Int(numbers.next() % 4)]
        // It may find another one at work.
        _ = try? connection.rows(SQL(verbatim: "PRAGMA wal_checkpoint(\(mode))"))
        usleep(UInt32(numbers.next() % 50_000))
      case .vacuum:
        try connection.execute("VACUUM")
        usleep(UInt32(numbers.next() % 300_000))
      case .schema:
        try changeSchema(of: connection, &numbers)
        usleep(UInt32(numbers.next() % 300_000))
      }
    } while ContinuousClock.now < end
  }

  private nonisolated static func write(
    to connection: Connection, _ numbers: inout SeededGenerator
  ) throws {
    let number = Int.random(in: 1...1_000_000, using: &numbers)
    let count = try connection.value(Int.self, "SELECT count(*) FROM item") ?? 0
    let insert = "INSERT INTO item(name, n) VALUES (hex(randomblob(50)), \(number));"
    try connection.execute(
      script: """
        BEGIN IMMEDIATE;
        \(insert) \(insert) \(insert)
        UPDATE item SET name = hex(randomblob(50)) WHERE id % 97 = \(number % 97);
        DELETE FROM item WHERE n IN (
          SELECT DISTINCT n FROM item WHERE n > 0 ORDER BY random() LIMIT \(count / 800));
        COMMIT;
        """)
    if number % 4 == 0 { usleep(UInt32(numbers.next() % 20_000)) }
  }

  private nonisolated static func changeSchema(
    of connection: Connection, _ numbers: inout SeededGenerator
  ) throws {
    // What a killed process has left may be there.
    let (columns, objects) = (
      try connection.rows("SELECT name FROM pragma_table_info('item')").map { $0["name"] },
      try connection.rows("SELECT name FROM sqlite_schema").map { $0["name"] }
    )
    switch numbers.next() % 3 {
    case 0:
      try connection.execute(
        columns.contains("extra")
          ? "ALTER TABLE item DROP COLUMN extra"
          : "ALTER TABLE item ADD COLUMN extra INTEGER DEFAULT 7")
    case 1:
      try connection.execute(
        objects.contains("item_n") ? "DROP INDEX item_n" : "CREATE INDEX item_n ON item(n)")
    default:
      try connection.execute(
        objects.contains("other") ? "DROP TABLE other" : "CREATE TABLE other(x)")
    }
  }
}

/// Runs tasks that block their threads.
private final class BlockingThreads: TaskExecutor {
  private let queue = DispatchQueue(label: "SoakTests", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// What the environment says.
private enum Soak {
  static let minutes = variable("MINUTES").flatMap(Double.init)

  /// Copies that follow the change logs of a database that can write, and of one that only reads.
  static func followers(
    of path: String, in folder: TestFolder
  ) throws -> [FollowingReplica] {
    try [Connection.Access.readWrite, .readOnly].enumerated().map { number, access in
      var configuration = Database.Configuration()
      configuration.copiesLongLogs = true
      let database = try Database(path: path, access: access, configuration: configuration)
      return try FollowingReplica(of: database, at: folder.file("logged\(number).sqlite"))
    }
  }

  static func variable(_ name: String) -> String? {
    ProcessInfo.processInfo.environment["FETCHED_RESULTS_SOAK_\(name)"]
  }
}
