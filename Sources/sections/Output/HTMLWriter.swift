import Basics
import RowQueries

/// A complete HTML5 document without scripts, links or external fonts: a table; with sections, a
/// `<section>` with a heading, the count and a table each. Totals are a paragraph after the table.
final class HTMLWriter: ResultWriter {
  private let output: OutputBuffer
  private var names: [String] = []
  private var isSectioned = false
  private var hasSections = false
  private var rowCount = 0
  private var totals: [PrintedTotal] = []
  /// The anchors that the index links to and no section has used yet, by index title.
  private var anchors: [String: Int] = [:]

  init(to output: OutputBuffer) {
    self.output = output
  }

  func begin(
    columns: [String], isSectioned: Bool, indexTitles: [String]?, hasTotals: Bool
  ) {
    names = columns
    self.isSectioned = isSectioned
    output.append(documentHead)
    guard let indexTitles else { return }
    output.append("<nav>")
    for (number, title) in indexTitles.enumerated() {
      anchors[title] = anchors[title] ?? number
      output.append("<a href=\"#index-")
      output.append(Int64(anchors[title] ?? number))
      output.append("\">")
      output.append(html: title.quotedIfBlank)
      output.append("</a>")
      if number < indexTitles.count - 1 { output.append(" ") }
    }
    output.append("</nav>\n")
  }

  func beginSection(_ header: SectionHeader) {
    hasSections = true
    totals = header.totals
    if isSectioned { appendHeading(header) }
    guard !names.isEmpty else { return }
    output.append("<table>\n<thead><tr>")
    for name in names {
      output.append("<th scope=\"col\">")
      output.append(html: name)
      output.append("</th>")
    }
    output.append("</tr></thead>\n<tbody>\n")
  }

  func row(_ cells: [DisplayCell]) throws(OutputError) {
    precondition(cells.count == names.count, "A row has as many cells as there are columns.")
    rowCount += 1
    guard !cells.isEmpty else { return }
    output.append("<tr>")
    for cell in cells {
      switch cell.kind {
      case .text: output.append("<td>")
      case .number: output.append("<td class=\"number\">")
      case .placeholder: output.append("<td class=\"placeholder\">")
      }
      output.append(html: cell.text)
      output.append("</td>")
    }
    output.append("</tr>\n")
    try output.flushIfNeeded()
  }

  func endSection() throws(OutputError) {
    if !names.isEmpty { output.append("</tbody>\n</table>\n") }
    if isSectioned {
      append(totals, after: "")
      output.append("</section>\n")
    }
    try output.flushIfNeeded()
  }

  func end(totals: [PrintedTotal]) throws(OutputError) {
    // Sections have their counts in the headings.
    if !isSectioned || !hasSections {
      output.append("<p>")
      output.append(Int64(rowCount))
      output.append(rowCount == 1 ? " row</p>\n" : " rows</p>\n")
    }
    append(totals, after: "<strong>Total</strong> ")
    output.append("</body>\n</html>\n")
    try output.flush()
  }

  private func append(_ totals: [PrintedTotal], after start: StaticString) {
    guard !totals.isEmpty else { return }
    output.append("<p>")
    output.append(start)
    for (index, total) in totals.enumerated() {
      if index > 0 { output.append(" · ") }
      output.append(html: total.name)
      output.append(": ")
      let cell = DisplayCell(total.value)
      if cell.kind == .placeholder { output.append("<span class=\"placeholder\">") }
      output.append(html: cell.text)
      if cell.kind == .placeholder { output.append("</span>") }
    }
    output.append("</p>\n")
  }

  private func appendHeading(_ header: SectionHeader) {
    output.append("<section")
    if let anchor = header.indexTitle.flatMap({ anchors.removeValue(forKey: $0) }) {
      output.append(" id=\"index-")
      output.append(Int64(anchor))
      output.append("\"")
    }
    let title = header.displayTitle
    // `bdi`, as a title from right to left would otherwise move the count to its other side.
    output.append(">\n<h2><bdi")
    output.append(title.kind == .placeholder ? " class=\"placeholder\">" : ">")
    output.append(html: title.text)
    output.append("</bdi> <small>(")
    output.append(Int64(header.count))
    output.append(")</small></h2>\n")
  }
}

extension OutputBuffer {
  /// Appends `text` as HTML text, not as an attribute.
  ///
  /// Tabs and line feeds are kept: the style shows them.
  func append(html text: String) {
    // Most text is plain, and copied in one piece.
    guard !text.utf8.allSatisfy(isPlainInHTML) else { return append(text: text) }
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "&": append("&amp;")
      case "<": append("&lt;")
      case ">": append("&gt;")
      case "\t", "\n": append(scalar: scalar)
      case "\r" where rest.first == "\n": break
      case _ where scalar.needsVisibleEscape: append(text: scalar.visibleEscape)
      default: append(scalar: scalar)
      }
    }
  }
}

private func isPlainInHTML(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"): false
  default: 0x20...0x7E ~= byte
  }
}

private let documentHead: StaticString = """
  <!DOCTYPE html>
  <html lang="en">
  <head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>Query result</title>
  <style>
  :root { --line: #d0d0d5; --quiet: #6a6a70 }
  @media (prefers-color-scheme: dark) { :root { --line: #45454a; --quiet: #98989d } }
  body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem; overflow-x: auto }
  nav { margin-bottom: 1.5rem }
  h2 { font-size: 1.15em; margin: 1.5rem 0 .5rem }
  small, .placeholder { color: var(--quiet); font-weight: normal }
  .placeholder { font-style: italic }
  table { border-collapse: collapse }
  th, td { border-bottom: 1px solid var(--line); padding: .25em .75em; text-align: start;
    vertical-align: top; white-space: pre-wrap }
  .number { text-align: end; font-variant-numeric: tabular-nums }
  </style>
  </head>
  <body>

  """
