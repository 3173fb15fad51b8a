import FetchedResults
import Foundation
import SQLiteStorage
import TableData
import TableDataTesting

/// Very many small commits under a list that is alive all the time, which must neither make the
/// write-ahead log long nor the commits slow.
///
/// Two lists are measured: one that is brought up to date after each commit, and one on the main
/// actor that observes, and is told whenever it has time. A commit counts with the average, since
/// what empties the log is done by few of them. The peer writes the same without a list.
struct LogLength: Workload {
  let id = "P13"
  let title = "many commits under a live list"

  func run(_ context: Context) async throws -> [Measurement] {
    let rowCount = min(context.rowCount, 100_000)
    let store = try ItemStore(rowCount: rowCount, in: context.options.folder)
    let commitCount = context.repetitions(100_000, quick: 10_000)
    return try refreshing(store, commitCount) + (await observing(store, commitCount))
  }

  // MARK: - Up to date after each commit

  private func refreshing(_ original: ItemStore, _ commitCount: Int) throws -> [Measurement] {
    let store = try original.copy(for: self)
    let other = try original.copy(for: self, "alone")
    defer {
      store.remove()
      other.remove()
    }
    let list = try LiveList(
      try store.makeProvider(try store.openForWriting()), ItemStore.query,
      checkedBy: try RawDatabase(path: store.path), every: 1_000)
    let alone = try other.openForWriting()
    var aloneTimes = Timings()
    var unused = Timings()
    var log = LogSize(of: store)
    var writes = Writes(rowCount: store.rowCount)
    for number in 1...commitCount {
      let write = writes.next()
      try aloneTimes.measure { try alone.write { try write.run(in: $0) } }
      try list.change(&unused) { try write.run(in: $0) }
      if number.isMultiple(of: 100) { log.look() }
    }
    try list.checkAll()
    return measurements(
      "refreshed after each", store, commitCount, log, list.commits, alone: aloneTimes)
  }

  // MARK: - Observing

  private func observing(_ original: ItemStore, _ commitCount: Int) async throws -> [Measurement] {
    let store = try original.copy(for: self, "observed")
    let other = try original.copy(for: self, "unobserved")
    defer {
      store.remove()
      other.remove()
    }
    let database = try store.openForWriting()
    let alone = try other.openForWriting()
    try numberCommits(of: database)
    try numberCommits(of: alone)
    let list = try await ObservedList(store, in: database)
    var own = Timings()
    var aloneTimes = Timings()
    var log = LogSize(of: store)
    var writes = Writes(rowCount: store.rowCount)
    for number in 1...commitCount {
      let write = writes.next()
      func commit(in database: Database) throws {
        try database.write {
          try write.run(in: $0)
          try $0.execute(SQL(verbatim: CommitNumber.update, [.integer(Int64(number))]))
        }
      }
      try aloneTimes.measure { try commit(in: alone) }
      try own.measure { try commit(in: database) }
      if number.isMultiple(of: 100) { log.look() }
    }
    try await list.finish(after: commitCount)
    return measurements("observing", store, commitCount, log, own, alone: aloneTimes)
  }

  private func numberCommits(of database: Database) throws {
    try database.write {
      try $0.execute(SQL(verbatim: CommitNumber.makeTable))
      try $0.execute(SQL(verbatim: CommitNumber.insert))
    }
  }

  private func measurements(
    _ part: String, _ store: ItemStore, _ commitCount: Int, _ log: LogSize, _ own: Timings,
    alone: Timings
  ) -> [Measurement] {
    let rss = (try? ProcessMemory.peak()) ?? 0
    return [
      Measurement(
        self, "log after \(commitCount.formatted()) commits, \(part)", n: store.rowCount,
        unit: "MB",
        p50: log.largest, p95: log.largest, rssMB: rss, target: .atMost(16)),
      Measurement(
        self, "average commit, \(part)", n: store.rowCount, unit: "µs", p50: own.mean / 1e3,
        p95: own.percentile(0.95) / 1e3, rssMB: rss, peer: ("no list", alone.mean / 1e3),
        target: .timesPeer(atMost: 1.3)),
    ]
  }
}

/// Changes of one row each, at random.
private struct Writes {
  struct Write: Sendable {
    let row: Int64
    let name: String

    func run(in connection: Connection) throws {
      try connection.execute(
        "UPDATE item SET name = ? WHERE id = ?", [.text(name), .integer(row)])
    }
  }

  let rowCount: Int
  private var take = 0
  private var generator = SeededGenerator(seed: 13)

  init(rowCount: Int) { self.rowCount = rowCount }

  mutating func next() -> Write {
    take += 1
    return Write(
      row: Int64.random(in: 1...Int64(rowCount), using: &generator),
      name: ItemStore.newName(below: rowCount, take: take, using: &generator))
  }
}
