import SQLiteStorage
import Testing

@testable import FetchedResults

/// What only a damaged file leads to.
@Suite struct DeltaEngineTests {
  /// A row that is found by its key, and that an SQL index lacks, is not in the order.
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
    let version = try snapshot.read { connection in
      func plan(_ request: FetchRequest<Row>) throws -> QueryPlan {
        try PlanCompiler(
          request, sectionKey: nil, configuration: database.configuration, connection: connection
        ).plan()
      }
      return ResultsVersion(
        plan: try plan(request), snapshot: snapshot,
        index: try IndexBuilder<Int64>(
          try plan(request.filter("id < 2000")), in: connection, isTracked: true
        ).build())
    }
    try database.run("UPDATE item SET n = 2 WHERE id = 2000")
    let newest = try database.snapshot()
    let error = #expect(throws: FetchError.self) {
      try DeltaEngine(from: version, to: newest).advance(touching: [2_000])
    }
    #expect(error?.code == .vanishedRow)
  }
}
