#if canImport(UIKit) && !os(watchOS)
  public import UIKit

  /// A UIKit screen that shows any data source.
  ///
  /// ```swift
  /// let screen = UIKitTableViewController(selection: selection, router: router)
  /// screen.register(destination: "cover", for: Cover.self)
  /// try screen.setDataSource(covers)
  /// ```
  ///
  /// With a factory it makes its data source when its view is loaded. In a storyboard, pass the parameters with
  /// ``init(coder:selection:router:factory:onError:)`` in the creator closure; or set ``factory``, ``router`` and
  /// ``onError`` before the view is loaded.
  open class UIKitTableViewController: UITableViewController {
    /// The selection, which other screens may share.
    public var selection: Selection { screen.selection }
    /// Shows the destinations of the rows. The reference is weak.
    public var router: (any TableRouter)? {
      get { screen.router }
      set { screen.router = newValue }
    }
    /// Makes the data source when the view is loaded; nil if ``setDataSource(_:)`` sets it.
    public var factory: (any TableViewDataSourceFactory)?
    /// Called with errors that no method can throw; prints them by default.
    public var onError: (any Error) -> Void
    /// The data source of the rows; ``setDataSource(_:)`` sets it.
    public var dataSource: (any ComposableTableViewDataSource)? { adapter?.source }
    /// Shows the data source in the table; nil if there is none.
    public private(set) var adapter: UIKitTableViewAdapter?

    private let screen: TableScreen

    /// Makes a screen without rows. The parameters are its properties.
    public init(
      style: UITableView.Style = .plain, selection: Selection = Selection(),
      router: (any TableRouter)? = nil, factory: (any TableViewDataSourceFactory)? = nil,
      onError: ((any Error) -> Void)? = nil
    ) {
      screen = TableScreen(selection: selection, router: router)
      self.factory = factory
      self.onError = onError ?? TableScreen.printError
      super.init(style: style)
    }

    /// Makes a screen whose table is in a nib.
    public init(
      nibName: String?, bundle: Bundle?, selection: Selection = Selection(),
      router: (any TableRouter)? = nil, factory: (any TableViewDataSourceFactory)? = nil,
      onError: ((any Error) -> Void)? = nil
    ) {
      screen = TableScreen(selection: selection, router: router)
      self.factory = factory
      self.onError = onError ?? TableScreen.printError
      super.init(nibName: nibName, bundle: bundle)
    }

    /// Makes the screen of a storyboard, in the closure of `instantiateViewController(identifier:creator:)` or in a
    /// segue action.
    public init?(
      coder: NSCoder, selection: Selection, router: (any TableRouter)? = nil,
      factory: (any TableViewDataSourceFactory)? = nil,
      onError: ((any Error) -> Void)? = nil
    ) {
      screen = TableScreen(selection: selection, router: router)
      self.factory = factory
      self.onError = onError ?? TableScreen.printError
      super.init(coder: coder)
    }

    /// Makes the screen of a storyboard, with a selection of its own.
    public required init?(coder: NSCoder) {
      screen = TableScreen(selection: Selection(), router: nil)
      onError = TableScreen.printError
      super.init(coder: coder)
    }

    open override func viewDidLoad() {
      super.viewDidLoad()
      // The selection says which row is selected, also when the screen appears again.
      clearsSelectionOnViewWillAppear = false
      selection.addObserver(self)
      reporting { try loadDataSource() }
    }

    /// Makes and shows the data source of the factory, unless there is one already. It is called when the view is
    /// loaded.
    public func loadDataSource() throws {
      guard dataSource == nil, let factory else { return }
      try setDataSource(try factory.makeDataSource())
    }

    /// Shows the rows of another factory, scrolled to the top.
    ///
    /// - Throws: any error of the factory; then nothing has changed.
    public func configure(with factory: any TableViewDataSourceFactory) throws {
      let dataSource = try factory.makeDataSource()
      self.factory = factory
      try setDataSource(dataSource)
    }

    /// Shows another data source, or none, scrolled to the top. The previous one has no observer then.
    ///
    /// - Throws: `TableDataError` with code `.alreadyObserved` if another screen or list shows it; then nothing has
    ///   changed.
    public func setDataSource(_ dataSource: (any ComposableTableViewDataSource)?) throws {
      if adapter?.source !== dataSource {
        let next = try dataSource.map {
          try UIKitTableViewAdapter($0, in: tableView) { [weak self] in self?.onError($0) }
        }
        adapter?.source.observer = nil
        adapter?.updater.endDisplaying()
        adapter = next
        tableView.dataSource = next?.dataSource
        next?.updater.didShow = { [weak self] in self?.showSelection() }
      }
      screen.clearRows()
      tableView.allowsMultipleSelection = screen.selection.allowsMultipleSelection
      tableView.reloadData()
      showSelection()
    }

    /// Registers the destination of the rows of a type. With a second one, selecting a row reports
    /// `.duplicateRegistration`.
    public func register<ViewModel>(destination: String, for viewModel: ViewModel.Type) {
      screen.register(destination, for: viewModel)
    }

    open override func tableView(
      _ tableView: UITableView, didSelectRowAt indexPath: IndexPath
    ) {
      guard let dataSource else { return }
      reporting { try screen.selectRow(at: indexPath, in: tableView, of: dataSource) }
    }

    open override func tableView(
      _ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath
    ) { adapter?.tableView(tableView, willDisplay: cell, forRowAt: indexPath) }

    open override func tableView(
      _ tableView: UITableView, didEndDisplaying cell: UITableViewCell,
      forRowAt indexPath: IndexPath
    ) { adapter?.tableView(tableView, didEndDisplaying: cell, forRowAt: indexPath) }

    open override func tableView(
      _ tableView: UITableView, heightForRowAt indexPath: IndexPath
    ) -> CGFloat {
      adapter?.tableView(tableView, heightForRowAt: indexPath) ?? UITableView.automaticDimension
    }

    open override func tableView(
      _ tableView: UITableView, estimatedHeightForRowAt indexPath: IndexPath
    ) -> CGFloat {
      adapter?.tableView(tableView, estimatedHeightForRowAt: indexPath)
        ?? UITableView.automaticDimension
    }

    open override func tableView(
      _ tableView: UITableView, viewForHeaderInSection section: Int
    ) -> UIView? { adapter?.tableView(tableView, viewForHeaderInSection: section) }

    open override func tableView(
      _ tableView: UITableView, viewForFooterInSection section: Int
    ) -> UIView? { adapter?.tableView(tableView, viewForFooterInSection: section) }

    open override func tableView(
      _ tableView: UITableView, accessoryButtonTappedForRowWith indexPath: IndexPath
    ) { adapter?.tableView(tableView, accessoryButtonTappedForRowWith: indexPath) }

    open override func tableView(
      _ tableView: UITableView, editingStyleForRowAt indexPath: IndexPath
    ) -> UITableViewCell.EditingStyle {
      adapter?.tableView(tableView, editingStyleForRowAt: indexPath) ?? .none
    }

    open override func tableView(
      _ tableView: UITableView,
      targetIndexPathForMoveFromRowAt sourceIndexPath: IndexPath,
      toProposedIndexPath proposedDestinationIndexPath: IndexPath
    ) -> IndexPath {
      adapter?.tableView(
        tableView, targetIndexPathForMoveFromRowAt: sourceIndexPath,
        toProposedIndexPath: proposedDestinationIndexPath) ?? sourceIndexPath
    }

    #if !os(tvOS)
      open override func tableView(
        _ tableView: UITableView,
        leadingSwipeActionsConfigurationForRowAt indexPath: IndexPath
      ) -> UISwipeActionsConfiguration? {
        adapter?.tableView(tableView, leadingSwipeActionsConfigurationForRowAt: indexPath)
      }

      open override func tableView(
        _ tableView: UITableView,
        trailingSwipeActionsConfigurationForRowAt indexPath: IndexPath
      ) -> UISwipeActionsConfiguration? {
        adapter?.tableView(tableView, trailingSwipeActionsConfigurationForRowAt: indexPath)
      }

      open override func tableView(
        _ tableView: UITableView, contextMenuConfigurationForRowAt indexPath: IndexPath,
        point: CGPoint
      ) -> UIContextMenuConfiguration? {
        adapter?.tableView(
          tableView, contextMenuConfigurationForRowAt: indexPath, point: point)
      }
    #endif

    open override func tableView(
      _ tableView: UITableView, didDeselectRowAt indexPath: IndexPath
    ) {
      guard let dataSource else { return }
      reporting { try screen.deselectRow(at: indexPath, in: tableView, of: dataSource) }
    }

    private func showSelection() {
      // The view is not loaded only for this: it shows the selection when it gets its rows.
      guard isViewLoaded else { return }
      reporting { try screen.showSelection(in: tableView, of: dataSource) }
    }
  }

  extension UIKitTableViewController: @MainActor ErrorReporting {}

  extension UIKitTableViewController: @MainActor SelectionObserver {
    /// The selection calls it.
    public func selectionDidChange(_ selection: Selection) { showSelection() }
  }
#endif
