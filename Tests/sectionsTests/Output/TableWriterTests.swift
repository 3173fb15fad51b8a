import RowQueries
import SQLiteStorage
import Testing

@testable import sections

@Suite struct TableWriterTests {
  @Test func columnsAreNamedOnceAndSectionsHaveHeadings() throws {
    #expect(
      try render(.albums, as: .table) == """
        Index: J R

        id │ title
        ───┼─────────────
        Jazz (2)
         1 │ Kind of Blue
         2 │ Blue Train

        Rock (1)
        30 │ Let It Be

        """)
  }

  @Test(arguments: [SampleResult.noRows, .noSections])
  func withoutRowsThereIsAHeadAndAFoot(_ result: SampleResult) throws {
    #expect(
      try render(result, as: .table) == """
        id │ title
        ───┼──────
        (0 rows)

        """)
  }

  @Test func oneRowIsNotRows() throws {
    #expect(try render(.unsectioned(["a"], [["x"]]), as: .table) == "a\n─\nx\n(1 row)\n")
  }

  @Test func withoutColumnsThereAreEmptyLines() throws {
    #expect(try render(.noColumns, as: .table) == "\n\n(2 rows)\n")
  }

  @Test func titlesThatCouldNotBeSeenAreQuoted() throws {
    #expect(
      try render(.awkwardKeys, as: .table) == """
        id
        ──
        NULL (1)
         1

        "" (1)
         2

        " " (1)
         3

        A|<b>␊ (1)
         4

        7 (1)
         5

        """)
  }

  @Test func textIsEscapedAndMeasured() throws {
    // Spelled out, as editors remove white space at the end of a line.
    let space = " "
    #expect(
      try render(.awkwardTexts, as: .table) == """
        name      │ text
        ──────────┼───────────────────────────
        null      │ NULL
        empty     │\(space)
        space     │\(space)\(space)
        quotes    │ say "hi", it's
        lines     │ a␊b␍␊c␍d
        tab       │ a␉b
        backslash │ C:\\new
        comma     │ a,b
        pipe      │ a|b
        markup    │ <a href="x">&amp;</a>
        markdown  │ *a* _b_ snake_case `c` [d]
        emoji     │ 👩‍👩‍👧 🇩🇪 ❤️
        wide      │ 日本語
        marks     │ e\u{301}a
        override  │ abc\\u{202E}def\\u{2066}
        nul       │ a␀b
        controls  │ ␁␈␌␛[31m␡\\u{85}
        separator │ a\\u{2028}b
        (18 rows)

        """)
  }

  @Test func numbersAreOnTheRight() throws {
    #expect(
      try render(.awkwardValues, as: .table) == """
        name           │                value
        ───────────────┼─────────────────────
        min            │ -9223372036854775808
        max            │  9223372036854775807
        zero           │                    0
        tenth          │                  0.1
        one            │                  1.0
        huge           │               1e+300
        tiny           │               5e-324
        minus zero     │                 -0.0
        infinity       │                  Inf
        minus infinity │                 -Inf
        nan            │                 NULL
        blob           │       <blob 4 bytes>
        empty blob     │       <blob 0 bytes>
        (13 rows)

        """)
  }

  @Test func wideTextBeforeTheLastColumnIsPaddedToItsCells() throws {
    let result = SampleResult.unsectioned(
      ["name", "n"], [["日本語", 1], ["e\u{301}", 20], ["👩‍👩‍👧", 3]])
    #expect(
      try render(result, as: .table) == """
        name   │  n
        ───────┼───
        日本語 │  1
        e\u{301}      │ 20
        👩‍👩‍👧     │  3
        (3 rows)

        """)
  }

  @Test func theWidestColumnIsCutToFit() throws {
    let result = SampleResult.unsectioned(
      ["id", "name", "text"],
      [[1, "abc", "the quick brown fox"], [2, "defg", "日本語日本語"], [3, nil, "short"]])
    #expect(
      try render(result, as: .table, width: 20) == """
        id │ name │ text
        ───┼──────┼─────────
         1 │ abc  │ the qui…
         2 │ defg │ 日本語…
         3 │ NULL │ short
        (3 rows)

        """)
  }

  @Test func colourIsForHeadingsAndWhatIsNotText() throws {
    let result = SampleResult.sectioned(
      ["id", "name"], index: ["A"], [("A", [[1, nil], [2, "a\tb"]]), (nil, [[3, "c"]])])
    let bold = "\u{1B}[1m"
    let dim = "\u{1B}[2m"
    let end = "\u{1B}[0m"
    let separator = "\(dim) │ \(end)"
    #expect(
      try render(result, as: .table, usesColor: true) == """
        \(dim)Index:\(end) A

        \(bold)id\(end)\(separator)\(bold)name\(end)
        \(dim)───┼─────\(end)
        \(bold)A\(end)\(dim) (2)\(end)
         1\(separator)\(dim)NULL\(end)
         2\(separator)a\(dim)␉\(end)b

        \(dim)NULL\(end)\(dim) (1)\(end)
         3\(separator)c

        """)
  }
}

// MARK: - After the look-ahead

extension TableWriterTests {
  /// As many short rows as the layout is made from, then `last`.
  private func longResult(_ first: [Value], then last: [Value]...) -> SampleResult {
    let rows = [[Value]](repeating: first, count: TableWriter.sampleLines) + last
    return .unsectioned((0..<first.count).map { "c\($0)" }, rows)
  }

  private func lastLines(_ result: SampleResult, _ count: Int, width: Int?) throws -> [String] {
    let lines = try render(result, as: .table, width: width).split(separator: "\n")
    return lines.dropLast().suffix(count).map(String.init)
  }

  @Test func laterWiderTextIsCutInATerminal() throws {
    let result = longResult(["abc", "x"], then: ["abcdef", "x"], ["日本", "x"])
    #expect(try lastLines(result, 3, width: 80) == ["abc │ x", "ab… │ x", "日… │ x"])
  }

  @Test func laterWiderTextPushesItsLineOutOtherwise() throws {
    let result = longResult(["abc", "x"], then: ["abcdef", "x"], ["a", "x"])
    #expect(try lastLines(result, 3, width: nil) == ["abc │ x", "abcdef │ x", "a   │ x"])
  }

  @Test func theLastColumnUsesTheRoomThatIsLeft() throws {
    let result = longResult(["abc", "x"], then: ["abc", "0123456789"], ["abc", "0123456789abc"])
    #expect(try lastLines(result, 2, width: 16) == ["abc │ 0123456789", "abc │ 012345678…"])
  }

  @Test(arguments: [80, nil])
  func laterWiderNumbersWidenTheirColumn(_ width: Int?) throws {
    let result = longResult([1, "x"], then: [12345, "x"], [2, "x"])
    #expect(try lastLines(result, 3, width: width) == [" 1 │ x", "12345 │ x", "    2 │ x"])
  }

  @Test func textShrinksForLaterWiderNumbers() throws {
    let result = longResult([1, "abcdefgh"], then: [12345, "abcdefgh"])
    #expect(try lastLines(result, 2, width: 13) == [" 1 │ abcdefgh", "12345 │ abcd…"])
  }

  @Test func rowsAreWrittenAsSoonAsTheLayoutIsSettled() throws {
    let output = OutputBuffer()
    let writer = TableWriter(to: output, options: TerminalOptions(width: nil, usesColor: false))
    try writer.begin(columns: ["a"], isSectioned: false)
    for _ in 1..<TableWriter.sampleLines { try writer.row([.init("x")]) }
    #expect(output.contents.isEmpty)
    try writer.row([.init("x")])
    #expect(output.contents.hasPrefix("a\n─\nx\nx\n"))
    try writer.row([.init("y")])
    #expect(output.contents.hasSuffix("x\ny\n"))
  }

  @Test func aLotOfTextSettlesTheLayoutEarly() throws {
    let output = OutputBuffer()
    let writer = TableWriter(to: output, options: TerminalOptions(width: 20, usesColor: false))
    try writer.begin(columns: ["a"], isSectioned: false)
    let text = String(repeating: "x", count: TableWriter.sampleBytes)
    try writer.row([.init(.text(text))])
    #expect(output.contents.hasSuffix("\nxxxxxxxxxxxxxxxxxxx…\n"))
  }
}
