import Testing

@testable import sections

@Suite struct TextSearchTests {
  @Test(arguments: [
    ("love", "Glove", true), ("love", "LOVE", true), ("Love", "love", false),
    ("Love", "Love", true),
    ("é", "CAFÉ", true), ("É", "café", false), ("a.b", "axb", false), ("終", "最終", true),
    ("love", "lov", false), ("x", "", false), ("aab", "aaab", true),
  ])
  func aPatternWithoutCapitalsIgnoresTheCase(_ text: String, _ other: String, _ isFound: Bool) {
    #expect(SearchPattern(text)?.matches(other) == isFound)
  }

  @Test func anEmptyPatternIsNone() { #expect(SearchPattern("") == nil) }

  @Test func theTextIsHighlightedAndEscapeSequencesAreLeft() throws {
    let pattern = try #require(SearchPattern("m"))
    #expect(
      pattern.highlighted(in: "\u{1B}[1mMom\u{1B}[0m x")
        == "\u{1B}[1m\u{1B}[7mM\u{1B}[27mo\u{1B}[7mm\u{1B}[27m\u{1B}[0m x")
    #expect(
      pattern.highlighted(in: "\u{1B}[7mm\u{1B}[0m", isReversed: true)
        == "\u{1B}[7m\u{1B}[27mm\u{1B}[7m\u{1B}[0m")
    let accent = try #require(SearchPattern("é"))
    #expect(accent.highlighted(in: "aÉb") == "a\u{1B}[7mÉ\u{1B}[27mb")
  }

  private func ranges(_ isForward: Bool, from start: Int, of rowCount: Int) throws -> [Range<Int>] {
    var search = TextSearch(
      try #require(SearchPattern("x")), isForward: isForward, from: start, rowCount: rowCount)
    var ranges: [Range<Int>] = []
    while !search.hasEnded { ranges.append(search.next()) }
    #expect(search.next().isEmpty)
    #expect(search.percentage == 100)
    return ranges
  }

  @Test func everyRowIsLookedAtOnceFromTheStart() throws {
    #expect(
      try ranges(true, from: 1_500, of: 2_700) == [
        1_500..<2_500, 2_500..<2_700, 0..<1_000, 1_000..<1_500,
      ])
    #expect(
      try ranges(false, from: 1_500, of: 2_700) == [
        501..<1_501, 0..<501, 1_700..<2_700, 1_501..<1_700,
      ])
    #expect(try ranges(true, from: 3, of: 3) == [0..<3])
    #expect(try ranges(false, from: -1, of: 3) == [0..<3])
    #expect(try ranges(true, from: 0, of: 0) == [])
  }
}
