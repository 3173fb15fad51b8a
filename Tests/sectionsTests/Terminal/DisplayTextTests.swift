import Testing

@testable import sections

@Suite struct DisplayTextTests {
  private func shown(_ text: String) -> String {
    DisplayText(text).map(\.text).joined()
  }

  @Test func printableASCIIIsPlain() {
    #expect(DisplayText("abc ~").isPlain)
    #expect(DisplayText("abc ~").width == 5)
    #expect(DisplayText("日本語").width(upTo: 6) == 6)
    #expect(DisplayText("日本語").width(upTo: 5) > 5)
    #expect(DisplayText("日本語" + String(repeating: "!", count: 1_000)).width(upTo: 5) < 10)
    #expect(!DisplayText("a\tb").isPlain)
    #expect(!DisplayText("é").isPlain)
  }

  @Test(arguments: [
    ("a\u{0}b", "a␀b"), ("a\tb", "a␉b"), ("a\r\nb", "a␍␊b"), ("\u{1B}[31m", "␛[31m"),
    ("\u{7F}", "␡"), ("\u{85}", "\\u{85}"), ("\u{9B}31m", "\\u{9B}31m"),
    ("abc\u{202E}def", "abc\\u{202E}def"), ("\u{2066}a\u{2069}", "\\u{2066}a\\u{2069}"),
    ("a\u{2028}b", "a\\u{2028}b"), ("\u{FFFE}\u{301}", "\\u{FFFE}\u{301}"),
    ("\u{10FFFF}", "\\u{10FFFF}"),
  ])
  func escapesWhatWouldActOnTheTerminal(_ text: String, _ expected: String) {
    #expect(shown(text) == expected)
  }

  @Test(arguments: ["é", "עברית", "\u{200F}", "👩‍👩‍👧", "\u{FEFF}", "\u{AD}", "\u{FFFD}"])
  func leavesOtherTextAlone(_ text: String) {
    #expect(shown(text) == text)
  }

  @Test func measuresEscapesAsTheyAreShown() {
    #expect(DisplayText("\u{0}\u{202E}").width == 9)
  }

  @Test func aPrefixNeverCutsAClusterOrAnEscape() {
    let text = DisplayText("日e\u{301}👩‍👩‍👧\u{202E}x")
    func prefix(_ limit: Int) -> String { text.prefix(width: limit).elements.map(\.text).joined() }
    #expect(prefix(0) == "")
    #expect(prefix(1) == "")
    #expect(prefix(2) == "日")
    #expect(prefix(3) == "日e\u{301}")
    #expect(prefix(4) == "日e\u{301}")
    #expect(prefix(5) == "日e\u{301}👩‍👩‍👧")
    #expect(prefix(12) == "日e\u{301}👩‍👩‍👧")
    #expect(prefix(13) == "日e\u{301}👩‍👩‍👧\\u{202E}")
    #expect(text.prefix(width: 4).width == 3)
  }
}
