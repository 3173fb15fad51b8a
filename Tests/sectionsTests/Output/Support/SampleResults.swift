import SQLiteStorage

extension SampleResult {
  /// Two small sections of everyday values.
  static let albums = SampleResult.sectioned(
    ["id", "title"], index: ["J", "R"],
    [
      ("Jazz", [[1, "Kind of Blue"], [2, "Blue Train"]]),
      ("Rock", [[30, "Let It Be"]]),
    ])

  static let noRows = SampleResult.unsectioned(["id", "title"], [])
  static let noSections = SampleResult.sectioned(["id", "title"], [])
  static let noColumns = SampleResult.unsectioned([], [[], []])

  static let awkwardKeys = SampleResult.sectioned(
    ["id"],
    [
      (nil, [[1]]),
      ("", [[2]]),
      (" ", [[3]]),
      ("A|<b>\n", [[4]]),
      (7, [[5]]),
    ])

  /// A row for each kind of text that some format has to treat with care.
  static let awkwardTexts = SampleResult.unsectioned(
    ["name", "text"],
    [
      ["null", nil],
      ["empty", ""],
      ["space", " "],
      ["quotes", "say \"hi\", it's"],
      ["lines", "a\nb\r\nc\rd"],
      ["tab", "a\tb"],
      ["backslash", "C:\\new"],
      ["comma", "a,b"],
      ["pipe", "a|b"],
      ["markup", "<a href=\"x\">&amp;</a>"],
      ["markdown", "*a* _b_ snake_case `c` [d]"],
      ["emoji", "👩‍👩‍👧 🇩🇪 ❤️"],
      ["wide", "日本語"],
      ["marks", "e\u{301}a"],
      ["override", "abc\u{202E}def\u{2066}"],
      ["nul", "a\u{0}b"],
      ["controls", "\u{1}\u{8}\u{C}\u{1B}[31m\u{7F}\u{85}"],
      ["separator", "a\u{2028}b"],
    ])

  static let awkwardValues = SampleResult.unsectioned(
    ["name", "value"],
    [
      ["min", .integer(.min)],
      ["max", .integer(.max)],
      ["zero", 0],
      ["tenth", 0.1],
      ["one", 1.0],
      ["huge", 1e300],
      ["tiny", .real(.leastNonzeroMagnitude)],
      ["minus zero", -0.0],
      ["infinity", .real(.infinity)],
      ["minus infinity", .real(-.infinity)],
      ["nan", .real(.nan)],
      ["blob", .blob([0x00, 0xFF, 0x10, 0x80])],
      ["empty blob", .blob([])],
    ])
}
