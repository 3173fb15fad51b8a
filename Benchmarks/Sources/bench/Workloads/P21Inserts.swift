import CSQLite
import FetchedResults
import Foundation
import SQLiteStorage

/// Records inserted one by one in one transaction, commit included, into a new file without another
/// index: what is left is the way from a record to SQLite.
///
/// The peer *raw* binds the same records to one prepared statement with SQLite's own functions.
struct Inserts: Workload {
  let id = "P21"
  let title = "insert(record) one by one in one transaction"

  func run(_ context: Context) throws -> [Measurement] {
    let count = context.rowCount
    let items = (0..<count).map { id in
      let place = id * 982_451_653 % count
      return Item(
        id: Int64(id + 1), section: ItemStore.section(place % 1_000), name: ItemStore.name(place),
        value: Int64(place * 7 % 1_000))
    }
    let coded = items.map(CodedItem.init)
    let peers = items.map {
      GRDBInserts.Record(id: $0.id, section: $0.section, name: $0.name, value: $0.value)
    }

    var times: [String: Timings] = [:]
    func measure(
      _ name: String, _ folder: TemporaryFolder, _ insert: (String) throws -> Void
    ) throws {
      let path = folder.path + "/\(name).sqlite"
      try insert(path)
      try check(path, items)
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: path + suffix)
      }
    }
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    for _ in 0..<context.repetitions(5, quick: 3) {
      try measure("raw", folder) { path in
        let database = try RawDatabase(path: path, readOnly: false)
        try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        try database.execute(Self.table)
        try times["raw", default: Timings()].measure { try insert(items, into: database) }
      }
      try measure("listed", folder) { path in
        let database = try makeDatabase(path)
        try times["listed", default: Timings()].measure {
          try database.write { connection in
            for item in items { try connection.insert(item) }
          }
        }
      }
      try measure("codable", folder) { path in
        let database = try makeDatabase(path)
        try times["codable", default: Timings()].measure {
          try database.write { connection in
            for item in coded { try connection.insert(item) }
          }
        }
      }
      try measure("batch", folder) { path in
        let database = try makeDatabase(path)
        try times["batch", default: Timings()].measure {
          _ = try database.write { try $0.insert(items) }
        }
      }
      try measure("grdb", folder) { path in
        let grdb = try GRDBInserts(path: path, script: Self.table)
        try times["grdb", default: Timings()].measure { try grdb.insert(peers) }
      }
    }

    let rss = try ProcessMemory.peak()
    func measurement(
      _ part: String, _ name: String, against peer: String, _ target: Target
    ) -> Measurement {
      let own = times[name, default: Timings()]
      return Measurement(
        self, part, n: count, unit: "ms", p50: own.median / 1e6, p95: own.percentile(0.95) / 1e6,
        rssMB: rss, peer: (peer, times[peer, default: Timings()].median / 1e6), target: target)
    }
    return [
      measurement(title, "listed", against: "raw", .timesPeer(atMost: 1.5)),
      measurement("the same, Codable", "codable", against: "raw", .timesPeer(atMost: 1.5)),
      measurement("the same, insert(records)", "batch", against: "raw", .timesPeer(atMost: 1.5)),
      measurement(title, "listed", against: "grdb", .none),
      measurement("the same, Codable", "codable", against: "grdb", .none),
    ]
  }

  private static let table = """
    CREATE TABLE item(
      id INTEGER PRIMARY KEY, section TEXT NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL)
    """

  private func makeDatabase(_ path: String) throws -> Database {
    let database = try Database(path: path, configuration: ItemStore.writing)
    try database.write { try $0.execute(script: Self.table) }
    return database
  }

  private func insert(_ items: [Item], into database: RawDatabase) throws {
    try database.execute("BEGIN IMMEDIATE")
    let statement = try database.prepare(
      "INSERT INTO item(id, section, name, value) VALUES (?, ?, ?, ?)")
    let pointer = statement.pointer
    for item in items {
      sqlite3_bind_int64(pointer, 1, item.id)
      sqlite3_bind_text(pointer, 2, item.section, -1, csqlite_transient())
      sqlite3_bind_text(pointer, 3, item.name, -1, csqlite_transient())
      sqlite3_bind_int64(pointer, 4, item.value)
      guard sqlite3_step(pointer) == SQLITE_DONE else { throw BenchError("P21: no row") }
      sqlite3_reset(pointer)
    }
    try database.execute("COMMIT")
  }

  /// Checks that the file has exactly the records.
  private func check(_ path: String, _ items: [Item]) throws {
    let statement = try RawDatabase(path: path).prepare(
      "SELECT id, section, name, value FROM item ORDER BY id")
    var next = 0
    try statement.forEachRow { row in
      guard next < items.count, Item(row) == items[next] else {
        throw BenchError("P21: row \(next) of \(path) is not the record")
      }
      next += 1
    }
    guard next == items.count else { throw BenchError("P21: \(next) rows in \(path)") }
  }
}

/// The same record without a list of columns.
private struct CodedItem: Codable, Identifiable, FetchableRecord {
  let id: Int64
  let section: String
  let name: String
  let value: Int64

  static let recordDescription = RecordDescription(table: "item", key: \CodedItem.id)

  init(_ item: Item) {
    id = item.id
    section = item.section
    name = item.name
    value = item.value
  }
}
