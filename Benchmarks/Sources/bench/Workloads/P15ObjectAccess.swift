import CSQLite
import FetchedResults
import Foundation
import SQLiteStorage
import TableData
import TableDataTesting

/// `object(at:)` for every row of the list in order, and for rows here and there.
struct ObjectAccess: Workload {
  let id = "P15"
  let title = "object(at:) in order and at random"

  func run(_ context: Context) throws -> [Measurement] {
    let store = try ItemStore(rowCount: context.rowCount, in: context.options.folder)
    let provider = try store.fetchedProvider(try Database(path: store.path, access: .readOnly))
    let raw = try RawDatabase(path: store.path)
    return try inOrder(provider, raw, store, context) + atRandom(provider, raw, store, context)
  }

  // MARK: - In order

  private func inOrder(
    _ provider: FetchedResultsProvider<Item>, _ raw: RawDatabase, _ store: ItemStore,
    _ context: Context
  ) throws -> [Measurement] {
    var own = Timings()
    var ordered = Timings()
    var unordered = Timings()
    for _ in 0..<context.repetitions(7, quick: 3) {
      try unordered.measure { use(try RawRead.all(raw, order: "id")) }
      try ordered.measure { use(try RawRead.all(raw, order: ItemStore.order)) }
      try own.measure { use(try readAll(provider)) }
    }
    try check(provider, against: raw, store)
    let rss = try ProcessMemory.peak()

    // Half as fast as the peer is twice its time.
    func measurement(_ peer: String, _ times: Timings, _ target: Target) -> Measurement {
      let rows = Double(store.rowCount)
      return Measurement(
        self, "object(at:) in order", n: store.rowCount, k: store.rowCount, unit: "ns/row",
        p50: own.median / rows, p95: own.percentile(0.95) / rows, rssMB: rss,
        peer: (peer, times.median / rows), target: target)
    }
    return [
      measurement("raw in list order", ordered, .timesPeer(atMost: 2)),
      measurement("raw in rowid order", unordered, .none),
    ]
  }

  private func readAll(_ provider: FetchedResultsProvider<Item>) throws -> Int64 {
    var sum: Int64 = 0
    for (section, info) in provider.sections.enumerated() {
      for row in 0..<info.numberOfRows {
        sum &+= try provider.object(at: IndexPath(row: row, section: section)).value
      }
    }
    return sum
  }

  private func check(
    _ provider: FetchedResultsProvider<Item>, against raw: RawDatabase, _ store: ItemStore
  ) throws {
    let objects = try requireObjects(provider)
    guard objects.count == store.rowCount else { throw BenchError("P15: wrong number of rows") }
    var position = 0
    try raw.prepare("SELECT \(ItemStore.columns) FROM item ORDER BY \(ItemStore.order)")
      .forEachRow { row in
        guard objects[position] == Item(row) else {
          throw BenchError("P15: the row \(position) is wrong")
        }
        position += 1
      }
  }

  // MARK: - At random

  private func atRandom(
    _ provider: FetchedResultsProvider<Item>, _ raw: RawDatabase, _ store: ItemStore,
    _ context: Context
  ) throws -> [Measurement] {
    let sections = provider.sections
    var generator = SeededGenerator(seed: 15)
    let places = (0..<context.repetitions(50_000, quick: 5_000)).map { _ in
      let section = Int.random(in: sections.indices, using: &generator)
      let row = Int.random(in: 0..<sections[section].numberOfRows, using: &generator)
      return IndexPath(row: row, section: section)
    }
    var own = Timings()
    var items: [Item] = []
    items.reserveCapacity(places.count)
    for place in places {
      items.append(try own.measure { try provider.object(at: place) })
    }

    let query = try raw.prepare("SELECT \(ItemStore.columns) FROM item WHERE id = ?")
    var rawTimes = Timings()
    for (item, place) in zip(items, places) {
      try rawTimes.measure { use(try RawRead.one(query, id: item.id)) }
      guard try provider.identity(at: place) == RowIdentity(.integer(item.id)),
        try RawRead.item(query, id: item.id) == item
      else { throw BenchError("P15: the row at \(place) is wrong") }
    }
    return [
      Measurement(
        self, "object(at:) at random", n: store.rowCount, unit: "µs", p50: own.median / 1e3,
        p95: own.percentile(0.95) / 1e3, rssMB: try ProcessMemory.peak(),
        peer: ("raw by key", rawTimes.median / 1e3), target: .atMost(15))
    ]
  }
}

/// Reads all columns of rows and keeps nothing.
private enum RawRead {
  static func all(_ database: RawDatabase, order: String) throws -> Int {
    var sum = 0
    try database.prepare("SELECT * FROM item ORDER BY \(order)").forEachRow { sum &+= read($0) }
    return sum
  }

  static func one(_ statement: RawStatement, id: Int64) throws -> Int {
    sqlite3_bind_int64(statement.pointer, 1, id)
    var sum = 0
    try statement.forEachRow { sum &+= read($0) }
    return sum
  }

  static func item(_ statement: RawStatement, id: Int64) throws -> Item? {
    sqlite3_bind_int64(statement.pointer, 1, id)
    var item: Item?
    try statement.forEachRow { item = Item($0) }
    return item
  }

  @inline(__always)
  private static func read(_ row: OpaquePointer) -> Int {
    _ = sqlite3_column_text(row, 1)
    _ = sqlite3_column_text(row, 2)
    return Int(sqlite3_column_int64(row, 0)) &+ Int(sqlite3_column_bytes(row, 1))
      &+ Int(sqlite3_column_bytes(row, 2)) &+ Int(sqlite3_column_int64(row, 3))
  }
}
