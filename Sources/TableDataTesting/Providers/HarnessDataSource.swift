#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TableData

/// Shows the rows of a provider in a table.
final class HarnessDataSource<Provider: ViewModelDataProvider, ID: Hashable>: TableDataSource {
  private let provider: Provider
  private let id: (Provider.Item) throws -> ID

  init(_ provider: Provider, id: @escaping (Provider.Item) throws -> ID) {
    self.provider = provider
    self.id = id
  }

  func numberOfSections(in tableView: TableView) -> Int { provider.numberOfSections }

  func tableView(_ tableView: TableView, numberOfRowsInSection section: Int) throws -> Int {
    try provider.numberOfRows(inSection: section)
  }

  func tableView(_ tableView: TableView, titleForHeaderInSection section: Int) throws -> String? {
    try provider.title(forSection: section)
  }

  func tableView(_ tableView: TableView, titleForFooterInSection section: Int) throws -> String? {
    let sections = provider.sections
    return sections.indices.contains(section) ? sections[section].footer : nil
  }

  func tableView(
    _ tableView: TableView, cellForRowAt indexPath: IndexPath
  ) throws -> TableViewCell {
    let cell = try tableView.dequeueReusableCell(withIdentifier: "row", for: indexPath)
    let item = try provider.itemForRow(atIndexPath: indexPath)
    (cell as? HarnessCell<Provider.Item, ID>)?.shown = (try id(item), item)
    return cell
  }

  func tableView(
    _ tableView: TableView, identityForRowAt indexPath: IndexPath
  ) throws -> AnyHashable? {
    AnyHashable(try id(try provider.itemForRow(atIndexPath: indexPath)))
  }

  func tableView(
    _ tableView: TableView, indexPathForIdentity identity: AnyHashable
  ) throws -> IndexPath? {
    for (section, info) in provider.sections.enumerated() {
      for row in 0..<info.numberOfRows {
        let place = IndexPath(row: row, section: section)
        if AnyHashable(try id(try provider.itemForRow(atIndexPath: place))) == identity {
          return place
        }
      }
    }
    return nil
  }
}

/// Shows an item.
final class HarnessCell<Item, ID: Hashable>: TableViewCell {
  var shown: (id: ID, item: Item)?

  override func prepareForReuse() { shown = nil }
}
