import RowQueries
import TableData
import TableDataTesting

/// The lines of a table: for each section its title, if it has one, and its rows.
typealias TableLines = FlatRows<String>

/// Draws the headless table on the lines of a terminal: headings and rows, one line each.
struct TableRenderer {
  var options: TerminalOptions
  /// Whether lines are filled to the width of the terminal, for text beside them.
  var fillsLines = false
  /// Whether a row has a mark before it.
  var isMarked: (IndexPath) -> Bool = { _ in false }
  /// The mark before the title of a section, and the row count after it.
  var heading: (Int) -> (mark: String, rowCount: Int?) = { _ in ("", nil) }

  /// Draws a window of the table. The table is laid out for this window: only rows in it have a
  /// cell.
  ///
  /// - Parameters:
  ///   - lines: the current lines of the table.
  ///   - window: the lines to draw.
  ///   - cursor: the highlighted line; nil for none.
  /// - Returns: the lines in the window, with escape sequences and without line ends.
  func draw(
    _ table: TableView, _ lines: TableLines, window: Range<Int>, cursor: TableLines.Line?
  ) throws -> [String] {
    let offset = lines.rowCount(before: window.lowerBound)
    try table.setHeight(lines.rowCount(before: window.upperBound) - offset)
    try table.setContentOffset(offset)
    return window.compactMap { position in
      guard let line = lines.line(at: position) else { return nil }
      return draw(row(for: line, in: table, lines), isCurrent: line == cursor)
    }
  }

  private func row(
    for line: TableLines.Line, in table: TableView, _ lines: TableLines
  ) -> TerminalRow {
    switch line {
    case .header(let section):
      let heading = heading(section)
      var texts = [StyledText(heading.mark), StyledText(lines.header(of: section) ?? "", .bold)]
      if let count = heading.rowCount { texts.append(StyledText(" (\(count))", .dim)) }
      return TerminalRow(leading: texts)
    case .row(let path):
      guard let cell = table.cellForRow(at: path) else { return TerminalRow(leading: []) }
      var row =
        (cell as? any TerminalCell)?.terminalRow
        ?? TerminalRow(leading: [StyledText("\(type(of: cell))", .dim)])
      row.leading.insert(StyledText(isMarked(path) ? "✓ " : "  "), at: 0)
      return row
    }
  }

  /// Draws one line. Without colour the current line has a mark; with colour it is also in reverse.
  func draw(_ row: TerminalRow, isCurrent: Bool = false) -> String {
    let buffer = OutputBuffer()
    let writer = LineWriter(output: buffer, options: options)
    let leading = [StyledText(isCurrent ? "› " : "  ")] + row.leading
    guard let width = options.width else {
      writer.write(leading + (row.trailing.isEmpty ? [] : [StyledText("  ")] + row.trailing))
      return buffer.contents
    }
    // If there is no space for both, the text on the right is cut first, but to no less than a
    // third of the line.
    let rest = width - self.width(of: leading) - 1
    let trailingWidth = min(self.width(of: row.trailing), max(rest, width / 3))
    let room = width - (trailingWidth > 0 ? trailingWidth + 1 : 0)
    let written = writer.write(leading, limit: max(room, 1))
    if trailingWidth > 0 {
      buffer.append(
        repeating: UInt8(ascii: " "), count: width - written - trailingWidth)
      writer.write(row.trailing, limit: trailingWidth)
    } else if fillsLines || isCurrent && options.usesColor {
      buffer.append(repeating: UInt8(ascii: " "), count: width - written)
    }
    return isCurrent && options.usesColor ? buffer.contents.inReverse : buffer.contents
  }

  private func width(of texts: [StyledText]) -> Int {
    texts.reduce(0) { $0 + DisplayText($1.text).width }
  }
}
