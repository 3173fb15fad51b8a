import RowQueries

/// For terminals: a line for each row, its values joined by ` · `. With sections: a heading with
/// the count before each section, indented rows, a line of totals, and an empty line between
/// sections.
final class ListWriter: ResultWriter {
  private let lines: LineWriter
  private let output: OutputBuffer
  private var isSectioned = false
  private var hasSections = false
  private var totals: [PrintedTotal] = []

  init(to output: OutputBuffer, options: TerminalOptions) {
    lines = LineWriter(output: output, options: options)
    self.output = output
  }

  func begin(
    columns: [String], isSectioned: Bool, indexTitles: [String]?, hasTotals: Bool
  ) {
    self.isSectioned = isSectioned
    if let indexTitles { lines.writeIndex(indexTitles) }
  }

  func beginSection(_ header: SectionHeader) {
    guard isSectioned else { return }
    if hasSections { lines.endLine() }
    hasSections = true
    lines.writeHeading(header)
    totals = header.totals
  }

  func row(_ cells: [DisplayCell]) throws(OutputError) {
    var texts = isSectioned ? [StyledText("  ")] : []
    for (index, cell) in cells.enumerated() {
      if index > 0 { texts.append(StyledText(" · ", .dim)) }
      texts.append(cell.styled)
    }
    lines.writeLine(texts)
    try output.flushIfNeeded()
  }

  func endSection() { if isSectioned { lines.writeTotals(totals) } }

  func end(totals: [PrintedTotal]) throws(OutputError) {
    if hasSections, !totals.isEmpty { lines.endLine() }
    lines.writeWholeTotals(totals)
    try output.flush()
  }
}
