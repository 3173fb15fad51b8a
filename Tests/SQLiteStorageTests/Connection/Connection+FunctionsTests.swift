import Foundation
import LocalizedCollation
import SQLiteStorage
import Testing

@Suite struct ScalarFunctionTests {
  private struct Failure: Error, CustomStringConvertible {
    var description: String { "the reason" }
  }

  private let store: TestConnection
  private var connection: Connection { store.connection }

  init() throws { store = try TestConnection() }

  @Test(
    arguments: [
      Value.null, .integer(.min), .integer(.max), .real(-0.0), .real(.infinity), .text(""),
      .text("a\u{0}b"), .text("é🙂"), .blob([]), .blob([0, 255]),
    ] as [Value])
  func argumentsAndResultsKeepTheirStorage(_ value: Value) throws {
    try connection.register(
      ScalarFunction("same", argumentCount: 1) { values in
        #expect(values == [value])
        return values[0]
      })
    let row = try connection.rows("SELECT same(?1), typeof(same(?1)) = typeof(?1)", [value]).first
    #expect(row?.values == [value, 1])
  }

  @Test func aResultThatIsNotANumberIsNull() throws {
    try connection.register(ScalarFunction("nan", argumentCount: 0) { _ in .real(.nan) })
    #expect(try connection.rows("SELECT nan()").first?.values == [.null])
  }

  @Test func argumentsThatAreNotUTF8ReadAsReplacementCharacters() throws {
    try connection.register(
      ScalarFunction("same", argumentCount: 1) { values in
        #expect(values == ["\u{FFFD}"])
        return .null
      })
    try connection.execute("SELECT same(CAST(x'ff' AS TEXT))")
  }

  @Test func anErrorFailsTheStatementWithItsDescription() throws {
    try connection.register(ScalarFunction("fail", argumentCount: nil) { _ in throw Failure() })
    let error = databaseError { try connection.execute("SELECT fail(1, 2)") }
    #expect(error?.code == .sqlite)
    #expect(error?.resultCode == .error)
    #expect(error?.message == "fail: the reason")
    #expect(try connection.value(Int.self, "SELECT 1") == 1)
  }

  @Test func theNumberOfArgumentsIsChecked() throws {
    try connection.register(ScalarFunction("two", argumentCount: 2) { _ in 2 })
    try connection.register(
      ScalarFunction("any", argumentCount: nil) { .integer(Int64($0.count)) })
    let error = databaseError { try connection.execute("SELECT two(1)") }
    #expect(error?.message == "wrong number of arguments to function two()")
    #expect(try connection.value(Int.self, "SELECT any()") == 0)
    #expect(try connection.value(Int.self, "SELECT any(1, 2, 3)") == 3)
  }

  @Test func oneNameMayHaveSeveralNumbersOfArguments() throws {
    try connection.register(ScalarFunction("f", argumentCount: 0) { _ in "none" })
    try connection.register(ScalarFunction("f", argumentCount: 1) { _ in "one" })
    #expect(try connection.rows("SELECT f(), f(0)").first?.values == ["none", "one"])
  }

  @Test func aLaterFunctionReplacesAnEarlierOne() throws {
    try connection.register(ScalarFunction("f", argumentCount: 0) { _ in 1 })
    try connection.register(ScalarFunction("f", argumentCount: 0) { _ in 2 })
    #expect(try connection.value(Int.self, "SELECT f()") == 2)
  }

  @Test(arguments: [128, 1_000, Int.max, -2])
  func anImpossibleNumberOfArgumentsIsAnError(_ count: Int) {
    let error = databaseError {
      try connection.register(ScalarFunction("f", argumentCount: count) { _ in .null })
    }
    #expect(error?.resultCode == .misuse)
  }

  @Test func whatTheClosureHoldsIsReleasedWithTheConnection() throws {
    final class Token: Sendable {}
    weak var kept: Token?
    weak var refused: Token?
    do {
      let local = try TestConnection()
      let token = Token()
      let other = Token()
      kept = token
      refused = other
      try local.connection.register(
        ScalarFunction("f", argumentCount: 0) { [token] _ in .text("\(token)") })
      _ = databaseError {
        try local.connection.register(
          ScalarFunction("f", argumentCount: 1_000) { [other] _ in .text("\(other)") })
      }
      #expect(kept != nil)
    }
    #expect(kept == nil)
    #expect(refused == nil)
  }

  @Test func onlyADeterministicFunctionIsCalledOnceForConstantArguments() throws {
    final class Counter: @unchecked Sendable { var calls = 0 }
    try connection.execute(
      script: "CREATE TABLE t(x); INSERT INTO t VALUES (1), (2), (3), (4), (5)")
    for (isDeterministic, expected) in [(true, 1), (false, 5)] {
      let counter = Counter()
      try connection.register(
        ScalarFunction("f", argumentCount: 1, isDeterministic: isDeterministic) { _ in
          counter.calls += 1
          return 1
        })
      try connection.execute("SELECT f(7) FROM t")
      #expect(counter.calls == expected)
    }
  }
}

@Suite struct CustomCollationTests {
  private let store: TestConnection
  private var connection: Connection { store.connection }

  init() throws { store = try TestConnection() }

  @Test func theLocalizedCollationIsATotalOrder() {
    let texts = [
      "", " ", "a", "A", "\u{E4}", "a\u{308}", "b", "2", "10", "track 9", "Track 10", "\u{DF}",
      "ss",
      "\u{FFFD}", "-", "\u{1F600}",
    ]
    let locales = ["de_DE", "sv_SE", "tr_TR"]
    for locale in locales {
      let compare = CustomCollation.localized(Locale(identifier: locale)).compare
      for first in texts {
        for second in texts {
          #expect(compare(first, second).signum() == -compare(second, first).signum())
          #expect(compare(first, second) != 0 || first == second, "\(first) \(second)")
          for third in texts where compare(first, second) <= 0 && compare(second, third) <= 0 {
            #expect(compare(first, third) <= 0, "\(locale): \(first), \(second), \(third)")
          }
        }
      }
    }
    let swedish = CustomCollation.localized(Locale(identifier: "sv_SE")).compare
    let german = CustomCollation.localized(Locale(identifier: "de_DE")).compare
    #expect(swedish("\u{E4}", "z") > 0)
    #expect(german("\u{E4}", "z") < 0)
    #expect(german("track 9", "Track 10") < 0)
  }

  private let byLength = CustomCollation("length") { $0.utf8.count - $1.utf8.count }

  @Test func itOrdersAndCompares() throws {
    try connection.register(byLength)
    try connection.execute(
      script: "CREATE TABLE t(x TEXT COLLATE length); INSERT INTO t VALUES ('ccc'), ('a'), ('bb')")
    #expect(
      try connection.rows("SELECT x FROM t ORDER BY x").map { $0["x"] } == ["a", "bb", "ccc"])
    #expect(try connection.value(String.self, "SELECT x FROM t WHERE x = '??'") == "bb")
    try connection.execute("CREATE INDEX i ON t(x)")
    #expect(try connection.value(String.self, "SELECT x FROM t WHERE x > 'zz'") == "ccc")
  }

  @Test func anyIntegerIsAnOrder() throws {
    try connection.register(
      CustomCollation("far") { $0 == $1 ? 0 : $0 < $1 ? .min : .max })
    let rows = try connection.rows("SELECT * FROM (VALUES ('b'), ('a')) ORDER BY 1 COLLATE far")
    #expect(rows.map(\.values) == [["a"], ["b"]])
  }

  @Test func textMayBeEmptyOrHoldAnything() throws {
    let texts: [Value] = ["", "\u{0}", "a\u{0}b", "é", "\u{FFFD}"]
    try connection.register(
      CustomCollation("bytes") { lhs, rhs in
        lhs.utf8.lexicographicallyPrecedes(rhs.utf8) ? -1 : lhs == rhs ? 0 : 1
      })
    try connection.execute("CREATE TABLE t(x)")
    for text in texts.reversed() { try connection.execute("INSERT INTO t VALUES (?)", [text]) }
    let rows = try connection.rows("SELECT x FROM t ORDER BY x COLLATE bytes")
    #expect(rows.map { $0["x"] } == texts)
  }

  @Test func withoutItTheTableCannotBeSorted() throws {
    try connection.register(byLength)
    try connection.execute("CREATE TABLE t(x TEXT COLLATE length)")
    let other = try Connection(path: store.folder.file())
    let error = databaseError { try other.execute("SELECT x FROM t ORDER BY x") }
    #expect(error?.message == "no such collation sequence: length")
  }

  @Test func whatTheClosureHoldsIsReleasedWithTheConnection() throws {
    final class Token: Sendable {}
    weak var kept: Token?
    do {
      let local = try TestConnection()
      let token = Token()
      kept = token
      try local.connection.register(
        CustomCollation("c") { [token] _, _ in token === token ? 0 : 1 })
      #expect(kept != nil)
    }
    #expect(kept == nil)
  }

  @Test func itCannotBeReplacedWhileAStatementUsesIt() throws {
    final class Token: Sendable {}
    weak var refused: Token?
    try connection.register(byLength)
    let statement = try connection.prepare("SELECT * FROM (VALUES ('b'), ('a'))")
    #expect(try statement.step())
    do {
      let token = Token()
      refused = token
      let error = databaseError {
        try connection.register(
          CustomCollation("length") { [token] _, _ in token === token ? 0 : 1 })
      }
      #expect(error?.resultCode == .busy)
    }
    // The context of a collation that was refused is not leaked.
    #expect(refused == nil)
  }
}
