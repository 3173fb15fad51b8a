import TableData

/// A switch in a form.
final class ToggleGenerator: TableCellGenerator, ViewBuilder {
  let title: String
  var isOn = false
  var onToggle: () -> Void = {}

  init(_ title: String) { self.title = title }

  func build(view: FormCell) {
    view.terminalRow = TerminalRow(leading: [StyledText(isOn ? "[x] " : "[ ] "), StyledText(title)])
  }

  func didSelect() {
    isOn.toggle()
    onToggle()
  }
}
