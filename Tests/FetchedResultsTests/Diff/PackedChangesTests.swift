import Foundation
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults
@testable import SQLiteStorage

/// Results whose rows are packed in memory: a commit reads the SELECT once, and compares digests.
@Suite struct PackedChangesTests {
  private static let rows = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, title TEXT, n INTEGER);
    WITH RECURSIVE i(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM i WHERE x < 100)
    INSERT INTO t SELECT x * 10, printf('title %03d', x), x % 7 FROM i;
    """
  private static let place = "SELECT id, title, row_number() OVER (ORDER BY title) AS place FROM t"

  @Test(arguments: [nil, ["id"]])
  func theSelectIsReadOnceACommit(key: [String]?) throws {
    let calls = CallCount()
    let store = try Database.store(Self.rows) {
      $0.functions = [
        ScalarFunction("seen", argumentCount: 1) {
          calls.add()
          return $0[0]
        }
      ]
    }
    let select = "SELECT id, seen(title) AS title, sum(n) OVER (ORDER BY id) AS s FROM t"
    let list = try LiveList(store, FetchRequest(select: SQL(verbatim: select), key: key))
    guard case .comparison = list.provider.maintenance else {
      Issue.record("it is not compared")
      return
    }
    try store.run("UPDATE t SET title = 'other' WHERE id = 500; DELETE FROM t WHERE id = 1000")
    calls.reset()
    let changes = try list.provider.refresh()
    #expect(calls.count == 99)
    #expect(changes.updatedRows.map(\.new.row) == [49])
    #expect(changes.deletedRows.map(\.row) == [99])
  }

  @Test(arguments: SeededGenerator.seeds(4))
  func longListsOfFewContentsBecomeWhatTheSelectReturns(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let contents = [2, 5, 40, 1_000][Int(seed % 4)]
    func row() -> String { "\(Int.random(in: 0..<contents, using: &generator))" }
    let rows = (1...120).map { "(\($0 * 4), \(row()))" }.joined(separator: ", ")
    let store = try Database.store(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER); INSERT INTO t VALUES \(rows)")
    let request = FetchRequest(select: "SELECT n, CAST(n AS REAL) AS r FROM t")
    let list = try LiveList(store, seed.isMultiple(of: 3) ? request.sorted(by: \Row["n"]) : request)
    for _ in 0..<8 {
      let id = Int.random(in: 0...500, using: &generator)
      let length = [1, 4, 60, 200][Int.random(in: 0..<4, using: &generator)]
      let place = "id BETWEEN \(id) AND \(id + length)"
      let script =
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: "DELETE FROM t WHERE \(place)"
        case 1: "UPDATE t SET n = \(row()) WHERE \(place)"
        case 2: "UPDATE t SET n = (n + 1) % \(contents) WHERE \(place)"
        default:
          (id...(id + length)).map { "INSERT OR REPLACE INTO t VALUES (\($0), \(row()));" }.joined()
        }
      do {
        try list.commit(script)
        try list.provider.shownVersion?.checkInvariants()
      } catch {
        Issue.record("seed \(seed), \(script): \(error)")
        return
      }
    }
  }

  @Test(arguments: [nil, ["id"]])
  func rowsAreInsertedAtOnePlaceAgainAndAgain(key: [String]?) throws {
    let list = try LiveList(
      try .store(Self.rows),
      FetchRequest(select: "SELECT id, title, max(n) OVER () AS m FROM t", key: key))
    for number in 0..<9 {
      #expect(
        try list.commit("INSERT INTO t VALUES (\(509 - number), 'new', 1)").description
          == "+[0,50]")
    }
    try list.commit("UPDATE t SET id = -id")
    for number in 0..<10 {
      try list.commit("INSERT INTO t VALUES (\(-3_000 - number), 'first', 1)")
    }
    let many = "WITH RECURSIVE i(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM i WHERE x < 200)"
    try list.commit("INSERT INTO t SELECT 10000 + x, 'many', 1 FROM (\(many) SELECT x FROM i)")
    for number in 0..<20 {
      try list.commit("UPDATE t SET id = -(id + 1) WHERE id = \(10_000 + 2 * number + 1)")
    }
  }

  @Test func rowsThatTakeEachOthersKeysAreFollowed() throws {
    let list = try LiveList(
      try .store(Self.rows),
      FetchRequest(select: SQL(verbatim: Self.place), key: ["id"]).sorted(by: \Row["title"])
    )
    try list.commit(
      """
      UPDATE t SET id = -1 WHERE id = 10; UPDATE t SET id = 10 WHERE id = 990;
      UPDATE t SET id = 990 WHERE id = -1
      """)
    try list.commit("UPDATE t SET title = 'title ' || (1000 - id / 10)")
    try list.commit("DELETE FROM t WHERE id > 50")
    try list.commit("DELETE FROM t")
    try list.commit("INSERT INTO t VALUES (7, 'a', 1), (8, 'b', 2)")
  }

  @Test func aKeyThatTwoRowsGetIsTheErrorOfAFetch() throws {
    let store = try Database.store(Self.rows)
    let request = FetchRequest(
      select: "SELECT n, title, row_number() OVER (ORDER BY title) AS place FROM t", key: ["title"])
    let provider = try FetchedResultsProvider(database: store, request: request)
    try provider.performFetch()
    try store.run("UPDATE t SET title = 'title 007' WHERE id = 10")
    let error = #expect(throws: FetchError.self) { try provider.refresh() }
    let fetchError = #expect(throws: FetchError.self) {
      try FetchedResultsProvider(database: store, request: request).performFetch()
    }
    #expect(error?.message == fetchError?.message)
    try store.run("UPDATE t SET title = 'other' WHERE id = 10")
    #expect(try provider.refresh().rowCount == 2)
    try provider.expectConsistent()
  }

  @Test(arguments: [nil, ["id"]])
  func oneVersionCanBeAdvancedTwice(key: [String]?) throws {
    let store = try Database.store(Self.rows)
    let loader = ResultLoader(
      database: store,
      request: FetchRequest(select: "SELECT id, title, max(n) OVER () AS m FROM t", key: key))
    let old = try loader.fetch(isTracked: true).version
    for number in 0..<3 {
      try store.run("UPDATE t SET title = 'new \(number)' WHERE id = \(10 * number + 10)")
      let newest = try store.snapshot()
      let next = try loader.advance(old, to: newest)
      #expect(next?.changes.updatedRows.count == number + 1)
      try next?.version.checkInvariants()
    }
  }

  @Test(arguments: [nil, ["id"]])
  func whatDoesNotChangeARowIsNoChange(key: [String]?) throws {
    let store = try Database.store(Self.rows)
    let loader = ResultLoader(
      database: store,
      request: FetchRequest(select: "SELECT id, title, max(n) OVER () AS m FROM t", key: key))
    let old = try loader.fetch(isTracked: true).version
    try store.run("UPDATE t SET n = n - 1 WHERE n < 6")
    let next = try #require(try loader.advance(old, to: store.snapshot()))
    #expect(next.changes.isEmpty)
    try next.version.checkInvariants()
  }

  /// No look-up is possible any more after the index is dropped, and it is again after one is made.
  @Test func aListIsPackedAndUnpackedByAChangeOfTheSchema() throws {
    let list = try LiveList(
      try .store(
        """
        CREATE TABLE a(id INTEGER PRIMARY KEY, n); CREATE INDEX byN ON a(n);
        INSERT INTO a VALUES (1, 5), (2, 6), (3, 7);
        """), FetchRequest(select: "SELECT n AS k, count(*) AS c FROM a GROUP BY n", key: ["k"]))
    #expect(list.provider.shownVersion?.packed == nil)
    let dropped = try list.commit("DROP INDEX byN; INSERT INTO a VALUES (4, 6)")
    #expect(dropped.updatedRows.map(\.new.row) == [1] && dropped.rowCount == 1)
    #expect(list.provider.shownVersion?.packed != nil)
    #expect(try list.commit("DELETE FROM a WHERE n = 5").description == "-[0,0]")
    let made = try list.commit("CREATE INDEX byN ON a(n); INSERT INTO a VALUES (5, 8)")
    #expect(made.description == "+[0,2]")
    #expect(list.provider.shownVersion?.packed == nil)
    #expect(try list.commit("DELETE FROM a WHERE n = 8").description == "-[0,2]")
  }

  /// The rows of a packed list are read, and compared, as if the database had not been suspended.
  @Test(arguments: [nil, ["id"]])
  func aPackedListIsReadAfterItsVersionHasExpired(key: [String]?) throws {
    let store = try Database.store(Self.rows)
    let list = try LiveList(
      store, FetchRequest(select: "SELECT id, title, max(n) OVER () AS m FROM t", key: key))
    let version = try #require(list.provider.shownVersion)
    try store.opened().keeper.releaseVersions()
    #expect(!version.snapshot.isPinned)
    #expect(list.provider.fetchedObjects?.last?["title"] == "title 100")
    #expect(try version.position(of: version.identities(at: 7..<8)[0]) == 7)
    #expect(try list.commit("DELETE FROM t WHERE id = 20").description == "-[0,1]")
  }

  @Test func valuesThatAreAlmostEqualAreOtherValues() throws {
    let list = try LiveList(
      try .store("CREATE TABLE t(x); INSERT INTO t VALUES (1), (1), (1)"),
      FetchRequest(select: "SELECT x, typeof(x) AS y FROM t"))
    for value in ["1.0", "'1'", "x'31'", "0.0", "-0.0", "CAST(x'FF' AS TEXT)", "''", "x''", "NULL"]
    {
      #expect(try list.commit("UPDATE t SET x = \(value) WHERE rowid = 2").rowCount <= 1)
      #expect(try list.commit("INSERT INTO t VALUES (\(value))").rowCount == 1)
      #expect(try list.commit("UPDATE t SET x = x").isEmpty)
    }
  }
}

/// Counts calls from any thread.
private final class CallCount: Sendable {
  private let value = Locked(0)
  var count: Int { value.withLock { $0 } }
  func add() { value.withLock { $0 += 1 } }
  func reset() { value.withLock { $0 = 0 } }
}
