import CSQLite
import FetchedResults
import Foundation
import SQLiteStorage
import TableDataTesting

/// A change log of a table that others write: from a commit until the rows are in hand, old and new.
///
/// The peer *trigger* is what others do: triggers write a log table, from which another connection reads what is new.
/// It only sees writers of a file that has the triggers, and each of them pays for the log.
struct ChangeLogBatches: Workload {
  let id = "P25"
  let title = "change log, commit to batch in hand"
  let note: String? = "Each batch is applied to a copy of the file, which is compared at the end."

  func run(_ context: Context) async throws -> [Measurement] {
    let source = try ItemStore(rowCount: context.rowCount, in: context.options.folder)
    let few = context.repetitions(20, quick: 10)
    return [
      try await batches(of: 1, .atMost(1), context.repetitions(2_000, quick: 200), source),
      try await batches(of: 100, .none, context.repetitions(200, quick: 20), source),
      try await batches(of: 10_000, areNeighbours: true, .atMost(100), few, source),
      try await batches(of: 10_000, .atMost(100), few, source),
      try await otherProcess(context, source), try await idle(context, source),
    ] + (try await writerCosts(context, source))
  }

  // MARK: - Batches

  /// Another connection of this process commits, and then the log is asked.
  private func batches(
    of k: Int, areNeighbours: Bool = false, _ target: Target, _ repetitions: Int,
    _ source: ItemStore
  ) async throws -> Measurement {
    let store = try source.copy(for: self, "batch")
    let peerStore = try source.copy(for: self, "trigger")
    defer { for store in [store, peerStore] { store.remove() } }
    let replica = try Replica(of: store, for: self)
    let writer = try RandomUpdates(store)
    let peer = try TriggerLog(peerStore)
    let peerWriter = try RandomUpdates(peerStore)
    var log = try FollowedLog.begin(store)
    var (times, peerTimes) = (Timings(), Timings())
    for _ in 0..<repetitions {
      try writer.commit(rows: k, areNeighbours)
      let start = sharedNanoseconds()
      let rows = try await log.next()?.rows() ?? []
      times.add(nanoseconds: sharedNanoseconds() - start)
      guard rows.count == k else { throw BenchError("P25: \(rows.count) of \(k) rows are told") }
      try replica.apply(rows)
      try peerWriter.commit(rows: k, areNeighbours)
      try peerTimes.measure { try peer.readNew(expecting: k) }
    }
    try replica.check()
    return measurement(
      "\(title), another connection" + (areNeighbours ? ", rows in order" : ""), source, k: k,
      times,
      peer: ("trigger", peerTimes.median / 1e6),
      try ProcessMemory.peak(), target)
  }

  private func measurement(
    _ title: String, _ source: ItemStore, k: Int, _ times: Timings, peer: (String, Double)? = nil,
    _ peak: Double, _ target: Target
  ) -> Measurement {
    Measurement(
      self, title, n: source.rowCount, k: k, unit: "ms", p50: times.median / 1e6,
      p95: times.percentile(0.95) / 1e6, p99: times.percentile(0.99) / 1e6, rssMB: peak, peer: peer,
      target: target)
  }

  /// Another process commits, and pauses between commits.
  private func otherProcess(_ context: Context, _ source: ItemStore) async throws -> Measurement {
    let store = try source.copy(for: self, "other")
    defer { store.remove() }
    try OtherWriter.prepare(store)
    let replica = try Replica(of: store, for: self)
    let count = commitCount(context)
    let log = try FollowedLog.begin(store)
    async let following = FollowedLog.follow(log, until: count)
    let commits = try await context.probeBeside("other", of: self)
    let (arrivals, batches) = try await following
    for rows in batches { try replica.apply(rows) }
    try replica.check()
    let latencies = OtherWriter.latencies(of: commits, by: arrivals)
    guard latencies.nanoseconds.count == count else { throw BenchError("P25: commits are lost") }
    return measurement(
      "\(title), pausing process", source, k: 1, latencies, try ProcessMemory.peak(), .none)
  }

  /// Nobody writes.
  private func idle(_ context: Context, _ source: ItemStore) async throws -> Measurement {
    let store = try source.copy(for: self, "idle")
    defer { store.remove() }
    let following = Task {
      try await FollowedLog.follow(try FollowedLog.begin(store), until: 1)
    }
    try await Task.sleep(for: .seconds(1))
    let seconds = context.repetitions(20, quick: 5)
    let before = ProcessMemory.processorTime()
    try await Task.sleep(for: .seconds(seconds))
    let used = (ProcessMemory.processorTime() - before) / Double(seconds)
    following.cancel()
    _ = try await following.value
    return Measurement(
      self, "an idle log, processor time of a second", n: store.rowCount, k: 0, unit: "ms",
      p50: used,
      p95: used, rssMB: try ProcessMemory.peak(), target: .atMost(1))
  }

  // MARK: - The writer

  private enum Writer: String, CaseIterable { case alone, followed, triggers }

  /// What a commit costs another process: alone, with a log that reads each batch, and with triggers. They take turns.
  ///
  /// The time of its processor is what the process itself pays; the whole time has what it waits for.
  private func writerCosts(_ context: Context, _ source: ItemStore) async throws -> [Measurement] {
    var costs: [Writer: (whole: Timings, processor: Timings)] = [:]
    for _ in 0..<context.repetitions(5, quick: 1) {
      for writer in Writer.allCases {
        let cost = try await self.costs(of: writer, context, source)
        costs[writer, default: (Timings(), Timings())].whole.add(nanoseconds: cost[0])
        costs[writer]?.processor.add(nanoseconds: cost[1])
      }
    }
    let peak = try ProcessMemory.peak()
    func measurement(
      _ part: String, _ writer: Writer, _ time: ((whole: Timings, processor: Timings)) -> Timings,
      _ target: Target
    ) -> Measurement {
      let times = costs[writer].map(time) ?? Timings()
      let alone = costs[.alone].map(time) ?? Timings()
      return Measurement(
        self, "a commit of another process, \(part), \(writer.rawValue)", n: source.rowCount,
        unit: "µs", p50: times.median / 1e3, p95: times.percentile(0.95) / 1e3, rssMB: peak,
        peer: ("alone", alone.median / 1e3), target: target)
    }
    return [
      measurement("processor time", .followed, { $0.processor }, .timesPeer(atMost: 1.1)),
      measurement("processor time", .triggers, { $0.processor }, .none),
      measurement("whole time", .followed, { $0.whole }, .none),
      measurement("whole time", .triggers, { $0.whole }, .none),
    ]
  }

  private func costs(
    of writer: Writer, _ context: Context, _ source: ItemStore
  ) async throws -> [Double] {
    let store = try source.copy(for: self, writer.rawValue)
    defer { store.remove() }
    try OtherWriter.prepare(store)
    if writer == .triggers { _ = try TriggerLog(store) }
    guard writer == .followed else {
      return try await context.probeBeside(writer.rawValue, of: self)
    }
    let log = try FollowedLog.begin(store)
    async let following = FollowedLog.follow(log, until: commitCount(context))
    let costs = try await context.probeBeside(writer.rawValue, of: self)
    _ = try await following
    return costs
  }

  private func commitCount(_ context: Context) -> Int { context.repetitions(5_000, quick: 1_000) }

  /// The writing process: replies when each commit was visible, or what an average commit took, and how much of that
  /// its processor.
  func probe(_ name: String, _ context: Context) throws -> [Double] {
    let store = try ItemStore(rowCount: context.rowCount, in: context.options.folder)
      .existingCopy(for: self, name)
    var generator = SeededGenerator(seed: 25)
    var writer = try OtherWriter(store)
    var times = Timings()
    let before = ProcessMemory.processorTime()
    for _ in 0..<commitCount(context) {
      try times.measure { try writer.commit() }
      // The writer whose costs are measured leaves the log as much time as a commit takes.
      usleep(name == "other" ? .random(in: 0..<1_000, using: &generator) : 200)
    }
    let used = (ProcessMemory.processorTime() - before) * 1e6 / Double(commitCount(context))
    return name == "other" ? writer.times : [times.mean, used]
  }
}

/// Gives random rows another name and value, one transaction at a time.
private final class RandomUpdates {
  private let database: RawDatabase
  private let update: RawStatement
  private let rowCount: Int
  private var generator = SeededGenerator(seed: 2_525)
  private var take = 0

  init(_ store: ItemStore) throws {
    rowCount = store.rowCount
    database = try RawDatabase(path: store.path, readOnly: false)
    try database.execute("PRAGMA synchronous = NORMAL")
    update = try database.prepare("UPDATE item SET name = ?, value = ? WHERE id = ?")
  }

  /// - Parameters:
  ///   - count: the number of different rows.
  ///   - areNeighbours: whether their rowids follow each other.
  func commit(rows count: Int, _ areNeighbours: Bool) throws {
    var ids: Set<Int> = []
    if areNeighbours {
      let first = Int.random(in: 1...rowCount - count, using: &generator)
      ids = Set(first..<first + count)
    }
    while ids.count < count { ids.insert(.random(in: 1...rowCount, using: &generator)) }
    take += 1
    try database.execute("BEGIN IMMEDIATE")
    for id in ids {
      let name = ItemStore.newName(below: rowCount, take: take, using: &generator)
      try update.run(.text(name), .integer(Int64(take)), .integer(Int64(id)))
    }
    try database.execute("COMMIT")
  }
}

/// The peer *trigger*: a log table that triggers write, and a connection that reads what is new in it.
private final class TriggerLog {
  private let database: RawDatabase
  private let select: RawStatement
  private var last: Int64 = 0

  init(_ store: ItemStore) throws {
    func row(_ name: String) -> String {
      "json_object('section', \(name).section, 'name', \(name).name, 'value', \(name).value)"
    }
    func trigger(_ operation: String, _ key: String, _ old: String, _ new: String) -> String {
      """
      CREATE TRIGGER log_\(operation) AFTER \(operation) ON item BEGIN
        INSERT INTO log(at, op, key, old, new)
        VALUES (julianday('now'), '\(operation)', \(key).id, \(old), \(new));
      END;
      """
    }
    try RawDatabase(path: store.path, readOnly: false).execute(
      """
      CREATE TABLE log(
        number INTEGER PRIMARY KEY AUTOINCREMENT, at REAL, op TEXT, key INTEGER, old TEXT, new TEXT);
      \(trigger("insert", "new", "NULL", row("new")))
      \(trigger("update", "new", row("old"), row("new")))
      \(trigger("delete", "old", row("old"), "NULL"))
      """)
    database = try RawDatabase(path: store.path)
    select = try database.prepare("SELECT number, op, key, old, new FROM log WHERE number > ?")
  }

  func readNew(expecting count: Int) throws {
    var found = 0
    try select.bind(.integer(last))
    try select.forEachRow { row in
      last = sqlite3_column_int64(row, 0)
      use((sqlite3_column_text(row, 3), sqlite3_column_text(row, 4)))
      found += 1
    }
    guard found == count else { throw BenchError("P25: the triggers told \(found) rows") }
  }
}
