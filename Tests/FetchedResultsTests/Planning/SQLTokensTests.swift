import Testing

@testable import FetchedResults

struct SQLTokensTests {
  @Test func tokensAreDistinguished() {
    #expect(
      SQLTokens("SELECT \"A\"\"b\", [c]]d], `E`, 'it''s', x'41', 1.5e3, a.b").tokens == [
        .word("select"), .word("a\"b"), .symbol(","), .word("c"),
        .symbol("]"), .word("d"), .symbol("]"),
        .symbol(","), .word("e"), .symbol(","), .literal("it's"),
        .symbol(","), .blob, .symbol(","), .number,
        .symbol(","), .word("a"), .symbol("."), .word("b"),
      ])
  }

  @Test func namesAreFoldedAsBySQLite() {
    #expect(SQLTokens("Ä NAME \"Ö\"").tokens == [.word("Ä"), .word("name"), .word("Ö")])
  }

  @Test func parametersHaveNamesButForThePlainOne() {
    #expect(
      SQLTokens("? ?12 :a @b $c $d::e(f) :é").tokens == [
        .parameter(nil), .parameter("12"), .parameter("a"), .parameter("b"), .parameter("c"),
        .parameter("d::e(f)"), .parameter("é"),
      ])
  }

  @Test(arguments: [
    "", " \t\n", "-- ' (", "/* ' ( */", "/* * / ' */", "/*/", "--", "/**/", "-- a\r'",
  ])
  func spaceAndCommentsAreNoTokens(sql: String) {
    #expect(SQLTokens(sql).tokens == [])
  }

  @Test(arguments: ["'", "'a", "\"", "[", "`a``", "'\u{301}", "?", ":", "$a(", "$a(b c", "\u{301}"])
  func anUnfinishedTokenIsOneAllTheSame(sql: String) {
    #expect(!SQLTokens(sql).tokens.isEmpty)
    #expect(!SQLTokens(sql).leavesParentheses)
  }

  @Test(arguments: [")", "1)", "(1))", "1) OR (1", "'(')", "/*(*/)", "(')')) + (", "')\u{301}' )"])
  func aParenthesisClosedBeforeItIsOpenedIsSeen(sql: String) {
    #expect(SQLTokens(sql).leavesParentheses)
  }

  @Test(arguments: [
    "", "(1)", "((1) + (2))", "')'", "-- )", "/* ) */", "\")\"", "[)]", "(", "$a(b)",
  ])
  func otherParenthesesAreFine(sql: String) {
    #expect(!SQLTokens(sql).leavesParentheses)
  }

  @Test func onlyANumberIsANumber() {
    for sql in ["1", "-1", "+ (2)", "0x1F", "1.5", "((3)) -- three", "1_000"] {
      #expect(SQLTokens(sql).isNumber, "\(sql)")
    }
    for sql in ["", "()", "a", "'1'", "1 + 1", "?", "-a", "1 COLLATE NOCASE", "a1"] {
      #expect(!SQLTokens(sql).isNumber, "\(sql)")
    }
  }

  @Test func callsAreFoundWithTheirArguments() {
    let sql = "date(a, '+1 day') > ? AND \"DATE\" ( ) OR date = upper(date(?, (b, c))) OR time(:t"
    let calls = SQLTokens(sql).calls(of: ["date", "time"])
    #expect(calls.map(\.function) == ["date", "date", "date", "time"])
    #expect(calls.map(\.arguments.count) == [2, 0, 2, 0])
    #expect(calls.map(\.firstParameter) == [0, 1, 1, 2])
    #expect(calls[2].arguments.first.map(Array.init) == [.parameter(nil)])
  }

  @Test(arguments: [
    ("a > 1 AND (b = 'select(x)' OR NOT (c IN (1, ?)))", true), ("a BETWEEN (1) AND (2)", true),
    ("a LIKE 'x%' -- random()", true), ("a IN (SELECT 1)", false), ("a IN other", false),
    ("lower(a) = 'x'", false),
    ("\"lower\" (a)", false), ("a < CURRENT_TIMESTAMP", false), ("a MATCH 'x'", false),
  ])
  func comparisonsOfColumnsAreDistinguishedFromOtherWork(sql: String, isComparison: Bool) {
    #expect(SQLTokens(sql).isComparisonOfColumns == isComparison)
  }
}
