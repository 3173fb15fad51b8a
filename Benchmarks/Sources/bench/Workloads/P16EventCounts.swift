import CSQLite
import FetchedResults
import SQLiteStorage
import TableData
import TableDataTesting

/// How many events a transaction of random writes gives, against a Heckel diff of the rows before and
/// after, and against the fewest that there can be. No single batch may have more than Heckel's.
struct EventCounts: Workload {
  let id = "P16"
  let title = "row events of random transactions"

  func run(_ context: Context) throws -> [Measurement] {
    let store = try ItemStore(rowCount: 10_000, sectionCount: 100, in: context.options.folder)
      .copy(for: self)
    defer { store.remove() }
    let raw = try RawDatabase(path: store.path)
    let list = try LiveList(
      try store.makeProvider(try store.openForWriting()), ItemStore.query, checkedBy: raw)
    let fresh = try raw.prepare(ItemStore.query.all)
    var writes = RandomWrites(store)
    var measurements: [Measurement] = []
    for k in [1, 10, 100, 1_000] {
      measurements += try run(
        k, context.repetitions(200, quick: 40), list, &writes, items: { try items(of: fresh) })
    }
    try list.checkAll()
    return measurements
  }

  private func run(
    _ k: Int, _ repetitions: Int, _ list: LiveList<Item>, _ writes: inout RandomWrites,
    items: () throws -> [Item]
  ) throws -> [Measurement] {
    var own: [Double] = []
    var heckel: [Double] = []
    var excess = 0
    var unused = Timings()
    var old = try items()
    for _ in 0..<repetitions {
      let batch = writes.next(k)
      let changes = try list.change(&unused) { try batch.run(in: $0) }
      let new = try items()
      let fewest = FewestEvents(from: old, to: new)
      let counts = (
        own: changes.compacted.rowCount, heckel: HeckelDiff(from: old, to: new, id: \.id).count
      )
      own.append(Double(counts.own))
      heckel.append(Double(counts.heckel))
      excess = max(excess, counts.own - fewest.count, changes.movedRows.count - fewest.moves)
      guard counts.own <= counts.heckel else {
        throw BenchError("P16: more events than a Heckel diff gives: \(changes)")
      }
      old = new
    }
    let rss = try ProcessMemory.peak()
    func measurement(
      _ part: String, _ counts: [Double], peer: (String, Double)?, _ target: Target
    ) -> Measurement {
      Measurement(
        self, part, n: old.count, k: k, unit: "events", p50: counts.percentile(0.5),
        p95: counts.percentile(0.95), rssMB: rss, peer: peer, target: target)
    }
    return [
      measurement(title, own, peer: ("Heckel", heckel.percentile(0.5)), .timesPeer(atMost: 1)),
      measurement(
        "events or moves beyond the fewest, at most", [Double(excess)], peer: nil, .atMost(0)),
    ]
  }

  private func items(of statement: RawStatement) throws -> [Item] {
    var items: [Item] = []
    try statement.forEachRow { items.append(Item($0)) }
    return items
  }
}

/// Transactions of inserts, updates of each column, and deletes.
private struct RandomWrites {
  /// The writes of one transaction.
  struct Batch {
    fileprivate(set) var writes: [(sql: String, values: [Value])] = []

    func run(in connection: Connection) throws {
      for write in writes { try connection.execute(SQL(verbatim: write.sql, write.values)) }
    }
  }

  private let rowCount: Int
  private let sectionCount: Int
  private var nextID: Int64
  private var generator = SeededGenerator(seed: 16)

  init(_ store: ItemStore) {
    rowCount = store.rowCount
    sectionCount = store.sectionCount
    nextID = Int64(store.rowCount) + 1
  }

  /// The first one always changes something, since it inserts.
  mutating func next(_ count: Int) -> Batch {
    var batch = Batch()
    for index in 0..<count { batch.writes.append(index == 0 ? insert() : any()) }
    return batch
  }

  private mutating func any() -> (String, [Value]) {
    let id = Value.integer(Int64.random(in: 1..<nextID, using: &generator))
    switch Int.random(in: 0..<10, using: &generator) {
    case 0: return insert()
    case 1: return ("DELETE FROM item WHERE id = ?", [id])
    case 2, 3: return ("UPDATE item SET section = ? WHERE id = ?", [section(), id])
    case 4...7: return ("UPDATE item SET name = ? WHERE id = ?", [name(), id])
    default: return ("UPDATE item SET value = value + 1 WHERE id = ?", [id])
    }
  }

  private mutating func insert() -> (String, [Value]) {
    defer { nextID += 1 }
    return ("INSERT INTO item VALUES (?, ?, ?, 0)", [.integer(nextID), section(), name()])
  }

  /// One in twenty is a section that may not be there yet.
  private mutating func section() -> Value {
    let name = ItemStore.section(Int.random(in: 0..<sectionCount, using: &generator))
    return .text(Int.random(in: 0..<20, using: &generator) == 0 ? name + " (new)" : name)
  }

  private mutating func name() -> Value {
    .text(ItemStore.name(Int.random(in: 0..<rowCount, using: &generator)))
  }
}
