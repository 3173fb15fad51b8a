#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A data source that shows the items of a provider, with a cell class for each type of view model.
///
/// ```swift
/// let source = try TableViewDataSource(dataProvider: tracks)
/// try source.registerCell(
///   class: TrackCell.self, identifier: "track", for: TrackViewModel.self)
/// table.dataSource = source
/// ```
///
/// It can be a component of a ``ComposedTableViewDataSource``. If the provider is an
/// ``EditableDataProvider``, what the user deletes and moves is written to the provider, whose changes
/// then update the table.
///
/// It is the observer of the provider, and notifies its own observer of the same changes.
///
/// Not Sendable: use it on the actor of its provider.
public final class TableViewDataSource<Provider: ViewModelDataProvider>:
  ComposableTableViewDataSource
{
  /// The provider of the items.
  public let dataProvider: Provider
  /// Notified of changes. The reference is weak.
  public weak var observer: (any TableChangesObserver)?
  /// Gives the title of a section's header by its number, with its totals for example, or nil for no
  /// header. If the closure is nil, the provider gives the titles.
  ///
  /// It is called again for a shown section after each change. If it gives another title, the section is
  /// updated. ``updateTitles()`` does that if the title depends on anything else.
  public var headerTitle: ((Int) throws -> String?)? {
    get { makeTitle.header }
    set { setTitles((newValue, makeTitle.footer)) }
  }
  /// Gives the footer title of a section, and is called again as ``headerTitle`` is. If the closure is
  /// nil, the provider gives the titles.
  public var footerTitle: ((SectionInfo) -> String?)? {
    get { makeTitle.footer }
    set { setTitles((makeTitle.header, newValue)) }
  }
  /// Whether the row of an item stays selected. By default all do. A row that is a button does not: the
  /// data source is notified of it, the destination of its type is shown, and it is deselected.
  public var staysSelected: (Provider.Item) -> Bool = { _ in true }
  /// Called when the last row is displayed. It may change the content.
  public var onLastRow: () throws -> Void = {}
  /// Gives the height of a row in points, or nil if its cell determines it, as by default.
  public var rowHeight: (Provider.Item) throws -> Double? = { _ in nil }

  private var actions = RowActionRegistry()
  private var cells = CellRegistry<TableViewCell>()
  /// The cells of UIKit or AppKit.
  var viewCells = ViewCells()
  typealias MakeTitle = (
    header: ((Int) throws -> String?)?, footer: ((SectionInfo) -> String?)?
  )
  var makeTitle: MakeTitle = (nil, nil)
  /// The titles that were given last, by section: those that a table may show.
  var givenHeaders: [Int: String?] = [:]
  var givenFooters: [Int: String?] = [:]

  /// Makes a data source without cells.
  ///
  /// - Throws: `TableDataError` of code `.alreadyObserved` if the provider has an observer.
  public init(dataProvider: Provider) throws {
    self.dataProvider = dataProvider
    try dataProvider.setObserver(self)
  }

  /// Registers the cell class for the view models of a type. The nearest registration counts: that of
  /// the view model's own type, else of its nearest superclass, else of a protocol.
  ///
  /// ```swift
  /// try source.registerCell(
  ///   class: DetailedCell.self, identifier: "detailed", for: (any DetailedText).self)
  /// ```
  ///
  /// - Parameters:
  ///   - cellClass: the class of the cells that the table makes for these view models.
  ///   - identifier: the reuse identifier. In one table it must be used for this class only.
  ///   - viewModel: the type of the items, or a protocol. A view model of two registered protocols needs
  ///     a registration of its own type.
  /// - Throws: `TableDataError` of code `.duplicateRegistration` if the type already has a cell, or the
  ///   identifier another class.
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

  /// Registers what the user can do with the rows of a type of view model.
  ///
  /// ```swift
  /// try source.registerActions(for: Track.self) { track in
  ///   RowActions(trailing: [RowAction("Archive") { try store.archive(track.id) }])
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - viewModel: the type of the items, or a protocol or a superclass of it. The nearest registration
  ///     counts, as for cells.
  ///   - actions: called each time that the actions of a row are needed.
  /// - Throws: `TableDataError` of code `.duplicateRegistration` if the type already has actions.
  public func registerActions<ViewModel>(
    for viewModel: ViewModel.Type, _ actions: @escaping (ViewModel) throws -> RowActions
  ) throws { try self.actions.register(for: viewModel, actions: actions) }

  // MARK: Rows

  /// The number of sections.
  public var numberOfSections: Int { dataProvider.numberOfSections }

  /// The number of rows of a section.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func numberOfRows(inSection section: Int) throws -> Int {
    try dataProvider.numberOfRows(inSection: section)
  }

  /// The item of a row.
  ///
  /// - Throws: as ``ViewModelDataProvider/itemForRow(at:)``.
  public func viewModelForRow(at indexPath: IndexPath) throws -> Any {
    try dataProvider.itemForRow(at: indexPath)
  }

  /// The identity of a row, as the provider gives it.
  ///
  /// - Throws: as ``ViewModelDataProvider/identityForRow(at:)``.
  public func identityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
    try dataProvider.identityForRow(at: indexPath)
  }

  /// The index path of the row with an identity; nil if there is none.
  ///
  /// - Throws: any error of the provider.
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    try dataProvider.indexPath(forIdentity: identity)
  }

  /// A cell that shows the row.
  ///
  /// - Throws: `TableDataError` of code `.unregisteredViewModel` if no cell is registered for the type
  ///   of the row's view model, and of code `.duplicateRegistration` if the table has another
  ///   class for its identifier, or if several protocols of the view model have a cell; any error of the
  ///   provider.
  public func tableView(
    _ tableView: TableView, cellForRowAt indexPath: IndexPath
  ) throws -> TableViewCell {
    let viewModel: Any = try dataProvider.itemForRow(at: indexPath)
    let registration = try cells.registration(for: viewModel)
    try tableView.requireRegistration(
      of: registration.cellClass, forCellReuseIdentifier: registration.identifier)
    let cell = try tableView.dequeueReusableCell(
      withIdentifier: registration.identifier, for: indexPath)
    try registration.configure(cell, viewModel)
    return cell
  }

  /// The actions that are registered for the type of the row's view model.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the provider.
  public func actionsForRow(at indexPath: IndexPath) throws -> RowActions {
    try actions.actions(for: viewModelForRow(at: indexPath))
  }

  /// Performs the row's action for selecting it, if it has one.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the action.
  public func didSelectRow(at indexPath: IndexPath) throws {
    try actionsForRow(at: indexPath).select?.perform()
  }

  /// The height of a row, as ``rowHeight`` gives it.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the provider.
  public func heightForRow(at indexPath: IndexPath) throws -> Double? {
    try rowHeight(dataProvider.itemForRow(at: indexPath))
  }

  /// Notifies the provider that a row is displayed.
  ///
  /// - Throws: any error of the provider.
  public func willDisplayRow(at indexPath: IndexPath) throws {
    try dataProvider.willDisplayRow(at: indexPath)
  }

  /// Notifies the provider that a row is no longer displayed.
  public func didEndDisplayingRow(withIdentity identity: AnyHashable) {
    dataProvider.didEndDisplayingRow(withIdentity: identity)
  }

  /// Calls ``onLastRow``.
  ///
  /// - Throws: any error of it.
  public func willDisplayLastRow() throws { try onLastRow() }

  /// Whether the row stays selected, as ``staysSelected`` says.
  ///
  /// - Throws: as ``ViewModelDataProvider/itemForRow(at:)``.
  public func staysSelected(at indexPath: IndexPath) throws -> Bool {
    staysSelected(try dataProvider.itemForRow(at: indexPath))
  }

  // MARK: Headers, footers, index

  /// The title of a section's header, as ``headerTitle`` or the provider gives it.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`; any error of ``headerTitle``.
  public func titleForHeader(inSection section: Int) throws -> String? {
    let title = try header(ofSection: section)
    givenHeaders[section] = .some(title)
    return title
  }

  /// The title of a section's footer, as ``footerTitle`` gives it.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func titleForFooter(inSection section: Int) throws -> String? {
    let title = try footer(ofSection: section, in: dataProvider.sections)
    givenFooters[section] = .some(title)
    return title
  }

  /// The identity of a section, as the provider gives it.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func identityForSection(_ section: Int) throws -> AnyHashable? {
    try dataProvider.identityForSection(section)
  }

  /// The titles of the section index, as the provider gives them.
  public func sectionIndexTitles() -> [String] { dataProvider.sectionIndexTitles() }

  /// The first section with an index title.
  ///
  /// - Throws: `TableDataError` of code `.unknownIndexTitle`.
  public func section(forSectionIndexTitle title: String, at position: Int) throws -> Int {
    try dataProvider.section(forSectionIndexTitle: title, at: position)
  }
}

extension TableViewDataSource: PreviousRows {
  package var itemType: Any.Type { Provider.Item.self }

  package func identityForDeletedRow(at indexPath: IndexPath) throws -> AnyHashable? {
    try (dataProvider as? any PreviousRows)?.identityForDeletedRow(at: indexPath)
  }
}
