import TableData

/// A row of a form that says what is wrong.
final class NoticeGenerator: TableCellGenerator, ViewBuilder {
  var text: String

  init(_ text: String) { self.text = text }

  func build(view: FormCell) {
    view.terminalRow = TerminalRow(leading: [StyledText("! \(text)", .bold)])
  }
}
