import SQLiteStorage
import Testing

@testable import sections

@Suite struct ListWriterTests {
  @Test func rowsAreLinesUnderTheHeadingOfTheirSection() throws {
    #expect(
      try render(.albums, as: .list) == """
        Index: J R

        Jazz (2)
          1 · Kind of Blue
          2 · Blue Train

        Rock (1)
          30 · Let It Be

        """)
  }

  @Test func oneColumnIsItsValue() throws {
    let result = SampleResult.unsectioned(["name"], [["a"], [nil], [""], [2.5]])
    #expect(try render(result, as: .list) == "a\nNULL\n\n2.5\n")
  }

  @Test func noRowsAreNoLines() throws {
    #expect(try render(.noRows, as: .list) == "")
    #expect(try render(.noSections, as: .list) == "")
  }

  @Test func titlesThatCouldNotBeSeenAreQuoted() throws {
    let lines = try render(.awkwardKeys, as: .list).split(separator: "\n")
    #expect(
      lines.filter { !$0.hasPrefix("  ") } == [
        "NULL (1)", "\"\" (1)", "\" \" (1)", "A|<b>␊ (1)", "7 (1)",
      ])
  }

  @Test func linesAreCutToTheWidth() throws {
    let result = SampleResult.sectioned(
      ["a", "b"], index: ["A", "B", "C", "D", "E", "F"],
      [("A long title", [["abc", "def"], ["日本語", "x"], ["abc\u{202E}", "x"], [nil, "abcde"]])])
    #expect(
      try render(result, as: .list, width: 12) == """
        Index: A B …

        A long … (4)
          abc · def
          日本語 · x
          abc…
          NULL · ab…

        """)
  }

  @Test func aWidthOfNothingStillShowsThatThereIsSomething() throws {
    #expect(try render(.unsectioned(["a"], [["abc"], ["x"]]), as: .list, width: 0) == "…\n…\n")
  }

  @Test func colourIsForHeadingsAndWhatIsNotText() throws {
    let result = SampleResult.sectioned(["a", "b"], [("A\t", [[1, nil]])])
    let bold = "\u{1B}[1m"
    let dim = "\u{1B}[2m"
    let end = "\u{1B}[0m"
    #expect(
      try render(result, as: .list, usesColor: true) == """
        \(bold)A\(end)\(dim)␉\(end)\(dim) (1)\(end)
          1\(dim) · \(end)\(dim)NULL\(end)

        """)
  }

  @Test func cutTextKeepsItsStyle() throws {
    let result = SampleResult.sectioned(["a"], [("abcdefgh", [[.blob([1])]])])
    #expect(
      try render(result, as: .list, width: 8, usesColor: true) == """
        \u{1B}[1mabc…\u{1B}[0m\u{1B}[2m (1)\u{1B}[0m
          \u{1B}[2m<blob…\u{1B}[0m

        """)
  }
}
