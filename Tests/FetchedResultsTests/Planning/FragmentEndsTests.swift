import Testing

@testable import FetchedResults

struct FragmentEndsTests {
  @Test(arguments: ["'", "'a", "\"", "[", "`a``", "'\u{301}"])
  func anOpenQuoteIsSeen(sql: String) {
    #expect(FragmentEnds(sql).hasOpenQuote)
    #expect(!FragmentEnds(sql).leavesParentheses)
  }

  @Test(arguments: ["?", ":", "$a(", "$a(b c", "\u{301}", "'a' || \"b\""])
  func anUnfinishedTokenIsNoOpenQuote(sql: String) {
    #expect(!FragmentEnds(sql).hasOpenQuote)
  }

  @Test(arguments: [")", "1)", "(1))", "1) OR (1", "'(')", "/*(*/)", "(')')) + (", "')\u{301}' )"])
  func aParenthesisClosedBeforeItIsOpenedIsSeen(sql: String) {
    #expect(FragmentEnds(sql).leavesParentheses)
  }

  @Test(arguments: [
    "", "(1)", "((1) + (2))", "')'", "-- )", "/* ) */", "\")\"", "[)]", "(", "$a(b)",
  ])
  func otherParenthesesAreFine(sql: String) {
    #expect(!FragmentEnds(sql).leavesParentheses)
    #expect(FragmentEnds(sql).opensParentheses == (sql == "("))
  }
}
