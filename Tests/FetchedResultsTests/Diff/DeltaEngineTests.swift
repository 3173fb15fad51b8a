import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// What random histories hardly ever meet.
@Suite struct DeltaEngineTests {
  private func provider(
    _ script: String, _ request: FetchRequest<Row>
  ) throws -> (Database, FetchedResultsProvider<Row>) {
    let database = try Database.store(script)
    let provider = try FetchedResultsProvider(database: database, request: request)
    try provider.performFetch()
    return (database, provider)
  }

  @Test func aKeyThatASecondRowGetsIsAnError() throws {
    let (database, provider) = try provider(
      """
      CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(id INTEGER PRIMARY KEY, a INTEGER);
      CREATE INDEX b_a ON b(a); INSERT INTO a VALUES (1), (2); INSERT INTO b VALUES (1, 1), (2, 2);
      """, FetchRequest(select: "SELECT a.id, b.id AS b FROM a JOIN b ON b.a = a.id", key: ["id"]))
    #expect(provider.maintenance == .touchedRows)
    try database.run("INSERT INTO b VALUES (3, 1)")
    let error = #expect(throws: FetchError.self) { try provider.refresh() }
    #expect(error?.code == .invalidKey)
  }

  @Test func aZeroThatChangesItsSignIsAnUpdate() throws {
    let (database, provider) = try provider(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, r); INSERT INTO t VALUES (1, 2.5)",
      FetchRequest(table: "t"))
    for zero in [0.0, -0.0] {
      try database.write { try $0.execute("UPDATE t SET r = ?", [.real(zero)]) }
      #expect(try provider.refresh().updatedRows.count == 1)
      let found = try provider.object(at: IndexPath(row: 0, section: 0))["r"]
      guard case .real(let real) = found else {
        Issue.record("\(found)")
        return
      }
      #expect(real.sign == zero.sign)
    }
  }

  @Test func aRowThatMovedIsFoundInChunks() throws {
    let request = FetchRequest(table: "t").sorted(by: \Row["n"]).chunked(above: 0, size: 4)
    let (database, provider) = try provider(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER); CREATE INDEX t_n ON t(n);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
      INSERT INTO t SELECT i, i FROM n
      """, request)
    #expect(try provider.indexPath(forIdentity: RowIdentity(50)) == IndexPath(row: 49, section: 0))
    try database.run("UPDATE t SET n = -1 WHERE id = 50")
    try provider.refresh()
    #expect(try provider.indexPath(forIdentity: RowIdentity(50)) == IndexPath(row: 0, section: 0))
  }

  /// For one group, SQLite reads table a first, and lists the values in another order than for all groups.
  @Test func aPositionIsNotSearchedByAListOfValues() throws {
    let store = try Database.store(
      """
      CREATE TABLE a(id INTEGER PRIMARY KEY, g TEXT);
      CREATE TABLE b(id INTEGER PRIMARY KEY, aid INT, v TEXT);
      CREATE INDEX b_aid ON b(aid);
      CREATE INDEX a_g ON a(g);
      INSERT INTO a VALUES (1, 'x'), (2, 'x'), (3, 'y'), (4, 'z');
      INSERT INTO b VALUES (1, 2, 'p'), (2, 1, 'q'), (3, 3, 'r'), (4, 4, 'q');
      """)
    let list = try LiveList(
      store,
      FetchRequest<Row>(
        select: """
          SELECT a.g, group_concat(v) AS c FROM b CROSS JOIN a ON a.id = b.aid GROUP BY a.g
          """, key: ["g"]
      ).sorted(by: \Row["c"]))
    func groups() throws -> [Value] {
      try (0..<3).map { try list.provider.object(at: IndexPath(row: $0, section: 0))["g"] }
    }
    #expect(list.provider.maintenance == .touchedRows)
    #expect(try groups() == ["x", "z", "y"])
    // After 'p,q', and before 'q,p'.
    try list.commit("UPDATE b SET v = 'pz' WHERE id = 4")
    #expect(try groups() == ["x", "z", "y"])
  }

  @Test func rowsBeyondALimitAreInsertedWhenRowsBeforeThemAreDeleted() throws {
    let (database, provider) = try provider(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER); CREATE INDEX t_n ON t(n);
      INSERT INTO t VALUES (1, 1), (2, 2), (3, 3), (4, 4)
      """, FetchRequest(table: "t").sorted(by: \Row["n"]).limited(to: 2))
    for id in [1, 2] as [Int64] {
      try database.run("DELETE FROM t WHERE id = \(id)")
      let changes = try provider.refresh()
      #expect(changes.insertedRows == [IndexPath(row: 1, section: 0)])
      let identity = try provider.identity(at: IndexPath(row: 1, section: 0))
      #expect(identity == RowIdentity(.integer(id + 2)))
    }
  }

  @Test func aKeyThatIsNotThatOfTheTableIsLookedUp() throws {
    let (database, provider) = try provider(
      """
      CREATE TABLE t(k TEXT PRIMARY KEY, n INTEGER UNIQUE NOT NULL, v) WITHOUT ROWID;
      INSERT INTO t VALUES ('a', 1, 'x'), ('b', 2, 'y');
      """, FetchRequest(table: "t", key: ["n"]))
    #expect(provider.maintenance == .touchedRows)
    try database.run("UPDATE t SET v = 'z' WHERE k = 'b'")
    #expect(try provider.refresh().updatedRows.count == 1)
    try database.run("INSERT INTO t VALUES ('c', 0, 'w')")
    #expect(try provider.refresh().insertedRows == [IndexPath(row: 0, section: 0)])
  }

  /// Joins of which the last table has partners that have none in the second one, though its condition
  /// names columns that are there, or may be.
  @Test(arguments: [
    "b ON b.a = a.id LEFT JOIN c ON c.y = b.id AND c.z = a.z OR c.z = a.z AND c.w < 0",
    "b ON b.a = a.id LEFT JOIN c ON c.z = a.z AND c.w BETWEEN 0 AND b.id = c.y",
    "b ON b.a = a.id LEFT JOIN c ON c.z = a.z AND (1 AND b.id = c.y AND 1) IS NOT 1",
    "(SELECT id AS d, a AS e FROM b) ON e = a.id LEFT JOIN c ON w = a.m",
  ])
  func aJoinThatDoesNotDependOnAnotherFindsRowsWithoutIt(_ joins: String) throws {
    let (database, provider) = try provider(
      """
      CREATE TABLE a(id INTEGER PRIMARY KEY, z INTEGER, m INTEGER);
      CREATE TABLE b(id INTEGER PRIMARY KEY, a INTEGER);
      CREATE TABLE c(id INTEGER PRIMARY KEY, y INTEGER, z INTEGER, w INTEGER);
      CREATE INDEX a_z ON a(z); CREATE INDEX b_a ON b(a); CREATE INDEX c_z ON c(z);
      CREATE INDEX a_m ON a(m); CREATE INDEX c_w ON c(w);
      INSERT INTO a VALUES (1, 7, -1), (2, 8, 2); INSERT INTO b VALUES (5, 2);
      """,
      FetchRequest(
        select: SQL(verbatim: "SELECT a.id, c.id AS c FROM a LEFT JOIN \(joins)"), key: ["id"]))
    #expect(provider.maintenance == .touchedRows)
    for sql in ["INSERT INTO c VALUES (1, 0, 7, -1)", "DELETE FROM c"] {
      try database.run(sql)
      let changes = try provider.refresh()
      #expect(changes.updatedRows.contains { $0.new == IndexPath(row: 0, section: 0) }, "\(sql)")
    }
  }

  /// In a damaged file, a row is found by its key but is missing from the SQL index of the order.
  @Test func aRowThatIsNotInTheOrderIsAnErrorWhenItChanges() throws {
    let database = try Database.store(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, n INTEGER);
      WITH RECURSIVE number(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 2000)
      INSERT INTO item SELECT i, printf('%05d', i), 1 FROM number;
      CREATE INDEX item_name ON item(name);
      """)
    let request = FetchRequest(table: "item").sorted(by: \Row["name"])
    let snapshot = try database.snapshot()
    let filtered: ResultsVersion = try ResultLoader(
      database: database, request: request.filter("id < 2000")
    ).version(of: snapshot)
    let version = ResultsVersion(
      ResultSource(snapshot, try request.plan(in: database)), filtered.index)
    try database.run("UPDATE item SET n = 2 WHERE id = 2000")
    let newest = try database.snapshot()
    let error = #expect(throws: FetchError.self) {
      try DeltaEngine(from: version, to: newest).advance(touching: [2_000])
    }
    #expect(error?.code == .vanishedRow)
  }
}
