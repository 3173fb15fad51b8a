import CSQLite
import FetchedResults
import Foundation
import SQLiteStorage
import TableData
import TableDataTesting

/// Lists of large groups, whose aggregates are held: one row is committed, by the same process or by
/// another connection.
struct HeldAggregatesOfGroups: Workload {
  let id = "P18"
  let title = "aggregates of groups of 100,000 rows, one row a commit"
  let note: String? = """
    The peer *floor* is the least that raw SQLite could do: it pins the new version, reads the row by \
    its key in both versions, and looks the largest value of its group up. The groups are touched once \
    before the first measured commit: a group that was not touched lately is evaluated once.
    """

  private struct Shape {
    let name: String
    let request: FetchRequest<Row>
    /// The same list as plain SQL.
    let plain: String
    /// The statement for one commit, which touches one row.
    let write: (_ turn: Int, _ id: Int) -> String
  }

  private static let grouped =
    "SELECT grp, count(*) AS n, sum(v) AS total, min(v) AS low, max(v) AS high FROM item GROUP BY grp"

  private func shapes() -> [Shape] {
    let grouped = HeldAggregatesOfGroups.grouped
    let request = FetchRequest<Row>(select: SQL(verbatim: grouped), key: ["grp"])
    let update = { (turn: Int, id: Int) in
      "UPDATE item SET v = v + \(turn % 7 + 1) WHERE id = \(id)"
    }
    return [
      Shape(
        name: "count, sum, min, max", request: request, plain: "\(grouped) ORDER BY grp",
        write: update),
      Shape(
        name: "the same, sorted by the sum",
        request: request.sorted(by: \Row["total"], .descending),
        plain: "\(grouped) ORDER BY total DESC, grp", write: update),
      Shape(
        name: "the same, the largest value is deleted", request: request,
        plain: "\(grouped) ORDER BY grp",
        write: { _, id in
          """
          UPDATE item SET v = 0 WHERE id = (
            SELECT id FROM item WHERE grp = (SELECT grp FROM item WHERE id = \(id))
            ORDER BY v DESC LIMIT 1)
          """
        }),
      Shape(
        name: "one count(*) of all",
        request: FetchRequest(select: "SELECT count(*) AS n FROM item"),
        plain: "SELECT count(*) FROM item",
        write: { turn, id in
          turn.isMultiple(of: 2)
            ? "INSERT INTO item(grp, v) VALUES (0, \(turn))" : "DELETE FROM item WHERE id = \(id)"
        }),
    ]
  }

  func run(_ context: Context) throws -> [Measurement] {
    let path = context.options.folder + "/groups.sqlite"
    report("    making a store of \(context.rowCount) rows")
    try? FileManager.default.removeItem(atPath: path)
    let raw = try RawDatabase(path: path, readOnly: false)
    try makeStore(raw, context.rowCount)
    let database = try Database(
      path: path, access: .readWrite, configuration: ItemStore.writing)
    var generator = SeededGenerator(seed: 18)
    return try shapes().flatMap { shape in
      try measure(shape, database, raw, path, context, &generator)
    }
  }

  private func measure(
    _ shape: Shape, _ database: Database, _ raw: RawDatabase, _ path: String, _ context: Context,
    _ generator: inout SeededGenerator
  ) throws -> [Measurement] {
    let provider = try FetchedResultsProvider(database: database, request: shape.request)
    let screen = Screen<Row>()
    provider.delegate = screen
    try provider.performFetch()
    guard provider.maintenance == .touchedRows else {
      throw BenchError("P18: \(shape.name): \(provider.maintenance as Any)")
    }
    try raw.execute("UPDATE item SET v = v + 1 WHERE id <= \(2 * groupCount(context.rowCount))")
    _ = try provider.refresh()
    for row in 0..<(try provider.numberOfRows(inSection: 0)) {
      use(try provider.object(at: [0, row]))
    }
    var own = Timings()
    var other = Timings()
    for turn in 0..<context.repetitions(400, quick: 100) {
      for isOwn in [true, false] {
        let id = try randomID(raw, &generator)
        let sql = shape.write(2 * turn + (isOwn ? 0 : 1), id)
        if isOwn {
          try database.write { try $0.execute(script: sql) }
        } else {
          try raw.execute(sql)
        }
        screen.changes = nil
        if isOwn {
          try own.measure { _ = try provider.refresh() }
        } else {
          try other.measure { _ = try provider.refresh() }
        }
        guard screen.changes?.rowCount ?? 0 <= 1 else {
          throw BenchError("P18: \(shape.name): \(screen.changes as Any) for \(sql)")
        }
      }
      if turn % 20 == 19 { try check(provider, shape, raw) }
    }
    let least = try measureFloor(shape, raw, path, context, &generator)
    let rss = try ProcessMemory.peak()
    return [("own", own), ("other connection", other)].flatMap { writer, times in
      [Target.atMost(150), .timesPeer(atMost: 3)].map { target in
        Measurement(
          self, "\(shape.name), \(writer)", n: context.rowCount, k: 1, unit: "µs",
          p50: times.median / 1e3, p95: times.percentile(0.95) / 1e3, rssMB: rss,
          peer: ("floor", least.median / 1e3), target: target)
      }
    }
  }

  /// Measures the floor alone: its pinned versions would keep the log from being shortened.
  private func measureFloor(
    _ shape: Shape, _ raw: RawDatabase, _ path: String, _ context: Context,
    _ generator: inout SeededGenerator
  ) throws -> Timings {
    let floor = try FloorPeer(
      path: path, row: "SELECT grp, v FROM item WHERE id = ?",
      place: "SELECT max(v) FROM item WHERE grp = ?")
    for turn in 0..<context.repetitions(400, quick: 100) {
      let id = try randomID(raw, &generator)
      try raw.execute(shape.write(turn, id))
      try floor.time(touching: [Int64(id)])
    }
    return floor.timings
  }

  private func randomID(
    _ raw: RawDatabase, _ generator: inout SeededGenerator
  ) throws -> Int {
    var last: Int64 = 0
    try raw.prepare("SELECT max(id) FROM item").forEachRow { last = sqlite3_column_int64($0, 0) }
    return Int.random(in: 1...Int(last), using: &generator)
  }

  private func groupCount(_ rowCount: Int) -> Int { max(1, rowCount / 100_000) }

  private func makeStore(_ raw: RawDatabase, _ rowCount: Int) throws {
    try raw.execute(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = OFF;
      CREATE TABLE item(id INTEGER PRIMARY KEY, grp INTEGER NOT NULL, v INTEGER NOT NULL);
      BEGIN;
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(rowCount))
      INSERT INTO item SELECT i + 1, i % \(groupCount(rowCount)), i * 982451653 % 1000000007 FROM n;
      COMMIT;
      CREATE INDEX item_grp ON item(grp, v);
      ANALYZE;
      PRAGMA wal_checkpoint(TRUNCATE);
      PRAGMA synchronous = NORMAL;
      """)
  }

  /// Compares what the list shows with a plain SELECT, in order. It is not measured.
  private func check(
    _ provider: FetchedResultsProvider<Row>, _ shape: Shape, _ raw: RawDatabase
  ) throws {
    var row = 0
    try raw.prepare(shape.plain).forEachRow { statement in
      let values = (0..<sqlite3_column_count(statement)).map {
        Value.integer(sqlite3_column_int64(statement, $0))
      }
      guard try provider.object(at: [0, row]).values == values else {
        throw BenchError("P18: \(shape.name): row \(row) is not \(values)")
      }
      row += 1
    }
    guard try provider.numberOfRows(inSection: 0) == row else {
      throw BenchError("P18: \(shape.name): rows are missing")
    }
  }
}
