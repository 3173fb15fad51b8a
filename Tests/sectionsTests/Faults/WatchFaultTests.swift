import CLibrary
import Foundation
import SQLiteStorage
import TableDataTesting
import Testing

/// `watch` while somebody else writes, and what it tells of that.
@Suite(.timeLimit(.minutes(5))) struct WatchFaultTests {
  private let folder: TestFolder
  private let path: String
  private let other: Connection

  init() throws {
    folder = try TestFolder()
    path = try folder.makeDatabase(journalMode: "WAL")
    other = try Connection(path: path)
    try other.execute("PRAGMA synchronous = OFF")
    // The tool may make writers wait.
    try other.setBusyTimeout(.seconds(30))
  }

  @Test func statisticsShowHowEachChangeWasDetected() async throws {
    let run = try WatchRun(["a.db", "t", "--stats", "--count", "2"], in: folder)
    _ = await run.next()
    try other.execute("DELETE FROM t WHERE id = 1")
    _ = await run.next()
    try other.execute(script: "BEGIN; CREATE TABLE u(a); INSERT INTO t VALUES (9, 'nine'); COMMIT")
    _ = await run.next()
    let end = try await run.end()
    #expect(end.status == 0)
    let lines = end.stderr.split(separator: "\n")
    #expect(
      lines == [
        "sections: change 1: pages, 1 deleted, 0 inserted, 0 moved, 0 updated",
        "sections: change 2: comparison (the schema has changed), "
          + "0 deleted, 1 inserted, 0 moved, 0 updated",
        "sections: 2 changes: 0 by capture, 1 by pages, 1 by comparison, 0 resets; 0 errors",
      ])
  }

  @Test func statisticsArePrintedAtTheEndWhateverEndsIt() async throws {
    let run = try WatchRun(["a.db", "t", "--stats"], in: folder)
    _ = await run.next()
    run.send(SIGTERM)
    let end = try await run.end()
    #expect(end.status == 128 + SIGTERM)
    #expect(
      end.stderr
        == "sections: 0 changes: 0 by capture, 0 by pages, 0 by comparison, 0 resets; 0 errors\n")
  }

  /// The number of frames in the log.
  private func frameCount() throws -> Int {
    let row = try other.rows("PRAGMA wal_checkpoint(PASSIVE)").first
    guard case .integer(let count)? = row?.values[1] else { return 0 }
    return Int(count)
  }

  /// How long a reader is stopped at least: minutes where the environment asks for it. A writer waits for the length of
  /// the log, if it does, and not for the time.
  private static let stopTime: Duration =
    SeededGenerator.isLongRun ? .seconds(6) * SeededGenerator.scale : .seconds(1)

  @Test func aStoppedReaderKeepsNoWriterWaiting() async throws {
    let run = try WatchRun(["a.db", "t", "--stats"], in: folder)
    _ = await run.next()
    run.stop()
    let goOn = ContinuousClock.now + WatchFaultTests.stopTime
    var rounds = 0
    // A log that is more than six times as long as it should be, and then somewhat longer.
    while rounds < 8_550 || ContinuousClock.now < goOn {
      rounds += 1
      let start = ContinuousClock.now
      try other.execute("UPDATE t SET name = ? WHERE id = 2", [.text("\(rounds)")])
      #expect(ContinuousClock.now - start < .seconds(5))
      if rounds > 8_500 { try await Task.sleep(for: .milliseconds(20)) }
    }
    #expect(try frameCount() >= rounds)
    run.send(SIGCONT)
    var event = await run.next()
    while event?.contains(#""name":"\#(rounds)""#) == false { event = await run.next() }
    #expect(event != nil)
    // `sections watch` helps to reset the log: while it reads, no other process can.
    var number = rounds
    while try frameCount() > 1_000 {
      number += 1
      try #require(number < rounds + 200)
      try other.execute("UPDATE t SET name = ? WHERE id = 2", [.text("\(number)")])
      #expect(await run.next()?.contains(#""name":"\#(number)""#) == true)
    }
    run.send(SIGINT)
    let end = try await run.end()
    #expect(end.stderr.contains("0 by comparison, 0 resets; 0 errors"), "\(end.stderr)")
  }

  /// The file is copied to be read, since only a program that may write can undo the transaction.
  @Test func aFileWithAnUnfinishedTransactionIsWatched() async throws {
    try folder.makeDatabase(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)
      INSERT INTO t SELECT i, hex(randomblob(40)) FROM n;
      """, named: "origin.db", journalMode: "DELETE")
    let origin = try Connection(path: folder.file("origin.db"))
    try origin.execute(script: "PRAGMA cache_size = 1; BEGIN; UPDATE t SET name = 'unfinished'")
    for suffix in ["", "-journal"] {
      try FileManager.default.copyItem(
        atPath: folder.file("origin.db") + suffix, toPath: folder.file("b.db") + suffix)
    }
    let run = try WatchRun(
      ["b.db", "SELECT count(*) AS n, sum(name = 'unfinished') AS m FROM t", "--count", "1"],
      in: folder)
    #expect(await run.next()?.contains(#"{"n":2000,"m":0}"#) == true)
    try Connection(path: folder.file("b.db")).execute("DELETE FROM t WHERE id = 1")
    #expect(await run.next()?.contains("has changed since it was opened") == true)
    #expect(await run.next()?.contains(#"{"n":1999,"m":0}"#) == true)
    #expect(try await run.end().status == 0)
  }

  @Test func aFileRemovedAndRestoredIsWatchedAgain() async throws {
    let run = try WatchRun(["a.db", "t", "--stats", "--count", "2"], in: folder)
    _ = await run.next()
    try #require(rename(path, folder.file("b.db")) == 0)
    #expect(await run.next()?.contains("the file was replaced or removed: a.db") == true)
    #expect(await run.next()?.contains("there is no such file: a.db") == true)
    // Complete when it appears, and without the log of the file before.
    try folder.makeDatabase(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES (7, 'new')",
      named: "c.db", journalMode: "DELETE")
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    try #require(rename(folder.file("c.db"), path) == 0)
    #expect(await run.next()?.hasPrefix(#"{"event":"reset","version":1,"#) == true)
    let other = try Connection(path: path)
    // A file in rollback-journal mode is locked while the watcher copies it.
    try other.setBusyTimeout(.seconds(5))
    try other.execute("DELETE FROM t")
    #expect(await run.next()?.contains(#""delete":[[0,0]]"#) == true)
    let end = try await run.end()
    #expect(end.status == 0)
    #expect(end.stderr.contains("1 reset; 2 errors"), "\(end.stderr)")
  }

  @Test(.enabled(if: OtherProcess.python != nil, "needs Python"))
  func aLogThatIsTakenAwayIsAnErrorAndTheFileIsWatchedOn() async throws {
    let folder = try TestFolder()
    let path = try folder.makeDatabase(journalMode: "WAL")
    let run = try WatchRun(["a.db", "t", "--stats", "--count", "2"], in: folder)
    _ = await run.next()
    // Stopped, as it would open the file again between the two.
    run.stop()
    for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
    run.send(SIGCONT)
    #expect(await run.next()?.contains("the file was replaced or removed: a.db-wal") == true)
    #expect(await run.next()?.hasPrefix(#"{"event":"reset","version":1,"#) == true)
    // Its log is the new one.
    try await OtherProcess.execute("INSERT INTO t VALUES (9, 'nine')", in: path, folder)
    let event = await run.next()
    #expect(event?.contains(#""name":"nine""#) == true, "\(event ?? "no event")")
    let end = try await run.end()
    #expect(end.status == 0)
    #expect(end.stderr.contains("1 reset; 1 error"), "\(end.stderr)")
  }

  @Test(.enabled(if: OtherProcess.python != nil, "needs Python"), arguments: [1, 3])
  func aProgramThatStartsTheLogOverHardlyWaitsForWatchers(count: Int) async throws {
    let runs = try (0..<count).map { _ in
      try WatchRun(["a.db", "t", "--stats"], in: folder)
    }
    for run in runs { _ = await run.next() }
    let roundCount = SeededGenerator.isLongRun ? 10 : 5
    let script = """
      import os, sqlite3, sys, time
      connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=5)
      connection.execute("PRAGMA synchronous = OFF")
      for number in range(\(roundCount)):
        connection.execute("INSERT INTO t(name) VALUES ('new')")
        for mode in "RESTART", "TRUNCATE", "TRUNCATE":
          # If a watcher has begun to read at the same moment, SQLite waits for it in vain.
          checkpoint = lambda: connection.execute("PRAGMA wal_checkpoint(%s)" % mode).fetchone()[0]
          if all(checkpoint() for _ in range(3)): sys.exit(1)
        if os.path.getsize(sys.argv[1] + "-wal"): sys.exit(2)
        # The watchers come to rest: it must exceed what they need to read a commit and to leave the log.
        time.sleep(0.3)
      """
    #expect(try await OtherProcess.run(script: script, path, in: folder) == 0)
    for run in runs {
      var rows = 0
      while rows < roundCount, let event = await run.next() {
        rows += event.split(separator: "\"new\"").count - 1
      }
      run.send(SIGINT)
      let end = try await run.end()
      #expect(rows == roundCount)
      #expect(end.stderr.contains("0 resets; 0 errors"), "\(end.stderr)")
    }
  }
}
