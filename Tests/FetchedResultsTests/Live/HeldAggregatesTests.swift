import FetchedResultsExplaining
import SQLiteStorage
import Synchronization
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

/// Lists of groups whose aggregates are held: what each trap of them shows, and that the rest of a
/// group is not read.
@Suite struct HeldAggregatesTests {
  private static let schema = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, g INTEGER, t TEXT COLLATE NOCASE, v);
    CREATE INDEX item_g ON item(g, v);
    CREATE INDEX item_t ON item(t);
    CREATE TABLE kind(id INTEGER PRIMARY KEY, title TEXT);
    CREATE INDEX kind_title ON kind(title);
    """
  private static let rows = """
    INSERT INTO item VALUES
      (1, 1, 'a', 10), (2, 1, 'A', 20), (3, 1, 'b', 30), (4, 2, 'b', 5), (5, 2, 'b', NULL);
    """
  private static let select = """
    SELECT g, count(*) AS n, count(v) AS m, sum(v) AS s, avg(v) AS a, min(v) AS low, max(v) AS high
    FROM item GROUP BY g
    """

  private func list(
    _ select: String = select, key: [String] = ["g"], rows: String = rows,
    _ configure: (FetchRequest<Row>) -> FetchRequest<Row> = { $0 }
  ) throws -> LiveList {
    let request =
      key.isEmpty
      ? FetchRequest<Row>(select: SQL(verbatim: select))
      : FetchRequest(select: SQL(verbatim: select), key: key)
    return try LiveList(try .store(Self.schema + rows), configure(request))
  }

  private func isHeld(_ list: LiveList) -> Bool {
    list.provider.shownVersion?.source.plan.maintenance.held != nil
  }

  /// The values of a row, but for its key.
  private func values(_ list: LiveList, _ row: Int) throws -> [Value] {
    Array(try list.provider.object(at: [0, row]).values.dropFirst())
  }

  // MARK: Values

  @Test func aTouchedRowMovesItsGroup() throws {
    let list = try list()
    #expect(isHeld(list) && list.isFast)
    #expect(try list.commit("UPDATE item SET v = 25 WHERE id = 2").description == "[0,0]=[0,0]")
    #expect(try values(list, 0) == [3, 3, 65, .real(65.0 / 3), 10, 30])
    #expect(try list.commit("UPDATE item SET g = 2 WHERE id = 1").updatedRows.count == 2)
    #expect(try values(list, 1) == [3, 2, 15, 7.5, 5, 10])
    #expect(try list.commit("UPDATE item SET t = 'x' WHERE id = 1").isEmpty)
    #expect(try list.commit("UPDATE item SET v = v + 0").isEmpty)
  }

  @Test func theStatementOfARowIsPreparedOnceForAllGroups() throws {
    let list = try list(
      rows: """
        WITH RECURSIVE number(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 20)
        INSERT INTO item SELECT i, i, 'a', i FROM number;
        """)
    try list.commit("UPDATE item SET v = v + 1")
    try list.commit("UPDATE item SET v = v + 1")
    let version = try #require(list.provider.shownVersion)
    let row = try #require(version.source.plan.maintenance.held?.row)
    let runs = try version.snapshot.read {
      try $0.cachedStatement(row.sql.text).counter(.runs, reset: false)
    }
    #expect(runs >= 20)
  }

  @Test func aGroupIsBornAndDies() throws {
    let list = try list()
    #expect(try list.commit("INSERT INTO item VALUES (9, 0, 'z', 1)").description == "+[0,0]")
    #expect(try values(list, 0) == [1, 1, 1, 1.0, 1, 1])
    #expect(try list.commit("DELETE FROM item WHERE g = 1").description == "-[0,1]")
    #expect(try list.commit("INSERT INTO item VALUES (8, 1, 'z', NULL)").description == "+[0,1]")
    #expect(try values(list, 1) == [1, 0, .null, .null, .null, .null])
    #expect(try list.commit("DELETE FROM item").deletedRows.count == 3)
  }

  @Test func nullIsAGroup() throws {
    let list = try list()
    let inserted = try list.commit("INSERT INTO item VALUES (9, NULL, 'z', 1)")
    #expect(inserted.description == "+[0,0]")
    #expect(
      try list.commit("UPDATE item SET v = 2 WHERE g IS NULL").description == "[0,0]=[0,0]")
    #expect(
      try list.commit("UPDATE item SET g = NULL WHERE id = 1").description
        == "[0,0]=[0,0] [0,1]=[0,1]")
    #expect(try values(list, 0) == [2, 2, 12, 6.0, 2, 10])
  }

  @Test func groupsOfSeveralSpellingsAreNotHeld() throws {
    let list = try list("SELECT t, count(*) AS n FROM item GROUP BY t", key: ["t"])
    #expect(!isHeld(list))
    try list.commit("DELETE FROM item WHERE id = 1")
    try list.commit("UPDATE item SET t = 'B' WHERE id = 2")
    try list.commit("INSERT INTO item VALUES (1, 1, 'a', 1)")
  }

  @Test func aWholeRealKeyIsNotTheIntegerThatEqualsIt() throws {
    let list = try LiveList(
      try .store(
        """
        CREATE TABLE item(id INTEGER PRIMARY KEY, k);
        CREATE INDEX item_k ON item(k);
        INSERT INTO item VALUES (1, 1), (2, 2), (3, '1');
        """),
      FetchRequest(select: "SELECT k, count(*) AS n FROM item GROUP BY k", key: ["k"]))
    #expect(isHeld(list))
    try list.commit("INSERT INTO item VALUES (4, 1.0)")
    try list.commit("UPDATE item SET k = 1.0 WHERE id = 1")
    try list.commit("UPDATE item SET k = 2.0 WHERE id = 2")
    try list.commit("DELETE FROM item WHERE id = 4")
  }

  @Test func aRealThatTurnsUpIsEvaluatedByTheDatabase() throws {
    let list = try list()
    try list.commit("UPDATE item SET v = 11 WHERE id = 1")
    try list.commit("UPDATE item SET v = 0.5 WHERE id = 1")
    #expect(try values(list, 0) == [3, 3, 50.5, .real(50.5 / 3), 0.5, 30])
    try list.commit("UPDATE item SET v = 40.0 WHERE id = 2")
    try list.commit("UPDATE item SET v = 'x' WHERE id = 3")
    try list.commit("UPDATE item SET v = id WHERE g = 1")
    #expect(try values(list, 0) == [3, 3, 6, 2.0, 1, 3])
    #expect(try list.commit("UPDATE item SET v = 7 WHERE id = 1").description == "[0,0]=[0,0]")
  }

  /// A `Value` has U+FFFD instead, which SQLite sorts behind all letters.
  @Test func anExtremeThatIsNotValidUTF8IsEvaluatedByTheDatabase() throws {
    let list = try list(
      "SELECT g, max(v) AS high FROM item GROUP BY g",
      rows: "INSERT INTO item VALUES (1, 1, '', 'a'), (2, 2, '', 'é');"
    ) { $0.sorted(by: \Row["high"]) }
    #expect(isHeld(list))
    for script in [
      "INSERT INTO item VALUES (3, 3, '', CAST(x'80' AS TEXT))",
      "UPDATE item SET v = CAST(x'81' AS TEXT) WHERE id = 1",
      "UPDATE item SET v = 'z' WHERE id = 3",
    ] {
      try list.commit(script)
      try list.provider.shownVersion?.checkInvariants()
    }
    #expect(try (0..<3).map { try list.provider.object(at: [0, $0]).values[0] } == [3, 1, 2])
  }

  @Test func aSumThatIsTooLargeIsTheErrorThatItIsWithoutHolding() throws {
    let list = try list()
    let large = Int64.max - 100
    try list.commit("UPDATE item SET v = \(large) WHERE id = 1; DELETE FROM item WHERE id = 2")
    #expect(try values(list, 0)[2] == .integer(large + 30))
    try list.database.run("UPDATE item SET v = 101 WHERE id = 3")
    #expect(throws: DatabaseError.self) { try list.provider.refresh() }
    list.recorder.clear()
    try list.commit("UPDATE item SET v = 1 WHERE id = 3")
    // It fits, but might not if SQLite added more values first.
    try list.commit("UPDATE item SET v = -5 WHERE id = 3; INSERT INTO item VALUES (9, 1, '', 102)")
    #expect(try values(list, 0)[2] == .integer(large + 97))
  }

  @Test(arguments: [true, false]) func anExtremeIsDeleted(hasIndex: Bool) throws {
    let list = try list()
    if !hasIndex { try list.database.run("DROP INDEX item_g; CREATE INDEX item_g ON item(g)") }
    try list.provider.performFetch()
    list.recorder.clear()
    #expect(isHeld(list))
    try list.commit("UPDATE item SET v = 31 WHERE id = 3")
    for expected: [Value] in [[10, 20], [20, 20]] {
      let sign = expected[0] == 10 ? "max" : "min"
      try list.commit("DELETE FROM item WHERE v = (SELECT \(sign)(v) FROM item WHERE g = 1)")
      #expect(Array(try values(list, 0).suffix(2)) == expected)
    }
    try list.commit("UPDATE item SET v = NULL WHERE g = 1")
    #expect(try values(list, 0).suffix(2) == [.null, .null])
  }

  // MARK: Around the group

  @Test func aGroupCrossesHaving() throws {
    let list = try list(
      "SELECT g, count(*) AS n FROM item GROUP BY g HAVING count(*) > 2 AND sum(v) < 100")
    #expect(isHeld(list))
    #expect(try list.commit("INSERT INTO item VALUES (6, 2, 'c', 1)").description == "+[0,1]")
    #expect(try list.commit("UPDATE item SET v = 90 WHERE id = 6").isEmpty)
    #expect(try list.commit("UPDATE item SET v = 95 WHERE id = 6").description == "-[0,1]")
    #expect(try list.commit("DELETE FROM item WHERE id = 1").description == "-[0,0]")
  }

  @Test func rowsAreSortedByTheAggregate() throws {
    let list = try list(rows: Self.rows + "INSERT INTO item VALUES (6, 3, 'c', 50)") {
      $0.sorted(by: \Row["s"], .descending)
    }
    #expect(isHeld(list))
    #expect(try list.provider.lines() == ["all: 1 3 2"])
    #expect(try list.commit("UPDATE item SET v = 70 WHERE id = 4").movedRows.count == 1)
    #expect(try list.commit("UPDATE item SET v = 71 WHERE id = 4").description == "[0,0]=[0,0]")
    #expect(try list.commit("DELETE FROM item WHERE id = 3").movedRows.count == 1)
    #expect(try list.provider.lines() == ["all: 2 3 1"])
  }

  @Test func sectionsAreThoseOfTheAggregate() throws {
    let list = try LiveList(
      try .store(Self.schema + Self.rows),
      FetchRequest(select: SQL(verbatim: Self.select), key: ["g"]).totals(.sum(\Row["n"])),
      sectionedBy: .expression("n > 2"))
    #expect(isHeld(list))
    #expect(try list.provider.lines() == ["0: 2", "1: 1"])
    try list.commit("INSERT INTO item VALUES (6, 2, 'c', 1)")
    #expect(try list.provider.lines() == ["1: 1 2"])
  }

  @Test func groupsOfAJoinFollowBothTables() throws {
    let list = try list(
      """
      SELECT title, count(*) AS n, sum(v) AS s FROM item JOIN kind ON kind.id = item.g
      GROUP BY title
      """, key: ["title"],
      rows: Self.rows + "INSERT INTO kind VALUES (1, 'one'), (2, 'two'), (3, 'two')")
    #expect(isHeld(list))
    #expect(try list.commit("UPDATE item SET g = 3 WHERE id = 1").updatedRows.count == 2)
    #expect(try list.commit("UPDATE kind SET title = 'two' WHERE id = 1").deletedRows.count == 1)
    // Both tables in one transaction: a joined row is counted once.
    try list.commit(
      "UPDATE kind SET title = 'six' WHERE id = 3; UPDATE item SET v = 7 WHERE id = 1")
    #expect(try values(list, 0) == [1, 7])
  }

  @Test(arguments: [
    "SELECT g, count(DISTINCT v) AS n FROM item GROUP BY g",
    "SELECT g, group_concat(v) AS n FROM item GROUP BY g",
    "SELECT g, count(*) + (SELECT 1) AS n FROM item GROUP BY g",
    "SELECT g, max(t) AS n FROM item GROUP BY g",
    "SELECT g, count(*) AS n FROM item LEFT JOIN kind ON kind.id = v GROUP BY g",
    "SELECT g, sum(n) AS n FROM (SELECT g, v, count(*) AS n FROM item GROUP BY g, v) GROUP BY g",
  ])
  func otherAggregatesAreEvaluated(_ select: String) throws {
    let list = try list(select)
    #expect(!isHeld(list))
    try list.commit("UPDATE item SET v = 21 WHERE id = 2")
  }

  @Test func aFunctionOfTheApplicationIsNotTakenForSQLites() throws {
    let database = try Database.store(Self.schema + Self.rows) {
      $0.functions = [ScalarFunction("abs", argumentCount: 1) { _ in .integer(1) }]
    }
    let plan = try FetchRequest<Row>(select: SQL(verbatim: Self.select), key: ["g"]).plan(
      in: database)
    #expect(plan.maintenance.held == nil)
  }

  // MARK: Without GROUP BY

  @Test func anEmptyTableHasACountOfZero() throws {
    let list = try list("SELECT count(*) AS n, sum(v) AS s FROM item", key: [], rows: "")
    #expect(isHeld(list) && list.isFast)
    #expect(try list.provider.object(at: [0, 0]).values == [0, .null])
    #expect(try list.commit(Self.rows).description == "[0,0]=[0,0]")
    #expect(try list.provider.object(at: [0, 0]).values == [5, 65])
    #expect(try list.commit("UPDATE item SET t = 'x'").isEmpty)
    #expect(try list.commit("DELETE FROM item").description == "[0,0]=[0,0]")
    #expect(try list.provider.object(at: [0, 0]).values == [0, .null])
  }

  @Test func theOnlyRowComesAndGoesByAConditionOnIt() throws {
    let list = try list("SELECT count(*) AS n FROM item", key: []) { $0.filter("n > 5") }
    #expect(isHeld(list))
    #expect(try list.commit("INSERT INTO item VALUES (6, 1, 'c', 1)").description == "+[0,0]")
    #expect(try list.commit("DELETE FROM item WHERE g = 2").description == "-[0,0]")
  }

  @Test func theOnlyRowOfAnotherRequestIsAnUpdate() throws {
    let list = try list("SELECT count(*) AS n FROM item", key: [])
    #expect(
      try list.set(FetchRequest(select: "SELECT count(*) AS n FROM item WHERE g = 1"))
        .description == "[0,0]=[0,0]")
    #expect(try list.commit("DELETE FROM item WHERE g = 2").isEmpty)
  }

  @Test func theOnlyRowSurvivesAChangeOfTheSchema() throws {
    let list = try list("SELECT count(*) AS n FROM item", key: [])
    try list.commit("ALTER TABLE item ADD COLUMN more; DELETE FROM item WHERE id = 1")
    #expect(try list.provider.object(at: [0, 0]).values == [4])
    try list.commit("DELETE FROM item WHERE id = 2")
    #expect(isHeld(list))
  }

  // MARK: Writers

  @Test func ownAndOtherWritersMoveTheSameGroups() throws {
    let list = try list()
    let other = try Database(path: list.database.path)
    for round in 0..<6 {
      try (round.isMultiple(of: 2) ? other : list.database).run(
        "UPDATE item SET v = v + \(round + 1) WHERE id = \(round % 3 + 1)")
      #expect(try list.step().description == "[0,0]=[0,0]")
    }
    try list.database.run("DELETE FROM item WHERE id = 1")
    try other.run("INSERT INTO item VALUES (1, 2, 'a', 3)")
    #expect(try list.step().updatedRows.count == 2)
    try other.run("DELETE FROM item")
    #expect(try list.step().deletedRows.count == 2)
  }

  @Test func manyTouchedRowsAreComparedAndHeldAgain() throws {
    let list = try list(
      rows: """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
        INSERT INTO item SELECT i, i % 3, '', i FROM n;
        """)
    try list.commit("UPDATE item SET v = 0 WHERE id = 7")
    try list.commit("UPDATE item SET v = v + 1")
    #expect(try list.commit("UPDATE item SET v = 5 WHERE id = 8").updatedRows.count == 1)
    try list.provider.shownVersion?.checkInvariants()
  }

  // MARK: Cost

  /// The number of rows whose value is computed.
  private final class Counted: Sendable {
    private let count = Atomic<Int>(0)

    var function: ScalarFunction {
      ScalarFunction("seen", argumentCount: 1) { values in
        self.count.add(1, ordering: .relaxed)
        return values[0]
      }
    }

    func rows(_ body: () throws -> Void) rethrows -> Int {
      count.store(0, ordering: .relaxed)
      try body()
      return count.load(ordering: .relaxed)
    }
  }

  private func large(
    _ select: String, key: [String], _ counted: Counted,
    _ configure: (FetchRequest<Row>) -> FetchRequest<Row> = { $0 }
  ) throws -> (Database, FetchedResultsProvider<Row>) {
    let database = try Database.store(
      Self.schema + """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 4000)
        INSERT INTO item SELECT i, i % 2, '', i FROM n;
        """
    ) { $0.functions = [counted.function] }
    let request =
      key.isEmpty
      ? FetchRequest<Row>(select: SQL(verbatim: select))
      : FetchRequest(select: SQL(verbatim: select), key: key)
    let provider = try FetchedResultsProvider(database: database, request: configure(request))
    try provider.performFetch()
    return (database, provider)
  }

  @Test(arguments: [true, false]) func aCommitReadsItsRowsAlone(isSorted: Bool) throws {
    let counted = Counted()
    let (database, provider) = try large(
      """
      SELECT g, count(*) AS n, sum(seen(v)) AS s, min(v) AS low, max(v) AS high
      FROM item GROUP BY g
      """, key: ["g"], counted
    ) { isSorted ? $0.sorted(by: \Row["s"]) : $0 }
    let other = try Database(path: database.path, configuration: database.configuration)
    // The groups are held once both were touched.
    try database.run("UPDATE item SET v = v + 1 WHERE id IN (10, 11)")
    try provider.refresh()
    for round in 0..<6 {
      let writer = round.isMultiple(of: 2) ? database : other
      // The largest value goes too.
      try writer.run("UPDATE item SET v = -\(round) WHERE v = (SELECT max(v) FROM item)")
      var changes = TableChanges()
      // Its value before and after.
      let commitCount = try counted.rows { changes = try provider.refresh() }
      #expect(commitCount == 2 && changes.rowCount == 1)
      let readCount = try counted.rows {
        for row in 0..<2 { _ = try provider.object(at: [0, row]) }
      }
      #expect(readCount == 0)
    }
    try provider.shownVersion?.checkInvariants()
  }

  @Test func anExtremeIsOneLookUp() throws {
    let (database, provider) = try large(Self.select, key: ["g"], Counted())
    for id in [4_000, 3_998, 3_996] {
      try database.run("DELETE FROM item WHERE id = \(id)")
      try provider.refresh()
      let version = try #require(provider.shownVersion)
      let query = try #require(version.source.plan.maintenance.held?.extremes.last ?? nil)
      try version.source.snapshot.read { connection in
        let statement = try connection.cachedStatement(query.sql.text)
        #expect(statement.counter(.runs) > 0)
        #expect(statement.counter(.virtualMachineSteps) < 100 * statement.counter(.runs))
      }
    }
  }

  @Test func oneCountOfAllReadsItsRowsAlone() throws {
    let counted = Counted()
    let (database, provider) = try large("SELECT count(seen(v)) AS n FROM item", key: [], counted)
    #expect(try provider.object(at: [0, 0]).values == [4_000])
    for round in 1..<4 {
      try database.run("DELETE FROM item WHERE id = \(round)")
      let commitCount = try counted.rows { try provider.refresh() }
      #expect(commitCount == 1)
      var value = Value.null
      let readCount = try counted.rows { value = try provider.object(at: [0, 0])["n"] }
      #expect(value == .integer(4_000 - Int64(round)) && readCount == 0)
    }
  }

  @Test func anIrrelevantColumnReadsItsRowsAlone() throws {
    let counted = Counted()
    let (database, provider) = try large(
      "SELECT g, sum(seen(v)) AS s FROM item GROUP BY g", key: ["g"], counted)
    try database.run("UPDATE item SET t = 'x' WHERE id = 5")
    var changes = TableChanges()
    let count = try counted.rows { changes = try provider.refresh() }
    #expect(count == 2 && changes.isEmpty)
  }

  // MARK: Explained

  @Test func theExplanationNamesWhatIsHeld() throws {
    let database = try Database.store(Self.schema + Self.rows)
    let explanation = try FetchRequest<Row>(select: SQL(verbatim: Self.select), key: ["g"])
      .explained(in: database, isMeasured: true)
    #expect(explanation.held == ["count(*)", "count(v)", "sum(v)", "avg(v)", "min(v)", "max(v)"])
    #expect(explanation.derivations.map(\.effect) == [.held])
    #expect(explanation.derivations.first?.cost != nil)
    #expect(
      explanation.verdict
        == """
        A changed row of item costs look-ups only: count(*), count(v), sum(v), avg(v), min(v) and \
        max(v) have counters.
        """)
    let all = try FetchRequest<Row>(select: "SELECT count(*) FROM item").explained(in: database)
    #expect(all.verdict == "A changed row of item costs look-ups only: count(*) has a counter.")
    #expect(all.maintenance == .touchedRows)
    #expect(all.description.contains("its only row"))
  }
}
