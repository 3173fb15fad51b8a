import Foundation
import TableDataTesting
import Testing

@testable import TableData

/// The calls of an NSTableView: rows without sections, one change after the other.
struct FlatTableUpdatingTests {
  /// A view that takes one change after the other, and asks for new rows at the end.
  private final class FlatView: FlatTableUpdating {
    let source: any ComposableTableViewDataSource
    let header: Void?
    var rows: FlatRows<Void>
    var shown: [String?] = []
    private(set) var reloads = 0

    init(_ source: any ComposableTableViewDataSource, hasHeaders: Bool) throws {
      self.source = source
      header = hasHeaders ? () : nil
      let counts = try Self.counts(of: source)
      rows = FlatRows(rowCounts: counts, headers: counts.map { [header] _ in header })
      try reloadData()
    }

    static func counts(of source: any ComposableTableViewDataSource) throws -> [Int] {
      try (0..<source.numberOfSections).map { try source.numberOfRows(inSection: $0) }
    }

    func text(at row: Int) throws -> String {
      switch try #require(rows.line(at: row)) {
      case .header(let section): try source.section(section).header.title ?? "-"
      case .row(let path): "\(try source.row(at: path).viewModel)"
      }
    }

    func fresh() throws -> [String] { try (0..<rows.count).map(text(at:)) }

    func show(_ changes: TableChanges) throws {
      let counts = try Self.counts(of: source)
      try show(
        changes, in: rows, newCounts: counts, header: header, setRows: { rows = $0 },
        showAgain: { for path in $0 { try reloadRow(at: rows.position(of: path)) } })
    }

    // MARK: FlatTableUpdating

    func reloadData() throws {
      reloads += 1
      shown = try fresh()
    }

    func performBatch(_ body: () throws -> Void) throws {
      try body()
      for row in shown.indices where shown[row] == nil { shown[row] = try text(at: row) }
    }

    func insertRows(at rows: Range<Int>) {
      shown.insert(contentsOf: rows.map { _ in nil }, at: rows.lowerBound)
    }

    func removeRows(at rows: Range<Int>) { shown.removeSubrange(rows) }

    func moveRow(at row: Int, to newRow: Int) { shown.insert(shown.remove(at: row), at: newRow) }

    func reloadRow(at row: Int) throws { shown[row] = try text(at: row) }

    var allowsMultipleSelection = false
    var selectedPositions: Set<Int> = [] {
      didSet { if selectedPositions.count > 1 { #expect(allowsMultipleSelection) } }
    }
  }

  private final class Relay: TableChangesObserver {
    let view: FlatView
    private(set) var errors: [any Error] = []
    init(_ view: FlatView) { self.view = view }
    func contentWillChange(of sender: any TableChangesSender) {}
    func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
      do { try view.show(changes) } catch { errors.append(error) }
    }
    func content(of sender: any TableChangesSender, didFailWith error: any Error) {
      errors.append(error)
    }
  }

  @Test func aResetReloadsEverything() throws {
    let form = DataDisplayManager()
    try form.addCellGenerators(fields("a", "b"))
    let view = try FlatView(form, hasHeaders: true)
    let relay = Relay(view)
    form.observer = relay
    try form.forceRefill()
    #expect(view.reloads == 2)
    #expect(view.shown.count == 3)
  }

  @Test func theSelectionIsAnIndexPath() throws {
    let source = try TableViewDataSource(
      dataProvider: try SectionDataProvider(sections: [Section("A", [1, 2]), Section("B", [3])]))
    let view = try FlatView(source, hasHeaders: true)
    let table = FlatSelection(table: view, rows: { view.rows })
    try table.select([1, 0])
    #expect(view.selectedPositions == [4])
    #expect(table.selectedRows.first == [1, 0])
    try table.deselect([0, 0])
    #expect(table.selectedRows.first == [1, 0])
    try table.deselect([1, 0])
    #expect(table.selectedRows.first == nil)
    view.selectedPositions = [3]
    #expect(table.selectedRows.first == nil, "a header is no row")
  }

  /// Each row that was selected deselected the one before.
  @Test func severalRowsAreSelectedIfTheSelectionAllowsIt() throws {
    let list = try SectionDataProvider(sections: [Section("A", [1, 2]), Section("B", [3, 4])])
    let source = try TableViewDataSource(dataProvider: list)
    let view = try FlatView(source, hasHeaders: true)
    view.allowsMultipleSelection = true
    let selection = Selection(allowsMultipleSelection: true)
    let screen = TableScreen(selection: selection, router: nil)
    let table = FlatSelection(table: view, rows: { view.rows })
    let relay = Relay(view)
    source.observer = relay
    for item in [4, 1] { selection.insert(item) }
    try screen.showSelection(in: table, of: source)
    #expect(view.selectedPositions == [1, 5])
    // The user clicks on one row while the command key is pressed, then again, and then on another one without it.
    var selected: [Int] { selection.identities(as: Int.self) }
    view.selectedPositions = [1, 4, 5]
    try screen.followSelection(in: table, of: source)
    #expect(selected == [4, 1, 3])
    view.selectedPositions = [4, 5]
    try screen.followSelection(in: table, of: source)
    #expect(selected == [4, 3])
    #expect(view.selectedPositions == [4, 5])
    view.selectedPositions = [2]
    try screen.followSelection(in: table, of: source)
    #expect(selected == [2])
    #expect(view.selectedPositions == [2])
    view.selectedPositions = [2, 3, 4]
    try screen.followSelection(in: table, of: source)
    #expect(selected == [2, 3])
    #expect(table.selectedRows == [[0, 1], [1, 0]], "a header is no row")
    try list.remove(at: [0, 0])
    view.selectedPositions = []
    try screen.showSelection(in: table, of: source)
    #expect(view.selectedPositions == [1, 3])
    #expect(relay.errors.isEmpty)
  }

  @Test func aSelectedRowMayMoveTheOthers() throws {
    let form = DataDisplayManager()
    let rows = fields("a", "b", "c")
    try form.addCellGenerators(rows)
    let view = try FlatView(form, hasHeaders: false)
    view.allowsMultipleSelection = true
    let relay = Relay(view)
    form.observer = relay
    /// Moves the last row to the top.
    final class Mover: SelectionObserver {
      let move: () throws -> Void
      init(_ move: @escaping () throws -> Void) { self.move = move }
      func selectionDidChange(_ selection: Selection) {
        do { try move() } catch { Issue.record(error) }
      }
    }
    let mover = Mover { try form.move(rows[2], to: [0, 0]) }
    let selection = Selection(allowsMultipleSelection: true)
    selection.addObserver(mover)
    let screen = TableScreen(selection: selection, router: nil)
    view.selectedPositions = [0, 1]
    let table = FlatSelection(table: view, rows: { view.rows })
    try screen.followSelection(in: table, of: form)
    #expect(rows.map(\.selections) == [1, 1, 0])
    #expect(view.selectedPositions == [1, 2])
  }

  @Test func theSelectionIsShownInTheRowsOfAfterTheAction() throws {
    /// A button, of which each click adds fields above the other section.
    final class More: TableCellGenerator, ViewBuilding {
      let add: (More) -> Void
      init(add: @escaping (More) -> Void) { self.add = add }
      var row: TableRow { TableRow(self, staysSelected: false) }
      func build(view: FieldCell) {}
      func didSelect() { add(self) }
    }
    let (top, bottom) = (DataDisplayManager(), DataDisplayManager())
    try top.addCellGenerator(
      More { button in
        do {
          for field in fields("x", "y", "z") { try top.insert(field, before: button) }
        } catch {
          Issue.record(error)
        }
      })
    try top.addCellGenerators(fields("a", "b", "c", "d"))
    let shown = fields("e", "f", "g", "h")
    try bottom.addCellGenerators(shown)
    let list = try ComposedTableViewDataSource([top, bottom])
    let view = try FlatView(list, hasHeaders: false)
    let relay = Relay(view)
    list.observer = relay
    let selection = Selection()
    let screen = TableScreen(selection: selection, router: nil)
    let table = FlatSelection(table: view, rows: { view.rows })
    try screen.selectRow(at: [1, 0], in: table, of: list)
    #expect(view.selectedPositions == [5])
    // The adapter's own observer shows the selection after each change.
    try screen.selectRow(at: [0, 0], in: table, of: list)
    #expect(table.selectedRows.first == [1, 0])
    #expect(view.selectedPositions == [8])
    #expect(relay.errors.isEmpty)
  }

  /// A drop before a line is what `moveRow(at:to:)` makes of it.
  @Test(arguments: [true, false])
  func aRowIsDroppedBeforeALine(hasHeaders: Bool) throws {
    let counts = [2, 0, 3]
    let rows = FlatRows<Void>(
      rowCounts: counts, headers: counts.map { _ in hasHeaders ? () : nil })
    for (section, count) in counts.enumerated() {
      for row in 0..<count {
        let source = IndexPath(row: row, section: section)
        for position in 0...rows.count {
          var lines = (0..<rows.count).map { rows.line(at: $0) }
          let from = rows.position(of: source)
          lines.insert(.row([9, 9]), at: position)
          lines.remove(at: from < position ? from : from + 1)
          // Above the first header there is no place: it is below it then.
          var expected = lines.firstIndex(of: .row([9, 9]))
          if hasHeaders, position == 0 { expected = 1 }
          guard let target = rows.dropTarget(of: source, at: position) else {
            #expect(expected == from, "\(source) before line \(position)")
            continue
          }
          var moved = rows
          _ = moved.removeRow(at: source)
          let place = moved.insertRow(at: target)
          #expect(place == expected, "\(source) before line \(position) to \(target)")
        }
      }
    }
    #expect(FlatRows<Void>().dropTarget(of: [0, 0], at: 0) == nil)
  }

  @Test(arguments: SeededGenerator.seeds(20), [true, false])
  func theViewShowsWhatThereIs(seed: UInt64, hasHeaders: Bool) throws {
    var edits = RandomEdits(seed: seed)
    let sections = try SectionDataProvider(sections: [Section("A", [1, 2, 3]), Section("B", [4])])
    let filtered = try FilteredDataProvider(
      try SectionDataProvider(sections: [Section("C", [1, 2, 3, 4])])
    ) { !$0.id.isMultiple(of: 3) }
    let form = DataDisplayManager()
    let list = try ComposedTableViewDataSource([
      try TableViewDataSource(dataProvider: sections), form,
      try TableViewDataSource(dataProvider: filtered),
    ])
    let view = try FlatView(list, hasHeaders: hasHeaders)
    let relay = Relay(view)
    list.observer = relay
    for step in 0..<40 {
      switch edits.number(in: 0..<5) {
      case 0: try edits.edit(filtered.base)
      case 1: try edits.edit(form)
      case 2:
        // Sections whose rows are not listed.
        try list.performBatch {
          try edits.edit(sections)
          try edits.edit(sections)
          try edits.edit(form)
        }
      default: try edits.edit(sections)
      }
      let (shown, fresh) = (view.shown, try view.fresh())
      try #require(shown == fresh, "step \(step)")
      try view.rows.checkInvariants()
    }
    #expect(relay.errors.isEmpty)
  }
}
