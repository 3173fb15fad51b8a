import Foundation
import TestProcesses
import Testing

@testable import sections

@Suite(.timeLimit(.minutes(20))) struct ConfigurationFileTests {
  static let example = #"""
    # Lists of a shop.
    [orders] # the first
    source = "orders"
    by="status"
    sort = ["placed_at:desc", 'id', ]  # a comma may follow
    limit = 20

    ["big spenders"]
    source = """
    SELECT c.name, sum(o.amount) AS "spent"
    FROM orders o JOIN customers c ON c.id = o.customer_id  # no comment
    GROUP BY c.id"""
    where = 'spent > 1000 AND name <> "\n"'
    total = [
      "count",  # of rows
      "sum(spent)",
    ]
    parameter = "name=Zoë \"Z\" \u00e9\t\\"
    """#

  @Test func tablesAreReadInOrder() throws {
    let tables = try ConfigurationFile(ConfigurationFileTests.example).tables
    #expect(tables.map(\.name) == ["orders", "big spenders"])
    #expect(tables.map(\.line) == [2, 8])
    #expect(tables[0].entries.map(\.key) == ["source", "by", "sort", "limit"])
    #expect(
      tables[0].entries.map(\.values) == [
        ["orders"], ["status"], ["placed_at:desc", "id"], ["20"],
      ])
    #expect(tables[1].entries[0].values[0].hasPrefix("SELECT c.name, sum(o.amount) AS \"spent\"\n"))
    #expect(tables[1].entries[1].values == [#"spent > 1000 AND name <> "\n""#])
    #expect(tables[1].entries[2].values == ["count", "sum(spent)"])
    #expect(tables[1].entries[3].values == ["name=Zoë \"Z\" é\t\\"])
    #expect(tables[1].entries.map(\.line) == [9, 13, 14, 18])
  }

  @Test func windowsLineEndsAreLineEnds() throws {
    let text = ConfigurationFileTests.example.replacing("\n", with: "\r\n")
    let tables = try ConfigurationFile(text).tables
    #expect(tables == (try ConfigurationFile(ConfigurationFileTests.example).tables))
  }

  @Test(
    arguments: [
      ("source = 1", 1, "source is in no list"), ("[a]\nsource 1", 2, "= is missing after source"),
      ("[a]\n\nb = true", 3, "true must be an integer or in \"quotes\""),
      ("[a]\nb = \"x\ny\"", 2, "a string has no end"), ("[a]\nb = \"\"\"x\ny", 2, "has no end"),
      ("[a]\nb = 1 2", 2, "there is more after the value: 2"), ("[[a]]", 1, "use [name]"),
      ("[a]\n[b]\n[a]", 3, "two lists [a]"), ("[a]\nb = 1\nb = 2", 3, "b is given twice"),
      ("[a", 1, "a ] is missing"), ("[a]\nb = [1 2]", 2, "a , or ] is missing"),
      ("[a]\nb = [1,\n", 3, "a value must be"), ("[a]\nb = \"\\x\"", 2, "is no escape"),
      ("[a.b]", 1, "a ] is missing"), ("[a]\nb = 1.5", 2, "1.5 must be"),
      ("[]", 1, "a name is missing"),
      ("[a]\nb =", 2, "a value must be"), ("[a]\nb = {}", 2, "{} must be"),
    ] as [(String, Int, String)])
  func whatIsNotKnownIsAnErrorWithItsLine(_ text: String, _ line: Int, _ message: String) throws {
    let error = #expect(throws: ConfigurationFile.Error.self) { try ConfigurationFile(text) }
    #expect(error?.line == line, "\(error?.message ?? "")")
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  /// Python reads the same from the file, where it has a TOML reader (3.11).
  @Test(.enabled(if: OtherProcess.python != nil, "needs python3"))
  func itIsTOML() async throws {
    let folder = try TestFolder()
    try folder.write(ConfigurationFileTests.example, to: "lists.toml")
    var expected: [String: [String: [String]]] = [:]
    for table in try ConfigurationFile(ConfigurationFileTests.example).tables {
      for entry in table.entries { expected[table.name, default: [:]][entry.key] = entry.values }
    }
    let json = try JSONEncoder().encode(expected)
    try folder.write(String(decoding: json, as: UTF8.self), to: "expected.json")
    let script = """
      import json, sys
      try: import tomllib
      except ImportError: sys.exit(0)
      found = tomllib.load(open("lists.toml", "rb"))
      lists = {name: {key: [str(v) for v in (value if isinstance(value, list) else [value])]
        for key, value in table.items()} for name, table in found.items()}
      sys.exit(0 if lists == json.load(open("expected.json")) else 1)
      """
    #expect(try await OtherProcess.run(script: script, in: folder) == 0)
  }
}
