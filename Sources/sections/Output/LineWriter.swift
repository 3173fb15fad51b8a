import Basics
import RowQueries

/// Writes styled text on the lines of a terminal: escaped, measured and, if necessary, shortened.
struct LineWriter {
  let output: OutputBuffer
  let options: TerminalOptions

  func write(_ texts: [StyledText]) {
    for text in texts { write(text) }
  }

  /// Writes `texts` next to each other and returns their width in cells.
  ///
  /// Text that does not fit in `limit` cells, which is at least one, is cut between two characters
  /// and ends in `…`.
  @discardableResult
  func write(_ texts: [StyledText], limit: Int) -> Int {
    let total = texts.reduce(0) { total, text in
      total > limit ? total : total + DisplayText(text.text).width(upTo: limit - total)
    }
    guard total > limit else {
      write(texts)
      return total
    }
    var room = max(limit, 1) - 1
    for text in texts {
      var (elements, width) = DisplayText(text.text).prefix(width: room)
      room -= width
      let isCut = width < DisplayText(text.text).width(upTo: width)
      if isCut { elements.append(.init(text: "…", width: 1, isEscape: false)) }
      write(elements, style: text.style)
      if isCut { break }
    }
    return max(limit, 1) - room
  }

  /// Writes `text` as a cell of `column`. `isLast` leaves out padding at the end of a line.
  func write(_ text: StyledText, column: TableLayout.Column, isLast: Bool) {
    let ownWidth = DisplayText(text.text).width(upTo: column.limit ?? .max)
    if let limit = column.limit, ownWidth > limit {
      let written = write([text], limit: limit)
      if !isLast { pad(column.width - written) }
    } else if column.alignment == .right {
      pad(column.width - ownWidth)
      write(text)
    } else {
      write(text)
      if !isLast { pad(column.width - ownWidth) }
    }
  }

  /// Writes a literal, which needs no escaping and is never cut.
  func write(_ literal: StaticString, style: TextStyle) {
    if options.usesColor { output.append(style.start) }
    output.append(literal)
    if options.usesColor { output.append(style.end) }
  }

  func endLine() {
    output.append("\n")
  }

  private func pad(_ count: Int) {
    output.append(repeating: UInt8(ascii: " "), count: count)
  }

  private func write(_ text: StyledText) {
    let display = DisplayText(text.text)
    guard !display.hasEscapes else { return write(Array(display), style: text.style) }
    if options.usesColor { output.append(text.style.start) }
    output.append(text: text.text)
    if options.usesColor { output.append(text.style.end) }
  }

  private func write(_ elements: [DisplayText.Element], style: TextStyle) {
    guard options.usesColor else {
      for element in elements { output.append(text: element.text) }
      return
    }
    var current = TextStyle.plain
    for element in elements {
      let wanted = element.isEscape ? .dim : style
      if wanted != current {
        output.append(current.end)
        output.append(wanted.start)
        current = wanted
      }
      output.append(text: element.text)
    }
    output.append(current.end)
  }
}

// MARK: - Lines of both list and table

extension LineWriter {
  /// Writes `texts`, cut to the width of the terminal.
  private func writeCut(_ texts: [StyledText]) {
    if let width = options.width { write(texts, limit: width) } else { write(texts) }
  }

  /// Writes `texts` as one line, cut to the width of the terminal.
  func writeLine(_ texts: [StyledText]) {
    writeCut(texts)
    endLine()
  }

  /// One line of `texts` without its end, cut to the width of the terminal.
  static func line(_ texts: [StyledText], _ options: TerminalOptions) -> String {
    let buffer = OutputBuffer()
    LineWriter(output: buffer, options: options).writeCut(texts)
    return buffer.contents
  }

  /// Writes a section's title and count. A title that is too long is cut, the count never.
  func writeHeading(_ header: SectionHeader) {
    let count = " (\(header.count))"
    let title = header.displayTitle
    let styled = StyledText(title.text, title.kind == .placeholder ? .dim : .bold)
    if let width = options.width {
      write([styled], limit: width - count.utf8.count)
    } else {
      write(styled)
    }
    write(StyledText(count, .dim))
    endLine()
  }

  func writeTotals(_ totals: [PrintedTotal]) {
    if !totals.isEmpty { writeLine([StyledText("Σ ", .dim)] + totals.texts) }
  }

  func writeWholeTotals(_ totals: [PrintedTotal]) {
    if !totals.isEmpty { writeLine([StyledText("Total ", .bold)] + totals.texts) }
  }

  func writeIndex(_ titles: [String]) {
    writeLine(
      [StyledText("Index:", .dim)] + titles.map { StyledText(" " + $0.quotedIfBlank) })
    endLine()
  }
}

// MARK: - Lines of a table

extension LineWriter {
  /// Writes the names of the columns, and a line below them; nothing if there are no columns.
  func writeNames(_ names: [String], _ layout: TableLayout) {
    guard !names.isEmpty else { return }
    writeCells(names.map { StyledText($0, .bold) }, layout)
    let rule = layout.columns.map { String(repeating: "─", count: $0.width) }
    write([StyledText(rule.joined(separator: "─┼─"), .dim)])
    endLine()
  }

  /// Writes the cells of a row, one for each column.
  func writeCells(_ texts: [StyledText], _ layout: TableLayout) {
    for (index, text) in texts.enumerated() {
      let isLast = index == texts.count - 1
      if index > 0 { write(TableLayout.separator, style: .dim) }
      write(text, column: layout.columns[index], isLast: isLast)
    }
    endLine()
  }
}
