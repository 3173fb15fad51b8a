import TableData

/// The cell of every row of a form. The row's generator sets its content.
final class FormCell: TableViewCell, TerminalCell {
  var terminalRow = TerminalRow(leading: [])
}
