#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  public import AppKit

  extension TableViewDataSource {
    /// Registers a cell of an NSTableView, with a function that makes one if none can be reused.
    ///
    /// ```swift
    /// source.registerCell { TrackView(labelWithString: "") }
    /// ```
    @MainActor
    public func registerCell<Cell: NSView & Configurable>(
      identifier: String? = nil, make: @escaping @MainActor () -> Cell
    ) { registerCell(Cell.self, identifier: identifier, from: .closure(make)) }
  }

  /// The cells of an adapter's table are in its first column.
  extension AppKitTable: @MainActor CellTable {
    package func register(_ cell: TableCell) {
      guard case .nib(let nib) = cell.origin else { return }
      tableView?.register(nib as? NSNib, forIdentifier: .init(cell.identifier))
    }

    package func dequeue(_ cell: TableCell, for indexPath: IndexPath) throws -> NSView {
      let identifier = NSUserInterfaceItemIdentifier(cell.identifier)
      var view = tableView?.makeView(withIdentifier: identifier, owner: self)
      if view == nil, case .closure(let make) = cell.origin { view = make() as? NSView }
      if view == nil, let viewClass = cell.cellClass as? NSView.Type {
        view = viewClass.init(frame: .zero)
      }
      guard let view else {
        throw TableDataError(
          .missingCell, "\(cell.cellClass) is not an AppKit view",
          nextStep: "Register a subclass of NSView")
      }
      view.identifier = identifier
      return view
    }

    package func cell(at indexPath: IndexPath) -> NSView? {
      guard let position = rows.position(of: .row(indexPath)) else { return nil }
      return tableView?.view(atColumn: 0, row: position, makeIfNecessary: false)
    }

    package func identifier(of cell: NSView) -> String? { cell.identifier?.rawValue }

    /// NSTableView asks for no cell again: the row is shown in the one that it has.
    package func reconfigureRows(at indexPaths: [IndexPath]) throws {
      guard configure == nil else { return reloadRows(at: indexPaths) }
      for path in indexPaths {
        let row = try source.row(at: path)
        if let view = cell(at: path) { try row.cell.show(row.viewModel, in: view) }
      }
    }

    package func reloadRows(at indexPaths: [IndexPath]) {
      for path in indexPaths { tableView?.reloadRow(at: rows.position(of: path)) }
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

    var selectedPositions: Set<Int> {
      get { Set(selectedRowIndexes) }
      set { selectRowIndexes(IndexSet(newValue), byExtendingSelection: false) }
    }
  }
#endif
