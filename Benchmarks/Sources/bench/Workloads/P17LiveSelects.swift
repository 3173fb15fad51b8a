import CSQLite
import FetchedResults
import Foundation
import SQLiteStorage
import TableData
import TableDataTesting

/// Lists of SELECTs that are more than a table or a join: one row is committed, by the same process or by
/// another connection, as another process would.
struct LiveSelects: Workload {
  let id = "P17"
  let title = "other SELECTs, one row a commit"
  let note: String? = """
    The peer *SELECT* reads the SELECT once and keeps nothing. The list of each SELECT is sorted by its \
    key. The peer *floor* knows which row of the list is concerned: it pins the new version, and reads \
    the SELECT restricted to that row in both versions.
    """

  private struct Shape {
    let name: String
    let select: String
    let key: [String]
    /// The SELECT restricted to what one commit concerns, whose number is the parameter.
    let restricted: String
    /// The statement for one commit, which changes the list.
    let write: (_ turn: Int, _ random: (Int) -> Int) -> Commit
  }

  /// A commit, and the number of the item that it concerns; nil for the row that it inserts.
  private struct Commit {
    let sql: String
    let number: Int?
  }

  private func shapes(_ rowCount: Int) -> [Shape] {
    let groupCount = rowCount / 100
    func update(_ turn: Int, _ random: (Int) -> Int) -> Commit {
      let id = random(rowCount) + 1
      return Commit(sql: "UPDATE item SET v = \(rowCount + turn) WHERE id = \(id)", number: id)
    }
    func tag(_ turn: Int, _ random: (Int) -> Int) -> Commit {
      let id = random(rowCount) + 1
      return Commit(
        sql: "INSERT INTO tag(item, label) VALUES (\(id), 'new \(turn)')", number: id)
    }
    let group = "(SELECT grp FROM item WHERE id = ?)"
    return [
      Shape(
        name: "GROUP BY, groups of 100",
        select: "SELECT grp, count(*) AS n, sum(v) AS total, max(v) AS top FROM item GROUP BY grp",
        key: ["grp"],
        restricted: """
          SELECT grp, count(*) AS n, sum(v) AS total, max(v) AS top FROM item WHERE grp = \(group)
          """, write: update),
      Shape(
        name: "DISTINCT", select: "SELECT DISTINCT grp FROM item", key: ["grp"],
        restricted: "SELECT DISTINCT grp FROM item WHERE grp = \(group)",
        write: { turn, random in
          Commit(
            sql: """
              INSERT INTO item(grp, v, name) VALUES (\(groupCount + turn), \(random(1_000)), 'new')
              """, number: nil)
        }),
      Shape(
        name: "EXISTS",
        select: """
          SELECT id, name FROM item WHERE EXISTS (
            SELECT 1 FROM tag WHERE tag.item = item.id AND label >= 'new')
          """, key: ["id"],
        restricted: """
          SELECT id, name FROM item WHERE id = ?1 AND EXISTS (
            SELECT 1 FROM tag WHERE tag.item = ?1 AND label >= 'new')
          """, write: tag),
      Shape(
        name: "correlated count",
        select: """
          SELECT id, name, (SELECT count(*) FROM tag WHERE tag.item = item.id) AS tags FROM item
          """, key: ["id"],
        restricted: """
          SELECT id, name, (SELECT count(*) FROM tag WHERE tag.item = ?1) FROM item WHERE id = ?1
          """, write: tag),
      Shape(
        name: "top 3 of a group of 100",
        select: """
          SELECT id, grp, v FROM (
            SELECT id, grp, v, row_number() OVER (PARTITION BY grp ORDER BY v DESC, id) AS place
            FROM item) WHERE place <= 3
          """, key: ["id", "grp"],
        restricted: """
          SELECT id, grp, v FROM item WHERE grp = \(group) ORDER BY v DESC, id LIMIT 3
          """, write: update),
      Shape(
        name: "LEFT JOIN of a grouped SELECT",
        select: """
          SELECT item.id, name, n FROM item
          LEFT JOIN (SELECT item AS i, count(*) AS n FROM tag GROUP BY item) ON i = item.id
          """, key: ["id"],
        restricted: """
          SELECT item.id, name, (SELECT count(*) FROM tag WHERE item = ?1) FROM item WHERE id = ?1
          """, write: tag),
      Shape(
        name: "FTS5, one word of 1,000 rows",
        select: "SELECT rowid AS id, body FROM doc WHERE doc MATCH 'common'", key: ["id"],
        restricted: "SELECT rowid, body FROM doc WHERE doc MATCH 'common' AND rowid = ?",
        write: { turn, random in
          Commit(
            sql: "INSERT INTO doc VALUES ('common word \(turn) \(random(1_000))')", number: nil)
        }),
    ]
  }

  func run(_ context: Context) throws -> [Measurement] {
    let path = context.options.folder + "/selects.sqlite"
    report("    making a store of \(context.rowCount) rows")
    try? FileManager.default.removeItem(atPath: path)
    let raw = try RawDatabase(path: path, readOnly: false)
    try makeStore(raw, context.rowCount)
    let database = try Database(
      path: path, access: .readWrite, configuration: ItemStore.writing)
    var generator = SeededGenerator(seed: 17)
    return try shapes(context.rowCount).flatMap { shape in
      try measure(shape, database, raw, path, context, &generator)
    }
  }

  private func measure(
    _ shape: Shape, _ database: Database, _ raw: RawDatabase, _ path: String, _ context: Context,
    _ generator: inout SeededGenerator
  ) throws -> [Measurement] {
    let request = FetchRequest(select: SQL(verbatim: shape.select), key: shape.key)
    let provider = try FetchedResultsProvider(database: database, request: request)
    let screen = Screen<Row>()
    provider.delegate = screen
    try provider.performFetch()
    guard provider.maintenance == .touchedRows else {
      throw BenchError("P17: \(shape.name): \(provider.maintenance as Any)")
    }
    var mirror = try identities(of: provider)
    var whole = Timings()
    var own = Timings()
    var other = Timings()
    let select = try raw.prepare("\(shape.select) ORDER BY \(shape.key.joined(separator: ", "))")
    for round in 0..<5 {
      try whole.measure { use(try readAll(select)) }
      for turn in 0..<context.repetitions(40, quick: 10) {
        for isOwn in [true, false] {
          let sql = shape.write(2 * (100 * round + turn) + (isOwn ? 0 : 1)) {
            Int.random(in: 0..<$0, using: &generator)
          }.sql
          if isOwn {
            try database.write { try $0.execute(SQL(verbatim: sql)) }
          } else {
            try raw.execute(sql)
          }
          screen.changes = nil
          if isOwn {
            try own.measure { _ = try provider.refresh() }
          } else {
            try other.measure { _ = try provider.refresh() }
          }
          if let changes = screen.changes {
            guard changes.rowCount <= 4 else {
              throw BenchError("P17: \(shape.name): \(changes.rowCount) events for \(sql)")
            }
            try replay(changes, on: &mirror, provider)
          }
        }
      }
    }
    try check(provider, mirror, request, shape.name)
    let rss = try ProcessMemory.peak()
    let floor = try measureFloor(shape, raw, path, context, &generator)
    return [("own", own), ("other connection", other)].flatMap { writer, times in
      [
        (nil, .atMost(500)), (("SELECT", whole.median / 1e3), .timesBetter(atLeast: 300)),
        (("floor", floor.median / 1e3), .timesPeer(atMost: 3)),
      ].map { (peer: (String, Double)?, target: Target) in
        Measurement(
          self, "\(shape.name), \(writer)", n: context.rowCount, k: 1, unit: "µs",
          p50: times.median / 1e3, p95: times.percentile(0.95) / 1e3, rssMB: rss, peer: peer,
          target: target)
      }
    }
  }

  /// Measures the floor alone: its pinned versions would keep the log from being started over.
  private func measureFloor(
    _ shape: Shape, _ raw: RawDatabase, _ path: String, _ context: Context,
    _ generator: inout SeededGenerator
  ) throws -> Timings {
    let floor = try FloorPeer(path: path, row: shape.restricted)
    for turn in 0..<context.repetitions(200, quick: 50) {
      // Numbers that no turn before had.
      let commit = shape.write(10_000 + turn) { Int.random(in: 0..<$0, using: &generator) }
      try raw.execute(commit.sql)
      let number = commit.number.map(Int64.init) ?? sqlite3_last_insert_rowid(raw.handle)
      try floor.time(touching: [number])
    }
    return floor.timings
  }

  private func makeStore(_ raw: RawDatabase, _ rowCount: Int) throws {
    try raw.execute(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = OFF;
      CREATE TABLE item(id INTEGER PRIMARY KEY, grp INTEGER NOT NULL, v INTEGER NOT NULL, name TEXT);
      CREATE TABLE tag(id INTEGER PRIMARY KEY, item INTEGER NOT NULL, label TEXT NOT NULL);
      CREATE VIRTUAL TABLE doc USING fts5(body);
      BEGIN;
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(rowCount))
      INSERT INTO item SELECT i + 1, i * 982451653 % \(rowCount / 100), i * 7 % 1000, 'Item ' || i FROM n;
      INSERT INTO tag(item, label) SELECT id, 'label ' || id % 7 FROM item WHERE id % 2 = 0;
      INSERT INTO doc SELECT CASE WHEN id % \(rowCount / 1_000) = 0 THEN 'common ' ELSE '' END
        || 'word ' || id FROM item;
      COMMIT;
      CREATE INDEX item_grp ON item(grp, v);
      CREATE INDEX tag_item ON tag(item, label);
      CREATE INDEX tag_label ON tag(label);
      ANALYZE;
      PRAGMA wal_checkpoint(TRUNCATE);
      PRAGMA synchronous = NORMAL;
      """)
  }

  // MARK: - Checking

  private func identities(of provider: FetchedResultsProvider<Row>) throws -> [RowIdentity] {
    try (0..<provider.numberOfRows(inSection: 0)).map { try provider.identity(at: [0, $0]) }
  }

  private func replay(
    _ changes: TableChanges, on mirror: inout [RowIdentity], _ provider: FetchedResultsProvider<Row>
  ) throws {
    let left = changes.deletedRows.map(\.row) + changes.movedRows.map(\.from.row)
    for row in left.sorted(by: >) { mirror.remove(at: row) }
    let entered = changes.insertedRows.map(\.row) + changes.movedRows.map(\.to.row)
    for row in entered.sorted() { mirror.insert(try provider.identity(at: [0, row]), at: row) }
  }

  /// Compares the list with what was reported, and with a fresh one: all keys, and some rows.
  private func check(
    _ provider: FetchedResultsProvider<Row>, _ mirror: [RowIdentity], _ request: FetchRequest<Row>,
    _ name: String
  ) throws {
    let fresh = try FetchedResultsProvider(database: provider.database, request: request)
    try fresh.performFetch()
    let expected = try identities(of: fresh)
    guard mirror == expected, try identities(of: provider) == expected else {
      throw BenchError("P17: \(name): the events do not lead to the list")
    }
    for row in stride(from: 0, to: expected.count, by: max(1, expected.count / 1_000)) {
      guard try provider.object(at: [0, row]).values == fresh.object(at: [0, row]).values else {
        throw BenchError("P17: \(name): row \(row) is not what a fresh list shows")
      }
    }
  }

  private func readAll(_ statement: RawStatement) throws -> Int64 {
    var sum: Int64 = 0
    try statement.forEachRow { row in
      for column in 0..<sqlite3_column_count(row) { sum &+= sqlite3_column_int64(row, column) }
    }
    return sum
  }
}
