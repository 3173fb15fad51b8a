import RowQueries

/// For terminals: columns side by side under one line of names, numbers on the right; with
/// sections, a heading with the count before each section's rows, and a line of totals after them.
///
/// The widths are computed from a sample: the first lines are held back until there are enough;
/// later lines are written at once. A later text that is wider is cut if the table is fitted to a
/// terminal, and makes its line longer otherwise; a later number widens its column.
final class TableWriter: ResultWriter {
  /// The maximum number of rows and headings that are held back.
  static let sampleLines = 200
  /// The maximum amount of text that is held back, in bytes.
  static let sampleBytes = 1 << 20

  private enum Line {
    case heading(SectionHeader)
    case row([DisplayCell])
    case totals([PrintedTotal])
  }

  private let lines: LineWriter
  private let output: OutputBuffer
  private var names: [String] = []
  private var isSectioned = false
  private var hasSections = false
  private var rowCount = 0
  private var totals: [PrintedTotal] = []
  /// The lines held back; nil once the layout is determined.
  private var sample: [Line]? = []
  private var sampledBytes = 0
  private var layout = TableLayout(columns: [], rows: [], width: nil)

  init(to output: OutputBuffer, options: TerminalOptions) {
    lines = LineWriter(output: output, options: options)
    self.output = output
  }

  func begin(
    columns: [String], isSectioned: Bool, indexTitles: [String]?, hasTotals: Bool
  ) {
    names = columns
    self.isSectioned = isSectioned
    if let indexTitles { lines.writeIndex(indexTitles) }
  }

  func beginSection(_ header: SectionHeader) throws(OutputError) {
    if isSectioned { try add(.heading(header)) }
    totals = header.totals
  }

  func row(_ cells: [DisplayCell]) throws(OutputError) {
    precondition(cells.count == names.count, "A row has as many cells as there are columns.")
    rowCount += 1
    try add(.row(cells))
  }

  func endSection() throws(OutputError) {
    if isSectioned, !totals.isEmpty { try add(.totals(totals)) }
  }

  func end(totals: [PrintedTotal]) throws(OutputError) {
    try settle()
    if hasSections, !totals.isEmpty { lines.endLine() }
    lines.writeWholeTotals(totals)
    // Sections have their counts in the headings.
    if !hasSections {
      lines.writeLine([StyledText("(\("row".counted(rowCount)))", .dim)])
    }
    try output.flush()
  }
}

// MARK: - Sample

extension TableWriter {
  private func add(_ line: Line) throws(OutputError) {
    guard sample != nil else { return try write(line) }
    sample?.append(line)
    if case .row(let cells) = line {
      sampledBytes += cells.reduce(0) { $0 + $1.text.utf8.count }
    }
    if sample?.count == Self.sampleLines || sampledBytes >= Self.sampleBytes { try settle() }
  }

  private func settle() throws(OutputError) {
    guard let held = sample else { return }
    sample = nil
    let rows = held.compactMap { line -> [DisplayCell]? in
      if case .row(let cells) = line { cells } else { nil }
    }
    layout = TableLayout(columns: names, rows: rows, width: lines.options.width)
    lines.writeNames(names, layout)
    for line in held { try write(line) }
  }
}

// MARK: - Lines

extension TableWriter {
  private func write(_ line: Line) throws(OutputError) {
    switch line {
    case .heading(let header):
      if hasSections { lines.endLine() }
      hasSections = true
      lines.writeHeading(header)
    case .row(let cells):
      for (index, cell) in cells.enumerated() { layout.makeRoom(for: cell, in: index) }
      lines.writeCells(cells.map(\.styled), layout)
    case .totals(let totals): lines.writeTotals(totals)
    }
    try output.flushIfNeeded()
  }
}
