import TableData
import TableDataTesting

// The cursor is on a row, which is then selected, or on a heading. It follows its row or heading if
// that moves. If that is deleted, the cursor is on the line that takes its place.
extension LiveScreen {
  func cursor(in lines: TableLines) throws -> TableLines.Line {
    if let path = controller.tableView.indexPathForSelectedRow { return .row(path) }
    if let heading, let section = try section(of: heading, in: lines) {
      self.heading?.section = section
      return .header(section)
    }
    // Its row or heading was deleted.
    let position = min(lastPosition, lines.count - 1)
    guard let line = lines.line(at: position) else { return .header(0) }
    try setCursor(line, in: lines)
    return line
  }

  /// The present number of the heading's section: among the sections with its identity, the nearest to
  /// its old number.
  private func section(
    of heading: (section: Int, identity: AnyHashable?), in lines: TableLines
  ) throws -> Int? {
    let count = controller.tableView.numberOfSections
    return try (0..<count).filter {
      try lines.header(of: $0) != nil && list.source.section($0).identity == heading.identity
    }.min { abs($0 - heading.section) < abs($1 - heading.section) }
  }

  /// Moves the cursor to a line.
  func setCursor(_ line: TableLines.Line, in lines: TableLines) throws {
    lastPosition = lines.position(of: line) ?? 0
    switch line {
    case .header(let section):
      heading = (section, try list.source.section(section).identity)
      selection.select(nil)
    case .row(let path):
      heading = nil
      selection.select(try list.source.row(at: path).itemIdentity)
    }
  }

  /// Moves the cursor by a number of lines, as far as there are any.
  func moveCursor(by distance: Int) throws {
    let lines = try lines
    let position = lines.position(of: try cursor(in: lines)) ?? 0
    let target = max(0, min(position + distance, lines.count - 1))
    if let line = lines.line(at: target) { try setCursor(line, in: lines) }
  }
}
