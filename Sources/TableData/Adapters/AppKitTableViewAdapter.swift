#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  public import AppKit

  /// Shows a data source in an NSTableView: for each section its header, as a group row, and its rows.
  ///
  /// ```swift
  /// let adapter = try AppKitTableViewAdapter(list, in: tableView, onError: report) { view, model in
  ///   (view as? TrackView)?.show(model)
  /// }
  /// ```
  ///
  /// It is the observer of the data source, and the data source and delegate of the table. The table does
  /// not keep a strong reference. The table makes the views, by the identifier of their column.
  @MainActor
  public final class AppKitTableViewAdapter: NSObject {
    /// The data source of the rows.
    public let source: any ComposableTableViewDataSource

    private weak var tableView: NSTableView?
    private let onError: (any Error) -> Void
    private let configure: (NSView, Any) -> Void
    private let header: Void?
    private var rows: FlatRows<Void>

    /// Shows a data source.
    ///
    /// - Parameters:
    ///   - hasHeaders: whether each section has a group row.
    ///   - onError: called with errors that no method can throw.
    ///   - configure: shows the view model of a row, or the title of a header, in a view.
    /// - Throws: `TableDataError` of code `.alreadyObserved`; any error of counting the rows.
    public init(
      _ source: any ComposableTableViewDataSource, in tableView: NSTableView,
      hasHeaders: Bool = true, onError: @escaping (any Error) -> Void,
      configure: @escaping (NSView, Any) -> Void
    ) throws {
      self.source = source
      self.tableView = tableView
      self.onError = onError
      self.configure = configure
      header = hasHeaders ? () : nil
      let counts = try Self.counts(of: source)
      rows = FlatRows(rowCounts: counts, headers: [Void?](repeating: header, count: counts.count))
      super.init()
      try source.setObserver(self)
      tableView.dataSource = self
      tableView.delegate = self
    }

    private static func counts(of source: any ComposableTableViewDataSource) throws -> [Int] {
      try (0..<source.numberOfSections).map(source.numberOfRows(inSection:))
    }
  }

  extension AppKitTableViewAdapter: NSTableViewDataSource, NSTableViewDelegate {
    /// The table calls it.
    public func numberOfRows(in tableView: NSTableView) -> Int { rows.count }

    /// The table calls it.
    public func tableView(_ tableView: NSTableView, isGroupRow row: Int) -> Bool {
      if case .header? = rows.line(at: row) { true } else { false }
    }

    /// The table calls it.
    public func tableView(
      _ tableView: NSTableView, viewFor tableColumn: NSTableColumn?, row: Int
    ) -> NSView? {
      let column = tableColumn ?? tableView.tableColumns.first
      guard let column, let line = rows.line(at: row),
        let view = tableView.makeView(withIdentifier: column.identifier, owner: self)
      else { return nil }
      do {
        switch line {
        case .header(let section):
          configure(view, try source.titleForHeader(inSection: section) ?? "")
        case .row(let path): configure(view, try source.viewModelForRow(at: path))
        }
      } catch {
        onError(error)
      }
      return view
    }
  }

  extension AppKitTableViewAdapter: @MainActor TableChangesObserver {
    /// The data source calls it.
    public func contentWillChange(of sender: any TableChangesSender) {}

    /// The data source calls it.
    public func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
      do {
        let counts = try Self.counts(of: source)
        // A copy of `rows` is changed, because the view reads its rows in between.
        try tableView?.show(changes, in: rows, newCounts: counts, header: header) { rows = $0 }
      } catch {
        onError(error)
      }
    }

    /// The data source calls it.
    public func content(of sender: any TableChangesSender, didFailWith error: any Error) {
      onError(error)
    }
  }

  // `reloadData()` and `moveRow(at:to:)` are NSTableView's own.
  extension NSTableView: @MainActor FlatTableUpdating {
    func performBatch(_ body: () throws -> Void) throws {
      beginUpdates()
      defer { endUpdates() }
      try body()
    }

    func insertRows(at positions: Range<Int>) {
      insertRows(at: IndexSet(integersIn: positions), withAnimation: .effectFade)
    }

    func removeRows(at positions: Range<Int>) {
      removeRows(at: IndexSet(integersIn: positions), withAnimation: .effectFade)
    }

    func reloadRow(at position: Int) {
      reloadData(
        forRowIndexes: IndexSet(integer: position),
        columnIndexes: IndexSet(integersIn: 0..<numberOfColumns))
    }
  }
#endif
