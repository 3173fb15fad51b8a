import Foundation
import SQLiteStorage

/// Another process commits for a minute, through SQLite alone, and never pauses between two commits.
///
/// Measured is how old the commits are when the list shows them: for each commit, the time from when
/// it is visible until a batch has it; how long the log became; and how many commits the writer makes
/// in that time, compared with a run without the list. Both processes need a processor of their own.
struct WriterStorm: Workload {
  let id = "P9s"
  let title = "a process that writes without a pause"
  let note: String? = "k is the number of commits."

  /// How this process opens the file.
  private enum Opener: String, CaseIterable {
    /// To write it.
    case writing
    /// As `sections watch` does.
    case watching

    func open(_ store: ItemStore) throws -> Database {
      switch self {
      case .writing: return try store.openForWriting()
      case .watching:
        var configuration = ItemStore.writing
        configuration.copiesLongLogs = true
        return try Database(path: store.path, access: .readOnly, configuration: configuration)
      }
    }
  }

  func run(_ context: Context) async throws -> [Measurement] {
    let store = try makeStore("alone", context)
    let alone = try await context.probeBeside("alone", of: self).count
    store.remove()
    var measurements: [Measurement] = []
    for opener in Opener.allCases {
      measurements += try await measure(opener, besides: alone, context)
    }
    return measurements
  }

  private func makeStore(_ part: String, _ context: Context) throws -> ItemStore {
    let store = try ItemStore(rowCount: context.rowCount, in: context.options.folder)
      .copy(for: self, part)
    try OtherWriter.prepare(store)
    return store
  }

  private func measure(
    _ opener: Opener, besides alone: Int, _ context: Context
  ) async throws -> [Measurement] {
    let store = try makeStore(opener.rawValue, context)
    defer { store.remove() }
    let list = try await ObservedList(store, in: opener.open(store))
    let commits = try await context.probeBeside(opener.rawValue, of: self)
    try await list.finish(after: commits.count)
    // SQLite never makes it shorter, it only begins anew.
    var log = LogSize(of: store)
    log.look()
    let ages = await OtherWriter.latencies(of: commits, by: list.arrivals)
    guard ages.nanoseconds.count == commits.count else { throw BenchError("P9s: commits are lost") }
    let peak = try ProcessMemory.peak()
    func measurement(
      _ name: String, _ unit: String, _ value: Double, _ limit: Double
    ) -> Measurement {
      Measurement(
        self, "\(opener.rawValue), \(name)", n: store.rowCount, k: commits.count, unit: unit,
        p50: value, p95: value, rssMB: peak, target: .atMost(limit))
    }
    func age(_ target: Target) -> Measurement {
      Measurement(
        self, "\(opener.rawValue), age", n: store.rowCount, k: commits.count, unit: "ms",
        p50: ages.median / 1e6, p95: ages.percentile(0.95) / 1e6,
        p99: ages.percentile(0.99) / 1e6, rssMB: peak, target: target)
    }
    return [
      age(.atMost(20)), age(.percentile99(atMost: 150)),
      measurement("longest log", "MB", log.largest, 64),
      measurement(
        "a commit, compared with one without a list", "×", Double(alone) / Double(commits.count),
        1.3),
    ]
  }

  /// The writing process: replies when each commit was visible.
  func probe(_ name: String, _ context: Context) throws -> [Double] {
    let store = try ItemStore(rowCount: context.rowCount, in: context.options.folder)
      .existingCopy(for: self, name)
    var writer = try OtherWriter(store)
    let end = ContinuousClock.now + .seconds(context.repetitions(60, quick: 10))
    while ContinuousClock.now < end { try writer.commit() }
    return writer.times
  }
}
