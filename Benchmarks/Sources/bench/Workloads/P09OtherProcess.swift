import Foundation
import SQLiteStorage
import TableDataTesting

/// Another process commits, through SQLite alone and without regard to who watches; measured is the
/// time from when a commit is visible there until the delegate here is notified.
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
    try OtherWriter.prepare(store)
    let list = try await ObservedList(store, in: store.openForWriting())
    let commits = try await context.probeBeside(part, of: self)
    try await list.finish(after: commitCount)

    // SQLite never makes it shorter, it only begins anew.
    var log = LogSize(of: store)
    log.look()

    let latencies = OtherWriter.latencies(of: commits, by: await list.arrivals)
    guard latencies.nanoseconds.count == commitCount else {
      throw BenchError("P9: commits are lost")
    }
    func measurement(_ target: Target) throws -> Measurement {
      Measurement(
        self, "\(part) writer, \(commitCount.formatted()) commits", n: store.rowCount, unit: "ms",
        p50: latencies.median / 1e6, p95: latencies.percentile(0.95) / 1e6,
        p99: latencies.percentile(0.99) / 1e6, rssMB: try ProcessMemory.peak(), target: target)
    }
    let targets: [Target] = part == "pausing" ? [.atMost(2), .percentile99(atMost: 20)] : [.none]
    return try targets.map(measurement) + [
      Measurement(
        self, "\(part) writer, \(commitCount.formatted()) commits, longest log", n: store.rowCount,
        unit: "MB", p50: log.largest, p95: log.largest, rssMB: try ProcessMemory.peak(),
        target: .none)
    ]
  }

  /// The writing process: replies when each commit was visible.
  func probe(_ name: String, _ context: Context) throws -> [Double] {
    let store = try ItemStore(rowCount: context.rowCount, in: context.options.folder)
      .existingCopy(for: self, name)
    var generator = SeededGenerator(seed: 10)
    var writer = try OtherWriter(store)
    for _ in 0..<commitCount(name, context) {
      try writer.commit()
      if name == "pausing" { usleep(.random(in: 0..<1_000, using: &generator)) }
    }
    return writer.times
  }
}
