/// A data source that shows the items of a provider, with a cell class for each type of view model.
///
/// ```swift
/// let source = try TableViewDataSource(dataProvider: tracks)
/// source.registerCell(TrackCell.self)
/// ```
///
/// It is the observer of the provider, and notifies its own observer of the same changes. If the provider is an
/// ``EditableDataProvider``, what the user deletes and moves is written to the provider, whose changes then update
/// the table. Not Sendable: use it on the actor of its provider.
public final class TableViewDataSource<Provider: ViewModelDataProvider>:
  ComposableTableViewDataSource
{
  /// The provider of the items.
  public let dataProvider: Provider
  /// Notified of changes. The reference is weak.
  public weak var observer: (any TableChangesObserver)?
  /// Gives the title of a section's header by its number, with its totals for example, or nil for no header. If the
  /// closure is nil, the provider gives the titles.
  ///
  /// It is called again for a shown section after each change, and by ``updateTitles()``. If it gives another title,
  /// the section is updated.
  public var headerTitle: ((Int) throws -> String?)? {
    get { makeTitle.header }
    set { setTitles((newValue, makeTitle.footer)) }
  }
  /// Gives the title of a section's footer by its number, or nil for no footer, as ``headerTitle`` that of the header.
  ///
  /// ```swift
  /// source.footerTitle = { section in "\(try tracks.numberOfRows(inSection: section)) in all" }
  /// ```
  public var footerTitle: ((Int) throws -> String?)? {
    get { makeTitle.footer }
    set { setTitles((makeTitle.header, newValue)) }
  }
  /// Changes what the table shows of a row, and what it does with it: its height, for example, or that it does not
  /// stay selected because it is a button. It is called each time that a row is asked for.
  ///
  /// ```swift
  /// source.configureRow = { row, track in row.height = track.isLong ? 88 : 44 }
  /// ```
  public var configureRow: ((inout TableRow, Provider.Item) throws -> Void)?
  /// Called when the last row is displayed. It may change the content.
  public var onLastRow: (() throws -> Void)?

  private let actions = TypeTable<(Any) throws -> RowActions?>()
  private let cells = CellRegistry()
  private let traits: RowTraits
  private let editable: (any EditableDataProvider<Provider.Item>)?
  typealias MakeTitle = (
    header: ((Int) throws -> String?)?, footer: ((Int) throws -> String?)?
  )
  var makeTitle: MakeTitle = (nil, nil)
  /// The titles that were given last, by section: those that a table may show.
  var givenHeaders: [Int: String?] = [:]
  var givenFooters: [Int: String?] = [:]

  /// Makes a data source without cells.
  ///
  /// - Throws: `TableDataError` with code `.alreadyObserved` if the provider has an observer.
  public init(dataProvider: Provider) throws {
    self.dataProvider = dataProvider
    let editable = dataProvider as? any EditableDataProvider<Provider.Item>
    self.editable = editable
    traits = RowTraits { [cells] in try cells.cell(for: $0.viewModel) }
    traits.identity = { try dataProvider.identityForRow(at: $0.indexPath) }
    traits.actions = { [actions] in
      try actions.nearest(to: $0.viewModel)?($0.viewModel) ?? RowActions()
    }
    if let editable {
      traits.canDelete = { try editable.destination(of: .delete($0.indexPath)) != nil }
      traits.canMove = {
        try editable.destination(of: .move($0.indexPath, to: $0.indexPath)) != nil
      }
    }
    if let displayed = dataProvider as? any RowDisplayObserver {
      traits.willDisplay = { try displayed.willDisplayRow(at: $0.indexPath) }
      traits.didEndDisplaying = { displayed.didEndDisplayingRow(withIdentity: $0) }
    }
    try dataProvider.setObserver(self)
  }

  /// Registers the cell class for its type of view models, which may be a protocol: `(any DetailedText).self`. The
  /// nearest registration counts: that of the view model's own type, else of its nearest superclass, else of a
  /// protocol. If the type already has a cell, or the identifier another class, the rows of the type have the error
  /// `.duplicateRegistration` instead of a cell.
  ///
  /// - Parameters:
  ///   - identifier: the reuse identifier, by default the name of the class. In one table it must be used for this
  ///     class only.
  ///   - viewModel: the type of the items, or a protocol. A view model of two registered protocols needs a
  ///     registration of its own type.
  public func registerCell<Cell: AnyObject & Configurable>(
    _ cellClass: Cell.Type, identifier: String? = nil,
    for viewModel: Cell.ViewModel.Type = Cell.ViewModel.self, from origin: TableCell.Origin = .code
  ) { cells.register(TableCell(cellClass, identifier: identifier, from: origin), for: viewModel) }

  /// Registers what the user can do with the rows of a type of view model. If the type already has actions, its rows
  /// have the error `.duplicateRegistration` instead of actions.
  ///
  /// - Parameter actions: called each time that the actions of a row are needed. The nearest registration counts, as
  ///   for cells.
  public func registerActions<ViewModel>(
    for viewModel: ViewModel.Type, _ actions: @escaping (ViewModel) throws -> RowActions
  ) {
    self.actions.set(.success { try ($0 as? ViewModel).map(actions) }, for: viewModel) { _ in
      TableDataError(
        .duplicateRegistration, "\(viewModel) already has actions",
        nextStep: "Register the actions of a type of view model once")
    }
  }

  /// The number of sections.
  public var numberOfSections: Int { dataProvider.numberOfSections }

  /// The number of rows of a section.
  public func numberOfRows(inSection section: Int) throws -> Int {
    try dataProvider.numberOfRows(inSection: section)
  }

  /// A section of the provider, with the titles that ``headerTitle`` and ``footerTitle`` give.
  ///
  /// - Throws: `TableDataError` with code `.sectionOutOfRange`; any error of ``headerTitle`` and ``footerTitle``.
  public func section(_ section: Int) throws -> TableSection {
    let sections = dataProvider.sections
    try TableDataError.requireSection(section, count: sections.count)
    let info = sections[section]
    let (header, footer) = (try self.header(section, info), try self.footer(section, info))
    givenHeaders[section] = .some(header)
    givenFooters[section] = .some(footer)
    return TableSection(
      numberOfRows: info.numberOfRows, identity: try dataProvider.identityForSection(section),
      header: TableHeading(header), footer: TableHeading(footer), indexTitle: info.indexTitle)
  }

  /// The item of a row, with the cell and the actions of its type.
  public func row(at indexPath: IndexPath) throws -> TableRow {
    let item = try dataProvider.itemForRow(at: indexPath)
    var row = TableRow(item, at: indexPath, traits: traits)
    try configureRow?(&row, item)
    if let onLastRow, try isLastRow(at: indexPath) { row.addReaction(toDisplay: onLastRow) }
    return row
  }

  /// The index path of the row with an identity; nil if there is none.
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    try dataProvider.indexPath(forIdentity: identity)
  }

  /// Where the provider lets an edit lead; nil if it does not allow it, is not editable, or has items of another
  /// type.
  public func destination(of edit: TableEdit) throws -> IndexPath? {
    try destination(of: edit, inItems: edit.of(Provider.Item.self))
  }

  private func destination(
    of edit: TableEdit, inItems itemEdit: RowEdit<Provider.Item>?
  ) throws -> IndexPath? {
    try dataProvider.requireRows(of: edit)
    return try itemEdit.flatMap { try editable?.destination(of: $0) }
  }

  /// Makes an edit in the provider.
  ///
  /// - Throws: `TableDataError` with code `.notEditable` if the provider does not allow it, or has items of another
  ///   type, and if an index path does not exist; any error of the provider.
  public func perform(_ edit: TableEdit) throws {
    guard let editable else {
      throw TableDataError(
        .notEditable, "the rows of \(Provider.self) cannot be edited",
        nextStep: "Use a provider that is an EditableDataProvider")
    }
    guard let itemEdit = edit.of(Provider.Item.self) else {
      throw TableDataError.notEditable(
        edit, nextStep: "Insert a \(Provider.Item.self): the list has only those")
    }
    guard try destination(of: edit, inItems: itemEdit) != nil else {
      throw TableDataError.notEditable(edit)
    }
    try editable.perform(itemEdit)
  }
}

extension TableViewDataSource: PreviousRows {
  package var itemType: Any.Type { Provider.Item.self }

  package func identityForDeletedRow(at indexPath: IndexPath) throws -> AnyHashable? {
    try (dataProvider as? any PreviousRows)?.identityForDeletedRow(at: indexPath)
  }
}
