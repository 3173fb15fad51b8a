import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

/// Results of window functions: rows that may differ are in a few partitions, each of which is read
/// once in each version.
@Suite struct PartitionRowsTests {
  private static let schema = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, grp TEXT, v INTEGER);
    CREATE INDEX byGroup ON item(grp, v);
    WITH RECURSIVE i(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM i WHERE x < 300)
    INSERT INTO item SELECT x, 'group ' || (x % 6), x * 7 % 50 FROM i;
    """
  private static let top = """
    SELECT id, grp, v FROM (
      SELECT id, grp, v, row_number() OVER (PARTITION BY grp ORDER BY v DESC, id) AS place FROM item)
    WHERE place <= 5
    """
  private static let ranks =
    "SELECT id, grp, rank() OVER (PARTITION BY grp ORDER BY v) AS place FROM item"

  @Test func aPartitionIsReadOnceInEachVersionWhateverItsRowsAre() throws {
    let calls = Locked(0)
    let store = try Database.store(Self.schema) {
      $0.functions = [
        ScalarFunction("seen", argumentCount: 1) { arguments in
          calls.withLock { $0 += 1 }
          return arguments[0]
        }
      ]
    }
    let list = try LiveList(
      store,
      FetchRequest(
        select: SQL(
          verbatim: Self.ranks.replacing("rank() OVER", with: "seen(v) AS v, rank() OVER"))))
    #expect(list.provider.maintenance == .touchedRows)
    try store.run("UPDATE item SET v = 100 WHERE id = 150")
    calls.withLock { $0 = 0 }
    #expect(try list.provider.refresh().updatedRows.count > 20)
    // Once for the keys and once for the rows, in both versions.
    #expect(calls.withLock { $0 } <= 4 * 50 + 50)
  }

  @Test func aPartitionMayHaveATextThatIsNotUTF8() throws {
    let store = try Database.store(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, grp TEXT, v INTEGER);
      CREATE INDEX byGroup ON item(grp, v);
      INSERT INTO item VALUES (1, CAST(x'ff' AS TEXT), 1), (2, CAST(x'ff' AS TEXT), 2);
      """)
    let list = try LiveList(store, FetchRequest(select: SQL(verbatim: Self.ranks)))
    #expect(list.provider.maintenance == .touchedRows)
    try store.run("UPDATE item SET v = 100 WHERE id = 1")
    #expect(try list.provider.refresh().updatedRows.count == 2)
    #expect(try list.provider.object(at: [0, 0])["place"] == .integer(2))
  }

  @Test(arguments: SeededGenerator.seeds(12))
  func theListIsThatOfAFreshFetch(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let store = try Database.store(Self.schema)
    let other = try Database(path: store.path)
    let select = seed.isMultiple(of: 2) ? Self.top : Self.ranks
    let request = FetchRequest<Row>(select: SQL(verbatim: select))
    let list = try LiveList(
      store,
      [
        request, request.sorted(by: \Row["id"], .descending), request.filter("grp < 'group 4'"),
        FetchRequest<Row>(select: SQL(verbatim: select), key: ["id"]),
      ][Int(seed / 2 % 4)].sorted(.expression("length(grp)")))
    #expect(list.provider.maintenance == .touchedRows)
    for _ in 0..<10 {
      let id = Int.random(in: 1...310, using: &generator)
      let group = ["'group 1'", "'GROUP 2'", "'new'", "NULL", "4"][
        Int.random(in: 0..<5, using: &generator)]
      let script =
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: "DELETE FROM item WHERE id BETWEEN \(id) AND \(id + 3)"
        case 1: "INSERT OR REPLACE INTO item VALUES (\(id), \(group), \(id % 60))"
        case 2: "UPDATE item SET grp = \(group) WHERE id IN (\(id), \(id + 1))"
        case 3: "UPDATE item SET id = -id WHERE id = \(id)"
        default: "UPDATE item SET v = v + 40 WHERE id = \(id)"
        }
      do {
        try (Bool.random(using: &generator) ? store : other).run(script)
        try list.step()
      } catch {
        Issue.record("seed \(seed), \(script): \(error)")
        return
      }
    }
  }
}
