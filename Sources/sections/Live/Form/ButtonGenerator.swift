import TableData

/// A button in a form.
final class ButtonGenerator: TableCellGenerator, ViewBuilder {
  let title: String
  var onPress: () -> Void = {}

  init(_ title: String) { self.title = title }

  func build(view: FormCell) {
    view.terminalRow = TerminalRow(leading: [StyledText("[ \(title) ]", .bold)])
  }

  func didSelect() { onPress() }
}
