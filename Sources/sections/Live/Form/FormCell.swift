import TableData

/// The cell of any row of a form: its generator says what it shows.
final class FormCell: TableViewCell, TerminalCell {
  var terminalRow = TerminalRow(leading: [])
}
