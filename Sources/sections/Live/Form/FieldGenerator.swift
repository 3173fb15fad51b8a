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
