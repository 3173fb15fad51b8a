#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  public import AppKit

  extension TableViewDataSource {
    /// Registers a function that makes the cells of an NSTableView for the view models of a type.
    ///
    /// ```swift
    /// try source.registerCell(identifier: "track", for: Track.self) { TrackView() }
    /// ```
    ///
    /// - Parameters:
    ///   - identifier: the identifier by which cells are reused. In one table it must be used for this class
    ///     only.
    ///   - viewModel: the type of the items.
    ///   - make: makes a cell, if none can be reused.
    /// - Throws: `TableDataError` of code `.duplicateRegistration` if the type already has a cell of AppKit,
    ///   or the identifier another class.
    @MainActor
    public func registerCell<Cell: NSView & Configurable>(
      identifier: String, for viewModel: Cell.ViewModel.Type,
      make: @escaping @MainActor () -> Cell
    ) throws {
      try viewCells.register(
        Cell.self, identifier: identifier, for: viewModel, make: { _ in make() },
        show: { (cell: Cell, viewModel: Cell.ViewModel) in cell.configure(with: viewModel) })
    }

    /// Registers the cell of an NSTableView for the view models of a type, from a nib.
    ///
    /// - Parameters:
    ///   - cellClass: the class of the cells.
    ///   - identifier: the identifier by which cells are reused. In one table it must be used for this class
    ///     only.
    ///   - viewModel: the type of the items.
    ///   - nib: has a cell of the class. If it is nil, the table's own prototype with the identifier is used.
    /// - Throws: `TableDataError` of code `.duplicateRegistration` if the type already has a cell of AppKit,
    ///   or the identifier another class.
    @MainActor
    public func registerCell<Cell: NSView & Configurable>(
      class cellClass: Cell.Type, identifier: String, for viewModel: Cell.ViewModel.Type,
      nib: NSNib?
    ) throws {
      try viewCells.register(
        cellClass, identifier: identifier, for: viewModel,
        make: { table in
          if let table = table as? NSTableView, let nib {
            table.register(nib, forIdentifier: NSUserInterfaceItemIdentifier(identifier))
          }
          return nil
        },
        show: { (cell: Cell, viewModel: Cell.ViewModel) in cell.configure(with: viewModel) })
    }
  }

  /// A generator whose cell is an NSView.
  @MainActor
  public protocol AppKitCellGenerator: TableCellGenerator {
    /// A cell of the table that shows the generator.
    func generate(tableView: NSTableView, for indexPath: IndexPath) -> NSView
  }

  // Its cell is one of AppKit: a row of a form needs no class here either.
  extension CellGenerator: @MainActor AppKitCellGenerator where Cell: NSView {
    /// A cell of the class, made by its `init(frame:)` if none can be reused. The identifier is the name of
    /// the class.
    public func generate(tableView: NSTableView, for indexPath: IndexPath) -> NSView {
      let identifier = NSUserInterfaceItemIdentifier(String(reflecting: Cell.self))
      let cell =
        tableView.makeView(withIdentifier: identifier, owner: nil) as? Cell ?? Cell(frame: .zero)
      cell.identifier = identifier
      build(view: cell)
      return cell
    }
  }

  // `reloadData()` and `moveRow(at:to:)` are NSTableView's own, and so is `deselectRow(_:)`.
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

    var selectedPosition: Int? { selectedRow < 0 ? nil : selectedRow }

    func selectRow(at position: Int) {
      selectRowIndexes(IndexSet(integer: position), byExtendingSelection: false)
    }

    func deselectRow(at position: Int) { deselectRow(position) }
  }
#endif
