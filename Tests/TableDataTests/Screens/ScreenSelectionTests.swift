import Foundation
import TableData
import TableDataTesting
import Testing

/// What is selected, on one screen and on several.
struct ScreenSelectionTests {
  let selection = Selection()
  let screen: TableViewController
  let provider: SectionDataProvider<Item>
  let source: TableViewDataSource<SectionDataProvider<Item>>

  init() throws {
    screen = TableViewController(selection: selection) { Issue.record($0) }
    provider = try SectionDataProvider(sections: [Section("A", [1, 2, 3]), Section("B", [4])])
    source = try .showing(provider)
    try screen.setDataSource(source)
  }

  @Test func selectingARowSelectsItsItem() throws {
    try screen.selectRow(at: [0, 1])
    #expect(selection.identity(as: Int.self) == 2)
    #expect(screen.tableView.indexPathForSelectedRow == [0, 1])
  }

  /// In the original it was a row number.
  @Test func theSelectionFollowsTheItemAndNotTheRow() throws {
    try screen.selectRow(at: [0, 1])
    try provider.remove(at: [0, 0])
    try provider.move(from: [0, 0], to: [1, 0])
    #expect(screen.tableView.indexPathForSelectedRow == [1, 0])
    #expect(selection.identity(as: Int.self) == 2)
  }

  @Test func whatIsSelectedElsewhereIsSelectedHere() throws {
    selection.select(4)
    #expect(screen.tableView.indexPathForSelectedRow == [1, 0])
    selection.select(99)
    #expect(screen.tableView.indexPathForSelectedRow == nil)
    // As soon as it is there.
    try provider.insert(Item(id: 99), at: [0, 0])
    #expect(screen.tableView.indexPathForSelectedRow == [0, 0])
    selection.select(nil)
    #expect(screen.tableView.indexPathForSelectedRow == nil)
  }

  @Test func aDeletedItemStaysSelectedOnScreensThatStillShowIt() throws {
    try screen.selectRow(at: [0, 0])
    try provider.remove(at: [0, 0])
    #expect(screen.tableView.indexPathForSelectedRow == nil)
    #expect(selection.identity(as: Int.self) == 1)
  }

  @Test func twoScreensShowOneSelection() throws {
    let other = TableViewController(selection: selection) { _ in }
    try other.setDataSource(
      try TableViewDataSource.showing(try ArrayDataProvider(items: items([4, 3, 2]))))
    try screen.selectRow(at: [0, 2])
    #expect(other.tableView.indexPathForSelectedRow == [0, 1])
    try other.selectRow(at: [0, 2])
    #expect(screen.tableView.indexPathForSelectedRow == [0, 1])
  }

  @Test func aRowOfAComponentIsSelectedByWhatItIsThere() throws {
    let list = try ComposedTableViewDataSource([
      try TableViewDataSource.showing(try ArrayDataProvider(items: items([1, 4])))
    ])
    try screen.setDataSource(list)
    try list.append(source)
    // Both components have a 4: the one that was meant stays selected.
    try screen.selectRow(at: [2, 0])
    #expect(selection.identity(as: Int.self) == 4)
    #expect(screen.tableView.indexPathForSelectedRow == [2, 0])
    try provider.insert(Item(id: 9), at: [1, 0])
    #expect(screen.tableView.indexPathForSelectedRow == [2, 1])
    selection.select(3)
    #expect(screen.tableView.indexPathForSelectedRow == [1, 2])
  }

  @Test func anotherRowOfThatIdentityIsNotTakenForTheDeletedOne() throws {
    let array = try ArrayDataProvider(items: items([1, 4]))
    let list = try ComposedTableViewDataSource([try TableViewDataSource.showing(array)])
    try screen.setDataSource(list)
    try list.append(source)
    try screen.selectRow(at: [2, 0])
    try provider.remove(at: [1, 0])
    #expect(screen.tableView.indexPathForSelectedRow == nil)
    #expect(selection.identity(as: Int.self) == 4)
    // As soon as it is there again.
    try provider.insert(Item(id: 4), at: [0, 0])
    #expect(screen.tableView.indexPathForSelectedRow == [1, 0])
    try screen.setDataSource(nil)
    try screen.setDataSource(
      try TableViewDataSource.showing(try ArrayDataProvider(items: items([4]))))
    #expect(screen.tableView.indexPathForSelectedRow == [0, 0])
  }

  @Test func aRowDeletedBecauseOfItsSelectionIsNotSelected() throws {
    final class Closing: TableCellGenerator, ViewBuilding {
      let close: (Closing) -> Void
      init(close: @escaping (Closing) -> Void) { self.close = close }
      func build(view: FieldCell) {}
      func didSelect() { close(self) }
    }
    let form = DataDisplayManager()
    try form.addCellGenerator(
      Closing { generator in
        do { try form.remove(generator) } catch { Issue.record(error) }
      })
    try screen.setDataSource(form)
    try screen.selectRow(at: [0, 0])
    #expect(selection.identity == nil)
    #expect(form.cellGenerators.isEmpty)
  }

  @Test func theActionIsThatOfTheSelectedRowThoughAnObserverMovesIt() throws {
    /// Moves a row to the top, as a list that begins with what was read last does.
    final class Mover: SelectionObserver {
      let move: () throws -> Void
      init(_ move: @escaping () throws -> Void) { self.move = move }
      func selectionDidChange(_ selection: Selection) {
        do { try move() } catch { Issue.record(error) }
      }
    }
    let form = DataDisplayManager()
    let rows = fields("a", "b", "c")
    try form.addCellGenerators(rows)
    let mover = Mover { try form.move(rows[2], to: [0, 0]) }
    selection.addObserver(mover)
    try screen.setDataSource(form)
    try screen.selectRow(at: [0, 2])
    #expect(rows.map(\.selections) == [0, 0, 1])
    #expect(screen.tableView.indexPathForSelectedRow == [0, 0])
  }

  // MARK: Deselecting

  @Test func aDeselectOfTheUserIsReported() throws {
    let other = TableViewController(selection: selection) { Issue.record($0) }
    try other.setDataSource(
      try TableViewDataSource.showing(try ArrayDataProvider(items: items([2]))))
    try screen.selectRow(at: [0, 1])
    #expect(other.tableView.indexPathForSelectedRow == [0, 0])
    try screen.deselectRow(at: [0, 1])
    #expect(selection.identity == nil)
    #expect(screen.tableView.indexPathForSelectedRow == nil)
    #expect(other.tableView.indexPathForSelectedRow == nil)
    #expect(throws: TableDataError.self) { try screen.deselectRow(at: [0, 9]) }
  }

  /// Writes down what the user does to it.
  private final class Row: TableCellGenerator, ViewBuilding {
    let id: String
    var staysSelected = true
    var row: TableRow { TableRow(self, staysSelected: staysSelected) }
    var log: [String] = []
    var onSelect: () throws -> Void = {}
    init(_ id: String) { self.id = id }
    func build(view: TableViewCell) {}
    func didSelect() {
      log.append("select")
      do { try onSelect() } catch { Issue.record(error) }
    }
    func didDeselect() { log.append("deselect") }
  }

  @Test func theRowIsNotifiedOfItsDeselect() throws {
    let form = DataDisplayManager()
    let (first, second) = (Row("a"), Row("b"))
    try form.addCellGenerators([first, second])
    try screen.setDataSource(nil)
    try screen.setDataSource(try ComposedTableViewDataSource([source, form]))
    try screen.selectRow(at: [2, 0])
    // Only one row can be selected.
    try screen.selectRow(at: [2, 1])
    try screen.deselectRow(at: [2, 1])
    #expect(first.log == ["select", "deselect"])
    #expect(second.log == ["select", "deselect"])
  }

  // MARK: Buttons

  @Test func aButtonDoesNotStaySelected() throws {
    let form = DataDisplayManager()
    let (button, row) = (Row("button"), Row("row"))
    button.staysSelected = false
    button.onSelect = { try form.addCellGenerator(Row("new"), after: row) }
    try form.addCellGenerators([button, row])
    try screen.setDataSource(form)
    try screen.selectRow(at: [0, 1])
    for _ in 0..<2 {
      try screen.selectRow(at: [0, 0])
      #expect(screen.tableView.indexPathsForSelectedRows == [[0, 1]])
      #expect(selection.identity(as: String.self) == "row")
      button.onSelect = {}
    }
    #expect(button.log == ["select", "select"])
    #expect(row.log == ["select"])
  }

  @Test func anItemMayBeAButtonThatLeadsSomewhere() throws {
    let router = DestinationRouter()
    var shown: [Int?] = []
    router.register("item") { shown.append($0.identity(as: Int.self)) }
    screen.router = router
    screen.register(destination: "item", for: Item.self)
    source.configureRow = { row, item in row.staysSelected = item.id != 2 }
    try screen.selectRow(at: [0, 1])
    #expect(shown == [2])
    #expect(selection.identity == nil)
    #expect(screen.tableView.indexPathForSelectedRow == nil)
    try screen.selectRow(at: [0, 0])
    #expect(selection.identity == AnyHashable(1))
  }

  // MARK: Several rows

  @Test func severalRowsAreSelectedByIdentity() throws {
    let marked = Selection(allowsMultipleSelection: true)
    let screen = TableViewController(selection: marked) { Issue.record($0) }
    try self.screen.setDataSource(nil)
    try screen.setDataSource(source)
    for path in [[0, 2], [0, 0], [1, 0]] as [IndexPath] { try screen.selectRow(at: path) }
    #expect(marked.identities(as: Int.self) == [3, 1, 4])
    try provider.move(from: [0, 0], to: [1, 1])
    try provider.insert(Item(id: 9), at: [0, 0])
    #expect(screen.tableView.indexPathsForSelectedRows == [[0, 2], [1, 0], [1, 1]])
    try provider.remove(at: [1, 0])
    #expect(screen.tableView.indexPathsForSelectedRows == [[0, 2], [1, 0]])
    try screen.deselectRow(at: [0, 2])
    #expect(marked.identities(as: Int.self) == [1, 4])
    // It is still selected where it is shown, and here when it is back.
    try provider.insert(Item(id: 4), at: [0, 0])
    #expect(screen.tableView.indexPathsForSelectedRows == [[0, 0], [1, 0]])
    marked.select(9)
    #expect(screen.tableView.indexPathsForSelectedRows == [[0, 1]])
  }

  @Test func ofSeveralSelectedRowsADeletedOneIsNotSelected() throws {
    let marked = Selection(allowsMultipleSelection: true)
    let screen = TableViewController(selection: marked) { Issue.record($0) }
    let form = DataDisplayManager()
    let (gone, row) = (Row("gone"), Row("row"))
    gone.onSelect = { [unowned gone] in try form.remove(gone) }
    try form.addCellGenerators([gone, row])
    try screen.setDataSource(form)
    try screen.selectRow(at: [0, 1])
    try screen.selectRow(at: [0, 0])
    #expect(marked.identities(as: String.self) == ["row"])
    #expect(screen.tableView.indexPathsForSelectedRows == [[0, 0]])
  }

  /// The selection of a row that changes others was lost when it notified its data source.
  @Test func aRowThatChangesTheListStaysSelected() throws {
    let form = DataDisplayManager()
    let (row, other) = (Row("row"), Row("other"))
    row.onSelect = { try form.remove(other) }
    try form.addCellGenerators([other, row])
    try screen.setDataSource(form)
    try screen.selectRow(at: [0, 1])
    #expect(selection.identity == AnyHashable("row"))
    #expect(screen.tableView.indexPathForSelectedRow == [0, 0])
  }
}
