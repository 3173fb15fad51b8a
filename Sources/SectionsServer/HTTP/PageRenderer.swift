import FetchedResults
import Foundation
import RowQueries
import SQLiteStorage
import SectionedData

/// Fills the template of the page, which shows the first rows without JavaScript.
struct PageRenderer {
  let options: ServerOptions
  let items: QueryItems
  let source: String

  /// The page.
  ///
  /// - Parameter rows: the lines of the window, as cells.
  func page(
    sources: SourceList.Content, content: WindowContent, rows: [PageLine], first: [UInt8]
  ) -> [UInt8] {
    page(sources: sources, rows: table(content, rows), first: Self.embedded(first))
  }

  /// The page without rows.
  func page(sources: SourceList.Content) -> [UInt8] { page(sources: sources, rows: "", first: "") }

  private func page(sources: SourceList.Content, rows: String, first: String) -> [UInt8] {
    let title = HTML.escaped("\(source) · \(options.databaseName)")
    let values = [
      "title": title, "modules": PageAssets.modules, "sources": links(to: sources), "rows": rows,
      "first": first, "sources-json": Self.embedded(sources.json),
    ]
    // In one pass: a mark in a value is text.
    var page = ""
    var rest = PageAssets.template[...]
    while let start = rest.range(of: "{{"), let end = rest[start.upperBound...].range(of: "}}") {
      page += rest[..<start.lowerBound]
      page += values[String(rest[start.upperBound..<end.lowerBound])] ?? ""
      rest = rest[end.upperBound...]
    }
    return Array((page + rest).utf8)
  }

  private func links(to sources: SourceList.Content) -> String {
    sources.entries.map { entry, count in
      let current = entry.name.exact == source.exact ? " aria-current=\"page\"" : ""
      let count = count.map { " <span class=\"count\">\($0)</span>" } ?? ""
      return "<li><a href=\"?\(HTML.escaped(entry.page.text()))\"\(current)><span>"
        + "\(HTML.escaped(entry.name))</span>\(count)</a></li>\n"
    }.joined()
  }

  private func table(_ content: WindowContent, _ rows: [PageLine]) -> String {
    var html = "<table class=\"plain\"><thead><tr>"
    for column in content.columns {
      var items = items
      items.set("sort", to: column)
      items.set("from", to: nil)
      html += "<th><a href=\"?\(HTML.escaped(items.text()))\">\(HTML.escaped(column))</a></th>"
    }
    html += "</tr></thead><tbody>\n"
    for row in rows {
      switch row {
      case .header(let title, let count):
        html += "<tr class=\"section\"><th colspan=\"\(max(1, content.columns.count))\">"
        html += "\(HTML.escaped(title)) <span class=\"count\">\(count)</span></th></tr>\n"
      case .row(let cells): html += "<tr>\(cells)</tr>\n"
      }
    }
    html += "</tbody></table>\n"
    let end = content.from + content.lines.count
    if end < content.lineCount {
      var items = items
      items.set("from", to: String(end))
      html += "<a rel=\"next\" href=\"?\(HTML.escaped(items.text()))\">More rows</a>\n"
    }
    return html
  }

  /// A value as an element of a table.
  fileprivate static func cell(_ value: Value) -> String {
    switch value {
    case .null: "<td class=\"null\">NULL</td>"
    case .integer(let integer): "<td class=\"number\">\(integer)</td>"
    case .real(let real): "<td class=\"number\">\(real.displayText)</td>"
    case .text(let text):
      "<td>\(HTML.escaped(String(text.prefix(OutputBuffer.startOfText))))</td>"
    case .blob(let bytes): "<td class=\"blob\">\(bytes.count) bytes</td>"
    }
  }

  /// JSON as the content of a script element, which ends at the first `</`.
  static func embedded(_ json: [UInt8]) -> String {
    String(decoding: json, as: UTF8.self).replacingOccurrences(of: "<", with: "\\u003c")
  }
}

/// A line of the page without JavaScript.
enum PageLine: Sendable {
  case header(title: String, count: Int)
  /// A row, and its cells as HTML.
  case row(String)

  static func lines(
    of content: WindowContent, _ snapshot: FetchedSnapshot<Row>, _ query: RowQuery
  ) throws -> [PageLine] {
    var cells: [String] = []
    let rows = content.lines.filter { $0.row != nil }
    if let first = rows.first {
      let start = snapshot.rows(inSection: first.place[0]).lowerBound + first.place[1]
      // The rows follow each other: there are only headers in between.
      try snapshot.forEachObject(at: start..<(start + rows.count)) { record in
        cells.append(record.values.map(PageRenderer.cell).joined())
      }
    }
    var unwritten = cells.makeIterator()
    return content.lines.map { line in
      if line.row != nil { return .row(unwritten.next() ?? "") }
      let header = SectionHeader(of: line.place[0], in: snapshot)
      let title = header.section == .null ? "NULL" : header.title ?? ""
      return .header(title: title, count: header.count)
    }
  }
}
