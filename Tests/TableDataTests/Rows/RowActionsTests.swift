import Foundation
import TableData
import TableDataTesting
import Testing

struct RowActionsTests {
  protocol Named { var name: String { get } }
  struct Planet: ItemViewModel, Named {
    let id: Int
    let name: String
  }
  class Vehicle {}
  class Car: Vehicle {}
  final class Taxi: Car {}
  struct Moon: ItemViewModel, Named {
    let id: Int
    let name: String
  }

  let list: ArrayDataProvider<any ItemViewModel>
  let source: TableViewDataSource<ArrayDataProvider<any ItemViewModel>>
  let screen = TableViewController { Issue.record($0) }

  init() throws {
    list = try ArrayDataProvider(items: [
      Planet(id: 1, name: "Mars"), Moon(id: 1, name: "Phobos"), Item(id: 3),
    ])
    source = try TableViewDataSource(dataProvider: list)
  }

  @Test func actionsDependOnTheTypeOfTheViewModel() throws {
    source.registerActions(for: (any Named).self) { named in
      RowActions(menu: [RowAction("Copy \(named.name)") {}])
    }
    source.registerActions(for: Planet.self) { planet in
      RowActions(
        leading: [RowAction("Pin") {}],
        trailing: [RowAction("Delete", style: .destructive, imageName: "trash") {}],
        accessory: RowAction("Info") {}, insert: RowAction("Add") {},
        select: RowAction("Show \(planet.name)") {})
    }
    #expect(
      try source.row(at: [0, 0]).actions.all.map(\.title)
        == ["Pin", "Delete", "Info", "Add", "Show Mars"])
    #expect(try source.row(at: [0, 0]).actions.trailing[0].style == .destructive)
    #expect(try source.row(at: [0, 1]).actions.all.map(\.title) == ["Copy Phobos"])
    #expect(try source.row(at: [0, 2]).actions.all.isEmpty)
    source.registerActions(for: Planet.self) { _ in RowActions() }
    let error = #expect(throws: TableDataError.self) { try source.row(at: [0, 0]).actions }
    #expect(error?.code == .duplicateRegistration)
    #expect(throws: TableDataError.self) { try source.row(at: [0, 3]).actions }
  }

  /// The last registration that fitted was taken.
  @Test func theNearestRegistrationCounts() throws {
    let cars = try ArrayDataProvider(items: [Taxi()]) { ObjectIdentifier($0) }
    let source = try TableViewDataSource(dataProvider: cars)
    source.registerActions(for: Car.self) { _ in RowActions(menu: [RowAction("Drive") {}]) }
    source.registerActions(for: Vehicle.self) { _ in RowActions(menu: [RowAction("Move") {}]) }
    #expect(try source.row(at: [0, 0]).actions.all.map(\.title) == ["Drive"])
  }

  @Test func actionsOfTwoProtocolsAreAnError() throws {
    source.registerActions(for: (any Named).self) { _ in RowActions() }
    source.registerActions(for: (any ItemViewModel).self) { _ in RowActions() }
    let error = #expect(throws: TableDataError.self) { try source.row(at: [0, 0]).actions }
    #expect(error?.code == .duplicateRegistration)
  }

  /// An action refers to the item, wherever its row is by then.
  @Test func anActionIsPerformedOnItsItem() throws {
    var done: [String] = []
    source.registerActions(for: Moon.self) { [list] moon in
      RowActions(trailing: [
        RowAction("Delete") {
          done.append(moon.name)
          let row = list.items.firstIndex { ($0 as? Moon)?.id == moon.id }
          try list.remove(at: try #require(row))
        }
      ])
    }
    let form = DataDisplayManager()
    let composed = try ComposedTableViewDataSource([form, source])
    let actions = try composed.row(at: [0, 1]).actions
    try list.move(from: 1, to: 0)
    try actions.perform("Delete")
    #expect(done == ["Phobos"])
    #expect(list.items.count == 2)
  }

  @Test func aScreenPerformsAnActionByItsTitle() throws {
    var done = 0
    try source.registerCells()
    source.registerActions(for: Planet.self) { _ in
      RowActions(menu: [RowAction("Orbit") { done += 1 }], select: RowAction("Land") { done += 10 })
    }
    try screen.setDataSource(source)
    try screen.performAction("Orbit", at: [0, 0])
    try screen.selectRow(at: [0, 0])
    try screen.selectRow(at: [0, 1])
    #expect(done == 11)
    let error = #expect(throws: TableDataError.self) {
      try screen.performAction("Land", at: [0, 1])
    }
    #expect(error?.code == .unknownAction)
    #expect(error?.description.contains("Its actions are: none") == true)
  }

  @Test func heightsAreGivenByTheDataSourceOrTheCell() throws {
    source.configureRow = { row, item in row.height = item is Planet ? 60 : nil }
    let list = try ComposedTableViewDataSource([DataDisplayManager(), source])
    #expect(try list.row(at: [0, 0]).height == 60)
    #expect(try list.row(at: [0, 1]).height == nil)
  }

  final class AnyCell<ViewModel>: TableViewCell, Configurable {
    func configure(with viewModel: ViewModel) {}
  }
}

extension TableViewDataSource {
  /// A cell for each type of these tests.
  fileprivate func registerCells() throws {
    typealias Tests = RowActionsTests
    registerCell(Tests.AnyCell<Tests.Planet>.self, identifier: "planet", for: Tests.Planet.self)
    registerCell(Tests.AnyCell<Tests.Moon>.self, identifier: "moon", for: Tests.Moon.self)
    registerCell(Tests.AnyCell<Item>.self, identifier: "item", for: Item.self)
  }
}
