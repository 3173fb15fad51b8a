import TableData
import TableDataTesting

/// Shows an item.
final class ItemCell: TableViewCell, Configurable {
  private(set) var text = ""

  func configure(with viewModel: Item) { text = "\(viewModel.id)\(viewModel.text)" }
}

/// A table that shows a data source and applies what is told to it.
final class Screen: TableChangesObserver {
  let table = TableView(height: 100)
  let source: any ComposableTableViewDataSource
  private(set) var batches: [TableChanges] = []
  private(set) var errors: [any Error] = []

  init(_ source: any ComposableTableViewDataSource) throws {
    self.source = source
    table.dataSource = source
    try table.reloadData()
    source.observer = self
  }

  /// What the cells show.
  var shown: [String] { table.visibleCells.map { ($0 as? ItemCell)?.text ?? "?" } }

  /// Forgets the batches so far.
  func clear() { batches = [] }

  func contentWillChange(of sender: any TableChangesSender) {}

  func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    batches.append(changes)
    do { try table.apply(changes) } catch { errors.append(error) }
  }

  func content(of sender: any TableChangesSender, didFailWith error: any Error) {
    errors.append(error)
  }
}

extension TableViewDataSource where Provider.Item == Item {
  /// A data source with a cell for items.
  static func showing(_ provider: Provider) throws -> TableViewDataSource {
    let source = try TableViewDataSource(dataProvider: provider)
    source.registerCell(ItemCell.self, identifier: "item", for: Item.self)
    return source
  }
}
