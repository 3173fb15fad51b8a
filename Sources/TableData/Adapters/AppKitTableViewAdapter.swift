#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  public import AppKit

  /// Shows a data source in an NSTableView: each section's header as a group row, then its rows.
  ///
  /// ```swift
  /// let adapter = try AppKitTableViewAdapter(list, in: tableView, onError: report) { view, model in
  ///   (view as? TrackView)?.show(model)
  /// }
  /// ```
  ///
  /// It is the data source's observer, and the table's data source and delegate; the table does not
  /// keep it alive. A view is made by the table, by the identifier of its column.
  @MainActor
  public final class AppKitTableViewAdapter: NSObject {
    /// Where the rows come from.
    public let source: any ComposableTableViewDataSource

    private weak var tableView: NSTableView?
    private let onError: (any Error) -> Void
    private let configure: (NSView, Any) -> Void
    private var rows: FlatRows

    /// Shows a data source.
    ///
    /// - Parameters:
    ///   - hasHeaders: whether each section has a group row.
    ///   - onError: told what goes wrong where nobody has called who could be told.
    ///   - configure: shows what a row has, or the title of a header, in a view.
    /// - Throws: `TableDataError` of code `.alreadyObserved`; what counting the rows throws.
    public init(
      _ source: any ComposableTableViewDataSource, in tableView: NSTableView,
      hasHeaders: Bool = true, onError: @escaping (any Error) -> Void,
      configure: @escaping (NSView, Any) -> Void
    ) throws {
      self.source = source
      self.tableView = tableView
      self.onError = onError
      self.configure = configure
      rows = FlatRows(try Self.counts(of: source), hasHeaders: hasHeaders)
      super.init()
      try source.beObserved(by: self)
      tableView.dataSource = self
      tableView.delegate = self
    }

    private static func counts(of source: any ComposableTableViewDataSource) throws -> [Int] {
      try (0..<source.numberOfSections).map(source.numberOfRows(inSection:))
    }
  }

  extension AppKitTableViewAdapter: NSTableViewDataSource, NSTableViewDelegate {
    /// Asked by the table.
    public func numberOfRows(in tableView: NSTableView) -> Int { rows.total }

    /// Asked by the table.
    public func tableView(_ tableView: NSTableView, isGroupRow row: Int) -> Bool {
      if case .header? = rows.place(at: row) { true } else { false }
    }

    /// Asked by the table.
    public func tableView(
      _ tableView: NSTableView, viewFor tableColumn: NSTableColumn?, row: Int
    ) -> NSView? {
      let column = tableColumn ?? tableView.tableColumns.first
      guard let column, let place = rows.place(at: row),
        let view = tableView.makeView(withIdentifier: column.identifier, owner: self)
      else { return nil }
      do {
        switch place {
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
    /// Called by the data source.
    public func contentWillChange(of sender: any TableChangesSender) {}

    /// Called by the data source.
    public func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
      do {
        let counts = try Self.counts(of: source)
        // Not in place: the view asks for its rows meanwhile.
        try tableView?.show(changes, in: rows, newCounts: counts) { rows = $0 }
      } catch {
        onError(error)
      }
    }

    /// Called by the data source.
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

    func insertRows(at rows: Range<Int>) {
      insertRows(at: IndexSet(integersIn: rows), withAnimation: .effectFade)
    }

    func removeRows(at rows: Range<Int>) {
      removeRows(at: IndexSet(integersIn: rows), withAnimation: .effectFade)
    }

    func reloadRow(at row: Int) {
      reloadData(
        forRowIndexes: IndexSet(integer: row),
        columnIndexes: IndexSet(integersIn: 0..<numberOfColumns))
    }
  }
#endif
