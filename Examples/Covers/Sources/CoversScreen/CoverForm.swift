import Covers
import TableData
import TableDataTesting

/// The form that adds a cover, made of generators that each show and handle one row.
///
/// An error message is a row as well, which is inserted and removed.
final class CoverForm {
  let rows = DataDisplayManager()
  /// Called with the content of the form. An error that it throws is shown in the form.
  var onSubmit: (CoverDraft, _ isFirst: Bool) throws -> Void = { _, _ in }

  private let artist = FieldGenerator("Artist", hint: "who made it")
  private let label = FieldGenerator("Title", hint: "what it is called")
  private let year = FieldGenerator("Year", hint: "four digits, or nothing")
  private let isFirst = ToggleGenerator("Put it before the artist's others")
  private let button = ButtonGenerator("Add the cover")
  private var notice: NoticeGenerator?
  /// The field that is being edited; nil if there is none.
  private(set) var editedField: FieldGenerator?

  private let onError: (any Error) -> Void

  /// Makes an empty form.
  ///
  /// - Parameter onError: called if a row cannot be shown.
  init(onError: @escaping (any Error) -> Void) throws {
    self.onError = onError
    try rows.addSectionHeaderGenerator(TitleHeaderGenerator(title: "Add a cover"))
    try rows.addCellGenerators([artist, label, year, isFirst, button])
    for field in [artist, label, year] {
      field.onSelect = { [unowned self, unowned field] in edit(field) }
    }
    isFirst.onToggle = { [unowned self] in refresh(isFirst) }
    button.onPress = { [unowned self] in submit() }
  }

  /// Sets the text of the field that is being edited, and edits the next one.
  func enter(_ text: String) {
    guard let editedField else { return }
    editedField.text = text
    let fields = [artist, label, year]
    let index = fields.firstIndex { $0 === editedField } ?? fields.endIndex
    edit(fields.dropFirst(index + 1).first)
  }

  /// Edits another field, or none.
  private func edit(_ field: FieldGenerator?) {
    let fields = [editedField, field].compactMap(\.self)
    editedField?.isEdited = false
    editedField = field
    field?.isEdited = true
    for field in fields { refresh(field) }
  }

  private func submit() {
    do {
      guard year.text.isEmpty || Int(year.text) != nil else {
        return try show("the year is a number of four digits, or nothing")
      }
      let draft = CoverDraft(
        artist: artist.text, label: label.text, releaseYear: Int(year.text))
      guard !draft.artist.isEmpty, !draft.label.isEmpty else {
        return try show("an artist and a title are needed")
      }
      try onSubmit(draft, isFirst.isOn)
      for field in [artist, label, year] { field.text = "" }
      isFirst.isOn = false
      try show(nil)
      try rows.update(generators: [artist, label, year, isFirst])
    } catch {
      do { try show("\(error)") } catch { onError(error) }
    }
  }

  /// Shows an error message below the button; nil removes it.
  private func show(_ text: String?) throws {
    if let text, let notice {
      notice.text = text
      return refresh(notice)
    }
    if let notice { try rows.remove(notice) }
    notice = text.map(NoticeGenerator.init)
    if let notice { try rows.addCellGenerator(notice, after: button) }
  }

  /// Configures the cell that shows the row, if there is one.
  private func refresh(_ generator: any TableCellGenerator) {
    do { try rows.update(generators: [generator]) } catch { onError(error) }
  }
}

// MARK: - Rows

/// A text field in a form.
final class FieldGenerator: TableCellGenerator, ViewBuilding {
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
    view.text = "\(title): \(isEdited ? "▏" : text.isEmpty ? hint : text)"
  }

  func didSelect() { onSelect() }
}

/// A switch in a form.
final class ToggleGenerator: TableCellGenerator, ViewBuilding {
  let title: String
  var isOn = false
  var onToggle: () -> Void = {}

  init(_ title: String) { self.title = title }

  func build(view: FormCell) { view.text = "[\(isOn ? "x" : " ")] \(title)" }

  func didSelect() {
    isOn.toggle()
    onToggle()
  }
}

final class ButtonGenerator: TableCellGenerator, ViewBuilding {
  let title: String
  var onPress: () -> Void = {}

  init(_ title: String) { self.title = title }

  func build(view: FormCell) { view.text = "[ \(title) ]" }

  func didSelect() { onPress() }
}

/// An error message in a form.
final class NoticeGenerator: TableCellGenerator, ViewBuilding {
  var text: String

  init(_ text: String) { self.text = text }

  func build(view: FormCell) { view.text = "! \(text)" }
}

/// The cell of every row of a form. The row's generator sets its text.
final class FormCell: TableViewCell, TextCell {
  var text = ""
}
