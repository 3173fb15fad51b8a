#if canImport(UIKit) && !os(watchOS)
  public import UIKit

  /// The ``TableViewController`` of UIKit. It shows any data source.
  ///
  /// ```swift
  /// let screen = UIKitTableViewController(selection: selection, router: router, onError: report)
  /// try screen.register(destination: "cover", for: Cover.self)
  /// let adapter = try screen.setDataSource(covers)
  /// try adapter.registerCell(class: CoverCell.self, identifier: "cover", for: Cover.self)
  /// ```
  open class UIKitTableViewController: UITableViewController {
    private let screen: TableScreen
    private let onError: (any Error) -> Void
    private var adapter: UIKitTableViewAdapter?

    /// Makes a screen without rows; the parameters are those of a ``TableViewController``.
    public init(
      style: UITableView.Style = .plain, selection: Selection = Selection(),
      router: (any TableRouter)? = nil, onError: @escaping (any Error) -> Void
    ) {
      screen = TableScreen(selection: selection, router: router)
      self.onError = onError
      super.init(style: style)
      selection.addObserver(self)
    }

    /// Not available: a storyboard cannot inject the parameters.
    @available(*, unavailable)
    public required init?(coder: NSCoder) { nil }

    /// Shows another data source, scrolled to the top.
    ///
    /// - Returns: the adapter, to register cells with.
    /// - Throws: `TableDataError` of code `.alreadyObserved`; then nothing has changed.
    @discardableResult
    public func setDataSource(
      _ dataSource: any ComposableTableViewDataSource
    ) throws -> UIKitTableViewAdapter {
      let next = try UIKitTableViewAdapter(dataSource, in: tableView, onError: onError)
      adapter?.source.observer = nil
      adapter = next
      screen.clearRow()
      next.didShowChanges = { [weak self] in self?.showSelection() }
      tableView.reloadData()
      showSelection()
      return next
    }

    /// Registers the destination of the rows of a type.
    ///
    /// - Throws: `TableDataError` of code `.duplicateRegistration`.
    public func register<ViewModel>(destination: String, for viewModel: ViewModel.Type) throws {
      try screen.register(destination, for: viewModel)
    }

    /// The table calls it.
    open override func tableView(
      _ tableView: UITableView, didSelectRowAt indexPath: IndexPath
    ) {
      guard let source = adapter?.source else { return }
      reporting { try screen.selectRow(at: indexPath, in: tableView, of: source) }
    }

    private func showSelection() {
      reporting { try screen.showSelection(in: tableView, of: adapter?.source) }
    }

    private func reporting(_ body: () throws -> Void) {
      do { try body() } catch { onError(error) }
    }
  }

  extension UIKitTableViewController: @MainActor SelectionObserver {
    /// The selection calls it.
    public func selectionDidChange(_ selection: Selection) { showSelection() }
  }
#endif
