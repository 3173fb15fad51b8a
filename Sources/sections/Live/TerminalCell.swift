/// A cell of a headless table that can be drawn on a terminal.
protocol TerminalCell {
  /// The cell's content, on one line.
  var terminalRow: TerminalRow { get }
}

/// A line of a table: text on the left, and text aligned to the right.
///
/// The text may contain control characters: it is escaped when it is drawn.
struct TerminalRow: Equatable {
  var leading: [StyledText]
  var trailing: [StyledText] = []
}
