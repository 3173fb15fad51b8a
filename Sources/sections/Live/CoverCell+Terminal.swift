import Covers
import TableData

extension CoverCell: TerminalCell {
  /// The title, and the year on the right.
  var terminalRow: TerminalRow {
    guard let cover else { return TerminalRow(leading: []) }
    return TerminalRow(
      leading: [StyledText(cover.label)],
      trailing: [cover.releaseYear.map { StyledText("\($0)") } ?? StyledText("year unknown", .dim)])
  }
}
