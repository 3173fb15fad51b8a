import Foundation
import Testing

/// *The change contract* numbers its rules, and tests cite them by number.
struct ContractRulesTests {
  private static let ruleCount = 30

  @Test func eachRuleStandsOnceInTheArticle() throws {
    let article = try #require(
      try Article.all().first { $0.path.hasSuffix("/TheChangeContract.md") })
    let numbers = article.text.matches(of: /\*\*Rule (\d+)\.\*\*/).compactMap { Int($0.1) }
    #expect(numbers.sorted() == Array(1...Self.ruleCount))
  }

  @Test func eachRuleIsCitedByATest() throws {
    var cited: Set<Int> = []
    for text in try Article.testSources() {
      // "Rule 2", "rules 2 to 4", "Rules 8 and 13 to 21".
      for match in text.matches(of: /\b[Rr]ules? (\d+(?:(?: and | to |, )\d+)*)/) {
        cited.formUnion(Self.numbers(in: match.1))
      }
    }
    #expect(Set(1...Self.ruleCount).subtracting(cited) == [])
    #expect(cited.subtracting(1...Self.ruleCount) == [], "no such rule")
  }

  @Test func rangesOfRulesAreRead() {
    #expect(Self.numbers(in: "2") == [2])
    #expect(Self.numbers(in: "8 and 13 to 16, 20") == [8, 13, 14, 15, 16, 20])
  }

  private static func numbers(in list: Substring) -> Set<Int> {
    var numbers: Set<Int> = []
    for match in list.matches(of: /(\d+)(?: to (\d+))?/) {
      guard let first = Int(match.1) else { continue }
      let last = match.2.flatMap { Int($0) } ?? first
      numbers.formUnion(first...max(first, last))
    }
    return numbers
  }
}
