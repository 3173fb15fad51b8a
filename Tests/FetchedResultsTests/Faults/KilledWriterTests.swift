import Dispatch
import Foundation
import TableDataTesting
import Testing

@testable import FetchedResults
@testable import SQLiteStorage

/// Of a writer that is killed stays what it had committed, and all of that is told.
@Suite(.timeLimit(.minutes(10))) struct KilledWriterTests {
  enum Work: String, CaseIterable { case transactions, checkpoints }

  @Test(.serialized, arguments: Work.allCases, FaultStore.rounds(1))
  @MainActor func aKilledWriterLeavesWholeTransactions(in work: Work, batch: UInt64) async throws {
    let folder = try TestFolder()
    let path = try FaultStore.make(in: folder)
    try FaultStore.other(at: path).execute(script: KilledWriter.ballast)
    // What the dead has left half-done would be finished at once.
    let screen = try FaultScreen(path) { $0.checkpointThreshold = 1_000_000 }
    let connection = try FaultStore.other(at: path)
    var midwayCount = 0
    for _ in 0..<KilledWriter.batchSize {
      let seed = UInt64.random(in: 0...UInt64.max)
      await #expect(processExitsWith: .signal(SIGKILL), "seed \(seed)") {
        [path = path as String, seed = seed as UInt64, name = work.rawValue as String] in
        if name == "checkpoints" {
          try KilledWriter.dieInCheckpoint(of: path, seed: seed)
        } else {
          try KilledWriter.dieInTransaction(at: path, seed: seed)
        }
      }
      switch work {
      case .transactions: if KilledWriter.wasInTransaction(at: path) { midwayCount += 1 }
      case .checkpoints:
        _ = try connection.value(Int.self, "SELECT count(*) FROM item")
        if CheckpointProgress(seenBy: connection)?.isUnderWay == true { midwayCount += 1 }
      }
      try await screen.waitForTruth()
      // Each transaction leaves three rows of its number.
      let torn = try connection.rows(
        "SELECT n FROM item WHERE n > 0 GROUP BY n HAVING count(*) % 3 <> 0")
      #expect(torn.isEmpty, "seed \(seed)")
      #expect(try connection.value(String.self, "PRAGMA integrity_check") == "ok", "seed \(seed)")
      // Nothing holds the lock that the dead had.
      try screen.database.run("DELETE FROM item WHERE n > 0")
      try await screen.waitForTruth()
    }
    // It was killed in the middle, and not just before or after. A busy machine may end the work first.
    #expect(midwayCount >= KilledWriter.batchSize / 5, "\(midwayCount)")
    #expect(screen.errors.isEmpty)
    #expect(screen.sources.contains(.pages))
    screen.stop()
  }

  @Test @MainActor func aCommitOfAProcessKilledBeforeItsSignalIsReported() async throws {
    let folder = try TestFolder()
    let path = try FaultStore.make(in: folder)
    let screen = try FaultScreen(path)
    for _ in FaultStore.rounds(3) {
      let count = try screen.rows.count
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
        let connection = try FaultStore.other(at: path)
        try connection.execute("INSERT INTO item(name) VALUES ('last words')")
        // The header of the log's index is there twice, and SQLite writes one after the other: this
        // is what is left by one who dies in between.
        let file = open(path + "-shm", O_RDWR)
        var byte: UInt8 = 0xA5
        #expect(pwrite(file, &byte, 1, 8) == 1)
        ChildProcess.die()
      }
      // Nobody else reads the file meanwhile, which would put the header in order.
      try await screen.wait { try screen.rows.count == count + 1 }
    }
    #expect(try screen.rows.last?[1] == "last words")
    #expect(screen.errors.isEmpty)
    screen.stop()
  }
}

/// A writer that is killed at a random moment in the middle of something.
private enum KilledWriter {
  /// How often on one store: the log of each round stays.
  static let batchSize = 10
  /// A table that makes the log so long that a checkpoint takes its time.
  static let ballast = """
    CREATE TABLE ballast(body BLOB); INSERT INTO ballast VALUES (zeroblob(4000000));
    """

  static func dieInTransaction(at path: String, seed: UInt64) throws {
    var numbers = SeededGenerator(seed: seed)
    let connection = try connect(to: path)
    // Of a transaction, pages go to the log before it is committed.
    try connection.execute("PRAGMA cache_size = 2")
    let state = open(stateFile(of: path), O_RDWR | O_CREAT, 0o600)
    try #require(state >= 0)
    let death = DispatchTime.now() + .microseconds(Int(numbers.next() % 30_000))
    DispatchQueue.global().asyncAfter(deadline: death) { ChildProcess.die() }
    for number in 1... {
      try connection.execute("BEGIN IMMEDIATE")
      try #require(pwrite(state, "1", 1, 0) == 1)
      try write(number, to: connection, &numbers)
      try connection.execute("COMMIT")
      try #require(pwrite(state, "0", 1, 0) == 1)
    }
  }

  /// Whether the last one to die was between the beginning and the commit of a transaction.
  static func wasInTransaction(at path: String) -> Bool {
    FileManager.default.contents(atPath: stateFile(of: path)) == Data("1".utf8)
  }

  static func dieInCheckpoint(of path: String, seed: UInt64) throws {
    var numbers = SeededGenerator(seed: seed)
    let connection = try connect(to: path)
    try connection.setBusyTimeout(.zero)
    // A checkpoint waits for the disk before it copies, and after. Before the commit nothing is written.
    try connection.execute("PRAGMA synchronous = NORMAL")
    try connection.execute("PRAGMA cache_size = 4000")
    let delay = Duration.microseconds(numbers.next() % 2_000)
    Thread.detachNewThread {
      do {
        try waitForCheckpoint(of: path)
        let end = ContinuousClock.now + delay
        while ContinuousClock.now < end {}
      } catch {
        Issue.record(error)
      }
      ChildProcess.die()
    }
    for number in 1... {
      try connection.execute("BEGIN IMMEDIATE")
      try write(number, to: connection, &numbers)
      try connection.execute("UPDATE ballast SET body = randomblob(4000000)")
      try connection.execute("COMMIT")
      // Until all is copied: others may still read what was there before.
      repeat {
        let mode = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"][Int(numbers.next() % 4)]
        _ = try? connection.rows(SQL(verbatim: "PRAGMA wal_checkpoint(\(mode))"))
        usleep(200)
      } while CheckpointProgress(seenBy: connection)?.isDone == false
    }
  }

  /// Returns while a checkpoint is under way.
  private static func waitForCheckpoint(of path: String) throws {
    let connection = try Connection(path: path, access: .readOnly)
    _ = try connection.value(Int.self, "SELECT count(*) FROM item")
    // It may be under way already, left so by the one that died before.
    let before = CheckpointProgress(seenBy: connection)
    while let progress = CheckpointProgress(seenBy: connection) {
      if progress.isUnderWay, progress.attempted != before?.attempted { return }
    }
  }

  private static func connect(to path: String) throws -> Connection {
    let connection = try FaultStore.other(at: path)
    try connection.execute("PRAGMA wal_autocheckpoint = 0")
    return connection
  }

  private static func write(
    _ number: Int, to connection: Connection, _ numbers: inout SeededGenerator
  ) throws {
    let n = Int(numbers.next() % 1_000_000) + number
    try connection.execute(
      script: """
        INSERT INTO item(name, n) VALUES (hex(randomblob(3000)), \(n));
        UPDATE item SET name = hex(randomblob(100)) WHERE n = 0;
        INSERT INTO item(name, n) VALUES (hex(randomblob(300)), \(n));
        DELETE FROM item WHERE n IN (SELECT n FROM item WHERE n > 0 ORDER BY n LIMIT \(n % 2))
          AND n <> \(n);
        INSERT INTO item(name, n) VALUES (hex(randomblob(3000)), \(n));
        """)
  }

  private static func stateFile(of path: String) -> String { path + "-state" }
}
