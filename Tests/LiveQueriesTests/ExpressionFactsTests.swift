import SQLiteStorage
import Testing

@testable import LiveQueries

struct ExpressionFactsTests {
  @Test(arguments: ["1", "-1", "+ (2)", "0x1F", "1.5", ".5", "((3)) -- three", "1_000"])
  func aNumberMayHaveSignsAndParentheses(sql: String) throws {
    #expect(try Expression(parsing: sql).isNumber)
  }

  @Test(arguments: ["a", "'1'", "1 + 1", "?", "-a", "~1", "1 COLLATE NOCASE", "a1", "x'31'"])
  func anythingElseIsNoNumber(sql: String) throws {
    #expect(try !Expression(parsing: sql).isNumber)
  }

  @Test(arguments: [
    ("a > 1 AND (b = 'select(x)' OR NOT (c IN (1, ?)))", true), ("a BETWEEN (1) AND (2)", true),
    ("a LIKE 'x%' -- random()", true), ("CASE a WHEN 1 THEN b END = 2", true),
    ("a IN (SELECT 1)", false), ("a IN other", false), ("EXISTS (SELECT 1)", false),
    ("lower(a) = 'x'", false), ("\"lower\" (a)", false), ("a < CURRENT_TIMESTAMP", false),
    ("a < current_date", false), ("a MATCH 'x'", false), ("a REGEXP 'x'", false),
  ])
  func comparisonsOfColumnsAreDistinguishedFromOtherWork(sql: String, isComparison: Bool) throws {
    #expect(try Expression(parsing: sql).isComparisonOfColumns == isComparison)
  }

  @Test(arguments: [
    ("A || upper(\"b\")", true), ("CASE WHEN a THEN b ELSE 1 END", true), ("c", false),
    ("t.a", false),
    ("a = (SELECT 1)", false), ("a IN t", false), ("a < CURRENT_TIME", false),
  ])
  func columnsOfAnExpressionAreKnown(sql: String, isKnown: Bool) throws {
    #expect(try Expression(parsing: sql).dependsOnly(on: ["a", "b"]) == isKnown)
  }

  @Test(arguments: ["(Album = :value$0)", "\"album\" == :value$0", "[ALBUM] IS :value$0"])
  func aColumnThatHasOneValueIsFound(sql: String) throws {
    let equation = try #require(try Expression(parsing: sql).equation)
    #expect(equation.column == "album")
    #expect(equation.parameter == "value$0")
  }

  @Test(arguments: [
    "album = 1", "album <> :a", "album IS NOT :a", "t.album = :a", "album = :a OR b",
    "lower(album) = :a",
    "NOT album = :a", "album = -:a", "album = :a COLLATE NOCASE",
  ])
  func anotherConditionIsNoEquation(sql: String) throws {
    #expect(try Expression(parsing: sql).equation == nil)
  }

  @Test(arguments: ["", "1)", "1 2", "a b", "1; 2", "(", "a AND", "'a"])
  func whatIsNotOneExpressionIsRefused(sql: String) {
    #expect(throws: SelectRefusal.self) { try Expression(parsing: sql) }
  }
}

struct TimeCallsTests {
  @Test(arguments: [
    "SELECT date()", "SELECT a FROM t WHERE strftime('%Y') = b", "SELECT time('now', '+1 day')",
    "SELECT date(CASE a WHEN 1 THEN 'NOW' END) FROM t", "SELECT unixepoch('subsec')",
    "SELECT date(b) FROM (SELECT 'now' AS b)",
    "WITH x(a) AS (VALUES ('now')) SELECT date(a) FROM x",
    "CREATE VIEW v AS SELECT date('now')",
    "CREATE TEMP VIEW v(a) AS SELECT a FROM t ORDER BY date()",
    "SELECT a FROM t JOIN u ON u.b = date() GROUP BY a",
    "SELECT sum(a) OVER w FROM t WINDOW w AS (ORDER BY date())",
    // SQLite takes a name in double quotes that is no column for a text.
    "SELECT date(\"now\") FROM t", "SELECT unixepoch(\"subsec\")",
    "SELECT date(CASE a WHEN 1 THEN \"Now\" END) FROM t",
  ])
  func aCallThatAsksTheClockIsFound(sql: String) throws {
    #expect(try TimeCalls(of: TimeCallsTests.functions, in: sql).asksClock)
  }

  @Test(arguments: [
    "SELECT date(a) FROM t", "SELECT strftime('%Y', a) FROM t",
    "SELECT upper('subsec'), date(a) FROM t",
    "SELECT date(a, 'subsec') FROM t", "SELECT date(\"a\"), date(\"subsec\".a), date(`now`) FROM t",
  ])
  func aCallWithATimeDoesNotAskTheClock(sql: String) throws {
    #expect(try !TimeCalls(of: TimeCallsTests.functions, in: sql).asksClock)
  }

  @Test func parametersAndComputedArgumentsOfCallsAreFound() throws {
    let sql = """
      SELECT :a, date(upper(:b)), time((SELECT :c)), date('no' || 'w', '+1 day') FROM t WHERE x = :d
      """
    let calls = try TimeCalls(of: TimeCallsTests.functions, in: sql)
    #expect(calls.parameters == ["b", "c"])
    #expect(calls.computed == ["('no' || 'w')"])
  }

  @Test(arguments: ["UPDATE t SET a = 1", "SELECT date(", "CREATE TABLE t(a)"])
  func whatIsNotUnderstoodIsRefused(sql: String) {
    #expect(throws: SelectRefusal.self) { try TimeCalls(of: TimeCallsTests.functions, in: sql) }
  }

  private static let functions: Set<ExactText> = ["date", "time", "strftime", "unixepoch"]
}
