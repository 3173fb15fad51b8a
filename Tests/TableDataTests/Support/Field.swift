import TableData
import TableDataTesting

/// A row that shows a text and counts how often it is built and selected.
final class Field: TableCellGenerator, ViewBuilding {
  let id: String
  var text: String
  private(set) var builds = 0
  private(set) var selections = 0

  init(_ id: String, text: String = "") {
    self.id = id
    self.text = text
  }

  func build(view: FieldCell) {
    builds += 1
    view.text = id + text
  }

  func didSelect() { selections += 1 }
}

/// Shows a field.
final class FieldCell: TableViewCell {
  var text = ""
}

/// Fields of these ids.
func fields(_ ids: String...) -> [Field] { ids.map { Field($0) } }

extension Screen {
  /// What the cells show that show fields.
  var shownFields: [String] { table.visibleCells.map { ($0 as? FieldCell)?.text ?? "?" } }
}
