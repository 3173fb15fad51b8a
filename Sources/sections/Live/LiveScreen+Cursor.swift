import TableData

// The cursor is on a row, which is what is selected, or on a heading, which nothing else knows of. It
// stays on what it is on, wherever that goes; when that goes away, on the line that takes its place.
extension LiveScreen {
  /// The line that the cursor is on.
  ///
  /// - Throws: what reading the content throws.
  func cursor(in lines: TableLines) throws -> TableLines.Line {
    if let path = controller.tableView.indexPathForSelectedRow { return .row(path) }
    if let heading, let section = section(of: heading, in: lines) {
      self.heading?.section = section
      return .header(section)
    }
    // What it was on has gone.
    let position = min(lastPosition, lines.count - 1)
    guard let line = lines.line(at: position) else { return .header(0) }
    try setCursor(line, in: lines)
    return line
  }

  /// The heading's section by now: the one of its title that is nearest to where it was.
  private func section(
    of heading: (section: Int, title: String), in lines: TableLines
  ) -> Int? {
    let count = controller.tableView.numberOfSections
    return (0..<count).filter { lines.header(of: $0) == heading.title }
      .min { abs($0 - heading.section) < abs($1 - heading.section) }
  }

  /// Puts the cursor on a line.
  func setCursor(_ line: TableLines.Line, in lines: TableLines) throws {
    lastPosition = lines.position(of: line) ?? 0
    switch line {
    case .header(let section):
      heading = (section, lines.header(of: section) ?? "")
      selection.select(nil)
    case .row(let path):
      heading = nil
      selection.select(try list.source.itemIdentityForRow(at: path))
    }
  }

  /// Moves the cursor by so many lines, as far as there are any.
  func moveCursor(by distance: Int) throws {
    let lines = try lines
    let position = lines.position(of: try cursor(in: lines)) ?? 0
    let target = max(0, min(position + distance, lines.count - 1))
    if let line = lines.line(at: target) { try setCursor(line, in: lines) }
  }
}
