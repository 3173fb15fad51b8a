#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  public import AppKit

  /// Shows a data source in an NSTableView: for each section its header, as a group row, and its rows.
  ///
  /// ```swift
  /// list.registerCell(TrackView.self)
  /// let adapter = try AppKitTableViewAdapter(list, in: tableView, selection: selection)
  /// ```
  ///
  /// It is the observer of the data source, and the data source and delegate of the table, which keeps no strong
  /// reference. The cells are those of the rows, in the first column. The user selects rows, several if the selection
  /// allows it, deletes them by a swipe and drags them, if the data source allows it. A header cannot be selected.
  /// Unless the table has a menu, it gets one with the actions of the row that is clicked.
  @MainActor
  public final class AppKitTableViewAdapter {
    /// The data source of the rows.
    public var source: any ComposableTableViewDataSource { table.source }
    /// The selection, which other screens may share.
    public var selection: Selection { table.screen.selection }
    /// The title of the button that deletes a row without trailing actions.
    public var deleteTitle: String {
      get { table.deleteTitle }
      set { table.deleteTitle = newValue }
    }

    private let table: AppKitTable

    /// Shows a data source.
    ///
    /// - Parameters:
    ///   - hasHeaders: whether each section has a group row.
    ///   - router: shows the destinations of the rows. The reference is weak.
    ///   - onError: called with errors that no method can throw; prints them by default.
    ///   - configure: shows the view model of a row, or the title of a header, in the view that the table makes by
    ///     the identifier of the column. It is for tables of several columns, and for view models without a
    ///     registered cell. If it is nil, a header is a label.
    /// - Throws: `TableDataError` with code `.alreadyObserved`; any error of counting the rows.
    public init(
      _ source: any ComposableTableViewDataSource, in tableView: NSTableView,
      hasHeaders: Bool = true, selection: Selection = Selection(),
      router: (any TableRouter)? = nil, onError: ((any Error) -> Void)? = nil,
      configure: ((NSView, Any) -> Void)? = nil
    ) throws {
      table = try AppKitTable(
        source, in: tableView, header: hasHeaders ? () : nil,
        screen: TableScreen(selection: selection, router: router),
        onError: onError ?? TableScreen.printError, configure: configure)
    }

    /// Registers the destination of the rows of a type. With a second one, selecting a row reports
    /// `.duplicateRegistration`.
    public func register<ViewModel>(destination: String, for viewModel: ViewModel.Type) {
      table.screen.register(destination, for: viewModel)
    }

    /// Deletes the selected row for the user, as a menu item does, or all selected rows. It does nothing if no row is
    /// selected.
    ///
    /// - Throws: `TableDataError` if it is not allowed; any error of the data source. The rows below are deleted then.
    public func deleteSelectedRow() throws {
      // From below: the other index paths stay the same.
      for path in table.selectedRows.reversed() { try source.perform(.delete(path)) }
    }
  }

  /// The data source and delegate of an adapter's table.
  @MainActor
  final class AppKitTable: NSObject {
    var source: any ComposableTableViewDataSource { updater.source }
    let screen: TableScreen
    var deleteTitle = "Delete"

    let updater: TableUpdater
    weak var tableView: NSTableView?
    let configure: ((NSView, Any) -> Void)?
    private let header: Void?
    private(set) var rows: FlatRows<Void>
    /// Whether the selection of the table changes because of the data source or of the shared selection.
    private var isShowing = false
    /// The row that is being dragged.
    var dragged: (indexPath: IndexPath, identity: AnyHashable?)?

    init(
      _ source: any ComposableTableViewDataSource, in tableView: NSTableView, header: Void?,
      screen: TableScreen, onError: @escaping (any Error) -> Void,
      configure: ((NSView, Any) -> Void)?
    ) throws {
      self.tableView = tableView
      self.configure = configure
      self.screen = screen
      self.header = header
      let counts = try Self.counts(of: source)
      rows = FlatRows(rowCounts: counts, headers: [Void?](repeating: header, count: counts.count))
      weak var adapter: AppKitTable?
      updater = try TableUpdater(
        source, onError: onError, show: { adapter?.show($0) }, showAgain: { _ in })
      super.init()
      adapter = self
      updater.didShow = { adapter?.showSelection() }
      updater.didDefer = { adapter?.updater.showPendingLater() }
      tableView.dataSource = self
      tableView.delegate = self
      tableView.allowsMultipleSelection = screen.selection.allowsMultipleSelection
      tableView.registerForDraggedTypes([.tableRow])
      if tableView.menu == nil {
        tableView.menu = NSMenu()
        tableView.menu?.delegate = self
      }
      screen.selection.addObserver(self)
      showSelection()
    }

    private static func counts(of source: any ComposableTableViewDataSource) throws -> [Int] {
      try (0..<source.numberOfSections).map(source.numberOfRows(inSection:))
    }

    private func makeView(
      in tableView: NSTableView, for column: NSTableColumn?, line: FlatRows<Void>.Line
    ) throws -> NSView? {
      switch line {
      case .header(let section):
        let header = try source.section(section).header
        let title = header.title ?? ""
        if let cell = header.cell, let viewModel = header.viewModel {
          let view = try dequeue(cell, for: IndexPath(index: section))
          try cell.show(viewModel, in: view)
          return view
        }
        guard configure != nil else { return NSTextField(labelWithString: title) }
        return makeView(in: tableView, for: column, showing: title)
      case .row(let path):
        let row = try source.row(at: path)
        let isFirst = column == nil || column === tableView.tableColumns.first
        do {
          guard isFirst else {
            return makeView(in: tableView, for: column, showing: row.viewModel)
          }
          return try updater.makeCell(for: row, at: path, in: self)
        } catch let error as TableDataError
          where error.code == .unregisteredViewModel && configure != nil
        {
          return makeView(in: tableView, for: column, showing: row.viewModel)
        }
      }
    }

    private func makeView(
      in tableView: NSTableView, for column: NSTableColumn?, showing content: Any
    ) -> NSView? {
      guard let configure, let column = column ?? tableView.tableColumns.first,
        let view = tableView.makeView(withIdentifier: column.identifier, owner: self)
      else { return nil }
      configure(view, content)
      return view
    }

    private var selectable: FlatSelection<NSTableView, Void>? {
      tableView.map { FlatSelection(table: $0, rows: { self.rows }) }
    }

    /// Ascending.
    var selectedRows: [IndexPath] { selectable?.selectedRows ?? [] }

    private func showSelection() {
      guard let selectable else { return }
      showing { try screen.showSelection(in: selectable, of: source) }
    }

    private func show(_ changes: TableChanges) {
      showing {
        let counts = try Self.counts(of: source)
        // A copy of `rows` is changed, because the view reads its rows in between.
        try tableView?.show(
          changes, in: rows, newCounts: counts, header: header, setRows: { rows = $0 },
          // A cell is a part of the row's view, which is what is displayed.
          showAgain: { try updater.showAgain(rowsAt: $0, in: self, displayedIn: \.superview) })
      }
    }

    /// Changes the table. What it then selects or deselects is not the user's choice.
    private func showing(_ body: () throws -> Void) {
      let wasShowing = isShowing
      isShowing = true
      defer { isShowing = wasShowing }
      reporting(body)
    }
  }

  extension AppKitTable: @MainActor ErrorReporting {
    package var onError: (any Error) -> Void { updater.onError }
  }

  extension AppKitTable: NSTableViewDataSource, NSTableViewDelegate {
    func numberOfRows(in tableView: NSTableView) -> Int { rows.count }

    func tableView(_ tableView: NSTableView, isGroupRow row: Int) -> Bool {
      if case .header? = rows.line(at: row) { true } else { false }
    }

    func tableView(
      _ tableView: NSTableView, viewFor tableColumn: NSTableColumn?, row: Int
    ) -> NSView? {
      guard let line = rows.line(at: row) else { return nil }
      return answer(nil) { try makeView(in: tableView, for: tableColumn, line: line) }
    }

    func tableView(_ tableView: NSTableView, shouldSelectRow row: Int) -> Bool {
      if case .row? = rows.line(at: row) { true } else { false }
    }

    func tableViewSelectionDidChange(_ notification: Notification) {
      guard !isShowing, let table = selectable else { return }
      showing { try screen.followSelection(in: table, of: source) }
    }
  }

  extension AppKitTable: @MainActor SelectionObserver {
    func selectionDidChange(_ selection: Selection) { showSelection() }
  }
#endif
