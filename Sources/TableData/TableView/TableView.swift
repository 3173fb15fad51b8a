#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

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
/// table.register(NameCell.self, forCellReuseIdentifier: "name")
/// table.dataSource = names
/// try table.reloadData()
///
/// names.names.remove(at: 0)
/// try table.deleteRows(at: [IndexPath(row: 0, section: 0)])
/// ```
///
/// After an error the table still shows the state before the update, unless the error concerned a cell.
/// ``reloadData()`` shows the current state of the data source.
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
  public weak var dataSource: (any TableDataSource)? {
    didSet { empty(of: oldValue) }
  }
  /// Whether more than one row can be selected.
  public var allowsMultipleSelection = false

  /// The number of rows that fit into the window.
  public internal(set) var height: Int
  /// The number of rows before the window.
  public internal(set) var contentOffset = 0

  /// The rows that the table shows.
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
  private var cellClasses: [String: TableViewCell.Type] = [:]
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
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func numberOfRows(inSection section: Int) throws -> Int {
    try TableDataError.requireSection(section, count: numbersOfRows.count)
    return numbersOfRows[section]
  }

  /// The number of rows that the table shows in each section. During an update they are the old numbers.
  public var numbersOfRows: [Int] { rows.rowCounts }

  /// The view of a section's header; nil for none. It is made when it is first asked for, and again after an
  /// update of the section or a reload.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`; any error of the data source.
  public func headerView(forSection section: Int) throws -> TableViewCell? {
    try TableDataError.requireSection(section, count: numbersOfRows.count)
    if let view = headerViews[section] { return view }
    headerViews[section] =
      try ask { try $0.tableView(self, viewForHeaderInSection: section) } ?? nil
    return headerViews[section]
  }

  /// The view of a section's footer, as ``headerView(forSection:)``.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`; any error of the data source.
  public func footerView(forSection section: Int) throws -> TableViewCell? {
    try TableDataError.requireSection(section, count: numbersOfRows.count)
    if let view = footerViews[section] { return view }
    footerViews[section] =
      try ask { try $0.tableView(self, viewForFooterInSection: section) } ?? nil
    return footerViews[section]
  }

  /// The title that the table shows in the header of a section; nil for none. Like a table view, the table
  /// reads titles when a section is inserted or updated, or when everything is reloaded.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func titleForHeader(inSection section: Int) throws -> String? {
    try TableDataError.requireSection(section, count: titles.count)
    return titles[section].header
  }

  /// The title that the table shows in the footer of a section; nil for none.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func titleForFooter(inSection section: Int) throws -> String? {
    try TableDataError.requireSection(section, count: titles.count)
    return titles[section].footer
  }

  /// Reads everything again. Rows that the data source finds by their identity stay selected.
  ///
  /// - Throws: `TableUpdateError` of code `.updateInProgress` during an update, and of code
  ///   `.cellInUse`; any error of the data source.
  public func reloadData() throws {
    try requireIdle("reload the data")
    // They are part of what is read now.
    deferredChanges = nil
    try operate {
      try load()
      let hidden = Array(cells.values)
      cells = [:]
      headerViews = [:]
      footerViews = [:]
      endDisplaying(hidden)
      recycle(hidden)
      try updateSelection(with: nil)
      try layout()
    }
  }

  private func empty(of oldSource: (any TableDataSource)?) {
    dataSourceNumber += 1
    let hidden = Array(cells.values)
    cells = [:]
    headerViews = [:]
    footerViews = [:]
    rows = FlatRows()
    titles = []
    selection = []
    contentOffset = 0
    isLoaded = false
    updates = TableUpdates()
    phase = .asking
    for cell in hidden where cell.isDisplayed {
      oldSource?.tableView(self, didEndDisplaying: cell)
    }
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
      (
        try source.tableView(self, titleForHeaderInSection: section),
        try source.tableView(self, titleForFooterInSection: section)
      )
    } ?? (nil, nil)
  }

  func readCounts() throws -> [Int] {
    try ask { source in
      try (0..<source.numberOfSections(in: self)).map {
        try source.tableView(self, numberOfRowsInSection: $0)
      }
    } ?? []
  }

  /// Calls the data source, which must not change the table; nil if there is none. If it changes its own
  /// content, the changes that it reports by ``apply(_:)`` are deferred.
  func ask<Answer>(_ question: (any TableDataSource) throws -> Answer) rethrows -> Answer? {
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
  /// Registers the class of the cells with an identifier. The last registration counts.
  public func register(
    _ cellClass: TableViewCell.Type, forCellReuseIdentifier identifier: String
  ) {
    cellClasses[identifier] = cellClass
  }

  /// Registers the class of the cells with an identifier, unless it is already registered.
  ///
  /// - Throws: `TableDataError` of code `.duplicateRegistration` if the identifier has another class.
  func requireRegistration(
    of cellClass: TableViewCell.Type, forCellReuseIdentifier identifier: String
  ) throws {
    if let other = cellClasses[identifier], other != cellClass {
      throw TableDataError.duplicateIdentifier(identifier, of: other, for: cellClass)
    }
    cellClasses[identifier] = cellClass
  }

  /// A cell for a row: one that shows no row now, or a new one.
  ///
  /// - Throws: `TableUpdateError` of code `.unregisteredCell`.
  public func dequeueReusableCell(
    withIdentifier identifier: String, for indexPath: IndexPath
  ) throws -> TableViewCell {
    guard let cellClass = cellClasses[identifier] else {
      throw TableUpdateError(
        .unregisteredCell,
        "unable to dequeue a cell with identifier \(identifier) - must register a class for the "
          + "identifier")
    }
    guard let cell = pool[identifier]?.popLast() else {
      return cellClass.init(reuseIdentifier: identifier)
    }
    cell.isInPool = false
    cell.prepareForReuse()
    return cell
  }

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
      cell.isDisplayed = false
      cell.displayedIdentity = nil
      cell.shownObject = nil
      guard let identifier = cell.reuseIdentifier else { continue }
      cell.isInPool = true
      pool[identifier, default: []].append(cell)
    }
  }
}
