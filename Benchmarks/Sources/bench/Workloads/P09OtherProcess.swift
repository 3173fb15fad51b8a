import CFetchedResultsSQLite
import Foundation
import SQLiteStorage

/// Another process commits, through SQLite alone and without regard to who watches; measured is the
/// time from when a commit is visible there until the delegate here is told.
///
/// Both processes read the same clock, and the writer reads it in SQLite's hook for the log: `COMMIT`
/// itself may return long after that, since it may first copy the log into the file. Each commit
/// gives a row another sort key and counts; a batch may bring several commits, each of which then
/// counts with its own time. Two writers are measured: one that pauses for up to a millisecond after
/// each commit, and one that never does, for which both processes need a processor of their own.
struct OtherProcess: Workload {
  let id = "P9"
  let title = "commit in another process to change delivered"

  func run(_ context: Context) async throws -> [Measurement] {
    try await run(context, "pausing", commitCount: commitCount("pausing", context))
      + run(context, "steady", commitCount: commitCount("steady", context))
  }

  private func commitCount(_ part: String, _ context: Context) -> Int {
    part == "pausing"
      ? context.repetitions(100_000, quick: 5_000) : context.repetitions(20_000, quick: 5_000)
  }

  private func run(
    _ context: Context, _ part: String, commitCount: Int
  ) async throws -> [Measurement] {
    let store = try ItemStore(rowCount: context.rowCount, in: context.options.folder)
      .copy(for: self, part)
    defer { store.remove() }
    let writer = try RawDatabase(path: store.path, readOnly: false)
    try writer.execute("\(CommitNumber.makeTable); \(CommitNumber.insert)")

    let list = try await ObservedList(store, in: store.openForWriting())
    let commits = try await context.probeBeside(part, of: self)
    try await list.finish(after: commitCount)

    // SQLite never makes it shorter, it only begins anew.
    var log = LogSize(of: store)
    log.look()

    let latencies = Self.latencies(of: commits, by: await list.arrivals)
    guard latencies.nanoseconds.count == commitCount else {
      throw BenchError("P9: commits are lost")
    }
    func measurement(
      _ name: String, _ percentile: Double, _ target: Target
    ) throws -> Measurement {
      Measurement(
        self, "\(part) writer, \(commitCount.formatted()) commits, \(name)", n: store.rowCount,
        unit: "ms",
        p50: latencies.percentile(percentile) / 1e6, p95: latencies.percentile(0.95) / 1e6,
        rssMB: try ProcessMemory.peak(), target: part == "pausing" ? target : .none)
    }
    return [
      try measurement("median", 0.5, .atMost(2)),
      try measurement("99th percentile", 0.99, .atMost(20)),
      Measurement(
        self, "\(part) writer, \(commitCount.formatted()) commits, longest log", n: store.rowCount,
        unit: "MB", p50: log.largest, p95: log.largest, rssMB: try ProcessMemory.peak(),
        target: .none),
    ]
  }

  /// How long each commit took to be told by the first batch that has it.
  private static func latencies(of commits: [Double], by arrivals: [Arrival]) -> Timings {
    var latencies = Timings()
    var arrival = 0
    for (index, time) in commits.enumerated() {
      while arrival < arrivals.count, arrivals[arrival].commit < index + 1 { arrival += 1 }
      guard arrival < arrivals.count else { break }
      // The hook is called when the commit can be seen already.
      latencies.add(nanoseconds: max(0, arrivals[arrival].time - time))
    }
    return latencies
  }

  /// The writing process: replies when each commit was visible.
  func probe(_ name: String, _ context: Context) throws -> [Double] {
    let store = try ItemStore(rowCount: context.rowCount, in: context.options.folder)
      .existingCopy(for: self, name)
    let database = try RawDatabase(path: store.path, readOnly: false)
    try database.execute("PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000")
    let begin = try database.prepare("BEGIN IMMEDIATE")
    let commit = try database.prepare("COMMIT")
    let rename = try database.prepare("UPDATE item SET name = ? WHERE id = ?")
    let count = try database.prepare(CommitNumber.update)
    var generator = SeededGenerator(seed: 9)
    let clock = CommitClock()
    clock.watch(database)
    var times: [Double] = []
    for number in 1...commitCount(name, context) {
      let title = ItemStore.newName(below: store.rowCount, take: number, using: &generator)
      let row = Int64.random(in: 1...Int64(store.rowCount), using: &generator)
      try begin.run()
      try rename.run(.text(title), .integer(row))
      try count.run(.integer(Int64(number)))
      try commit.run()
      times.append(clock.lastCommit)
      if name == "pausing" { usleep(.random(in: 0..<1_000, using: &generator)) }
    }
    return times
  }
}

/// Notes when a commit can be seen by others, and then empties the log as SQLite does by default.
///
/// It must live as long as the database.
private final class CommitClock {
  /// On the clock of ``sharedNanoseconds()``.
  private(set) var lastCommit = 0.0

  /// Takes the place of SQLite's own hook.
  func watch(_ database: RawDatabase) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_wal_hook(
      database.handle,
      { context, handle, _, frameCount in
        if let context {
          Unmanaged<CommitClock>.fromOpaque(context).takeUnretainedValue().lastCommit =
            sharedNanoseconds()
        }
        if frameCount >= 1_000 {
          // As by default, one that cannot be done now is left to the next commit.
          sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        }
        return SQLITE_OK
      }, context)
  }
}
