import TableData

/// A text field in a form.
final class FieldGenerator: TableCellGenerator, ViewBuilder {
  let title: String
  var text = ""
  var isEdited = false
  var onSelect: () -> Void = {}
  private let hint: String

  init(_ title: String, hint: String) {
    self.title = title
    self.hint = hint
  }

  func build(view: FormCell) {
    let padded = title.padded(to: 8)
    let cursor = isEdited ? [StyledText("▏")] : []
    let value = text.isEmpty && !isEdited ? StyledText(hint, .dim) : StyledText(text)
    view.terminalRow = TerminalRow(
      leading: [StyledText(padded, .dim), value] + cursor)
  }

  func didSelect() { onSelect() }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(width - count, 0))
  }
}

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

/// An error message in a form.
final class NoticeGenerator: TableCellGenerator, ViewBuilder {
  var text: String

  init(_ text: String) { self.text = text }

  func build(view: FormCell) {
    view.terminalRow = TerminalRow(leading: [StyledText("! \(text)", .bold)])
  }
}

/// The cell of every row of a form. The row's generator sets its content.
final class FormCell: TableViewCell, TerminalCell {
  var terminalRow = TerminalRow(leading: [])
}
