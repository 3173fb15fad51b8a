import TableData

/// A line of a log, in memory.
struct LogEntry: ItemViewModel {
  /// A separate type: a cover may have the same number.
  struct ID: Hashable {
    let number: Int
  }

  let id: ID
  let text: String
}

/// A row that shows a line of a log.
final class LogCell: TableViewCell, Configurable, TerminalCell {
  private(set) var terminalRow = TerminalRow(leading: [])

  func configure(with entry: LogEntry) {
    terminalRow = TerminalRow(
      leading: [StyledText("\(entry.id.number)  ", .dim), StyledText(entry.text)])
  }
}
