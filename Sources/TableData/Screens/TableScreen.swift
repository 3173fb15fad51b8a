package protocol SelectableTable {
  var selectedRows: [IndexPath] { get }
  func select(_ indexPath: IndexPath) throws
  func deselect(_ indexPath: IndexPath) throws
}

package protocol ErrorReporting {
  /// Called with errors that no method can throw.
  var onError: (any Error) -> Void { get }
}

extension ErrorReporting {
  package func reporting(_ body: () throws -> Void) { do { try body() } catch { onError(error) } }

  /// The answer to a question, or another one if there is an error, which is reported.
  package func answer<Answer>(_ other: Answer, _ question: () throws -> Answer) -> Answer {
    do { return try question() } catch {
      onError(error)
      return other
    }
  }
}

/// What a screen does for any table: it shows the selection, and follows routes.
package final class TableScreen {
  package let selection: Selection
  package weak var router: (any TableRouter)?
  private let destinations = TypeTable<String>()
  /// For selected items the row that was selected for each. The row's identity is the one in the list.
  private var found: [AnyHashable: AnyHashable] = [:]

  package init(selection: Selection, router: (any TableRouter)?) {
    self.selection = selection
    self.router = router
  }

  /// What is done with an error that no method can throw, unless the app does something else.
  package static func printError(_ error: any Error) { print("TableData: \(error)") }

  /// Selects a row for the user. The table may have selected it already.
  package func selectRow(
    at indexPath: IndexPath, in table: some SelectableTable,
    of dataSource: any ComposableTableViewDataSource
  ) throws {
    let selectedRow = try dataSource.row(at: indexPath).identified()
    let identity = try selectedRow.itemIdentity
    let destination = try destinations.nearest(to: selectedRow.viewModel)
    let row = try selectedRow.identity
    if selectedRow.staysSelected {
      if !selection.allowsMultipleSelection {
        // UIKit has deselected the other row, and reported it.
        for other in table.selectedRows where other != indexPath {
          try dataSource.row(at: other).deselect()
        }
      }
      guard let selected = try currentIndexPath(of: row, formerly: indexPath, in: dataSource) else {
        return try showSelection(in: table, of: dataSource)
      }
      try table.select(selected)
      if let identity { found[identity] = row }
      if let identity, selection.allowsMultipleSelection {
        selection.insert(identity)
        // Another row of the same item may have been selected.
        try showSelection(in: table, of: dataSource)
      } else {
        selection.select(identity)
      }
      if let path = try currentIndexPath(of: row, formerly: selected, in: dataSource) {
        try dataSource.row(at: path).select()
      }
      // The data source may have deleted the row because it was selected.
      if let identity, let row, try dataSource.indexPath(forIdentity: row) == nil {
        selection.remove(identity)
      }
    } else {
      let result = Result { try selectedRow.select() }
      // UIKit has selected the row, and deselected another one.
      try showSelection(in: table, of: dataSource)
      try result.get()
    }
    guard let destination else { return }
    try follow(TableRoute(to: destination, identity: identity))
  }

  /// Deselects a row for the user. The table may have deselected it already.
  package func deselectRow(
    at indexPath: IndexPath, in table: some SelectableTable,
    of dataSource: any ComposableTableViewDataSource
  ) throws {
    let row = try dataSource.row(at: indexPath).identified()
    try table.deselect(indexPath)
    if let identity = try row.itemIdentity { selection.remove(identity) }
    if let path = try currentIndexPath(of: row.identity, formerly: indexPath, in: dataSource) {
      try dataSource.row(at: path).deselect()
    }
  }

  /// Selects and deselects rows for the user, after a table has changed its selection and does not say of which rows,
  /// as NSTableView does.
  package func followSelection(
    in table: some SelectableTable, of dataSource: any ComposableTableViewDataSource
  ) throws {
    guard selection.allowsMultipleSelection else {
      guard let path = table.selectedRows.first else { return selection.select(nil) }
      return try selectRow(at: path, in: table, of: dataSource)
    }
    let shown = table.selectedRows
    let selected = try rowsToSelect(shown: shown, in: dataSource)
    // What one row does when it is selected may move the others.
    func identified(_ paths: Set<IndexPath>) throws -> [(path: IndexPath, row: AnyHashable?)] {
      try paths.sorted().map { ($0, try dataSource.row(at: $0).identified().identity) }
    }
    let deselectedRows = try identified(selected.subtracting(shown))
    let selectedRows = try identified(Set(shown).subtracting(selected))
    for (path, row) in deselectedRows {
      let path = try currentIndexPath(of: row, formerly: path, in: dataSource)
      if let path { try deselectRow(at: path, in: table, of: dataSource) }
    }
    for (path, row) in selectedRows {
      let path = try currentIndexPath(of: row, formerly: path, in: dataSource)
      if let path { try selectRow(at: path, in: table, of: dataSource) }
    }
    try showSelection(in: table, of: dataSource)
  }

  /// The present index path of a row, as observers of the selection may change the list; nil if it was deleted. A row
  /// without an identity is at the same one.
  private func currentIndexPath(
    of row: AnyHashable?, formerly indexPath: IndexPath,
    in dataSource: any ComposableTableViewDataSource
  ) throws -> IndexPath? {
    guard let row else { return indexPath }
    return try dataSource.indexPath(forIdentity: row)
  }

  /// Call it when the screen shows another data source.
  package func clearRows() { found = [:] }

  /// Shows the selection in the table, as far as the list has the selected items.
  ///
  /// If a row that was selected is deleted, no row is selected for its item until it is inserted again, even if
  /// another row has the same item.
  package func showSelection(
    in table: some SelectableTable, of dataSource: (any ComposableTableViewDataSource)?
  ) throws {
    let shown = Set(table.selectedRows)
    let rows = try rowsToSelect(shown: shown, in: dataSource)
    for path in shown.subtracting(rows).sorted() { try table.deselect(path) }
    for path in rows.subtracting(shown).sorted() { try table.select(path) }
  }

  /// The rows of the selected items, as far as the list has them.
  ///
  /// - Parameter shown: the rows that the table shows as selected.
  private func rowsToSelect(
    shown: some Collection<IndexPath>, in dataSource: (any ComposableTableViewDataSource)?
  ) throws -> Set<IndexPath> {
    let selected = Set(selection.identities)
    found = found.filter { selected.contains($0.key) }
    guard let dataSource else { return [] }
    var rows: Set<IndexPath> = []
    // Read once, and only if the row of an item must be looked for among them.
    lazy var paths = Result { try TableScreen.paths(ofItemsAt: shown, in: dataSource) }
    for item in selection.identities {
      let path = try row(of: item, in: dataSource) { try paths.get()[item] }
      if let path { rows.insert(path) }
    }
    return rows
  }

  /// The first row of each item, among some rows.
  private static func paths(
    ofItemsAt shown: some Collection<IndexPath>, in dataSource: any ComposableTableViewDataSource
  ) throws -> [AnyHashable: IndexPath] {
    var paths: [AnyHashable: IndexPath] = [:]
    for path in shown.sorted() {
      guard let item = try dataSource.row(at: path).itemIdentity, paths[item] == nil else {
        continue
      }
      paths[item] = path
    }
    return paths
  }

  /// - Parameter movedRow: finds the row among those that the table shows as selected.
  private func row(
    of item: AnyHashable, in dataSource: any ComposableTableViewDataSource,
    _ movedRow: () throws -> IndexPath?
  ) throws -> IndexPath? {
    if let row = found[item] {
      if let path = try dataSource.indexPath(forIdentity: row) { return path }
      // The row may have moved to another component of the list. The table keeps it selected.
      guard let path = try movedRow() else { return nil }
      found[item] = try dataSource.row(at: path).identity
      return path
    }
    let path = try dataSource.indexPath(forIdentity: item)
    found[item] = try path.flatMap { try dataSource.row(at: $0).identity }
    return path
  }

  /// Registers the destination of the rows of a type. If it already has one, selecting a row has that error.
  package func register<ViewModel>(_ destination: String, for type: ViewModel.Type) {
    destinations.set(.success(destination), for: type) { other in
      TableDataError(
        .duplicateRegistration, "\(type) already leads to \"\(other)\"",
        nextStep: "Register one destination for each type of view model")
    }
  }

  /// - Throws: `TableDataError` with code `.unknownDestination` without a router; any error of the router.
  package func follow(_ route: TableRoute) throws {
    guard let router else {
      throw TableDataError(
        .unknownDestination,
        "the screen has no router for the destination \"\(route.destination)\"",
        nextStep: "Set a router, and keep a reference to it")
    }
    try router.follow(route)
  }
}
