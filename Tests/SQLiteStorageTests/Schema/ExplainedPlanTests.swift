import Testing

@testable import SQLiteStorage

/// The steps that this SQLite returns, and what they are read as.
@Suite struct ExplainedPlanTests {
  typealias Operation = ExplainedPlan.Operation

  private let store: TestConnection

  init() throws {
    store = try TestConnection(
      """
      CREATE TABLE a(id INTEGER PRIMARY KEY, x, y);
      CREATE INDEX a_x ON a(x);
      CREATE INDEX a_yx ON a(y, x);
      CREATE TABLE b(id INTEGER PRIMARY KEY, a, z);
      CREATE TABLE w(k PRIMARY KEY, v) WITHOUT ROWID;
      CREATE TABLE "an USING odd (name)"(q);
      CREATE VIRTUAL TABLE f USING fts5(text);
      """)
  }

  private func plan(_ sql: String) throws -> ExplainedPlan {
    try store.connection.explainedPlan(of: sql)
  }

  private static func access(
    _ source: String, _ index: ExplainedPlan.Index? = nil, _ conditions: String = ""
  ) -> ExplainedPlan.Access {
    ExplainedPlan.Access(source: source, index: index, conditions: conditions)
  }

  private static let lastSteps: [(String, Operation)] = [
    ("SELECT * FROM a", .scan(access("a"))),
    ("SELECT * FROM main.a", .scan(access("main.a"))),
    ("SELECT x FROM a", .scan(access("a", .named("a_x")))),
    ("SELECT * FROM a ORDER BY x", .scan(access("a", .named("a_x")))),
    ("SELECT * FROM a WHERE id = 1", .search(access("a", .key, "rowid=?"))),
    (
      "SELECT * FROM a WHERE id > 1 AND id < 3",
      .search(access("a", .key, "rowid>? AND rowid<?"))
    ),
    ("SELECT * FROM a AS other WHERE x = 1", .search(access("other", .named("a_x"), "x=?"))),
    ("SELECT * FROM a WHERE x IS NULL", .search(access("a", .named("a_x"), "x=?"))),
    (
      "SELECT x FROM a WHERE y = 1 AND x > 3",
      .search(access("a", .named("a_yx"), "y=? AND x>?"))
    ),
    (
      "SELECT * FROM a WHERE (y, x) > (1, 2)",
      .search(access("a", .named("a_yx"), "(y,x)>(?,?)"))
    ),
    ("SELECT max(z) FROM b", .search(access("b"))),
    ("SELECT * FROM w WHERE k = 1", .search(access("w", .key, "k=?"))),
    ("SELECT * FROM b AS l JOIN b AS r ON l.z = r.a", .search(access("r", .automatic, "a=?"))),
    ("SELECT * FROM b LEFT JOIN a ON a.id = b.a", .search(access("a", .key, "rowid=?"))),
    ("SELECT * FROM a LEFT JOIN b ON a.id = b.a", .scan(access("b"))),
    ("SELECT * FROM \"an USING odd (name)\"", .scan(access("an USING odd (name)"))),
    ("SELECT * FROM f WHERE f MATCH 'x'", .scan(access("f", .virtual("0:M1")))),
    ("SELECT * FROM json_each('[]')", .scan(access("json_each", .virtual("1:")))),
    ("SELECT 1", .cheap), ("VALUES (1), (2), (3)", .cheap),
    ("SELECT * FROM b ORDER BY z", .cheap),
    ("SELECT * FROM a ORDER BY x, id DESC", .cheap),
    ("SELECT DISTINCT z FROM b", .cheap),
    ("SELECT count(*) FROM b GROUP BY z", .cheap),
    ("SELECT count(DISTINCT z) FROM b GROUP BY a", .cheap),
    ("SELECT * FROM a WHERE x IN (SELECT id FROM b)", .cheap),
  ]

  /// The only step of a plan, or the last one.
  @Test(arguments: lastSteps)
  func theLastStepIsRead(of sql: String, as operation: Operation) throws {
    let last = try #require(try plan(sql).steps.last)
    #expect(last.operation == operation, "\(last.detail)")
  }

  private static let steps: [(String, [Operation], [[Operation]])] = [
    (
      "SELECT * FROM a WHERE x = 1 OR y = 2", [.cheap],
      [[.cheap, .cheap]]
    ),
    (
      "SELECT * FROM (VALUES (1), (2)) AS v", [.subquery(name: "v"), .scan(access("v"))],
      [[.cheap], []]
    ),
    (
      "WITH c AS MATERIALIZED (SELECT z FROM b) SELECT * FROM c, b",
      [.subquery(name: "c"), .scan(access("c")), .scan(access("b"))],
      [[.scan(access("b"))], [], []]
    ),
    (
      "SELECT (SELECT max(z) FROM b) FROM w",
      [.scan(access("w")), .cheap], [[], [.search(access("b"))]]
    ),
    (
      "SELECT (SELECT z FROM b WHERE a = k) FROM w",
      [.scan(access("w")), .cheap], [[], [.scan(access("b"))]]
    ),
    (
      "SELECT * FROM w WHERE v IN (SELECT z FROM b)",
      [.scan(access("w")), .cheap], [[], [.scan(access("b"))]]
    ),
    (
      "SELECT z FROM b UNION ALL SELECT v FROM w", [.cheap],
      [[.cheap, .cheap]]
    ),
    (
      "SELECT z FROM b UNION SELECT v FROM w EXCEPT SELECT id FROM a", [.cheap],
      [[.cheap, .cheap, .cheap]]
    ),
    (
      "SELECT z FROM b UNION ALL SELECT v FROM w ORDER BY 1", [.cheap],
      [[.cheap, .cheap]]
    ),
    (
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT * FROM n",
      [.subquery(name: "n"), .scan(access("n"))], [[.other, .other], []]
    ),
    (
      "SELECT * FROM w FULL JOIN b ON w.v = b.z",
      [.scan(access("w")), .scan(access("b")), .other], [[], [], [.scan(access("b"))]]
    ),
  ]

  /// The steps at the top of the tree, and for each those that it consists of.
  @Test(arguments: steps)
  func thePartsOfAStepAreFound(
    of sql: String, top: [Operation], parts: [[Operation]]
  ) throws {
    let plan = try plan(sql)
    let first = plan.parts(of: nil)
    #expect(first.map(\.operation) == top)
    #expect(first.map { plan.parts(of: $0).map(\.operation) } == parts)
  }

  @Test func aWindowIsASubqueryWithoutAName() throws {
    let first = try plan("SELECT row_number() OVER (PARTITION BY z) FROM b").steps[0]
    guard case .subquery(let name) = first.operation else {
      Issue.record("\(first.detail)")
      return
    }
    #expect(name.hasPrefix("(subquery-"))
  }

  @Test func whatIsNotCheapIsAnotherStep() {
    // SQLite makes one only for tables of many rows.
    #expect(Operation("BLOOM FILTER ON b (a=?)") == .other)
    #expect(Operation("SOMETHING OF A LATER VERSION") == .other)
  }

  @Test func aLookUpIsASearchByAValueInAnIndexOfTheFile() throws {
    for (sql, isLookUp) in [
      ("SELECT * FROM a WHERE id = ?", true), ("SELECT * FROM a WHERE y = ? AND x > ?", true),
      ("SELECT * FROM w WHERE k = ?", true), ("SELECT * FROM a WHERE x > ?", false),
      ("SELECT max(z) FROM b", false), ("SELECT * FROM b AS l JOIN b AS r ON l.z = r.a", false),
    ] {
      guard case .search(let access)? = try plan(sql).steps.last?.operation else {
        Issue.record("\(sql) does not search")
        continue
      }
      #expect(access.isLookUp == isLookUp, "\(sql)")
    }
  }

  @Test func theStatementDoesNotRun() throws {
    #expect(try plan("DELETE FROM a WHERE id = 1").steps.count == 1)
    try store.connection.execute("INSERT INTO a VALUES (1, 2, 3)")
    _ = try plan("DELETE FROM a")
    #expect(try store.connection.value(Int.self, "SELECT count(*) FROM a") == 1)
  }

  @Test func wrongSQLIsAnError() {
    let error = databaseError { _ = try plan("SELECT x FROM nowhere") }
    #expect(error?.message.contains("nowhere") == true)
    #expect(databaseError { _ = try plan("SELECT 1; SELECT 2") }?.code == .statementRefused)
  }
}
