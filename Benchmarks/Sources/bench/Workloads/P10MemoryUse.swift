import FetchedResults
import SQLiteStorage

/// The memory that a list of integer keys needs beyond what the process had before it.
///
/// Each figure is of a process of its own: memory that was freed does not go back to the system.
struct MemoryUse: Workload {
  let id = "P10"
  let title = "memory above baseline, integer keys"

  func run(_ context: Context) throws -> [Measurement] {
    let store = try ItemStore(rowCount: context.rowCount, in: context.options.folder)
    let own = try figures("provider", context)
    let grdb = try figures("grdb", context)

    func measurement(
      _ part: String, _ p50: Double, peer: (String, Double)? = nil, _ target: Target
    ) -> Measurement {
      Measurement(
        self, part, n: store.rowCount, k: store.rowCount, unit: "MB", p50: p50, p95: p50,
        rssMB: own.peakTotal, peer: peer.map { ($0.0, $0.1) }, target: target)
    }
    return [
      measurement(title, own.fetched, peer: ("GRDB", grdb.fetched), .atMost(16)),
      measurement("the same after reading every record", own.read, .atMost(16)),
      measurement("the same, at its peak", own.peak, peer: ("GRDB", grdb.peak), .atMost(16)),
    ] + (try inChunks(context))
  }

  /// A list so long that its index holds chunks of rows.
  private func inChunks(_ context: Context) throws -> [Measurement] {
    let store = try ItemStore(
      rowCount: MemoryUse.longRowCount(context), in: context.options.folder)
    let own = try figures("long", context)
    return [
      ("above baseline, held in chunks", own.fetched, Target.atMost(4)),
      ("the same after reading every thousandth record", own.read, .none),
      ("the same, at its peak", own.peak, .none),
    ].map { part, p50, target in
      Measurement(
        self, part, n: store.rowCount, k: store.rowCount, unit: "MB", p50: p50, p95: p50,
        rssMB: own.peakTotal, target: target)
    }
  }

  /// Ten times as long; in a quick run as long as it has to be.
  private static func longRowCount(_ context: Context) -> Int {
    max(2_000_000, 10 * context.rowCount)
  }

  /// Megabytes above the baseline; and, last, the most that the whole process had.
  private struct Figures {
    let fetched: Double
    let read: Double
    let peak: Double
    let peakTotal: Double
  }

  private func figures(_ name: String, _ context: Context) throws -> Figures {
    let numbers = try context.probe(name, of: self)
    guard numbers.count == 4 else { throw BenchError("P10: not four numbers") }
    return Figures(
      fetched: numbers[0], read: numbers[1], peak: numbers[2], peakTotal: numbers[3])
  }

  func probe(_ name: String, _ context: Context) throws -> [Double] {
    let store = try ItemStore(rowCount: context.rowCount, in: context.options.folder)
    switch name {
    case "provider": return try provider(store)
    case "grdb": return try grdb(store)
    case "long":
      return try long(
        ItemStore(rowCount: MemoryUse.longRowCount(context), in: context.options.folder))
    default: throw BenchError("P10 has no part \(name)")
    }
  }

  private func provider(_ store: ItemStore) throws -> [Double] {
    var sum: Int64 = 0
    let figures = try figures(store) { items in
      for item in items { sum &+= item.value }
    }
    try check(sum, store)
    return figures
  }

  private func long(_ store: ItemStore) throws -> [Double] {
    var records: [Item] = []
    let figures = try figures(store) { items in
      guard items.count == store.rowCount else { throw BenchError("P10: rows are missing") }
      for position in stride(from: 0, to: items.count, by: 1_000) {
        records.append(items[position])
      }
    }
    let rows = try RawDatabase(path: store.path).prepare(
      "SELECT \(ItemStore.columns) FROM item ORDER BY \(ItemStore.order)")
    var position = 0
    try rows.forEachRow { row in
      if position.isMultiple(of: 1_000), Item(row) != records[position / 1_000] {
        throw BenchError("P10: the record at \(position) is wrong")
      }
      position += 1
    }
    return figures
  }

  /// What a provider needs when it has fetched, after its records were read, and at most.
  private func figures(
    _ store: ItemStore, reading read: (FetchedObjects<Item>) throws -> Void
  ) throws -> [Double] {
    let database = try Database(path: store.path, access: .readOnly)
    try warmUp(database)
    let provider = try store.makeProvider(database)
    try ProcessMemory.resetPeak()
    let baseline = try ProcessMemory.current()
    try provider.performFetch()
    let fetched = try ProcessMemory.current()
    try read(try requireObjects(provider))
    let afterReading = try ProcessMemory.current()
    let peak = try ProcessMemory.peak()
    return [fetched - baseline, afterReading - baseline, peak - baseline, peak]
  }

  private func grdb(_ store: ItemStore) throws -> [Double] {
    let peer = try GRDBPeer(path: store.path)
    try ProcessMemory.resetPeak()
    let baseline = try ProcessMemory.current()
    let sections = try peer.fetchSections()
    let fetched = try ProcessMemory.current()
    let peak = try ProcessMemory.peak()
    let sum = sections.reduce(0) { $1.records.reduce($0) { $0 &+ $1.value } }
    try check(sum, store)
    return [fetched - baseline, fetched - baseline, peak - baseline, peak]
  }

  /// Reads a row, so that what any use of SQLite costs is in the baseline.
  private func warmUp(_ database: Database) throws {
    _ = try database.read { try $0.value(Int.self, "SELECT id FROM item LIMIT 1") }
  }

  private func check(_ sum: Int64, _ store: ItemStore) throws {
    let database = try Database(path: store.path, access: .readOnly)
    let expected = try database.read { try $0.value(Int64.self, "SELECT sum(value) FROM item") }
    guard sum == expected else { throw BenchError("P10: the records are wrong") }
  }
}
