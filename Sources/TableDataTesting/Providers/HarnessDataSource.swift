#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TableData

/// Shows the rows of a provider in a table, and sends its display events to the provider.
final class HarnessDataSource<Provider: ViewModelDataProvider, ID: Hashable>: TableDataSource {
  private let provider: Provider
  private let id: (Provider.Item) throws -> ID

  /// Called after a display event of a row, whose index path is nil if the row is no longer displayed. No
  /// events are sent while it is nil.
  var didNotify: ((_ call: String, IndexPath?) -> Void)?
  /// Whether the provider is being notified.
  private(set) var isNotifying = false

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
    let item = try provider.itemForRow(at: indexPath)
    (cell as? HarnessCell<Provider.Item, ID>)?.shown = (try id(item), item)
    return cell
  }

  func tableView(
    _ tableView: TableView, identityForRowAt indexPath: IndexPath
  ) throws -> AnyHashable? {
    AnyHashable(try id(try provider.itemForRow(at: indexPath)))
  }

  func tableView(
    _ tableView: TableView, indexPathForIdentity identity: AnyHashable
  ) throws -> IndexPath? {
    for (section, info) in provider.sections.enumerated() {
      for row in 0..<info.numberOfRows {
        let place = IndexPath(row: row, section: section)
        if AnyHashable(try id(try provider.item(at: place))) == identity { return place }
      }
    }
    return nil
  }

  func tableView(
    _ tableView: TableView, willDisplay cell: TableViewCell, forRowAt indexPath: IndexPath
  ) throws {
    guard let didNotify else { return }
    (cell as? HarnessCell<Provider.Item, ID>)?.displayedIdentity =
      try provider.identityForRow(at: indexPath)
    isNotifying = true
    defer { isNotifying = false }
    try provider.willDisplayRow(at: indexPath)
    didNotify("willDisplayRow(at: \(indexPath.brief))", indexPath)
  }

  func tableView(_ tableView: TableView, didEndDisplaying cell: TableViewCell) {
    guard let didNotify, let cell = cell as? HarnessCell<Provider.Item, ID>,
      let identity = cell.displayedIdentity
    else { return }
    cell.displayedIdentity = nil
    isNotifying = true
    defer { isNotifying = false }
    provider.didEndDisplayingRow(withIdentity: identity)
    didNotify("didEndDisplayingRow(withIdentity: \(identity))", nil)
  }
}

/// Shows an item.
final class HarnessCell<Item, ID: Hashable>: TableViewCell {
  var shown: (id: ID, item: Item)?
  /// The identity of the row, if the provider was notified that it is displayed.
  var displayedIdentity: AnyHashable?

  override func prepareForReuse() { shown = nil }
}
