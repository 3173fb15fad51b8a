#if canImport(UIKit) && !os(watchOS)
  public import UIKit

  /// Shows a data source in a UITableView.
  ///
  /// ```swift
  /// let adapter = try UIKitTableViewAdapter(list, in: tableView) { log.error("\($0)") }
  /// try adapter.registerCell(class: TrackCell.self, identifier: "track", for: Track.self)
  /// ```
  ///
  /// It is the observer of the data source, and the data source of the table. The table does not keep a
  /// strong reference. A UITableView needs a cell for each row: if there is an error, it is reported, and
  /// the cell is empty.
  @MainActor
  public final class UIKitTableViewAdapter: NSObject {
    /// The data source of the rows.
    public let source: any ComposableTableViewDataSource
    /// Called after changes are shown.
    var didShowChanges: () -> Void = {}

    private weak var tableView: UITableView?
    private let onError: (any Error) -> Void
    private var cells = CellRegistry<UITableViewCell>()
    /// The move of the user that the data source has not yet sent as a change.
    private var userMove: TableChanges.Move?

    /// Shows a data source.
    ///
    /// - Parameter onError: called with errors that no method can throw.
    /// - Throws: `TableDataError` of code `.alreadyObserved`.
    public init(
      _ source: any ComposableTableViewDataSource, in tableView: UITableView,
      onError: @escaping (any Error) -> Void
    ) throws {
      self.source = source
      self.tableView = tableView
      self.onError = onError
      super.init()
      try source.setObserver(self)
      tableView.dataSource = self
    }

    /// Registers the cell class for the view models of a type, in the table too. A
    /// ``UIKitCellGenerator`` needs none.
    ///
    /// - Throws: `TableDataError` of code `.duplicateRegistration`.
    public func registerCell<Cell: UITableViewCell & Configurable>(
      class cellClass: Cell.Type, identifier: String, for viewModel: Cell.ViewModel.Type
    ) throws {
      try cells.register(cellClass, identifier: identifier, for: viewModel) { cell, viewModel in
        guard let cell = cell as? Cell, let viewModel = viewModel as? Cell.ViewModel else {
          return false
        }
        cell.configure(with: viewModel)
        return true
      }
      tableView?.register(cellClass, forCellReuseIdentifier: identifier)
    }

    /// Shows a generator again, in its current cell.
    public func refresh(_ generator: any UIKitCellGenerator) {
      reporting {
        guard let path = try source.indexPath(forItemIdentity: generator.identity),
          let cell = tableView?.cellForRow(at: path)
        else { return }
        generator.show(in: cell)
      }
    }

    private func reporting(_ body: () throws -> Void) {
      do { try body() } catch { onError(error) }
    }

    private func answer<Answer>(_ other: Answer, _ question: () throws -> Answer) -> Answer {
      do { return try question() } catch {
        onError(error)
        return other
      }
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

  extension UIKitTableViewAdapter: UITableViewDataSource {
    /// The table calls it.
    public func numberOfSections(in tableView: UITableView) -> Int { source.numberOfSections }

    /// The table calls it.
    public func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
      answer(0) { try source.numberOfRows(inSection: section) }
    }

    /// The table calls it.
    public func tableView(
      _ tableView: UITableView, cellForRowAt indexPath: IndexPath
    ) -> UITableViewCell {
      answer(UITableViewCell()) {
        let viewModel = try source.viewModelForRow(at: indexPath)
        if let generator = viewModel as? any UIKitCellGenerator {
          return generator.generate(tableView: tableView, for: indexPath)
        }
        let registration = try cells.registration(for: viewModel)
        let cell = tableView.dequeueReusableCell(
          withIdentifier: registration.identifier, for: indexPath)
        try registration.configure(cell, viewModel)
        return cell
      }
    }

    /// The table calls it.
    public func tableView(
      _ tableView: UITableView, titleForHeaderInSection section: Int
    ) -> String? { answer(nil) { try source.titleForHeader(inSection: section) } }

    /// The table calls it.
    public func tableView(
      _ tableView: UITableView, titleForFooterInSection section: Int
    ) -> String? { answer(nil) { try source.titleForFooter(inSection: section) } }

    #if !os(tvOS)
      /// The table calls it.
      public func sectionIndexTitles(for tableView: UITableView) -> [String]? {
        source.sectionIndexTitles()
      }

      /// The table calls it.
      public func tableView(
        _ tableView: UITableView, sectionForSectionIndexTitle title: String, at index: Int
      ) -> Int { answer(0) { try source.section(forSectionIndexTitle: title, at: index) } }
    #endif

    /// The table calls it.
    public func tableView(_ tableView: UITableView, canEditRowAt indexPath: IndexPath) -> Bool {
      answer(false) { try source.canEditRow(at: indexPath) }
    }

    /// The table calls it.
    public func tableView(_ tableView: UITableView, canMoveRowAt indexPath: IndexPath) -> Bool {
      answer(false) { try source.canMoveRow(at: indexPath) }
    }

    /// The table calls it.
    public func tableView(
      _ tableView: UITableView, commit editingStyle: UITableViewCell.EditingStyle,
      forRowAt indexPath: IndexPath
    ) {
      guard editingStyle == .delete else { return }
      reporting { try source.commitDelete(forRowAt: indexPath) }
    }

    /// The table calls it. It already shows the row at its new index path.
    public func tableView(
      _ tableView: UITableView, moveRowAt sourceIndexPath: IndexPath,
      to destinationIndexPath: IndexPath
    ) {
      guard sourceIndexPath != destinationIndexPath else { return }
      userMove = TableChanges.Move(from: sourceIndexPath, to: destinationIndexPath)
      do {
        try source.moveRow(at: sourceIndexPath, to: destinationIndexPath)
      } catch {
        userMove = nil
        onError(error)
        tableView.reloadData()
      }
    }
  }

  extension UIKitTableViewAdapter: @MainActor TableChangesObserver {
    /// The data source calls it.
    public func contentWillChange(of sender: any TableChangesSender) {}

    /// The data source calls it.
    public func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
      var changes = changes
      if let move = userMove {
        userMove = nil
        changes = changes.without(shownMove: move, sectionCount: source.numberOfSections)
      }
      reporting { try tableView?.show(changes) }
      didShowChanges()
    }

    /// The data source calls it.
    public func content(of sender: any TableChangesSender, didFailWith error: any Error) {
      onError(error)
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
    var selectedRow: IndexPath? { indexPathForSelectedRow }

    func select(_ indexPath: IndexPath) {
      selectRow(at: indexPath, animated: true, scrollPosition: .none)
    }

    func deselect(_ indexPath: IndexPath) { deselectRow(at: indexPath, animated: true) }
  }
#endif
