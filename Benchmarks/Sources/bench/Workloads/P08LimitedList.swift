import FetchedResults
import Foundation
import SQLiteStorage
import TableData
import TableDataTesting

/// The first fifty rows of a long list, whose border every change crosses: one row comes, and
/// another one is pushed out or pulled in.
struct LimitedList: Workload {
  let id = "P8"
  let title = "LIMIT 50, change at the border"
  private let limit = 50

  func run(_ context: Context) throws -> [Measurement] {
    let store = try ItemStore(rowCount: context.rowCount, in: context.options.folder)
      .copy(for: self)
    defer { store.remove() }
    let provider = try FetchedResultsProvider(
      database: try store.openForWriting(),
      request: Item.all.sorted(by: \.section).sorted(by: \.name).limited(to: limit))
    let query = ListMirror<Item>.Query(
      all:
        "SELECT id, '', section, name, value FROM item ORDER BY \(ItemStore.order) LIMIT \(limit)",
      section: nil, record: { Item($0, textFrom: 2) })
    let list = try LiveList(provider, query, checkedBy: try RawDatabase(path: store.path))
    let grdb = try GRDBPeer(path: store.path)
    var own = Timings()
    var refetch = Timings()
    var generator = SeededGenerator(seed: 8)

    for turn in 0..<context.repetitions(600, quick: 200) {
      let row = Int64.random(in: 1...Int64(store.rowCount), using: &generator)
      let shown = IndexPath(row: Int.random(in: 0..<limit, using: &generator), section: 0)
      let old = try grdb.fetchFirst(limit)
      // In front of all others, so that the last one shown is pushed out.
      try change(list, &own) {
        try $0.execute(
          "UPDATE item SET section = ?, name = ? WHERE id = ?",
          [.text(ItemStore.section(0)), .text("A \(1_000_000 - turn)"), .integer(row)])
      }
      use(
        try refetch.measure {
          try grdb.fetchFirst(limit).difference(from: old)
        })
      // Out of sight, so that the next one is pulled in.
      let last = try provider.object(at: shown).id
      try change(list, &own) {
        try $0.execute(
          "UPDATE item SET section = ?, name = ? WHERE id = ?",
          [.text(ItemStore.section(1)), .text(ItemStore.name(Int(row))), .integer(last)])
      }
    }
    let rss = try ProcessMemory.peak()
    // Last, since the versions that it pins keep the log from being started over.
    let floor = try FloorPeer(store)
    var unused = Timings()
    for turn in 0..<context.repetitions(600, quick: 200) {
      let row = Int64.random(in: 1...Int64(store.rowCount), using: &generator)
      _ = try list.change(
        &unused, onCommit: { try floor.time(touching: [row]) }
      ) {
        try $0.execute(
          "UPDATE item SET section = ?, name = ? WHERE id = ?",
          [.text(ItemStore.section(0)), .text("A \(500_000 - turn)"), .integer(row)])
      }
    }
    try list.checkAll()

    let peers: [((String, Double), Target)] = [
      (("GRDB", refetch.median / 1e3), .atMost(150)),
      (("floor", floor.timings.median / 1e3), .timesPeer(atMost: 2)),
    ]
    return peers.map { peer, target in
      Measurement(
        self, title, n: store.rowCount, unit: "µs", p50: own.median / 1e3,
        p95: own.percentile(0.95) / 1e3, rssMB: rss, peer: peer, target: target)
    }
  }

  private func change(
    _ list: LiveList<Item>, _ timings: inout Timings, _ write: (Connection) throws -> Void
  ) throws {
    let changes = try list.change(&timings, write)
    guard changes.deletedRows.count == 1, changes.insertedRows.count == 1, changes.rowCount == 2
    else { throw BenchError("P8: a row in and a row out were expected: \(changes)") }
  }
}
