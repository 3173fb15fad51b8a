/// A cell of a table without a screen that knows how it looks on a terminal.
protocol TerminalCell {
  /// What the cell shows, on one line.
  var terminalRow: TerminalRow { get }
}

/// A line of a table: text from the left, and text that ends at the right.
///
/// It may hold anything, also what acts on a terminal: it is escaped where it is drawn.
struct TerminalRow: Equatable {
  var leading: [StyledText]
  var trailing: [StyledText] = []
}
