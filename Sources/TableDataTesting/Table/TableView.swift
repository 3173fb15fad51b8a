public import TableData

/// A table view without a screen, with the rules of UITableView. It is for tests, and for programs
/// without UIKit.
///
/// It has a window of a number of rows, makes and reuses cells for the rows in it, and supports inserts,
/// deletes, moves and reloads. It is as strict as UITableView: at the end of an update it reads the new
/// counts. If they do not follow from the events, or the events contradict each other, it throws an
/// error where UITableView would raise an exception.
///
/// ```swift
/// let table = TableView(height: 20)
/// table.dataSource = names
/// try table.reloadData()
///
/// names.names.remove(at: 0)
/// try table.deleteRows(at: [IndexPath(row: 0, section: 0)])
/// ```
///
/// After an error the table still shows the state before the update, unless the error concerned a cell: then that row
/// has an empty ``TableViewCell``, and all others have their cells. ``reloadData()`` shows the current state of the data
/// source.
///
/// Not Sendable: use it on one actor, in an app on the main actor.
public final class TableView {
  /// The current activity of the table.
  enum Phase: Equatable {
    case idle
    case updating(depth: Int)
    case asking
  }

  /// The content. A new data source empties the table until ``reloadData()``.
  public weak var dataSource: (any ComposableTableViewDataSource)? {
    didSet { empty() }
  }
  /// Whether more than one row can be selected.
  public var allowsMultipleSelection = false

  /// The number of rows that fit into the window.
  public internal(set) var height: Int
  /// The number of rows before the window.
  public internal(set) var contentOffset = 0

  var rows = FlatRows<Never>()
  /// The titles that the table shows of each section.
  var titles: [(header: String?, footer: String?)] = []
  var isLoaded = false
  var phase = Phase.idle
  var updates = TableUpdates()
  /// The selected rows, each with its identity.
  var selection: [(indexPath: IndexPath, identity: AnyHashable?)] = []
  var cells: [IndexPath: TableViewCell] = [:]
  /// The views of sections that were asked for.
  var headerViews: [Int: TableViewCell] = [:]
  var footerViews: [Int: TableViewCell] = [:]
  /// The changes that were made while the data source was called, as one batch; nil for none.
  var deferredChanges: TableChanges?
  /// Called when those are shown.
  var idleActions: [() throws -> Void] = []
  /// Whether an operation runs that shows ``deferredChanges`` at its end.
  var isOperating = false
  /// The number of data sources that the table had before this one.
  var dataSourceNumber = 0
  /// The rows whose cells are configured again.
  var reconfigured: Set<IndexPath> = []
  /// The cells that the data source has given.
  var prepared = PreparedCells()
  /// Called with each error of making a cell; if it is nil, the first of them is thrown.
  var reportCellError: ((any Error) -> Void)?
  private var pool: [String: [TableViewCell]] = [:]

  /// Makes an empty table.
  ///
  /// - Parameter height: the number of rows that fit into the window. A number below 0 counts as 0.
  public init(height: Int = 10) {
    self.height = max(0, height)
  }

  /// The number of sections that the table shows.
  public var numberOfSections: Int { numbersOfRows.count }

  /// The number of rows that the table shows in a section. During an update it is the old number.
  ///
  /// - Throws: `TableDataError` with code `.sectionOutOfRange`.
  public func numberOfRows(inSection section: Int) throws -> Int {
    try TableDataError.requireSection(section, count: numbersOfRows.count)
    return numbersOfRows[section]
  }

  /// The number of rows that the table shows in each section. During an update they are the old numbers.
  public var numbersOfRows: [Int] { rows.rowCounts }

  /// The view of a section's header; nil for none. It is made when it is first asked for, and again after an
  /// update of the section or a reload.
  ///
  /// - Throws: `TableDataError` with code `.sectionOutOfRange`; any error of the data source.
  public func headerView(forSection section: Int) throws -> TableViewCell? {
    try view(ofSection: section, in: \.headerViews, of: \.header)
  }

  /// The view of a section's footer, as ``headerView(forSection:)``.
  ///
  /// - Throws: `TableDataError` with code `.sectionOutOfRange`; any error of the data source.
  public func footerView(forSection section: Int) throws -> TableViewCell? {
    try view(ofSection: section, in: \.footerViews, of: \.footer)
  }

  private func view(
    ofSection section: Int, in views: ReferenceWritableKeyPath<TableView, [Int: TableViewCell]>,
    of heading: KeyPath<TableSection, TableHeading>
  ) throws -> TableViewCell? {
    try TableDataError.requireSection(section, count: numbersOfRows.count)
    if let view = self[keyPath: views][section] { return view }
    try requireIdle("make the view of a section")
    let view = try ask { try makeView(of: $0.section(section)[keyPath: heading]) } ?? nil
    self[keyPath: views][section] = view
    return view
  }

  /// The title that the table shows in the header of a section; nil for none. Like a table view, the table
  /// reads titles when a section is inserted or updated, or when everything is reloaded.
  ///
  /// - Throws: `TableDataError` with code `.sectionOutOfRange`.
  public func titleForHeader(inSection section: Int) throws -> String? {
    try TableDataError.requireSection(section, count: titles.count)
    return titles[section].header
  }

  /// The title that the table shows in the footer of a section; nil for none.
  ///
  /// - Throws: `TableDataError` with code `.sectionOutOfRange`.
  public func titleForFooter(inSection section: Int) throws -> String? {
    try TableDataError.requireSection(section, count: titles.count)
    return titles[section].footer
  }

  /// Reads everything again. Rows that the data source finds by their identity stay selected.
  ///
  /// - Throws: `TableUpdateError` with code `.updateInProgress` during an update; any error of the data source.
  public func reloadData() throws {
    try requireIdle("reload the data")
    // They are part of what is read now.
    deferredChanges = nil
    try operate {
      try load()
      let hidden = removeViews()
      endDisplaying(hidden)
      recycle(hidden)
      try updateSelection(with: nil)
      try layout()
    }
  }

  /// - Returns: the cells.
  private func removeViews() -> [TableViewCell] {
    defer { (cells, headerViews, footerViews) = ([:], [:], [:]) }
    return Array(cells.values)
  }

  private func empty() {
    dataSourceNumber += 1
    let hidden = removeViews()
    rows = FlatRows()
    titles = []
    selection = []
    contentOffset = 0
    isLoaded = false
    updates = TableUpdates()
    phase = .asking
    for cell in hidden { cell.endDisplaying() }
    phase = .idle
    recycle(hidden)
    deferredChanges = nil
    idleActions = []
  }
}

// MARK: - Reading the data source

extension TableView {
  /// Reads the counts of the current state.
  func load() throws {
    let counts = try readCounts()
    titles = try counts.indices.map(readTitles)
    rows = FlatRows(rowCounts: counts)
    isLoaded = true
  }

  func readTitles(ofSection section: Int) throws -> (header: String?, footer: String?) {
    try ask { source in
      let section = try source.section(section)
      return (section.header.title, section.footer.title)
    } ?? (nil, nil)
  }

  func readCounts() throws -> [Int] {
    try ask { source in
      try (0..<source.numberOfSections).map(source.numberOfRows(inSection:))
    } ?? []
  }

  /// Calls the data source, which must not change the table; nil if there is none. If it changes its own
  /// content, the changes that it reports by ``apply(_:)`` are deferred.
  func ask<Answer>(
    _ question: (any ComposableTableViewDataSource) throws -> Answer
  ) rethrows -> Answer? {
    guard let dataSource else { return nil }
    phase = .asking
    defer { phase = .idle }
    return try question(dataSource)
  }

  func requireIdle(_ action: String) throws {
    switch phase {
    case .idle: return
    case .updating:
      throw TableUpdateError(
        .updateInProgress, "attempt to \(action) between beginUpdates and endUpdates")
    case .asking: throw Self.asking(action)
    }
  }

  static func asking(_ action: String) -> TableUpdateError {
    TableUpdateError(
      .updateInProgress, "attempt to \(action) while the data source is being asked")
  }
}

// MARK: - Cells

extension TableView {
  /// The cell of a row; nil if the row is not in the window.
  public func cellForRow(at indexPath: IndexPath) -> TableViewCell? { cells[indexPath] }

  /// The cells in the window, from top to bottom.
  public var visibleCells: [TableViewCell] {
    indexPathsForVisibleRows.compactMap { cells[$0] }
  }

  /// The rows in the window that have a cell, from top to bottom.
  public var indexPathsForVisibleRows: [IndexPath] { cells.keys.sorted() }

  /// Removes cells from the table, and keeps them for other rows.
  func recycle(_ cells: [TableViewCell]) {
    for cell in cells {
      cell.indexPath = nil
      cell.isSelected = false
      guard let identifier = cell.reuseIdentifier else { continue }
      pool[identifier, default: []].append(cell)
    }
  }

  private func makeView(of heading: TableHeading) throws -> TableViewCell? {
    guard let cell = heading.cell, let viewModel = heading.viewModel else { return nil }
    let view = try cell.headlessClass.init(reuseIdentifier: nil)
    try cell.show(viewModel, in: view)
    return view
  }
}

extension TableView: CellTable {
  package func register(_ cell: TableCell) throws { _ = try cell.headlessClass }

  package func dequeue(_ cell: TableCell, for indexPath: IndexPath) throws -> TableViewCell {
    if reconfigured.contains(indexPath), let shown = cells[indexPath] {
      guard shown.reuseIdentifier == cell.identifier else {
        throw TableUpdateError(
          .reconfiguredCell,
          "attempted to dequeue a cell with identifier \(cell.identifier) for the row "
            + "(\(indexPath.uikitDescription)), which is reconfigured and has another cell")
      }
      return shown
    }
    guard let reused = pool[cell.identifier]?.popLast() else {
      return try cell.headlessClass.init(reuseIdentifier: cell.identifier)
    }
    reused.prepareForReuse()
    return reused
  }

  package func cell(at indexPath: IndexPath) -> TableViewCell? { cells[indexPath] }

  package func identifier(of cell: TableViewCell) -> String? { cell.reuseIdentifier }
}

extension TableCell {
  /// The class of the cell, as one of a headless table.
  fileprivate var headlessClass: TableViewCell.Type {
    get throws {
      if let headlessClass = cellClass as? TableViewCell.Type { return headlessClass }
      throw TableDataError(
        .missingCell, "\(cellClass) is not a cell of a headless table",
        nextStep: "Register a subclass of TableViewCell")
    }
  }
}
