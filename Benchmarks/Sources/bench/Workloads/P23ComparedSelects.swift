import CSQLite
import FetchedResults
import Foundation
import SQLiteStorage
import TableData
import TableDataTesting

/// Lists of SELECTs that are compared after each commit, since touched rows do not lead to the rows of
/// the result: one row is committed, and all of the result is read again.
struct ComparedSelects: Workload {
  let id = "P23"
  let title = "SELECTs that are compared, one row a commit"
  let note: String? = """
    The peer reads the SELECT once, in the order of the list, and keeps nothing.
    """

  private struct Shape {
    let name: String
    let select: String
    var key: [String] = []
    var order: [SortTerm<Row>] = []
    var limit: Int?
    /// The SELECT as a program without a list would write it, with the order of the list.
    let plain: String
  }

  private let shapes = [
    Shape(
      name: "window over all rows",
      select: "SELECT id, name, rank() OVER (ORDER BY v DESC) AS place FROM item",
      key: ["id"],
      plain: "SELECT id, name, rank() OVER (ORDER BY v DESC) AS place FROM item ORDER BY id"),
    Shape(
      name: "aggregate over all rows",
      select: "SELECT id, name, v - first_value(v) OVER (ORDER BY id) AS d FROM item",
      key: ["id"],
      plain: "SELECT id, name, v - first_value(v) OVER (ORDER BY id) AS d FROM item ORDER BY id"),
    Shape(
      name: "content of all rows", select: "SELECT grp, v, name FROM item",
      plain: "SELECT grp, v, name FROM item"),
    Shape(
      name: "content of all rows, sorted",
      select: "SELECT name, v FROM item UNION ALL SELECT label, item FROM tag WHERE id < 1000",
      order: [.expression("name")],
      plain: """
        SELECT name, v FROM item UNION ALL SELECT label, item FROM tag WHERE id < 1000 ORDER BY name
        """),
    Shape(
      name: "GROUP BY with LIMIT",
      select: "SELECT grp, count(*) AS n, sum(v) AS total FROM item GROUP BY grp "
        + "ORDER BY total DESC LIMIT 100",
      key: ["grp"],
      plain: "SELECT grp, count(*) AS n, sum(v) AS total FROM item GROUP BY grp "
        + "ORDER BY total DESC LIMIT 100"),
    Shape(
      name: "GROUP BY of half as many groups, with LIMIT",
      select: "SELECT v2, count(*) AS n, sum(v) AS total FROM item GROUP BY v2 LIMIT 200000",
      key: ["v2"],
      plain: "SELECT v2, count(*) AS n, sum(v) AS total FROM item GROUP BY v2 LIMIT 200000"),
    Shape(
      name: "join without an index",
      select: """
        SELECT item.id, name, word FROM item JOIN word ON word.number = item.grp % 7
        """, key: ["id"],
      plain: """
        SELECT item.id, name, word FROM item JOIN word ON word.number = item.grp % 7
        ORDER BY item.id
        """),
  ]

  func run(_ context: Context) throws -> [Measurement] {
    let path = context.options.folder + "/compared.sqlite"
    let rowCount = context.repetitions(300_000, quick: 100_000)
    report("    making a store of \(rowCount) rows")
    try? FileManager.default.removeItem(atPath: path)
    let raw = try RawDatabase(path: path, readOnly: false)
    try makeStore(raw, rowCount)
    let database = try Database(
      path: path, access: .readWrite, configuration: ItemStore.writing)
    var generator = SeededGenerator(seed: 20)
    return try shapes.map { shape in
      try measure(shape, database, raw, rowCount, context, &generator)
    }
  }

  private func measure(
    _ shape: Shape, _ database: Database, _ raw: RawDatabase, _ rowCount: Int, _ context: Context,
    _ generator: inout SeededGenerator
  ) throws -> Measurement {
    var request = FetchRequest(
      select: SQL(verbatim: shape.select), key: shape.key.isEmpty ? nil : shape.key)
    if !shape.order.isEmpty { request = request.sorted(shape.order) }
    let provider = try FetchedResultsProvider(database: database, request: request)
    let screen = Screen<Row>()
    provider.delegate = screen
    try provider.performFetch()
    guard case .comparison = provider.maintenance else {
      throw BenchError("P23: \(shape.name): \(provider.maintenance as Any)")
    }
    var rows = try content(of: provider)
    var whole = Timings()
    var change = Timings()
    var eventCount = 0
    let select = try raw.prepare(shape.plain)
    for turn in 0..<context.repetitions(7, quick: 3) {
      try whole.measure { use(try readAll(select)) }
      let row = Int.random(in: 1...rowCount, using: &generator)
      try database.write {
        try $0.execute("UPDATE item SET v = v + 17, name = name || \(turn) WHERE id = \(row)")
      }
      screen.changes = nil
      try change.measure { _ = try provider.refresh() }
      if let changes = screen.changes {
        eventCount = max(eventCount, changes.rowCount)
        try replay(changes, on: &rows, provider)
      }
    }
    let fresh = try FetchedResultsProvider(database: database, request: request)
    try fresh.performFetch()
    let expected = try content(of: fresh)
    guard rows == expected, try content(of: provider) == expected else {
      throw BenchError("P23: \(shape.name): the events do not lead to the list")
    }
    let best = (whole.percentile(0), change.percentile(0))
    report(
      "    \(shape.name): \((best.0 / 1e3).asDuration), \((best.1 / 1e3).asDuration), "
        + "\((best.1 / best.0).short)x, \(eventCount) events")
    return Measurement(
      self, shape.name, n: try provider.numberOfRows(inSection: 0), k: eventCount, unit: "ms",
      p50: change.median / 1e6, p95: change.percentile(0.95) / 1e6, rssMB: try ProcessMemory.peak(),
      peer: ("SELECT", whole.median / 1e6), target: .timesPeer(atMost: 3))
  }

  private func makeStore(_ raw: RawDatabase, _ rowCount: Int) throws {
    try raw.execute(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = OFF;
      CREATE TABLE item(id INTEGER PRIMARY KEY, grp INTEGER NOT NULL, v INTEGER NOT NULL,
        v2 INTEGER NOT NULL, name TEXT);
      CREATE TABLE tag(id INTEGER PRIMARY KEY, item INTEGER NOT NULL, label TEXT NOT NULL);
      CREATE TABLE word(number INTEGER, word TEXT);
      BEGIN;
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(rowCount))
      INSERT INTO item SELECT i + 1, i * 982451653 % \(rowCount / 100), i * 7 % 1000, i / 2,
        'Item ' || i FROM n;
      INSERT INTO tag(item, label) SELECT id, 'label ' || id % 7 FROM item WHERE id % 2 = 0;
      INSERT INTO word VALUES (0, 'zero'), (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four'),
        (5, 'five'), (6, 'six');
      COMMIT;
      CREATE INDEX item_grp ON item(grp, v);
      ANALYZE;
      PRAGMA wal_checkpoint(TRUNCATE);
      PRAGMA synchronous = NORMAL;
      """)
  }

  // MARK: - Checking

  private func content(of provider: FetchedResultsProvider<Row>) throws -> [[Value]] {
    try (0..<provider.numberOfRows(inSection: 0)).map { try provider.object(at: [0, $0]).values }
  }

  private func replay(
    _ changes: TableChanges, on rows: inout [[Value]], _ provider: FetchedResultsProvider<Row>
  ) throws {
    let left = Set(changes.deletedRows.map(\.row) + changes.movedRows.map(\.from.row))
    let entered = (changes.insertedRows.map(\.row) + changes.movedRows.map(\.to.row)).sorted()
    var stayed = rows.enumerated().filter { !left.contains($0.offset) }.map(\.element)[...]
    var next: [[Value]] = []
    for row in entered {
      let count = row - next.count
      next += stayed.prefix(count)
      stayed = stayed.dropFirst(count)
      next.append(try provider.object(at: [0, row]).values)
    }
    next += stayed
    for update in changes.updatedRows {
      next[update.new.row] = try provider.object(at: update.new).values
    }
    rows = next
  }

  private func readAll(_ statement: RawStatement) throws -> Int64 {
    var sum: Int64 = 0
    try statement.forEachRow { row in
      for column in 0..<sqlite3_column_count(row) { sum &+= sqlite3_column_int64(row, column) }
    }
    return sum
  }
}
