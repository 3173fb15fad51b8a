import Foundation
import TableData

/// Shows an array of arrays in a table, and counts how often it is asked.
final class ListDataSource<Item: Hashable>: TableDataSource {
  var content: [[Item]]
  /// Whether the table may know what a row is, and find it again.
  var knowsIdentities = false
  /// Carried out whenever the table asks.
  var onQuestion: () throws -> Void = {}
  private(set) var questions = 0

  init(_ content: [[Item]]) { self.content = content }

  /// Becomes the table's data source and loads it.
  func show(in table: TableView) throws {
    table.register(ListCell<Item>.self, forCellReuseIdentifier: "item")
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

  func numberOfSections(in tableView: TableView) throws -> Int {
    try count()
    return content.count
  }

  func tableView(_ tableView: TableView, numberOfRowsInSection section: Int) throws -> Int {
    try count()
    return content[section].count
  }

  func tableView(
    _ tableView: TableView, cellForRowAt indexPath: IndexPath
  ) throws -> TableViewCell {
    try count()
    let cell = try tableView.dequeueReusableCell(withIdentifier: "item", for: indexPath)
    (cell as? ListCell<Item>)?.item = content[indexPath.section][indexPath.row]
    return cell
  }

  func tableView(
    _ tableView: TableView, identityForRowAt indexPath: IndexPath
  ) throws -> AnyHashable? {
    try count()
    return knowsIdentities ? AnyHashable(content[indexPath.section][indexPath.row]) : nil
  }

  func tableView(
    _ tableView: TableView, indexPathForIdentity identity: AnyHashable
  ) throws -> IndexPath? {
    try count()
    for (section, items) in content.enumerated() {
      if let row = items.firstIndex(where: { AnyHashable($0) == identity }) {
        return IndexPath(row: row, section: section)
      }
    }
    return nil
  }
}

/// Shows an item.
final class ListCell<Item>: TableViewCell {
  var item: Item?
  private(set) var reuses = 0

  override func prepareForReuse() {
    item = nil
    reuses += 1
  }
}
