import SQLiteStorage
import Testing

@testable import sections

@Suite struct HTMLWriterTests {
  /// What stands in the document's body.
  private func body(_ result: SampleResult) throws -> String {
    let document = try render(result, as: .html)
    let start = try #require(document.firstRange(of: "<body>\n")).upperBound
    let end = try #require(document.firstRange(of: "</body>\n</html>\n")).lowerBound
    return String(document[start..<end])
  }

  @Test func theDocumentIsCompleteAndNeedsNothingElse() throws {
    let document = try render(.albums, as: .html)
    #expect(
      document.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"))
    #expect(document.hasSuffix("</body>\n</html>\n"))
    #expect(document.contains("<title>Query result</title>"))
    #expect(document.contains("prefers-color-scheme: dark"))
    #expect(!document.contains("<script"))
    #expect(!document.contains("http"))
  }

  @Test func eachSectionIsAHeadingAndATableThatTheIndexLinksTo() throws {
    #expect(
      try body(.albums) == """
        <nav><a href="#index-0">J</a> <a href="#index-1">R</a></nav>
        <section id="index-0">
        <h2><bdi>Jazz</bdi> <small>(2)</small></h2>
        <table>
        <thead><tr><th scope="col">id</th><th scope="col">title</th></tr></thead>
        <tbody>
        <tr><td class="number">1</td><td>Kind of Blue</td></tr>
        <tr><td class="number">2</td><td>Blue Train</td></tr>
        </tbody>
        </table>
        </section>
        <section id="index-1">
        <h2><bdi>Rock</bdi> <small>(1)</small></h2>
        <table>
        <thead><tr><th scope="col">id</th><th scope="col">title</th></tr></thead>
        <tbody>
        <tr><td class="number">30</td><td>Let It Be</td></tr>
        </tbody>
        </table>
        </section>

        """)
  }

  @Test func theIndexLinksToTheFirstSectionOfATitle() throws {
    let html = try body(
      .sectioned(["n"], index: ["J", "J"], [("Jazz", [[1]]), ("Jive", [[2]])]))
    #expect(html.hasPrefix("<nav><a href=\"#index-0\">J</a> <a href=\"#index-0\">J</a></nav>\n"))
    #expect(html.contains("<section id=\"index-0\">\n<h2><bdi>Jazz</bdi>"))
    #expect(html.contains("<section>\n<h2><bdi>Jive</bdi>"))
  }

  @Test func withoutRowsTheCountSaysSo() throws {
    #expect(
      try body(.noRows) == """
        <table>
        <thead><tr><th scope="col">id</th><th scope="col">title</th></tr></thead>
        <tbody>
        </tbody>
        </table>
        <p>0 rows</p>

        """)
    #expect(try body(.noSections) == "<p>0 rows</p>\n")
    #expect(try body(.noColumns) == "<p>2 rows</p>\n")
  }

  @Test func titlesAreEscapedAndNullIsNoText() throws {
    let lines = try body(.awkwardKeys).split(separator: "\n")
    #expect(
      lines.filter { $0.contains("<h2>") } == [
        "<h2><bdi class=\"placeholder\">NULL</bdi> <small>(1)</small></h2>",
        "<h2><bdi>\"\"</bdi> <small>(1)</small></h2>",
        "<h2><bdi>\" \"</bdi> <small>(1)</small></h2>",
        "<h2><bdi>A|&lt;b&gt;",
        "<h2><bdi>7</bdi> <small>(1)</small></h2>",
      ])
  }

  @Test func textReadsAsItIs() throws {
    let html = try body(.awkwardTexts)
    for cell in [
      "<td class=\"placeholder\">NULL</td>", "<td></td>", "<td> </td>",
      "<td>say \"hi\", it's</td>", "<td>a\nb\nc␍d</td>", "<td>a\tb</td>", "<td>C:\\new</td>",
      "<td>&lt;a href=\"x\"&gt;&amp;amp;&lt;/a&gt;</td>", "<td>👩‍👩‍👧 🇩🇪 ❤️</td>",
      "<td>日本語</td>", "<td>e\u{301}a</td>", "<td>abc\\u{202E}def\\u{2066}</td>",
      "<td>a␀b</td>", "<td>␁␈␌␛[31m␡\\u{85}</td>", "<td>a\\u{2028}b</td>",
    ] {
      #expect(html.contains(cell), "\(cell)")
    }
  }

  @Test func numbersAndPlaceholdersHaveAClass() throws {
    let html = try body(.unsectioned(["a", "b", "c"], [[.integer(.min), -0.0, .blob([1, 2])]]))
    #expect(
      html.contains(
        "<tr><td class=\"number\">-9223372036854775808</td><td class=\"number\">-0.0</td>"
          + "<td class=\"placeholder\">&lt;blob 2 bytes&gt;</td></tr>"))
  }
}
