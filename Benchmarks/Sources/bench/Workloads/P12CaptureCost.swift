import FetchedResults
import SQLiteStorage
import TableData

/// What it costs the writer that its changes are captured for a live list: many updates in one
/// transaction, commit included.
///
/// The peers write files of their own, without a list: *plain* is a `Connection` that captures
/// nothing, and runs the same Swift; *raw* is SQLite alone.
struct CaptureCost: Workload {
  let id = "P12"
  let title = "updates in one transaction, captured"

  func run(_ context: Context) throws -> [Measurement] {
    let original = try ItemStore(rowCount: context.rowCount, in: context.options.folder)
    let stores = try ["", "plain", "raw"].map { try original.copy(for: self, $0) }
    defer { for store in stores { store.remove() } }
    let list = try LiveList(
      try stores[0].makeProvider(try stores[0].openForWriting()), ItemStore.query,
      checkedBy: try RawDatabase(path: stores[0].path))
    let connection = try Connection(path: stores[1].path)
    try connection.execute("PRAGMA synchronous = NORMAL")
    let raw = try RawDatabase(path: stores[2].path, readOnly: false)
    try raw.execute("PRAGMA synchronous = NORMAL")

    let count = context.repetitions(200_000, quick: 20_000)
    var plainTimes = Timings()
    var rawTimes = Timings()
    var unused = Timings()
    for turn in 0..<context.repetitions(5, quick: 5) {
      let updates = Updates(turn: turn, count: count, rowCount: original.rowCount)
      try rawTimes.measure { try updates.run(in: raw) }
      try plainTimes.measure { try connection.transaction { try updates.run(in: connection) } }
      try list.change(&unused) { try updates.run(in: $0) }
    }
    try list.checkAll()

    let rss = try ProcessMemory.peak()
    func measurement(_ peer: String, _ times: Timings, _ target: Target) -> Measurement {
      Measurement(
        self, title, n: original.rowCount, k: count, unit: "ms", p50: list.commits.median / 1e6,
        p95: list.commits.percentile(0.95) / 1e6, rssMB: rss, peer: (peer, times.median / 1e6),
        target: target)
    }
    return [
      measurement("plain", plainTimes, .timesPeer(atMost: 1.1)),
      measurement("raw", rawTimes, .none),
    ]
  }
}

/// New values for rows all over the file.
private struct Updates {
  private static let sql = "UPDATE item SET value = ? WHERE id = ?"
  let turn: Int
  let count: Int
  let rowCount: Int

  private func id(_ index: Int) -> Int64 { Int64((turn + index) * 982_451_653 % rowCount + 1) }

  func run(in connection: Connection) throws {
    let update = try connection.prepare(SQL(verbatim: Self.sql))
    for index in 0..<count {
      try update.bind([.integer(Int64(1_000 + turn)), .integer(id(index))])
      try update.run()
    }
  }

  func run(in database: RawDatabase) throws {
    try database.execute("BEGIN")
    let update = try database.prepare(Self.sql)
    for index in 0..<count { try update.run(.integer(Int64(1_000 + turn)), .integer(id(index))) }
    try database.execute("COMMIT")
  }
}
