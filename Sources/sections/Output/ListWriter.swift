/// For terminals: a line for each row, its values joined by ` · `. With sections: a heading with
/// the count before each section, indented rows, and an empty line between sections.
final class ListWriter: ResultWriter {
  private let lines: LineWriter
  private let output: OutputBuffer
  private var isSectioned = false
  private var hasSections = false

  init(to output: OutputBuffer, options: TerminalOptions) {
    lines = LineWriter(output: output, options: options)
    self.output = output
  }

  func begin(columns: [String], isSectioned: Bool, indexTitles: [String]?) {
    self.isSectioned = isSectioned
    if let indexTitles { lines.writeIndex(indexTitles) }
  }

  func beginSection(_ header: SectionHeader) {
    guard isSectioned else { return }
    if hasSections { lines.endLine() }
    hasSections = true
    lines.writeHeading(header)
  }

  func row(_ cells: [DisplayCell]) throws(OutputError) {
    var texts = isSectioned ? [StyledText("  ")] : []
    for (index, cell) in cells.enumerated() {
      if index > 0 { texts.append(StyledText(" · ", .dim)) }
      texts.append(cell.content.styled)
    }
    lines.writeLine(texts)
    try output.flushIfNeeded()
  }

  func endSection() {}

  func end() throws(OutputError) {
    try output.flush()
  }
}
