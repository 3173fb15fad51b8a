import Foundation
import Testing

import SQLiteStorage

@testable import FetchedResults
@testable import LiveQueries

@Suite struct TreeParserTests {
  private func reason(_ sql: String) -> String? {
    do throws(SelectRefusal) {
      _ = try TreeParser.parse(sql)
      return nil
    } catch {
      return error.reason
    }
  }

  @Test(arguments: [
    ("", "the SELECT ends too early"), ("SELECT", "the SELECT ends too early"),
    ("SELECT 1 FROM", "the SELECT ends too early"),
    ("INSERT INTO a VALUES (1)", "the SELECT is not understood at INSERT"),
    ("SELECT 1; SELECT 2", "the SELECT is not understood at SELECT"),
    ("SELECT RAISE(IGNORE)", "RAISE is only for triggers"),
    ("SELECT 'a", "SQLite does not accept 'a"), ("SELECT #1", "SQLite does not accept #1"),
    ("SELECT 1 FROM a OUTER JOIN b", "a join is of a kind that is not known"),
    ("SELECT count(* FROM a", "the SELECT is not understood at FROM"),
  ])
  func whatIsNotUnderstoodIsRefusedWithAReason(sql: String, expected: String) {
    #expect(reason(sql) == expected)
  }

  @Test(
    arguments: [
      ("a = b = c", "(((a = b)) = c)"), ("NOT a = b", "(NOT (a = b))"),
      ("a OR b AND c", "(a OR (b AND c))"), ("-a COLLATE nocase", "((- a) COLLATE nocase)"),
      ("a || b COLLATE nocase", "(a || (b COLLATE nocase))"),
      ("a BETWEEN b AND c AND d", "((a BETWEEN b AND c) AND d)"),
      ("a LIKE b ESCAPE c AND d", "((a LIKE b ESCAPE c) AND d)"),
      ("a < b = c", "((a < b) = c)"), ("a IS NOT NULL = b", "((a IS NOT NULL) = b)"),
      ("a NOT NULL AND b", "((a NOTNULL) AND b)"), ("a -> b ->> c", "(a -> b ->> c)"),
      ("a + b * c", "(a + (b * c))"), ("a & b < c << d", "((a & b) < (c << d))"),
      ("a NOT IN (1) IS b", "((a NOT IN (1)) IS b)"), ("NOT a NOT NULL", "(NOT (a NOTNULL))"),
    ] as [(String, String)])
  func operatorsBindAsSQLiteBindsThem(sql: String, expected: String) throws {
    let tree = try TreeParser.parse("SELECT \(sql)").sql.replacing("\"", with: "")
    #expect(tree.dropFirst(7) == expected.replacing("((a = b))", with: "(a = b)"))
  }

  /// Each keyword is a name at the places where SQLite takes it for one.
  @Test(arguments: [
    "SELECT % FROM (SELECT 1 AS \"%\")", "SELECT (%) FROM (SELECT 1 AS \"%\")",
    "SELECT 1 %", "SELECT 1 AS %", "SELECT 1 FROM (SELECT 1) %", "SELECT 1 FROM (SELECT 1) AS %",
    "SELECT %.a FROM (SELECT 1 AS a) AS \"%\"", "SELECT t.% FROM (SELECT 1 AS \"%\") AS t",
    "WITH % AS (SELECT 1) SELECT 1", "SELECT 1 FROM (SELECT 1 AS \"%\") JOIN (SELECT 1) ON %",
    "SELECT 1 WHERE 1 = % ", "SELECT count(*) OVER % FROM (SELECT 1) WINDOW % AS ()",
    "SELECT 1 FROM (SELECT 1) ORDER BY 1 %", "SELECT 1 COLLATE %", "SELECT CAST(1 AS %)",
    "SELECT count(*) OVER (%) FROM (SELECT 1)", "SELECT %.* FROM (SELECT 1) AS \"%\"",
  ])
  func aKeywordIsANameWhereSQLiteTakesItForOne(pattern: String) throws {
    let store = try TestStore()
    for keyword in TestStore.keywords {
      let sql = pattern.replacing("%", with: keyword)
      guard store.failure(preparing: sql) == nil else { continue }
      #expect(reason(sql) == nil, "\(sql)")
    }
  }

  @Test func aColumnWithoutAliasHasItsTextAsName() throws {
    let core = try TreeParser.parse("SELECT a, (b /* y */ + 1), c d FROM t").arms[0].core
    let texts = core.columns.map { if case .expression(_, _, let text) = $0 { text } else { "*" } }
    #expect(texts == ["a", "(b /* y */ + 1)", "c"])
  }

  @Test func equalExpressionsAreEqualWhateverIsBetweenTheirTokens() throws {
    let core = try TreeParser.parse("SELECT a+b, (a) + /**/ b, a - b FROM t").arms[0].core
    let (first, second, third) = (core.outputs[0], core.outputs[1], core.outputs[2])
    #expect(first == second && first.hashValue == second.hashValue && first != third)
  }

  /// Runs `body` on a thread with a stack of 512 KB, as those of Apple's systems have.
  private func onSmallStack<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
    await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: body()) }
      thread.stackSize = 512 << 10
      thread.start()
    }
  }

  @Test(
    arguments: [
      ("SELECT ", "("), ("SELECT ", "(SELECT "), ("SELECT ", "- "), ("SELECT ", "NOT "),
      ("SELECT 1", " || (1"), ("SELECT ", "CASE "), ("SELECT ", "f("),
      ("SELECT 1 FROM ", "("), ("SELECT 1 FROM ", "(SELECT 1 FROM "), ("SELECT 1 IN ", "(1 IN "),
      ("WITH a AS (", "WITH a AS ("), ("SELECT 1", " BETWEEN 1"), ("SELECT 1", " COLLATE a"),
      ("SELECT 1", " = 1"),
      ("SELECT 1", " IN (SELECT 1"), ("SELECT ", "f() OVER (PARTITION BY "),
    ] as [(String, String)])
  func aDeepSelectIsRefusedOnASmallStack(start: String, piece: String) async {
    let sql = start + String(repeating: piece, count: 20_000)
    let reason: String? = await onSmallStack { self.reason(sql) }
    #expect(reason == "the SELECT is nested too deeply")
  }

  @Test(
    arguments: [
      ("SELECT x AS k FROM a WHERE ", "NOT ", 28, "x", ""),
      ("SELECT x AS k FROM a WHERE ", "f(", 14, "x", ")"),
      ("SELECT x AS k FROM a WHERE ", "x = (", 14, "1", ")"),
      ("SELECT x AS k FROM a WHERE ", "x IN (SELECT x FROM a WHERE ", 13, "x", ")"),
      (
        "SELECT x AS k FROM a WHERE ", "EXISTS (SELECT 1 FROM a b WHERE b.x = a.x AND ", 9, "x", ")"
      ),
      ("", "SELECT k, count(*) AS x FROM (", 13, "SELECT x AS k FROM a", ") GROUP BY k"),
      ("SELECT x AS k, x", " || x", 20_000, "", " FROM a"),
      ("SELECT x AS k FROM a WHERE x", " OR x AND x", 20_000, "", ""),
    ] as [(String, String, Int, String, String)])
  func aPlanOfTheLargestDepthIsMadeOnASmallStack(
    start: String, piece: String, count: Int, middle: String, end: String
  ) async {
    let sql =
      start + String(repeating: piece, count: count) + middle
      + String(repeating: end, count: count < 100 ? count : end.isEmpty ? 0 : 1)
    let failure: String? = await onSmallStack { () -> String? in
      let table = SelectSchema.Table(
        name: "a", columns: [SelectSchema.Column("x")], key: ["rowid"])
      do throws(SelectRefusal) {
        _ = try LivePlan(sql, keys: ["k"], schema: SelectSchema(tables: [table]))
        return nil
      } catch {
        return error.reason
      }
    }
    #expect(failure == nil)
  }

  @Test func viewsOfViewsAreRefusedBeforeTheStackEnds() async {
    let views = (1...1_000).map { number in
      SelectSchema.Table(
        name: "v\(number)",
        kind: .view(sql: "CREATE VIEW v\(number) AS SELECT x FROM v\(number - 1) WHERE (x)"),
        columns: [SelectSchema.Column("x")], key: [], hasRowID: false)
    }
    let reason: String? = await onSmallStack { () -> String? in
      do throws(SelectRefusal) {
        _ = try LivePlan("SELECT x FROM v1000", keys: ["x"], schema: SelectSchema(tables: views))
        return nil
      } catch {
        return error.reason
      }
    }
    #expect(reason == "the SELECT is nested too deeply")
  }
}
