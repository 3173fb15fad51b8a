import TableData

/// Shows the rows of a provider in a table, and sends its display events to the provider.
final class HarnessDataSource<Provider: ViewModelDataProvider, ID: Hashable>:
  ComposableTableViewDataSource
{
  weak var observer: (any TableChangesObserver)?
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

  var numberOfSections: Int { provider.numberOfSections }

  func numberOfRows(inSection section: Int) throws -> Int {
    try provider.numberOfRows(inSection: section)
  }

  func section(_ section: Int) throws -> TableSection {
    let sections = provider.sections
    return TableSection(
      numberOfRows: try provider.numberOfRows(inSection: section),
      header: TableHeading(try provider.title(forSection: section)),
      footer: TableHeading(sections.indices.contains(section) ? sections[section].footer : nil))
  }

  func row(at indexPath: IndexPath) throws -> TableRow {
    let item = try provider.itemForRow(at: indexPath)
    let id = try id(item)
    // The identity by which the provider was notified.
    var displayed: AnyHashable?
    return TableRow(
      HarnessCell<Provider.Item, ID>.Shown(id: id, item: item), id: AnyHashable(id),
      cell: TableCell(HarnessCell<Provider.Item, ID>.self),
      willDisplay: { [self] in
        guard let didNotify else { return }
        displayed = try provider.identityForRow(at: indexPath)
        isNotifying = true
        defer { isNotifying = false }
        try (provider as? any RowDisplayObserver)?.willDisplayRow(at: indexPath)
        didNotify("willDisplayRow(at: \(indexPath.brief))", indexPath)
      },
      didEndDisplaying: { [self] in
        guard let didNotify, let identity = displayed else { return }
        displayed = nil
        isNotifying = true
        defer { isNotifying = false }
        (provider as? any RowDisplayObserver)?.didEndDisplayingRow(withIdentity: identity)
        didNotify("didEndDisplayingRow(withIdentity: \(identity))", nil)
      })
  }
}

final class HarnessCell<Item, ID: Hashable>: TableViewCell, Configurable {
  struct Shown {
    let id: ID
    let item: Item
  }

  private(set) var shown: Shown?

  func configure(with viewModel: Shown) { shown = viewModel }

  override func prepareForReuse() { shown = nil }
}
