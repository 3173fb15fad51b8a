import Covers
import TableData
import TableDataTesting

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

extension CoverCell: TerminalCell {
  /// The title, and the year on the right.
  var terminalRow: TerminalRow {
    guard let cover else { return TerminalRow(leading: []) }
    return TerminalRow(
      leading: [StyledText(cover.label)],
      trailing: [cover.releaseYear.map { StyledText("\($0)") } ?? StyledText("year unknown", .dim)])
  }
}

/// A row that shows a track.
final class TrackCell: TableViewCell, Configurable, TerminalCell {
  private(set) var terminalRow = TerminalRow(leading: [])

  func configure(with track: TrackViewModel) {
    terminalRow = TerminalRow(
      leading: [StyledText(track.name)], trailing: [StyledText(track.length)])
  }
}

/// The row after the tracks that are loaded.
final class PageStatusCell: TableViewCell, Configurable, TerminalCell {
  private(set) var terminalRow = TerminalRow(leading: [])

  func configure(with status: PageStatus) {
    let text =
      switch status.state {
      case .ready, .loading: "loading…"
      case .failed(let message): "! \(message). ⏎ tries again"
      case .cancelled: "⏎ loads more"
      case .finished: "no more"
      }
    terminalRow = TerminalRow(leading: [StyledText(text, .dim)])
  }
}

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
