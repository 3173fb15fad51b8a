import Foundation
import Testing

@testable import TableData

/// What the adapters of UIKit have in common, with a table that behaves as UIKit's do.
struct StandInTests {
  final class FieldView: StandInTable.Cell {}
  final class ItemView: StandInTable.Cell, Configurable {
    func configure(with viewModel: Item) { text = "\(viewModel.id)\(viewModel.text)" }
  }
  final class OtherView: StandInTable.Cell, Configurable {
    func configure(with viewModel: String) { text = viewModel }
  }

  /// A class of an app: it says nothing of cells.
  final class Volume: TableCellGenerator, ViewBuilding {
    var volume = 5
    private(set) var events: [String] = []
    weak var displayManager: DataDisplayManager?
    var row: TableRow { TableRow(self, canDelete: true, canMove: true) }
    func build(view: FieldView) { view.text = "volume \(volume)" }
    func willDisplay() { events.append("+") }
    func didEndDisplaying() { events.append("-") }
  }

  private func source(_ ids: Int...) throws -> TableViewDataSource<ArrayDataProvider<Item>> {
    let source = try TableViewDataSource(dataProvider: try ArrayDataProvider(items: items(ids)))
    source.registerCell(ItemView.self)
    return source
  }

  /// It was shown in an empty cell, with the error `unregisteredViewModel`.
  @Test func aGeneratorThatBuildsAViewIsShown() throws {
    let volume = Volume()
    let adapter = try StandInAdapter(try DataDisplayManager { volume })
    #expect(adapter.table.shown == [["volume 5"]])
    #expect(adapter.errors.isEmpty)
  }

  /// Nothing happened, and the result was `false`.
  @Test func aGeneratorIsShownAgainInItsCell() throws {
    let volume = Volume()
    let form = try DataDisplayManager { volume }
    let list = try ComposedTableViewDataSource([try source(1, 2), form])
    let adapter = try StandInAdapter(list)
    let cell = adapter.table.cells[1][0]
    volume.volume = 6
    try form.update(generators: [volume])
    #expect(adapter.table.shown == [["1", "2"], ["volume 6"]])
    volume.volume = 7
    try volume.refresh()
    #expect(adapter.table.cells[1][0] === cell)
    #expect(cell.text == "volume 7")
    #expect(volume.events == ["+"], "the row stays displayed")
    #expect(adapter.table.registrations.count == 2)
  }

  /// They were reloaded, so that a text field lost its keyboard.
  @Test func movedAndUpdatedRowsKeepTheirCells() throws {
    let source = try source(1, 2, 3)
    let adapter = try StandInAdapter(source)
    let cells = adapter.table.cells[0]
    try source.dataProvider.performBatch { items in
      items[0].text = "!"
      items.append(items.remove(at: 0))
      items[0].text = "?"
    }
    #expect(adapter.table.shown == [["2?", "3", "1!"]])
    #expect(
      adapter.table.cells[0].map(ObjectIdentifier.init)
        == [cells[1], cells[2], cells[0]].map(ObjectIdentifier.init))
  }

  /// UIKit raises an exception if a row is reconfigured that has another kind of cell now.
  @Test func aRowWithAnotherKindOfCellIsReloaded() throws {
    let list = try ArrayDataProvider<Any>(items: [Item(id: 1)], identity: { _ in 1 as Int? })
    let source = try TableViewDataSource(dataProvider: list)
    source.registerCell(ItemView.self)
    source.registerCell(OtherView.self)
    let adapter = try StandInAdapter(source)
    try list.replace(at: 0, with: "text")
    #expect(adapter.table.cells[0][0] is OtherView)
    #expect(adapter.table.shown == [["text"]])
    #expect(adapter.errors.isEmpty)
  }

  /// The list that it goes to must be notified, so it cannot keep its cell.
  @Test func aRowThatGoesToAnotherListIsDisplayedThere() throws {
    let volume = Volume()
    let first = try DataDisplayManager {
      volume
      Volume()
    }
    let list = try ComposedTableViewDataSource([first, try DataDisplayManager { Volume() }])
    let adapter = try StandInAdapter(list)
    volume.volume = 6
    try list.perform(.move([0, 0], to: [1, 0]))
    #expect(volume.events == ["+", "+", "-"])
    #expect(adapter.table.shown == [["volume 5"], ["volume 6", "volume 5"]])
    #expect(adapter.errors.isEmpty)
  }

  /// Two components may use one identifier for two classes.
  @Test func aTableHasOneClassForAnIdentifier() throws {
    let first = try TableViewDataSource(dataProvider: try ArrayDataProvider(items: items([1])))
    first.registerCell(ItemView.self, identifier: "cell")
    let second = try TableViewDataSource(
      dataProvider: try ArrayDataProvider(items: ["a"], identity: { (text: String) in text }))
    second.registerCell(OtherView.self, identifier: "cell")
    let adapter = try StandInAdapter(try ComposedTableViewDataSource([first, second]))
    #expect((adapter.errors.first as? TableDataError)?.code == .duplicateRegistration)
    #expect(adapter.errors.count == 1)
    #expect(adapter.table.shown == [["1"], [""]])
  }

  // MARK: Rows as values

  /// A property of a row reaches each table, whatever is in between.
  @Test func whatARowHasReachesTheTable() throws {
    let tracks = try source(1, 2)
    tracks.configureRow = { row, item in
      row.estimatedHeight = Double(item.id) * 10
      row.height = item.id == 2 ? 50 : nil
    }
    let field = CellGenerator(ItemView.self, Item(id: 3))
    field.estimatedHeight = 7
    let inner = try ComposedTableViewDataSource([try DataDisplayManager { field }, tracks])
    let list = try ComposedTableViewDataSource([inner])
    let adapter = try StandInAdapter(list)
    let updater = try #require(adapter.updater)
    func estimates(_ section: Int, _ count: Int) -> [Double?] {
      (0..<count).map { row in
        updater.answer(nil, at: IndexPath(row: row, section: section)) { $0.estimatedHeight }
      }
    }
    #expect(estimates(0, 1) == [7])
    #expect(estimates(1, 2) == [10, 20])
    #expect(try list.row(at: [1, 1]).height == 50)
    #expect(adapter.errors.isEmpty)
  }
}
