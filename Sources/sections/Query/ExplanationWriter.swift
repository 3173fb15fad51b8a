import FetchedResults
import FetchedResultsExplaining
import RowQueries

/// Prints how a result is kept up to date, as a tree.
struct ExplanationWriter {
  private let lines: LineWriter

  init(to output: OutputBuffer, options: TerminalOptions) {
    lines = LineWriter(output: output, options: options)
  }

  /// Writes a tree. Lines that are wider than the terminal continue on the next line, except for the
  /// statements that one copies.
  func write(_ explanation: MaintenanceExplanation) {
    for line in explanation.lines {
      let style: TextStyle =
        switch line.kind {
        case .verdict, .obstacle: .bold
        case .label, .index: .plain
        case .sql, .step: .dim
        }
      var prefix = line.prefix
      for piece in pieces(of: line) {
        lines.write([StyledText(prefix, .dim), StyledText(piece, style)])
        lines.endLine()
        prefix = line.continuation
      }
    }
  }

  /// The text of a line, divided at spaces to fit the width.
  private func pieces(of line: ExplanationLine) -> [String] {
    guard let width = lines.options.width, line.kind != .index else { return [line.text] }
    let indent = max(DisplayText(line.prefix).width, DisplayText(line.continuation).width)
    // A tree that is too deep for the terminal still has some room for text.
    let limit = max(width - indent, 20)
    var pieces: [String] = []
    var piece = ""
    var used = 0
    for word in line.text.split(separator: " ", omittingEmptySubsequences: false) {
      let wordWidth = DisplayText(String(word)).width
      if used > 0, used + 1 + wordWidth > limit {
        pieces.append(piece)
        (piece, used) = (String(word), wordWidth)
      } else {
        piece += (used > 0 ? " " : "") + word
        used += (used > 0 ? 1 : 0) + wordWidth
      }
    }
    return pieces + [piece]
  }
}
