import TableData

/// An error message in a form.
final class NoticeGenerator: TableCellGenerator, ViewBuilder {
  var text: String

  init(_ text: String) { self.text = text }

  func build(view: FormCell) {
    view.terminalRow = TerminalRow(leading: [StyledText("! \(text)", .bold)])
  }
}
