import CSQLite
import FetchedResults
import Foundation
import SQLiteStorage
import TableData

/// The first fetch of a list in sections: every row's identity and place, but no record.
struct FirstFetch: Workload {
  let id = "P1"
  let title = "first sectioned fetch, covering index"

  func run(_ context: Context) throws -> [Measurement] {
    let store = try ItemStore(rowCount: context.rowCount, in: context.options.folder)
    let database = try Database(path: store.path, access: .readOnly)
    let raw = try RawDatabase(path: store.path)
    let grdb = try GRDBPeer(path: store.path)
    var own = Timings()
    var rawTimes = Timings()
    var grdbTimes = Timings()

    // Taking turns, so that whatever else the machine does meets both.
    for _ in 0..<context.repetitions(11, quick: 3) {
      try rawTimes.measure { use(try RawScan.run(raw)) }
      use(try own.measure { try store.fetchedProvider(database) })
    }
    try check(try store.fetchedProvider(database), against: raw, store)
    let rss = try ProcessMemory.peak()  // Before GRDB adds to it.
    for _ in 0..<context.repetitions(3, quick: 2) {
      use(try grdbTimes.measure { try grdb.fetchSections() })
    }

    func measurement(_ peer: (String, Timings), _ target: Target) -> Measurement {
      Measurement(
        self, title, n: store.rowCount, k: store.rowCount, unit: "ms", p50: own.median / 1e6,
        p95: own.percentile(0.95) / 1e6, rssMB: rss, peer: (peer.0, peer.1.median / 1e6),
        target: target)
    }
    return [
      measurement(("raw", rawTimes), .timesPeer(atMost: 1.3)),
      measurement(("GRDB", grdbTimes), .timesBetter(atLeast: 10)),
    ]
  }

  private func check(
    _ provider: FetchedResultsProvider<Item>, against raw: RawDatabase, _ store: ItemStore
  ) throws {
    var sections: [SectionInfo] = []
    try raw.prepare("SELECT section, count(*) FROM item GROUP BY section ORDER BY section")
      .forEachRow { row in
        sections.append(
          SectionInfo(
            name: String(cString: sqlite3_column_text(row, 0)),
            numberOfRows: Int(sqlite3_column_int64(row, 1))))
      }
    guard provider.sections == sections else { throw BenchError("P1: the sections are wrong") }

    var place = IndexPath(row: 0, section: 0)
    try raw.prepare("SELECT id FROM item ORDER BY \(ItemStore.order)").forEachRow { row in
      if place.row == sections[place.section].numberOfRows {
        place = IndexPath(row: 0, section: place.section + 1)
      }
      let identity = RowIdentity(.integer(sqlite3_column_int64(row, 0)))
      guard try provider.identity(at: place) == identity else {
        throw BenchError("P1: the row at \(place) is not \(identity)")
      }
      place = IndexPath(row: place.row + 1, section: place.section)
    }
    guard provider.fetchedObjects?.count == store.rowCount else {
      throw BenchError("P1: the number of rows is wrong")
    }
  }
}

/// The bare loop over the same covering index: reads each row's section and key, and keeps nothing.
private enum RawScan {
  static func run(_ database: RawDatabase) throws -> Int {
    let statement = try database.prepare("SELECT section, id FROM item ORDER BY \(ItemStore.order)")
    var sum = 0
    try statement.forEachRow { row in
      _ = sqlite3_column_text(row, 0)
      sum &+= Int(sqlite3_column_bytes(row, 0)) &+ Int(sqlite3_column_int64(row, 1))
    }
    return sum
  }
}
