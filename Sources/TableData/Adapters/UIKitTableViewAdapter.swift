#if canImport(UIKit) && !os(watchOS)
  public import UIKit

  /// Shows a data source in a UITableView.
  ///
  /// ```swift
  /// list.registerCell(TrackCell.self)
  /// let adapter = try UIKitTableViewAdapter(list, in: tableView)
  /// ```
  ///
  /// It is the observer of the data source, and makes the data source of the table, which keeps no strong reference.
  /// The cells are the ones registered in a ``TableViewDataSource``, or built by a generator. A UITableView needs a
  /// cell for each row: if there is an error, it is reported, and the cell is empty.
  @MainActor
  public final class UIKitTableViewAdapter: NSObject {
    /// The data source of the rows.
    public var source: any ComposableTableViewDataSource { updater.source }

    let updater: TableUpdater
    let dataSource: UIKitTableDataSource
    private weak var tableView: UITableView?
    private var preparedHeadings = PreparedCells()

    /// Shows a data source. The table is empty until it is reloaded.
    ///
    /// - Parameter onError: called with errors that no method can throw; prints them by default.
    /// - Throws: `TableDataError` with code `.alreadyObserved`.
    public init(
      _ source: any ComposableTableViewDataSource, in tableView: UITableView,
      onError: ((any Error) -> Void)? = nil
    ) throws {
      self.tableView = tableView
      weak var adapter: UIKitTableViewAdapter?
      updater = try TableUpdater(
        source, onError: onError ?? TableScreen.printError, show: { try adapter?.show($0) },
        showAgain: { try adapter?.showAgain(rowsAt: $0) })
      dataSource = UIKitTableDataSource(updater)
      super.init()
      adapter = self
      updater.didDefer = { adapter?.updater.showPendingLater() }
      tableView.dataSource = dataSource
    }

    /// The view of a header or footer, a UITableViewHeaderFooterView; nil for one with a title only, which the table
    /// draws itself.
    func view(of heading: TableHeading) -> UIView? {
      guard let tableView, let cell = heading.cell, let viewModel = heading.viewModel
      else { return nil }
      return updater.answer(nil) {
        if try preparedHeadings.add(cell) {
          tableView.register(cell.cellClass, forHeaderFooterViewReuseIdentifier: cell.identifier)
        }
        let view = tableView.dequeueReusableHeaderFooterView(withIdentifier: cell.identifier)
        if let view { try cell.show(viewModel, in: view) }
        return view
      }
    }
  }

  extension UIKitTableViewAdapter: @MainActor TableUpdating {
    package func reloadData() { tableView?.reloadData() }

    package func showBatch(_ changes: TableChanges) { tableView?.showBatch(changes) }

    package func showAgain(rowsAt indexPaths: [IndexPath]) throws {
      guard let tableView else { return }
      try updater.showAgain(rowsAt: indexPaths, in: tableView)
    }

    package func showAgain(headersOfSections sections: [Int]) {
      for section in sections {
        showAgain(
          updater.heading(\.header, section), in: tableView?.headerView(forSection: section))
        showAgain(
          updater.heading(\.footer, section), in: tableView?.footerView(forSection: section))
      }
    }

    private func showAgain(_ heading: TableHeading, in view: UITableViewHeaderFooterView?) {
      guard let view else { return }
      if let cell = heading.cell, let viewModel = heading.viewModel {
        updater.reporting { try cell.show(viewModel, in: view) }
      } else {
        view.textLabel?.text = heading.title
        view.setNeedsLayout()
      }
    }
  }

  /// The data source of an adapter's table.
  final class UIKitTableDataSource: NSObject, UITableViewDataSource {
    private let updater: TableUpdater
    private var source: any ComposableTableViewDataSource { updater.source }

    init(_ updater: TableUpdater) { self.updater = updater }

    func numberOfSections(in tableView: UITableView) -> Int { source.numberOfSections }

    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
      updater.answer(0) { try source.numberOfRows(inSection: section) }
    }

    func tableView(
      _ tableView: UITableView, cellForRowAt indexPath: IndexPath
    ) -> UITableViewCell {
      var cell: UITableViewCell?
      updater.deferringChanges {
        let row = try source.row(at: indexPath)
        let new = try updater.makeCell(for: row, at: indexPath, in: tableView)
        cell = new
        if try row.actions.accessory != nil {
          new.accessoryType = .detailButton
        } else if new.accessoryType == .detailButton {
          // Of the row that the cell has shown before.
          new.accessoryType = .none
        }
      }
      return cell ?? UITableViewCell()
    }

    func tableView(
      _ tableView: UITableView, titleForHeaderInSection section: Int
    ) -> String? { updater.heading(\.header, section).title }

    func tableView(
      _ tableView: UITableView, titleForFooterInSection section: Int
    ) -> String? { updater.heading(\.footer, section).title }

    #if !os(tvOS)
      func sectionIndexTitles(for tableView: UITableView) -> [String]? {
        updater.answer(nil) { try source.sectionIndex.titles }
      }

      func tableView(
        _ tableView: UITableView, sectionForSectionIndexTitle title: String, at index: Int
      ) -> Int { updater.answer(0) { try source.sectionIndex.section(forTitle: title, at: index) } }
    #endif

    func tableView(_ tableView: UITableView, canEditRowAt indexPath: IndexPath) -> Bool {
      updater.answer(false, at: indexPath) { row in
        let actions = try row.actions
        return try row.canDelete || actions.insert != nil
          || !(actions.leading + actions.trailing).isEmpty
      }
    }

    func tableView(_ tableView: UITableView, canMoveRowAt indexPath: IndexPath) -> Bool {
      updater.answer(false, at: indexPath) { try $0.canMove }
    }

    func tableView(
      _ tableView: UITableView, commit editingStyle: UITableViewCell.EditingStyle,
      forRowAt indexPath: IndexPath
    ) {
      updater.reporting {
        switch editingStyle {
        case .delete: try source.perform(.delete(indexPath))
        case .insert: try source.row(at: indexPath).actions.insert?.perform()
        default: break
        }
      }
    }

    /// The table already shows the row at its new index path.
    func tableView(
      _ tableView: UITableView, moveRowAt sourceIndexPath: IndexPath,
      to destinationIndexPath: IndexPath
    ) { updater.moveRow(at: sourceIndexPath, to: destinationIndexPath) }
  }
#endif
