#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A screen with a table. It shows whatever data source it is given, and knows nothing of what is in
/// it: a list, sections, the results of a request, all of them in one.
///
/// ```swift
/// let screen = TableViewController(selection: selection, router: router) { log.error("\($0)") }
/// try screen.register(destination: "cover", for: Cover.self)
/// try screen.setDataSource(covers)
/// try screen.selectRow(at: [0, 3])  // selects the cover and follows the route to it
/// ```
///
/// It is the data source's observer and applies what changes. It shows the injected ``Selection``, and
/// sets it where the user selects a row.
///
/// Not Sendable: it belongs where its table belongs, the main actor in an app.
open class TableViewController {
  /// What shows the rows.
  public let tableView: TableView
  /// What is selected, here and wherever else it is shown.
  public var selection: Selection { screen.selection }
  /// Where the rows come from; ``setDataSource(_:)`` sets it.
  public private(set) var dataSource: (any ComposableTableViewDataSource)?
  /// Who shows what the rows lead to. It is not kept alive.
  public var router: (any TableRouter)? {
    get { screen.router }
    set { screen.router = newValue }
  }

  private let onError: (any Error) -> Void
  private let screen: TableScreen

  /// Makes a screen without rows.
  ///
  /// - Parameters:
  ///   - selection: shared with the other screens that show it.
  ///   - router: who shows what the rows lead to.
  ///   - height: the number of rows that fit into the window.
  ///   - onError: told what goes wrong where nobody has called who could be told: when the content
  ///     changes, or cannot be read any more.
  public init(
    selection: Selection = Selection(), router: (any TableRouter)? = nil, height: Int = 10,
    onError: @escaping (any Error) -> Void
  ) {
    tableView = TableView(height: height)
    screen = TableScreen(selection: selection, router: router)
    self.onError = onError
    selection.addObserver(self)
  }

  // MARK: Content

  /// Shows another data source, or none, from its beginning. The one before is observed by nobody
  /// then.
  ///
  /// - Throws: `TableDataError` of code `.alreadyObserved` where another screen or list has it: then
  ///   nothing has changed. What reading it and making its cells throws.
  public func setDataSource(_ dataSource: (any ComposableTableViewDataSource)?) throws {
    try dataSource?.beObserved(by: self)
    if self.dataSource !== dataSource { self.dataSource?.observer = nil }
    self.dataSource = dataSource
    screen.forgetRow()
    tableView.dataSource = dataSource
    try reload()
  }

  private func reload() throws {
    try tableView.reloadData()
    try showSelection()
  }

  /// Reports what goes wrong.
  private func reporting(_ body: () throws -> Void) {
    do { try body() } catch { onError(error) }
  }

  // MARK: Routes

  /// Says where the rows of a type lead to: exactly this type, not its subclasses. Rows of other types
  /// can be selected and lead nowhere.
  ///
  /// - Throws: `TableDataError` of code `.duplicateRegistration` for a type that leads somewhere
  ///   already.
  public func register<ViewModel>(
    destination: String, for viewModel: ViewModel.Type
  ) throws { try screen.routes.register(destination, for: viewModel) }

  /// Leads to a destination, with what is selected: for a button, say.
  ///
  /// - Throws: `TableDataError` of code `.unknownDestination` where the screen has no router; what the
  ///   router throws.
  public func follow(routeTo destination: String) throws {
    try screen.follow(TableRoute(to: destination, identity: selection.identity))
  }

  // MARK: What the user does

  /// Selects a row, as the user does: the data source is told, then the selection, then the route to
  /// the row's destination is followed, where its type has one.
  ///
  /// Where the row goes because it was selected, nothing is selected.
  ///
  /// - Throws: `TableDataError` and `TableUpdateError` where there is no such row; what the data source
  ///   and the router throw.
  open func selectRow(at indexPath: IndexPath) throws {
    guard let dataSource else { throw TableDataError.sectionOutOfRange(indexPath, count: 0) }
    try screen.selectRow(at: indexPath, in: tableView, of: dataSource)
  }

  /// Deletes a row, as the user does.
  ///
  /// - Throws: `TableDataError` where that is not allowed, and where there is no such row; what the
  ///   data source throws.
  open func deleteRow(at indexPath: IndexPath) throws {
    guard let dataSource else { throw TableDataError.sectionOutOfRange(indexPath, count: 0) }
    try dataSource.commitDelete(forRowAt: indexPath)
  }

  /// Moves a row, as the user does.
  ///
  /// - Parameter newIndexPath: its place afterwards.
  /// - Throws: as ``deleteRow(at:)``.
  open func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) throws {
    guard let dataSource else { throw TableDataError.sectionOutOfRange(indexPath, count: 0) }
    try dataSource.moveRow(at: indexPath, to: newIndexPath)
  }

  private func showSelection() throws {
    try screen.showSelection(in: tableView, of: dataSource)
  }
}

extension TableViewController: SelectionObserver {
  /// Called by the selection.
  public func selectionDidChange(_ selection: Selection) { reporting { try showSelection() } }
}

extension TableViewController: TableChangesObserver {
  /// Called by the data source.
  public func contentWillChange(of sender: any TableChangesSender) {}

  /// Called by the data source.
  public func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    do {
      try tableView.apply(changes)
      try showSelection()
    } catch {
      onError(error)
      // The table may not show what there is any more.
      reporting { try reload() }
    }
  }

  /// Called by the data source.
  public func content(of sender: any TableChangesSender, didFailWith error: any Error) {
    onError(error)
  }
}
