import Basics
import RowQueries

/// GitHub Flavored Markdown: a pipe table; with sections, a heading with the count and a table
/// each. Totals are a line after the table.
///
/// Text is escaped so that none of it is interpreted as Markdown. Its line breaks become `<br>`.
/// NULL is `*NULL*`, which text never is.
final class MarkdownWriter: ResultWriter {
  private let output: OutputBuffer
  private var names: [String] = []
  private var isSectioned = false
  private var hasSections = false
  private var totals: [PrintedTotal] = []

  init(to output: OutputBuffer) {
    self.output = output
  }

  func begin(
    columns: [String], isSectioned: Bool, indexTitles: [String]?, hasTotals: Bool
  ) {
    names = columns
    self.isSectioned = isSectioned
    guard let indexTitles else { return }
    output.append("Index:")
    for title in indexTitles {
      output.append(" ")
      output.append(markdown: title.quotedIfBlank)
    }
    output.append("\n\n")
  }

  func beginSection(_ header: SectionHeader) {
    if hasSections { output.append("\n") }
    hasSections = true
    totals = header.totals
    if isSectioned {
      output.append("## ")
      append(header.displayTitle)
      output.append(" (")
      output.append(Int64(header.count))
      output.append(")\n\n")
    }
    appendTableHead()
  }

  func row(_ cells: [DisplayCell]) throws(OutputError) {
    precondition(cells.count == names.count, "A row has as many cells as there are columns.")
    guard !cells.isEmpty else { return }
    for cell in cells {
      output.append("| ")
      append(cell)
      output.append(" ")
    }
    output.append("|\n")
    try output.flushIfNeeded()
  }

  func endSection() {
    guard isSectioned, !totals.isEmpty else { return }
    output.append("\n")
    append(totals)
  }

  func end(totals: [PrintedTotal]) throws(OutputError) {
    // A result without sections still has a head, to show the columns.
    if !hasSections { appendTableHead() }
    if !totals.isEmpty {
      output.append("\n**Total** ")
      append(totals)
    }
    try output.flush()
  }

  private func appendTableHead() {
    guard !names.isEmpty else { return }
    for name in names {
      output.append("| ")
      output.append(markdown: name)
      output.append(" ")
    }
    output.append("|\n")
    for _ in names { output.append("| --- ") }
    output.append("|\n")
  }

  private func append(_ totals: [PrintedTotal]) {
    for (index, total) in totals.enumerated() {
      if index > 0 { output.append(" · ") }
      output.append(markdown: total.name)
      output.append(": ")
      append(DisplayCell(total.value))
    }
    output.append("\n")
  }

  private func append(_ cell: DisplayCell) {
    let isPlaceholder = cell.kind == .placeholder
    if isPlaceholder { output.append("*") }
    output.append(markdown: cell.text)
    if isPlaceholder { output.append("*") }
  }
}

extension OutputBuffer {
  /// Appends `text` so that Markdown shows it literally, on one line.
  func append(markdown text: String) {
    // Most text is plain, and copied in one piece.
    guard !text.utf8.allSatisfy(isPlainInMarkdown) else { return append(text: text) }
    var previous: Unicode.Scalar = " "
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\r" where rest.first == "\n":
        break
      case "\n", "\r":
        append("<br>")
      case "_" where isWordCharacter(previous) && rest.first.map(isWordCharacter) == true:
        // Inside a word it is literal, and names with a backslash are hard to read.
        append("_")
      case "\\", "|", "`", "*", "_", "[", "]", "<", ">", "&", "~":
        append("\\")
        append(scalar: scalar)
      case "\t":
        append("\t")
      case _ where scalar.needsVisibleEscape:
        append(markdown: scalar.visibleEscape)
      default:
        append(scalar: scalar)
      }
      previous = scalar
    }
  }
}

private func isPlainInMarkdown(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "\\"), UInt8(ascii: "|"), UInt8(ascii: "`"), UInt8(ascii: "*"),
    UInt8(ascii: "_"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "<"),
    UInt8(ascii: ">"), UInt8(ascii: "&"), UInt8(ascii: "~"):
    false
  default: 0x20...0x7E ~= byte
  }
}

private func isWordCharacter(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar {
  case "a"..."z", "A"..."Z", "0"..."9": true
  default: false
  }
}
