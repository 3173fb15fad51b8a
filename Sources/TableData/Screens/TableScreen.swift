#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A table in which a row can be selected: UITableView, or the headless one.
protocol SelectableTable {
  /// The row that is selected; the first of several.
  var selectedRow: IndexPath? { get }
  func select(_ indexPath: IndexPath) throws
  func deselect(_ indexPath: IndexPath) throws
}

extension TableView: SelectableTable {
  var selectedRow: IndexPath? { indexPathForSelectedRow }
  func select(_ indexPath: IndexPath) throws { try selectRow(at: indexPath) }
  func deselect(_ indexPath: IndexPath) throws { try deselectRow(at: indexPath) }
}

/// What all screens do, whatever their table is: selecting and leading elsewhere.
final class TableScreen {
  /// The row of an item.
  private struct Found {
    let item: AnyHashable
    /// What the row is in the list.
    let row: AnyHashable?
  }

  let selection: Selection
  weak var router: (any TableRouter)?
  var routes = RouteTable()
  /// The row that was selected last for what is selected.
  private var found: Found?

  init(selection: Selection, router: (any TableRouter)?) {
    self.selection = selection
    self.router = router
  }

  /// Selects a row as the user does, who may have done so in the table already.
  func selectRow(
    at indexPath: IndexPath, in table: some SelectableTable,
    of dataSource: any ComposableTableViewDataSource
  ) throws {
    let viewModel = try dataSource.viewModelForRow(at: indexPath)
    let identity = try dataSource.itemIdentityForRow(at: indexPath)
    try table.select(indexPath)
    found = try identity.map { Found(item: $0, row: try dataSource.identityForRow(at: indexPath)) }
    try dataSource.didSelectRow(at: indexPath)
    selection.select(table.selectedRow == nil ? nil : identity)
    guard let destination = routes.destination(for: viewModel) else { return }
    try follow(TableRoute(to: destination, identity: identity))
  }

  /// Another data source has other rows.
  func forgetRow() { found = nil }

  /// Selects in the table what is selected, as far as it is in the list.
  ///
  /// Another row with an item of that identity is not taken for it: where the row goes nothing is
  /// selected, until it comes again.
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
      path = try dataSource.indexPath(forIdentity: row)
    } else {
      path = try dataSource.indexPath(forItemIdentity: identity)
      found = try path.map { path in
        Found(item: identity, row: try dataSource.identityForRow(at: path))
      }
    }
    guard path != shown else { return }
    if let path { try table.select(path) } else if let shown { try table.deselect(shown) }
  }

  /// - Throws: `TableDataError` of code `.unknownDestination` without a router; what it throws.
  func follow(_ route: TableRoute) throws {
    guard let router else {
      throw TableDataError(
        .unknownDestination,
        "nobody shows the destination \"\(route.destination)\": give the screen a router, and keep "
          + "it alive")
    }
    try router.follow(route)
  }
}

/// Which destination the rows of a screen lead to, by the type of what they show.
struct RouteTable {
  private var destinations: [ObjectIdentifier: String] = [:]

  /// - Throws: `TableDataError` of code `.duplicateRegistration` for a type that has a destination.
  mutating func register<ViewModel>(_ destination: String, for type: ViewModel.Type) throws {
    if let other = destinations[ObjectIdentifier(type)] {
      throw TableDataError(
        .duplicateRegistration,
        "\(type) already leads to \"\(other)\", and not to \"\(destination)\": register one "
          + "destination for each type of view model")
    }
    destinations[ObjectIdentifier(type)] = destination
  }

  /// The destination of a row; nil where it leads nowhere.
  func destination(for viewModel: Any) -> String? {
    destinations[ObjectIdentifier(type(of: viewModel))]
  }
}
