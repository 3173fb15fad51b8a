#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A table view without a screen: the rules of UITableView, for tests and for where there is none.
///
/// It has a window of so many rows, makes cells for the rows in it, uses them again, and follows
/// inserts, deletes, moves and reloads. It is as strict as UITableView: at the end of an update it
/// asks for the new counts, and where they are not those that the events make, or the events
/// contradict each other, it throws what UITableView raises.
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
/// A table that has thrown still shows the state from before the update, unless it was a cell that
/// could not be made; ``reloadData()`` brings it back to what the data source has.
///
/// Not Sendable: a table belongs to whoever made it, the main actor in an app.
public final class TableView {
  /// What the table does at the moment.
  enum Phase: Equatable {
    case idle
    case updating(depth: Int)
    case asking
  }

  /// A row that is selected, and what it is wherever it goes.
  struct SelectedRow {
    var indexPath: IndexPath
    let identity: AnyHashable?
  }

  /// Where the content comes from. Another one empties the table until ``reloadData()``.
  public weak var dataSource: (any TableDataSource)? {
    didSet { empty() }
  }
  /// Whether more than one row can be selected.
  public var allowsMultipleSelection = false

  /// The number of rows that fit into the window.
  public internal(set) var height: Int
  /// The number of rows before the first one in the window.
  public internal(set) var contentOffset = 0

  var counts = RowCounts()
  var isLoaded = false
  var phase = Phase.idle
  var updates = TableUpdates()
  var selection: [SelectedRow] = []
  var cells: [IndexPath: TableViewCell] = [:]
  private var cellClasses: [String: TableViewCell.Type] = [:]
  private var pool: [String: [TableViewCell]] = [:]

  /// Makes an empty table.
  ///
  /// - Parameter height: the number of rows that fit into the window; less than 0 counts as 0.
  public init(height: Int = 10) {
    self.height = max(0, height)
  }

  /// The number of sections that the table shows.
  public var numberOfSections: Int { counts.rows.count }

  /// The number of rows that the table shows in a section. During an update: before it.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func numberOfRows(inSection section: Int) throws -> Int {
    guard counts.rows.indices.contains(section) else {
      throw TableDataError.sectionOutOfRange(section, count: counts.rows.count)
    }
    return counts.rows[section]
  }

  /// The number of rows that the table shows in each section. During an update: before it.
  public var numbersOfRows: [Int] { counts.rows }

  /// Asks for everything anew. The selection is kept as far as the data source finds the rows again.
  ///
  /// - Throws: `TableUpdateError` of code `.updateInProgress` during an update, of `.wrongCell`; what
  ///   the data source throws.
  public func reloadData() throws {
    try requireIdle("reload the data")
    try load()
    retire(Array(cells.values))
    cells = [:]
    try followSelection(with: nil)
    try layout()
  }

  private func empty() {
    retire(Array(cells.values))
    cells = [:]
    counts = RowCounts()
    selection = []
    contentOffset = 0
    isLoaded = false
    updates = TableUpdates()
    phase = .idle
  }
}

// MARK: - Asking the data source

extension TableView {
  /// Reads the counts of the state that the data source has now.
  func load() throws {
    counts = RowCounts(try countsOfDataSource())
    isLoaded = true
  }

  func countsOfDataSource() throws -> [Int] {
    try ask { source in
      try (0..<source.numberOfSections(in: self)).map {
        try source.tableView(self, numberOfRowsInSection: $0)
      }
    } ?? []
  }

  /// Asks a question during which the table must not be changed; nil without a data source.
  func ask<Answer>(_ question: (any TableDataSource) throws -> Answer) throws -> Answer? {
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
  /// Says which class the cells of an identifier have. The last one counts.
  public func register(
    _ cellClass: TableViewCell.Type, forCellReuseIdentifier identifier: String
  ) {
    cellClasses[identifier] = cellClass
  }

  /// Registers the class of an identifier, unless it is registered already.
  ///
  /// - Throws: `TableDataError` of code `.wrongCell` where the identifier stands for another class.
  func requireRegistration(
    of cellClass: TableViewCell.Type, forCellReuseIdentifier identifier: String
  ) throws {
    if let other = cellClasses[identifier], other != cellClass {
      throw TableDataError(
        .wrongCell,
        "the table makes cells of the class \(other) for \"\(identifier)\", and not "
          + "\(cellClass): give each cell class an identifier of its own in the table")
    }
    cellClasses[identifier] = cellClass
  }

  /// A cell for a row: one that shows none at the moment, or a new one.
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

  /// The cell of a row; nil when the row is not in the window.
  public func cellForRow(at indexPath: IndexPath) -> TableViewCell? { cells[indexPath] }

  /// The cells in the window, from top to bottom.
  public var visibleCells: [TableViewCell] {
    indexPathsForVisibleRows.compactMap { cells[$0] }
  }

  /// The rows in the window that have a cell, from top to bottom.
  public var indexPathsForVisibleRows: [IndexPath] { cells.keys.sorted() }

  /// Takes cells out of the table, to use them again.
  func retire(_ cells: [TableViewCell]) {
    for cell in cells {
      cell.indexPath = nil
      cell.isSelected = false
      cell.shownObject = nil
      guard let identifier = cell.reuseIdentifier else { continue }
      cell.isInPool = true
      pool[identifier, default: []].append(cell)
    }
  }
}
