#if canImport(UIKit) && !os(watchOS)
  public import UIKit

  /// Shows a data source in a UITableView.
  ///
  /// ```swift
  /// try list.registerCell(class: TrackCell.self, identifier: "track", for: Track.self)
  /// let adapter = try UIKitTableViewAdapter(list, in: tableView) { log.error("\($0)") }
  /// ```
  ///
  /// It is the observer of the data source, and the data source of the table. The table does not keep a
  /// strong reference. A UITableView needs a cell for each row: if there is an error, it is reported, and
  /// the cell is empty.
  ///
  /// The cells are those that are registered in the data source. So two components of a composed list can
  /// show one type in two cells.
  @MainActor
  public final class UIKitTableViewAdapter: NSObject {
    /// The data source of the rows.
    public var source: any ComposableTableViewDataSource { updater.source }

    let updater: TableUpdater
    private weak var tableView: UITableView?
    private var cells = ViewCells()
    private var preparedCells = PreparedCells()
    /// The identity of the row that each cell on the screen shows.
    var displayedIdentities: [ObjectIdentifier: AnyHashable] = [:]

    /// Shows a data source. The table is empty until it is reloaded.
    ///
    /// - Parameter onError: called with errors that no method can throw.
    /// - Throws: `TableDataError` of code `.alreadyObserved`.
    public init(
      _ source: any ComposableTableViewDataSource, in tableView: UITableView,
      onError: @escaping (any Error) -> Void
    ) throws {
      self.tableView = tableView
      weak var adapter: UIKitTableViewAdapter?
      updater = try TableUpdater(
        source, onError: onError, show: { [weak tableView] in try tableView?.show($0) },
        refresh: { try adapter?.refresh(at: $0) })
      super.init()
      adapter = self
      tableView.dataSource = self
    }

    /// Registers the cell class for the view models of a type, for data sources that have no cells
    /// themselves. A ``UIKitCellGenerator`` needs none.
    ///
    /// - Throws: `TableDataError` of code `.duplicateRegistration`.
    public func registerCell<Cell: UITableViewCell & Configurable>(
      class cellClass: Cell.Type, identifier: String, for viewModel: Cell.ViewModel.Type,
      from origin: UIKitCellOrigin = .code
    ) throws {
      try cells.register(cellClass, identifier: identifier, for: viewModel, from: origin)
    }

    /// Shows a generator again, in its current cell.
    public func refresh(_ generator: any UIKitCellGenerator) {
      updater.reporting {
        guard let path = try source.indexPath(forItemIdentity: generator.identity),
          let cell = tableView?.cellForRow(at: path)
        else { return }
        generator.show(in: cell)
      }
    }

    /// Shows the content of a row again, in its current cell.
    private func refresh(at indexPath: IndexPath) throws {
      guard let tableView, let cell = tableView.cellForRow(at: indexPath) else { return }
      let viewModel = try source.viewModelForRow(at: indexPath)
      if let generator = viewModel as? any UIKitCellGenerator { return generator.show(in: cell) }
      let viewCell = try cells.cell(for: viewModel, at: indexPath, of: source)
      if cell.reuseIdentifier == viewCell.identifier {
        try viewCell.registration.configure(cell, viewModel)
      } else {
        tableView.reloadRows(at: [indexPath], with: .automatic)
      }
    }

    /// Makes a call of the table, in which the content may change.
    func deferringChanges(_ body: () throws -> Void) {
      updater.deferringChanges(body)
      showPendingLater()
    }

    /// Shows the changes that came in a call of the table, when it has finished.
    private func showPendingLater() {
      guard updater.hasPending else { return }
      Task { updater.showPending() }
    }

    private func makeCell(
      in tableView: UITableView, for indexPath: IndexPath
    ) throws -> UITableViewCell {
      let viewModel = try source.viewModelForRow(at: indexPath)
      if let generator = viewModel as? any UIKitCellGenerator {
        return generator.generate(tableView: tableView, for: indexPath)
      }
      let viewCell = try cells.cell(for: viewModel, at: indexPath, of: source)
      if try preparedCells.add(viewCell) { _ = viewCell.make(tableView) }
      let cell = tableView.dequeueReusableCell(
        withIdentifier: viewCell.identifier, for: indexPath)
      try viewCell.registration.configure(cell, viewModel)
      if try actions(at: indexPath).accessory != nil {
        cell.accessoryType = .detailButton
      } else if cell.accessoryType == .detailButton {
        // Of the row that the cell has shown before.
        cell.accessoryType = .none
      }
      return cell
    }
  }

  /// A generator whose cell is a UITableViewCell.
  @MainActor
  public protocol UIKitCellGenerator: TableCellGenerator {
    /// A cell of the table that shows the generator.
    func generate(tableView: UITableView, for indexPath: IndexPath) -> UITableViewCell
    /// Shows the generator again, in a cell that it has made.
    func show(in cell: UITableViewCell)
  }

  // Its cell is one of UIKit: a row of a form needs no class here either.
  extension CellGenerator: @MainActor UIKitCellGenerator where Cell: UITableViewCell {
    /// A cell of the class. The reuse identifier is the name of the class.
    public func generate(tableView: UITableView, for indexPath: IndexPath) -> UITableViewCell {
      let identifier = String(reflecting: Cell.self)
      tableView.register(Cell.self, forCellReuseIdentifier: identifier)
      let cell = tableView.dequeueReusableCell(withIdentifier: identifier, for: indexPath)
      show(in: cell)
      return cell
    }

    /// Shows the view model in a cell of the class.
    public func show(in cell: UITableViewCell) {
      if let cell = cell as? Cell { build(view: cell) }
    }
  }

  extension UIKitTableViewAdapter: UITableViewDataSource {
    /// The table calls it.
    public func numberOfSections(in tableView: UITableView) -> Int { source.numberOfSections }

    /// The table calls it.
    public func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
      updater.answer(0) { try source.numberOfRows(inSection: section) }
    }

    /// The table calls it.
    public func tableView(
      _ tableView: UITableView, cellForRowAt indexPath: IndexPath
    ) -> UITableViewCell {
      var cell: UITableViewCell?
      deferringChanges { cell = try makeCell(in: tableView, for: indexPath) }
      return cell ?? UITableViewCell()
    }

    /// The table calls it.
    public func tableView(
      _ tableView: UITableView, titleForHeaderInSection section: Int
    ) -> String? { updater.answer(nil) { try source.titleForHeader(inSection: section) } }

    /// The table calls it.
    public func tableView(
      _ tableView: UITableView, titleForFooterInSection section: Int
    ) -> String? { updater.answer(nil) { try source.titleForFooter(inSection: section) } }

    #if !os(tvOS)
      /// The table calls it.
      public func sectionIndexTitles(for tableView: UITableView) -> [String]? {
        source.sectionIndexTitles()
      }

      /// The table calls it.
      public func tableView(
        _ tableView: UITableView, sectionForSectionIndexTitle title: String, at index: Int
      ) -> Int {
        updater.answer(0) { try source.section(forSectionIndexTitle: title, at: index) }
      }
    #endif

    /// The table calls it.
    public func tableView(_ tableView: UITableView, canEditRowAt indexPath: IndexPath) -> Bool {
      updater.answer(false) {
        let actions = try self.actions(at: indexPath)
        return try source.canEditRow(at: indexPath) || actions.insert != nil
          || !(actions.leading + actions.trailing).isEmpty
      }
    }

    /// The table calls it.
    public func tableView(_ tableView: UITableView, canMoveRowAt indexPath: IndexPath) -> Bool {
      updater.answer(false) { try source.canMoveRow(at: indexPath) }
    }

    /// The table calls it.
    public func tableView(
      _ tableView: UITableView, commit editingStyle: UITableViewCell.EditingStyle,
      forRowAt indexPath: IndexPath
    ) {
      updater.reporting {
        switch editingStyle {
        case .delete: try source.commitDelete(forRowAt: indexPath)
        case .insert: try actions(at: indexPath).insert?.perform()
        default: break
        }
      }
    }

    /// The table calls it. It already shows the row at its new index path.
    public func tableView(
      _ tableView: UITableView, moveRowAt sourceIndexPath: IndexPath,
      to destinationIndexPath: IndexPath
    ) {
      updater.moveRow(at: sourceIndexPath, to: destinationIndexPath)
      showPendingLater()
    }
  }

  // `reloadData()` and `moveRow(at:to:)` are UITableView's own.
  extension UITableView: @MainActor TableUpdating {
    func performBatch(_ body: () throws -> Void) throws {
      beginUpdates()
      defer { endUpdates() }
      try body()
    }

    func deleteSections(_ sections: [Int]) {
      deleteSections(IndexSet(sections), with: .automatic)
    }

    func insertSections(_ sections: [Int]) {
      insertSections(IndexSet(sections), with: .automatic)
    }

    func deleteRows(at indexPaths: [IndexPath]) { deleteRows(at: indexPaths, with: .automatic) }

    func insertRows(at indexPaths: [IndexPath]) { insertRows(at: indexPaths, with: .automatic) }

    func reloadRows(at indexPaths: [IndexPath]) { reloadRows(at: indexPaths, with: .automatic) }

    func reloadHeaders(ofSections sections: [Int]) {
      // Views that the delegate makes have labels of their own: the delegate's owner draws them.
      let makesHeaders = delegateResponds(
        to: #selector((any UITableViewDelegate).tableView(_:viewForHeaderInSection:)))
      let makesFooters = delegateResponds(
        to: #selector((any UITableViewDelegate).tableView(_:viewForFooterInSection:)))
      for section in sections {
        if !makesHeaders, let header = headerView(forSection: section) {
          header.textLabel?.text = dataSource?.tableView?(self, titleForHeaderInSection: section)
          header.setNeedsLayout()
        }
        if !makesFooters, let footer = footerView(forSection: section) {
          footer.textLabel?.text = dataSource?.tableView?(self, titleForFooterInSection: section)
          footer.setNeedsLayout()
        }
      }
    }

    private func delegateResponds(to selector: Selector) -> Bool {
      delegate?.responds(to: selector) == true
    }
  }

  extension UITableView: @MainActor SelectableTable {
    var selectedRows: [IndexPath] { indexPathsForSelectedRows ?? [] }

    func select(_ indexPath: IndexPath) {
      selectRow(at: indexPath, animated: true, scrollPosition: .none)
    }

    func deselect(_ indexPath: IndexPath) { deselectRow(at: indexPath, animated: true) }
  }

  /// The identities of the displayed rows, by their cells.
  extension [ObjectIdentifier: AnyHashable] {
    /// Removes a cell that is no longer displayed.
    ///
    /// If a row is reloaded, its new cell is displayed before the old one no longer is.
    ///
    /// - Returns: the identity of the row; nil if none is known, or if another cell displays the row.
    mutating func removeRow(of cell: AnyObject) -> AnyHashable? {
      removeValue(forKey: ObjectIdentifier(cell)).flatMap { values.contains($0) ? nil : $0 }
    }
  }
#endif
