import FetchedResults
import Foundation
import SQLiteStorage
import TableDataTesting

/// `Codable` records that are written and read by their key, one by one in one transaction.
///
/// A look-up is to take at most twice as long as the same SELECT as SQL: what is more is the decoding.
struct Records: Workload {
  let id = "P26"
  let title = "records by their key, one by one"

  /// What is measured.
  private enum Step: String, CaseIterable {
    case insert, upsert, update, find
    case fetchOne = "fetchOne(filter)"
    case rows = "rows(SQL)"
    case fetchAll, delete

    /// Whether it is a look-up, which is compared with SQL too.
    var isLookUp: Bool { self == .find || self == .fetchOne }
  }

  /// One side: what it does in each step, with a number that both must agree on.
  private typealias Side = (Step) throws -> Int64

  func run(_ context: Context) throws -> [Measurement] {
    let count = context.rowCount
    let items = (0..<count).map { id in
      let place = id * 982_451_653 % count
      return RecordItem(
        id: Int64(id + 1), section: ItemStore.section(place % 1_000), name: ItemStore.name(place),
        value: Int64(place * 7 % 1_000))
    }
    var generator = SeededGenerator(seed: 26)
    let some = Array(
      items.shuffled(using: &generator).prefix(context.repetitions(50_000, quick: 10_000)))
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    var own: [Step: Timings] = [:]
    var peer: [Step: Timings] = [:]
    for run in 0..<context.repetitions(5, quick: 3) {
      let ownSide = try makeSide(folder.path + "/own-\(run).sqlite", items, some)
      let peerSide = try makePeer(folder.path + "/grdb-\(run).sqlite", items, some)
      for step in Step.allCases {
        let theirs = try peer[step, default: Timings()].measure { try peerSide(step) }
        let ours = try own[step, default: Timings()].measure { try ownSide(step) }
        guard ours == theirs else {
          throw BenchError("P26: \(step.rawValue): \(ours), not \(theirs)")
        }
      }
    }

    let rss = try ProcessMemory.peak()
    func perRow(_ times: [Step: Timings], _ step: Step, _ part: Double) -> Double {
      let rows = step == .insert || step == .fetchAll ? count : some.count
      return times[step, default: Timings()].percentile(part) / Double(rows)
    }
    return Step.allCases.flatMap { step in
      let peers: [(name: String, p50: Double, target: Target)] =
        [("GRDB", perRow(peer, step, 0.5), .none)]
        + (step.isLookUp ? [("rows(SQL)", perRow(own, .rows, 0.5), .timesPeer(atMost: 2))] : [])
      return peers.map { other in
        Measurement(
          self, step.rawValue, n: count, unit: "ns/row", p50: perRow(own, step, 0.5),
          p95: perRow(own, step, 0.95), rssMB: rss, peer: (other.name, other.p50),
          target: other.target)
      }
    }
  }

  private static let table = """
    CREATE TABLE item(
      id INTEGER PRIMARY KEY, section TEXT NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL)
    """

  private func makeSide(
    _ path: String, _ items: [RecordItem], _ some: [RecordItem]
  ) throws -> Side {
    let database = try Database(path: path, configuration: ItemStore.writing)
    try database.write { try $0.execute(script: Self.table) }
    func write(_ items: [RecordItem], _ body: (Connection, RecordItem) throws -> Void) throws
      -> Int64
    {
      try database.write { connection in for item in items { try body(connection, item) } }
      return 0
    }
    func sum(_ value: (Connection, Int64) throws -> Int64?) throws -> Int64 {
      try database.read { connection in
        try some.reduce(0) { $0 + (try value(connection, $1.id) ?? 0) }
      }
    }
    return { step in
      switch step {
      case .insert: try write(items) { try $0.insert($1) }
      case .upsert: try write(some) { try $0.upsert($1) }
      case .update: try write(some) { try $0.update($1) }
      case .find: try sum { try $0.find(RecordItem.self, $1).value }
      case .fetchOne: try sum { try $0.fetchOne(RecordItem.all.filter("\(\.id) = \($1)"))?.value }
      case .rows:
        try sum {
          try $0.rows("SELECT * FROM item WHERE id = \($1)").first?.decode(Int64.self, "value")
        }
      case .fetchAll: Int64(try database.read { try $0.fetchAll(RecordItem.all).count })
      case .delete:
        try write(some) { connection, item in
          guard try connection.delete(item) else { throw BenchError("P26: no row to delete") }
        }
      }
    }
  }

  private func makePeer(
    _ path: String, _ items: [RecordItem], _ some: [RecordItem]
  ) throws -> Side {
    let grdb = try GRDBRecords(path: path, script: Self.table)
    func records(_ items: [RecordItem]) -> [GRDBRecords.Record] {
      items.map {
        GRDBRecords.Record(id: $0.id, section: $0.section, name: $0.name, value: $0.value)
      }
    }
    let (all, few, ids) = (records(items), records(some), some.map(\.id))
    return { step in
      switch step {
      case .insert: try grdb.insert(all)
      case .upsert: try grdb.upsert(few)
      case .update: try grdb.update(few)
      case .delete: try grdb.delete(few)
      case .find: return try grdb.find(ids)
      case .fetchOne: return try grdb.fetchOne(ids)
      case .rows: return try grdb.rows(ids)
      case .fetchAll: return Int64(try grdb.fetchAll())
      }
      return 0
    }
  }
}

private struct RecordItem: Codable, Identifiable, FetchableRecord {
  let id: Int64
  let section: String
  let name: String
  let value: Int64

  static let recordDescription = RecordDescription(table: "item", key: \RecordItem.id)
}
