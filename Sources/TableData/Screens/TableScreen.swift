#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A table in which a row can be selected: UITableView, or the headless one.
protocol SelectableTable {
  /// The first selected row.
  var selectedRow: IndexPath? { get }
  func select(_ indexPath: IndexPath) throws
  func deselect(_ indexPath: IndexPath) throws
}

extension TableView: SelectableTable {
  var selectedRow: IndexPath? { indexPathForSelectedRow }
  func select(_ indexPath: IndexPath) throws { try selectRow(at: indexPath) }
  func deselect(_ indexPath: IndexPath) throws { try deselectRow(at: indexPath) }
}

/// What a screen does for any table: it shows the selection, and follows routes.
final class TableScreen {
  let selection: Selection
  weak var router: (any TableRouter)?
  private var destinations: [ObjectIdentifier: String] = [:]
  /// The identity of the selected item, and of the row that was last selected for it. The row's identity
  /// is the one in the list.
  private var found: (item: AnyHashable, row: AnyHashable?)?

  init(selection: Selection, router: (any TableRouter)?) {
    self.selection = selection
    self.router = router
  }

  /// Selects a row for the user. The table may have selected it already.
  func selectRow(
    at indexPath: IndexPath, in table: some SelectableTable,
    of dataSource: any ComposableTableViewDataSource
  ) throws {
    let viewModel = try dataSource.viewModelForRow(at: indexPath)
    let identity = try dataSource.itemIdentityForRow(at: indexPath)
    try table.select(indexPath)
    found = try identity.map { ($0, try dataSource.identityForRow(at: indexPath)) }
    try dataSource.didSelectRow(at: indexPath)
    selection.select(table.selectedRow == nil ? nil : identity)
    guard let destination = destinations[ObjectIdentifier(type(of: viewModel))] else { return }
    try follow(TableRoute(to: destination, identity: identity))
  }

  /// Call it when the data source changes.
  func clearRow() { found = nil }

  /// Shows the selection in the table, if the list has the selected item.
  ///
  /// If the row that was selected is deleted, no row is selected until it is inserted again, even if
  /// another row has the same item.
  func showSelection(
    in table: some SelectableTable, of dataSource: (any ComposableTableViewDataSource)?
  ) throws {
    let shown = table.selectedRow
    guard let dataSource, let identity = selection.identity else {
      found = nil
      if let shown { try table.deselect(shown) }
      return
    }
    let path: IndexPath?
    if let found, found.item == identity, let row = found.row {
      if let own = try dataSource.indexPath(forIdentity: row) {
        path = own
      } else if let shown, try dataSource.itemIdentityForRow(at: shown) == identity {
        // The row moved to another component of the list, and the table has kept it selected.
        path = shown
        self.found = (identity, try dataSource.identityForRow(at: shown))
      } else {
        path = nil
      }
    } else {
      path = try dataSource.indexPath(forItemIdentity: identity)
      found = try path.map { (identity, try dataSource.identityForRow(at: $0)) }
    }
    guard path != shown else { return }
    if let path { try table.select(path) } else if let shown { try table.deselect(shown) }
  }

  /// - Throws: `TableDataError` of code `.duplicateRegistration` if the type has a destination.
  func register<ViewModel>(_ destination: String, for type: ViewModel.Type) throws {
    if let other = destinations[ObjectIdentifier(type)] {
      throw TableDataError(
        .duplicateRegistration,
        "\(type) already leads to \"\(other)\"",
        nextStep: "Register one destination for each type of view model")
    }
    destinations[ObjectIdentifier(type)] = destination
  }

  /// - Throws: `TableDataError` of code `.unknownDestination` without a router; any error of the router.
  func follow(_ route: TableRoute) throws {
    guard let router else {
      throw TableDataError(
        .unknownDestination,
        "the screen has no router for the destination \"\(route.destination)\"",
        nextStep: "Set a router, and keep a reference to it")
    }
    try router.follow(route)
  }
}
