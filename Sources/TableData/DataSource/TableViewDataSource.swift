#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The data source of a table that shows a provider: a cell for each type of view model.
///
/// ```swift
/// let source = try TableViewDataSource(dataProvider: tracks)
/// try source.registerCell(
///   class: TrackCell.self, identifier: "track", for: TrackViewModel.self)
/// table.dataSource = source
/// ```
///
/// It is a component like any other: several make one list in a ``ComposedTableViewDataSource``. What
/// the user deletes or moves is written to the provider, where that is an ``EditableDataProvider``,
/// and comes back as changes.
///
/// It takes the provider's place for an observer, and tells its own what the provider tells it.
///
/// Not Sendable: it belongs where its provider belongs.
public final class TableViewDataSource<Provider: ViewModelDataProvider>:
  ComposableTableViewDataSource
{
  /// Where the content comes from.
  public let dataProvider: Provider
  /// Told what changes. It is not kept alive.
  public weak var observer: (any TableChangesObserver)?
  /// Gives a section its footer; none by default.
  public var footerTitle: (SectionInfo) -> String? = { _ in nil }

  private var cells = CellRegistry<TableViewCell>()

  /// Makes a data source without cells.
  ///
  /// - Throws: `TableDataError` of code `.alreadyObserved` where the provider has an observer.
  public init(dataProvider: Provider) throws {
    self.dataProvider = dataProvider
    try dataProvider.beObserved(by: self)
  }

  /// Says which cell shows the view models of a type: exactly this type, not its subclasses.
  ///
  /// - Parameters:
  ///   - cellClass: what the table makes for such a row.
  ///   - identifier: what the table uses the cells again by. One class has it in a table.
  ///   - viewModel: the type of the item of such a row.
  /// - Throws: `TableDataError` of code `.duplicateRegistration` for a type that already has a cell,
  ///   and for an identifier that stands for another class.
  public func registerCell<Cell: TableViewCell & Configurable>(
    class cellClass: Cell.Type, identifier: String, for viewModel: Cell.ViewModel.Type
  ) throws {
    try cells.register(cellClass, identifier: identifier, for: viewModel) { cell, viewModel in
      guard let cell = cell as? Cell, let viewModel = viewModel as? Cell.ViewModel else {
        return false
      }
      cell.configure(with: viewModel)
      return true
    }
  }

  // MARK: Rows

  /// The number of sections.
  public var numberOfSections: Int { dataProvider.numberOfSections }

  /// The number of rows of a section.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func numberOfRows(inSection section: Int) throws -> Int {
    try dataProvider.numberOfRows(inSection: section)
  }

  /// The provider's item for a row.
  ///
  /// - Throws: as ``ViewModelDataProvider/itemForRow(atIndexPath:)``.
  public func viewModelForRow(at indexPath: IndexPath) throws -> Any {
    try dataProvider.itemForRow(atIndexPath: indexPath)
  }

  /// What a row is, for the provider.
  ///
  /// - Throws: as ``ViewModelDataProvider/identityForRow(atIndexPath:)``.
  public func identityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
    try dataProvider.identityForRow(atIndexPath: indexPath)
  }

  /// Where the row of an identity is; nil when it is nowhere.
  ///
  /// - Throws: what the provider throws.
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    try dataProvider.indexPath(forIdentity: identity)
  }

  /// A cell that shows the row.
  ///
  /// - Throws: `TableDataError` of code `.unregisteredViewModel` where no cell is registered for the
  ///   row's view model, of code `.wrongCell` where the table has another class for its identifier;
  ///   what the provider throws.
  public func tableView(
    _ tableView: TableView, cellForRowAt indexPath: IndexPath
  ) throws -> TableViewCell {
    let viewModel: Any = try dataProvider.itemForRow(atIndexPath: indexPath)
    let registration = try cells.registration(for: viewModel)
    try tableView.requireRegistration(
      of: registration.cellClass, forCellReuseIdentifier: registration.identifier)
    let cell = try tableView.dequeueReusableCell(
      withIdentifier: registration.identifier, for: indexPath)
    try registration.configure(cell, viewModel)
    return cell
  }

  // MARK: Headers, footers, index

  /// The title of a section's header, as the provider has it.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func titleForHeader(inSection section: Int) throws -> String? {
    try dataProvider.title(forSection: section)
  }

  /// The title of a section's footer, as ``footerTitle`` gives it.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func titleForFooter(inSection section: Int) throws -> String? {
    let sections = dataProvider.sections
    guard sections.indices.contains(section) else {
      throw TableDataError.sectionOutOfRange(section, count: sections.count)
    }
    return footerTitle(sections[section])
  }

  /// The titles of the index, as the provider has them.
  public func sectionIndexTitles() -> [String] { dataProvider.sectionIndexTitles() }

  /// The first section of a title in the index.
  ///
  /// - Throws: `TableDataError` of code `.unknownIndexTitle`.
  public func section(forSectionIndexTitle title: String, at position: Int) throws -> Int {
    try dataProvider.section(forSectionIndexTitle: title, at: position)
  }
}

// It shows what its provider has, and passes on what changes there.
extension TableViewDataSource: TableChangesObserver {}

// Written through to the provider: what happened comes back from there.
extension TableViewDataSource {
  private var editable: (any EditableDataProvider<Provider.Item>)? {
    dataProvider as? any EditableDataProvider<Provider.Item>
  }

  private func requireEditable() throws -> any EditableDataProvider<Provider.Item> {
    guard let editable else {
      throw TableDataError(
        .notEditable,
        "the rows of \(Provider.self) cannot be changed by the user: it is not an "
          + "EditableDataProvider")
    }
    return editable
  }

  /// Whether the row may be deleted: where the provider can be edited and allows it.
  ///
  /// - Throws: `TableDataError` where there is no such row.
  public func canEditRow(at indexPath: IndexPath) throws -> Bool {
    try requireRow(at: indexPath)
    return try editable?.canEditRow(atIndexPath: indexPath) ?? false
  }

  /// Deletes the row from the provider.
  ///
  /// - Throws: `TableDataError` of code `.notEditable` where that is not allowed, and where there is
  ///   no such row; what the provider throws.
  public func commitDelete(forRowAt indexPath: IndexPath) throws {
    let editable = try requireEditable()
    guard try canEditRow(at: indexPath) else {
      throw TableDataError(.notEditable, "the row \(indexPath) cannot be deleted")
    }
    try editable.removeRow(atIndexPath: indexPath)
  }

  /// Whether the row may be moved: where the provider can be edited and allows it.
  ///
  /// - Throws: `TableDataError` where there is no such row.
  public func canMoveRow(at indexPath: IndexPath) throws -> Bool {
    try requireRow(at: indexPath)
    return try editable?.canMoveRow(atIndexPath: indexPath) ?? false
  }

  /// Moves the row in the provider.
  ///
  /// - Throws: `TableDataError` of code `.notEditable` where that is not allowed, and where there is
  ///   no such place; what the provider throws.
  public func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) throws {
    let editable = try requireEditable()
    guard try canMoveRow(at: indexPath) else {
      throw TableDataError(.notEditable, "the row \(indexPath) cannot be moved")
    }
    try editable.moveRow(atIndexPath: indexPath, toIndexPath: newIndexPath)
  }

  /// Whether a view model can be inserted: where the provider can be edited and has such items.
  public func canInsertRow(_ viewModel: Any, at indexPath: IndexPath) -> Bool {
    editable != nil && viewModel is Provider.Item
  }

  /// Inserts a view model into the provider.
  ///
  /// - Throws: `TableDataError` of code `.notEditable` where the provider has other items, and where
  ///   there is no such place; what the provider throws.
  public func insertRow(_ viewModel: Any, at indexPath: IndexPath) throws {
    let editable = try requireEditable()
    guard let item = viewModel as? Provider.Item else {
      throw TableDataError(
        .notEditable,
        "\(type(of: viewModel)) cannot be inserted at \(indexPath): the items there are "
          + "\(Provider.Item.self)")
    }
    try editable.insertRow(item, atIndexPath: indexPath)
  }

  private func requireRow(at indexPath: IndexPath) throws {
    _ = try dataProvider.itemForRow(atIndexPath: indexPath)
  }
}
