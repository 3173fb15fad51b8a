import Dispatch
import Foundation
import SQLiteStorage
import TableDataTesting
import Testing

@testable import FetchedResults

/// Of a writer that is killed stays what it had committed, and all of that is told.
@Suite(.timeLimit(.minutes(10))) struct KilledWriterTests {
  enum Work: String, CaseIterable { case transactions, checkpoints }

  @Test(arguments: Work.allCases)
  @MainActor func aKilledWriterLeavesWholeTransactions(in work: Work) async throws {
    let folder = try TestFolder()
    let path = try FaultStore.make(in: folder)
    let screen = try FaultScreen(path)
    for round in FaultStore.rounds(5) {
      let seed = round &+ UInt64.random(in: 0...UInt64.max / 2)
      await #expect(processExitsWith: .signal(SIGKILL), "seed \(seed)") {
        [path = path as String, seed = seed as UInt64, name = work.rawValue as String] in
        try KilledWriter.run(at: path, seed: seed, makesCheckpoints: name == "checkpoints")
      }
      try await screen.waitForTruth()
      let connection = try FaultStore.other(at: path)
      // Each transaction leaves three rows of its number.
      let torn = try connection.rows(
        "SELECT n FROM item WHERE n > 0 GROUP BY n HAVING count(*) % 3 <> 0")
      #expect(torn.isEmpty, "seed \(seed)")
      #expect(try connection.value(String.self, "PRAGMA integrity_check") == "ok", "seed \(seed)")
      // Nothing holds the lock that the dead had.
      try screen.database.run("DELETE FROM item WHERE n > 0")
      try await screen.waitForTruth()
    }
    #expect(screen.errors.isEmpty)
    #expect(screen.sources.contains(.pages))
    screen.stop()
  }

  @Test @MainActor func whatWasCommittedByOneWhoDiedBeforeTellingIsTold() async throws {
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

/// A writer that is killed at a random moment.
private enum KilledWriter {
  static func run(at path: String, seed: UInt64, makesCheckpoints: Bool) throws {
    var numbers = SeededGenerator(seed: seed)
    let connection = try FaultStore.other(at: path)
    // Of a transaction, pages go to the log before it is committed.
    try connection.execute("PRAGMA cache_size = 2")
    try connection.execute("PRAGMA wal_autocheckpoint = 0")
    if makesCheckpoints { try connection.setBusyTimeout(.zero) }
    let death = DispatchTime.now() + .microseconds(Int(numbers.next() % 30_000))
    DispatchQueue.global().asyncAfter(deadline: death) { ChildProcess.die() }
    for number in 1... {
      let n = Int(numbers.next() % 1_000_000) + number
      try connection.execute(
        script: """
          BEGIN IMMEDIATE;
          INSERT INTO item(name, n) VALUES (hex(randomblob(3000)), \(n));
          UPDATE item SET name = hex(randomblob(100)) WHERE n = 0;
          INSERT INTO item(name, n) VALUES (hex(randomblob(300)), \(n));
          DELETE FROM item WHERE n IN (SELECT n FROM item WHERE n > 0 ORDER BY n LIMIT \(n % 2)) AND n <> \(n);
          INSERT INTO item(name, n) VALUES (hex(randomblob(3000)), \(n));
          COMMIT;
          """)
      guard makesCheckpoints else { continue }
      let mode = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"][number % 4]
      _ = try? connection.rows("PRAGMA wal_checkpoint(\(mode))")
    }
  }
}
