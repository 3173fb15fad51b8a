import Foundation
import TableData
import Testing

protocol Named { var name: String { get } }

final class NameCell: TableViewCell, Configurable {
  private(set) var text = ""
  func configure(with named: any Named) { text = named.name }
}

extension Planet: Named {}
extension Moon: Named {}

struct DataSourceSamples {
  @Test func oneCellShowsAllTypesOfAProtocol() throws {
    let mixed = try ArrayDataProvider<any ItemViewModel>(
      items: [Planet(id: 1, name: "Mercury"), Moon(id: 1, name: "Phobos")])
    let source = try TableViewDataSource(dataProvider: mixed)
    try source.registerCell(class: NameCell.self, identifier: "name", for: (any Named).self)
    let table = TableView()
    table.dataSource = source
    try table.reloadData()
    #expect(table.visibleCells.map { ($0 as? NameCell)?.text } == ["Mercury", "Phobos"])
  }

  @Test func aCellShowsAViewModel() throws {
    let planets = try ArrayDataProvider(items: [Planet(id: 1, name: "Mercury")])
    let source = try TableViewDataSource(dataProvider: planets)
    try source.registerCell(class: PlanetCell.self, identifier: "planet", for: Planet.self)

    let table = TableView(height: 20)
    table.dataSource = source
    try table.reloadData()
    #expect((table.visibleCells.first as? PlanetCell)?.text == "Mercury")
    source.footerTitle = { section in "\(section.numberOfRows) in all" }
    #expect(try source.titleForFooter(inSection: 0) == "1 in all")
    let lines = try printed {
      try source.registerActions(for: Planet.self) { planet in
        RowActions(
          trailing: [RowAction("Rename") { print("rename \(planet.name)") }],
          menu: [RowAction("Copy") { print("copy \(planet.name)") }])
      }
      try source.actionsForRow(at: [0, 0]).perform("Copy")
    }
    #expect(lines == ["copy Mercury"])
    try source.commitDelete(forRowAt: [0, 0])
    #expect(planets.items.isEmpty)
  }

  @Test func itemsOfSeveralTypesHaveCellsOfTheirOwn() throws {
    let mixed = try ArrayDataProvider<any ItemViewModel>(
      items: [Planet(id: 1, name: "Mercury"), Moon(id: 1, name: "Phobos")])
    let source = try TableViewDataSource(dataProvider: mixed)
    try source.registerCell(class: PlanetCell.self, identifier: "planet", for: Planet.self)
    try source.registerCell(class: MoonCell.self, identifier: "moon", for: Moon.self)
    let table = TableView()
    table.dataSource = source
    try table.reloadData()
    #expect((table.visibleCells.last as? MoonCell)?.text == "Phobos")
  }
}
