import SQLiteStorage
import Testing

@testable import sections

struct ListConfigurationTests {
  static let example = #"""
    # Lists of a shop.
    orders: # the first
      source: orders
      by: status
      sort: [placed_at:desc, 'id', ]
      limit: 20
    big spenders:
      source: |
        SELECT c.name, sum(o.amount) AS "spent"
        FROM orders o JOIN customers c ON c.id = o.customer_id  # no comment
        GROUP BY c.id
      where:
        - spent > 1000
        - name <> "\n"
      parameter: "name=Zoë \"Z\" \u00e9\t\\"
      by: no
    """#

  private func lists(_ text: String) throws -> [NamedList] {
    try ListConfiguration.lists(text, of: "lists.yaml")
  }

  @Test(arguments: ["\n", "\r\n"])
  func listsAreReadInOrder(lineEnd: String) throws {
    let lists = try lists(ListConfigurationTests.example.replacing("\n", with: lineEnd))
    #expect(lists.map(\.name) == ["orders", "big spenders"])
    let (orders, spenders) = (lists[0].options.source, lists[1].options.source)
    #expect(orders.source == "orders")
    #expect(orders.rows.by == "status")
    #expect(orders.rows.sort == ["placed_at:desc", "id"])
    #expect(spenders.source.hasPrefix("SELECT c.name, sum(o.amount) AS \"spent\"\nFROM orders o"))
    #expect(spenders.rows.conditions == ["spent > 1000", #"name <> "\n""#])
    // Not a truth value.
    #expect(spenders.rows.by == "no")
  }

  @Test func namesOfOtherBytesAreOtherLists() throws {
    let lists = try lists(
      "caf\u{E9}: {source: \"t\u{E9}\"}\ncafe\u{301}: {source: 日\u{F00E9}}\n\"cafe\": {source: t}")
    #expect(lists.map(\.name).exact == ["caf\u{E9}", "cafe\u{301}", "cafe"])
    #expect(lists.map(\.options.source.source).exact == ["t\u{E9}", "日\u{F00E9}", "t"])
  }

  private static let mistakes: [(String, Int, String)] = [
    ("", 1, "there is no list"), ("# nothing\n", 1, "there is no list"),
    ("- a\n", 1, "there is no list"), ("a: b", 1, "a is not a list of options"),
    ("a:\n  source: t\n  format: csv", 3, "there is no option format"),
    ("a:\n  source: {t: 1}", 2, "source must be a value"),
    ("a:\n  source: [[t]]", 2, "source must be a value"),
    ("a:\n  source:\n", 2, "source must be a value"),
    ("a:\n  source: [t, u]", 2, "source must be a table"),
    ("a:\n  source: \"-\"", 2, "source must be a table"),
    ("a:\n  by: x", 1, "a has no source"),
    ("a:\n  source: t\n  by: [x, y]", 3, "by must be one value"),
    ("a:\n  source: t\n  source: u", 2, "source is given twice"),
    ("a: {source: t}\nb: {source: t}\na: {source: t}", 1, "a is given twice"),
    ("é: {source: t}\né: {source: t}", 1, "é is given twice"),
    ("é: {source: t}\n\"\\u00e9\": {source: t}", 2, "é is given twice"),
    ("a:\n  source: t\n  limit: -1", 1, "--limit must be a number of rows"),
    ("a:\n  source: \"t", 2, "found unexpected end of stream"),
    ("a: {source: *x}", 1, "found undefined alias"),
    ("[a]\nsource = \"t\"", 2, "The file is YAML"), ("a:\n\tsource: t", 2, "The file is YAML"),
    ("a: {source: t}\n---\nb: {source: t}", 2, "The file is YAML"),
  ]

  @Test(arguments: mistakes)
  func aMistakeIsReportedWithItsLine(_ text: String, _ line: Int, _ message: String) throws {
    let error = try #require(throws: ToolError.self) { try lists(text) }
    #expect(error.description.hasPrefix("lists.yaml, line \(line): "), "\(error)")
    #expect(error.description.contains(message), "\(error)")
    #expect(!error.description.contains("\n"))
  }

  /// An alias is read as what it stands for. A list of lists is refused, and not written out.
  @Test func aliasesCostNoMemory() throws {
    let list = try #require(try lists("a: &a {source: t}\nb: *a").last)
    #expect(list.name == "b" && list.options.source.source == "t")
    var text = "a:\n  source: t\n  sort:\n    - &a0 x\n"
    for level in 1..<40 { text += "    - &a\(level) [*a\(level - 1), *a\(level - 1)]\n" }
    let error = try #require(throws: ToolError.self) { try lists(text) }
    #expect(error.description.contains("line 5: sort must be a value or a list of values"))
  }
}
