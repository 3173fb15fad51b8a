import Foundation
import TableData
import TableDataTesting

/// Shows an array of arrays in a table, and counts how often it is asked.
final class ListDataSource<Item: Hashable>: ComposableTableViewDataSource {
  weak var observer: (any TableChangesObserver)?
  var content: [[Item]]
  /// Whether the table may know what a row is, and find it again.
  var knowsIdentities = false
  /// Carried out whenever the table asks.
  var onQuestion: () throws -> Void = {}
  private(set) var questions = 0

  init(_ content: [[Item]]) { self.content = content }

  /// Becomes the table's data source and loads it.
  func show(in table: TableView) throws {
    table.dataSource = self
    try table.reloadData()
  }

  func shown(in cell: TableViewCell?) -> Item? { (cell as? ListCell<Item>)?.item }

  /// What the cells in the window show, from top to bottom.
  func shown(in table: TableView) -> [Item?] { table.visibleCells.map { shown(in: $0) } }

  private func count() throws {
    questions += 1
    try onQuestion()
  }

  var numberOfSections: Int {
    questions += 1
    return content.count
  }

  func section(_ section: Int) throws -> TableSection {
    try count()
    return TableSection(numberOfRows: content[section].count)
  }

  func row(at indexPath: IndexPath) throws -> TableRow {
    try count()
    let item = content[indexPath.section][indexPath.row]
    return TableRow(
      item, id: knowsIdentities ? AnyHashable(item) : nil, cell: TableCell(ListCell<Item>.self))
  }
}

/// Shows an item.
final class ListCell<Item>: TableViewCell, Configurable {
  private(set) var item: Item?
  private(set) var reuses = 0

  func configure(with viewModel: Item) { item = viewModel }

  override func prepareForReuse() {
    item = nil
    reuses += 1
  }
}
