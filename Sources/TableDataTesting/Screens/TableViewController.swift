public import TableData

/// A screen with a table. It shows any data source: a list, sections, the results of a request, or all of
/// them composed.
///
/// ```swift
/// let screen = TableViewController(selection: selection, router: router) { log.error("\($0)") }
/// screen.register(destination: "cover", for: Cover.self)
/// try screen.setDataSource(covers)
/// try screen.selectRow(at: [0, 3])  // selects the cover and follows the route to it
/// ```
///
/// It is the observer of the data source, and shows its changes. It shows the injected `Selection`, and
/// sets it when the user selects a row.
///
/// Not Sendable: use it on the actor of its table, in an app the main actor.
open class TableViewController {
  /// The table that shows the rows.
  public let tableView: TableView
  /// The selection, which other screens may share.
  public var selection: Selection { screen.selection }
  /// The data source of the rows; ``setDataSource(_:)`` sets it.
  public private(set) var dataSource: (any ComposableTableViewDataSource)?
  /// Shows the destinations of the rows. The reference is weak.
  public var router: (any TableRouter)? {
    get { screen.router }
    set { screen.router = newValue }
  }

  package let onError: (any Error) -> Void
  private let screen: TableScreen

  /// Makes a screen without rows.
  ///
  /// - Parameters:
  ///   - selection: shared with the other screens that show it.
  ///   - router: shows the destinations of the rows.
  ///   - height: the number of rows that fit into the window.
  ///   - onError: called with errors that no method of the screen can throw: the content has changed, or can no
  ///     longer be read. It prints them by default.
  public init(
    selection: Selection = Selection(), router: (any TableRouter)? = nil, height: Int = 10,
    onError: ((any Error) -> Void)? = nil
  ) {
    tableView = TableView(height: height)
    tableView.allowsMultipleSelection = selection.allowsMultipleSelection
    screen = TableScreen(selection: selection, router: router)
    self.onError = onError ?? TableScreen.printError
    selection.addObserver(self)
  }

  // MARK: Content

  /// Shows another data source, or none, scrolled to the top. The previous one has no observer then.
  ///
  /// - Throws: `TableDataError` with code `.alreadyObserved` if another screen or list shows it; then
  ///   nothing has changed. Any error of reading it, and the first of making its cells: the other rows are shown then.
  public func setDataSource(_ dataSource: (any ComposableTableViewDataSource)?) throws {
    try dataSource?.setObserver(self)
    if self.dataSource !== dataSource { self.dataSource?.observer = nil }
    self.dataSource = dataSource
    screen.clearRows()
    tableView.dataSource = dataSource
    try reload()
  }

  private func reload() throws {
    var failure: (any Error)?
    try tableView.reportingCellErrors(to: { failure = failure ?? $0 }, tableView.reloadData)
    try showSelection()
    if let failure { throw failure }
  }

  // MARK: Routes

  /// Registers the destination of the rows of a type, which may be a superclass or a protocol. As for
  /// cells, the nearest registration counts. Rows of other types can be selected, and have no destination.
  ///
  /// If the type already has a destination, selecting one of its rows throws `.duplicateRegistration`.
  public func register<ViewModel>(
    destination: String, for viewModel: ViewModel.Type
  ) { screen.register(destination, for: viewModel) }

  /// Shows a destination for the selected item. A button may call it, for example.
  ///
  /// - Throws: `TableDataError` with code `.unknownDestination` if the screen has no router; any error of
  ///   the router.
  public func follow(routeTo destination: String) throws {
    try screen.follow(TableRoute(to: destination, identity: selection.identity))
  }

  // MARK: Actions of the user

  /// Selects a row for the user. It sets the selection, notifies the data source, and shows the
  /// destination of the row, if it has one. If only one row can be selected, the other one is deselected.
  ///
  /// If the data source deletes the row because it was selected, it is not selected. Neither is a row that
  /// does not stay selected, such as a button: `TableRow.staysSelected`.
  ///
  /// - Throws: `TableDataError` and `TableUpdateError` if the row does not exist; any error of the data
  ///   source and of the router.
  open func selectRow(at indexPath: IndexPath) throws {
    try screen.selectRow(at: indexPath, in: tableView, of: requireDataSource(for: indexPath))
  }

  /// Deselects a row for the user. It sets the selection, and notifies the data source.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the data source.
  open func deselectRow(at indexPath: IndexPath) throws {
    try screen.deselectRow(at: indexPath, in: tableView, of: requireDataSource(for: indexPath))
  }

  /// Deletes a row for the user.
  ///
  /// - Throws: `TableDataError` if it is not allowed, or if the row does not exist; any error of the data
  ///   source.
  open func deleteRow(at indexPath: IndexPath) throws {
    try requireDataSource(for: indexPath).perform(.delete(indexPath))
  }

  /// Moves a row for the user.
  ///
  /// - Parameter newIndexPath: the index path after the move.
  /// - Throws: the same as ``deleteRow(at:)``.
  open func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) throws {
    try requireDataSource(for: indexPath).perform(.move(indexPath, to: newIndexPath))
  }

  /// Performs an action of a row for the user.
  ///
  /// - Parameter title: the title of one of the row's `RowActions`.
  /// - Throws: `TableDataError` with code `.unknownAction` if the row has no such action, and if the row does
  ///   not exist; any error of the data source and of the action.
  open func performAction(_ title: String, at indexPath: IndexPath) throws {
    try requireDataSource(for: indexPath).row(at: indexPath).actions.perform(title)
  }

  private func requireDataSource(for indexPath: IndexPath) throws
    -> any ComposableTableViewDataSource
  {
    guard let dataSource else { throw TableDataError.sectionOutOfRange(indexPath, count: 0) }
    return dataSource
  }

  private func showSelection() throws {
    try screen.showSelection(in: tableView, of: dataSource)
  }

  /// The changes of a display event are deferred, and the selection is shown after them.
  private func showSelectionWhenIdle() throws {
    try tableView.whenIdle { [weak self] in try self?.showSelection() }
  }
}

extension TableViewController: ErrorReporting {}

extension TableViewController: SelectionObserver {
  /// The selection calls it.
  public func selectionDidChange(_ selection: Selection) {
    reporting { try showSelectionWhenIdle() }
  }
}

extension TableViewController: TableChangesObserver {
  /// The data source calls it.
  public func contentWillChange(of sender: any TableChangesSender) {}

  /// The data source calls it.
  public func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    do {
      try tableView.reportingCellErrors(to: onError) { try tableView.apply(changes) }
      try showSelectionWhenIdle()
    } catch {
      onError(error)
      // The table may not show the current state.
      reporting { try reload() }
    }
  }

  /// The data source calls it.
  public func content(of sender: any TableChangesSender, didFailWith error: any Error) {
    onError(error)
  }
}
