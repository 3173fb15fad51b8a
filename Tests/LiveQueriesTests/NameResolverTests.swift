import Testing

import SQLiteStorage

@testable import FetchedResults
@testable import LiveQueries

@Suite struct NameResolverTests {
  private func resolved(_ sql: String, _ schema: SelectSchema) throws(SelectRefusal) -> String {
    var resolver = NameResolver(schema)
    return try resolver.resolve(try TreeParser.parse(sql)).tree.sql
  }

  @Test(arguments: [
    "SELECT a.b, (SELECT max(f) FROM t2 a WHERE a.e = b) FROM t1 a",
    "SELECT a AS x FROM t1 WHERE x > 2 ORDER BY x DESC", "SELECT a AS d, d FROM t1 ORDER BY d",
    "SELECT count(*), b AS d FROM t1 GROUP BY d", "SELECT count(*), d AS g FROM t1 GROUP BY g",
    "SELECT b, count(*) FROM t1 GROUP BY 1 HAVING count(*) > 1 ORDER BY 2, 1",
    "SELECT 2 AS x, b FROM t1 GROUP BY x, b ORDER BY x, 2",
    "SELECT * FROM t1 JOIN t2 USING (a)", "SELECT t2.*, a FROM t1 JOIN t2 USING (a)",
    "SELECT * FROM t1 NATURAL LEFT JOIN t2 NATURAL JOIN t3",
    "SELECT rowid, t2.oid FROM t2", "SELECT rowid FROM t1, t3",
    "WITH t1(a) AS (SELECT a + 1 FROM t2) SELECT * FROM t1",
    "WITH x AS (SELECT a FROM t1), y AS (SELECT a FROM x WHERE a > 1) SELECT * FROM x, y",
    "WITH x AS (SELECT 1 AS a) SELECT (WITH x AS (SELECT 2 AS a) SELECT a FROM x), a FROM x",
    "SELECT * FROM v1 JOIN v2 ON v2.x = v1.bc", "SELECT x FROM v2 WHERE y IN (SELECT a FROM v1)",
    "WITH x AS (SELECT a FROM t2) SELECT a FROM t1 WHERE a IN x",
    "SELECT sum(a) OVER w FROM t1 WINDOW w AS (PARTITION BY b ORDER BY a ROWS 1 PRECEDING)",
    "SELECT sum(a) OVER (w ORDER BY c) FROM t1 WINDOW w AS (PARTITION BY b)",
    "SELECT value, key FROM t1, json_each('[1,2]') WHERE value = a",
    "SELECT true, FALSE, \"a\" FROM t1", "SELECT x.a FROM (t1 x JOIN t2 ON x.a = t2.a)",
    "SELECT a, a FROM (SELECT a, b AS a FROM t1)", "VALUES (1, 2), (3, 4)",
    "SELECT column2 FROM (VALUES (1, 2))", "SELECT a AS \"x y\" FROM main.t1 WHERE main.t1.a > 1",
    "SELECT 1 GROUP BY 9223372036854775807", "SELECT (key IS NULL) FROM json_each('[1]')",
  ]) func namesMeanWhatTheyMeanInSQLite(sql: String) throws {
    let store = try TestStore()
    try store.run(RandomSelect.schema)
    let text = try resolved(sql, SelectSchema(store))
    let expected = try store.rows(sql).map { "\($0)" }.sorted()
    #expect(try store.rows(text).map { "\($0)" }.sorted() == expected, "\(text)")
  }

  @Test(
    arguments: [
      ("SELECT unknown FROM t1", "no column is named unknown"),
      ("SELECT a FROM unknown", "no table is named unknown"),
      ("SELECT a FROM t1, t2", "the column a is ambiguous"),
      ("SELECT x.a FROM t1", "no column is named a"),
      ("SELECT \"nothing\" FROM t1", "\"nothing\" is no column: write a string in single quotes"),
      ("WITH x AS (SELECT a FROM x) SELECT a FROM x", "x is recursive"),
      ("SELECT a FROM t1 RIGHT JOIN t2 USING (a)", "a RIGHT or FULL JOIN has NATURAL or USING"),
      (
        "SELECT t1.a FROM t1 JOIN t2 USING (a) JOIN t3 USING (a) RIGHT JOIN t2 x ON x.a = t1.a",
        "NATURAL or USING joins columns of three tables beside a RIGHT or FULL JOIN"
      ),
      (
        "SELECT a FROM pragma_table_info('t1')",
        "the table-valued function pragma_table_info is not known"
      ),
      (
        "SELECT a FROM t1 UNION SELECT a, b FROM t1",
        "the SELECTs of a compound differ in their number of columns"
      ),
      ("SELECT sum(a) OVER w FROM t1", "no window is named w"),
      ("SELECT (SELECT rowid FROM v2) FROM t1", "it reads the rowid of a view or SELECT"),
      // GROUP BY does not see the SELECT around it.
      ("SELECT (SELECT count(*) FROM t3 GROUP BY e) FROM t2", "no column is named e"),
    ] as [(String, String)])
  func whatIsUnknownOrAmbiguousIsRefused(sql: String, expected: String) throws {
    let store = try TestStore()
    try store.run(RandomSelect.schema)
    let schema = try SelectSchema(store)
    let result = Result { () throws(SelectRefusal) in try resolved(sql, schema) }
    #expect(result == .failure(SelectRefusal(expected)))
  }
}
