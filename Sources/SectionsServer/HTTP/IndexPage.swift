import RowQueries
import SQLiteStorage

/// The page that lists several databases. It needs no JavaScript.
struct IndexPage {
  /// A database as the page lists it.
  struct Entry: Sendable {
    let name: String
    /// The path of its page, relative to this one.
    let path: String
    let content: Result<Content, RequestError>
  }

  /// What is in a database.
  struct Content: Sendable {
    let tableCount: Int
    let viewCount: Int
    /// The rows of the tables that were counted.
    let rowCount: Int
    /// Whether all tables were counted: that takes long for some.
    let isRowCountExact: Bool
    /// The bytes of its pages.
    let size: Int
  }

  let entries: [Entry]

  var html: HTMLPage {
    let rows = entries.map { entry in
      let name = HTML.escaped(entry.name)
      let link = "<th scope=\"row\"><a href=\"\(entry.path)/\">\(name)</a></th>"
      return "<tr>\(link)\(cells(entry.content))</tr>\n"
    }
    return HTMLPage(
      title: "Databases", styles: ["page.css", "schema.css"], bodyClass: "schema index",
      body: """
        <main id="schema" tabindex="-1">
        <header><h1>Databases</h1> \(HTMLPage.themeButton)</header>
        <div class="columns" tabindex="0" role="region" aria-label="Databases"><table class="plain">
        <thead><tr><th scope="col">Database</th><th scope="col" class="number">Tables</th>\
        <th scope="col" class="number">Views</th><th scope="col" class="number">Rows</th>\
        <th scope="col" class="number">Size</th></tr></thead>
        <tbody>
        \(rows.joined())</tbody></table></div>
        </main>
        """)
  }

  private func cells(_ content: Result<Content, RequestError>) -> String {
    switch content {
    case .failure(let error):
      let text = "\(error.message.prefix(1).uppercased())\(error.message.dropFirst())"
      return "<td colspan=\"4\" class=\"wrong\">\(HTML.escaped(text))</td>"
    case .success(let content):
      let rows = Self.text(content.rowCount) + (content.isRowCountExact ? "" : " or more")
      return [Self.text(content.tableCount), Self.text(content.viewCount), rows]
        .map { "<td class=\"number\">\($0)</td>" }.joined()
        + "<td class=\"number\">\(content.size.byteText)</td>"
    }
  }

  /// A number with its thousands.
  static func text(_ number: Int) -> String {
    let digits = Array(String(number))
    return digits.indices.map { index in
      let isStart = index > 0 && (digits.count - index) % 3 == 0
      return (isStart ? "," : "") + String(digits[index])
    }.joined()
  }
}
