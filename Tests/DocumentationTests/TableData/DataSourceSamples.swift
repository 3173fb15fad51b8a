import Foundation
import TableData
import TableDataTesting
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
    source.registerCell(NameCell.self)
    let table = TableView()
    table.dataSource = source
    try table.reloadData()
    #expect(table.visibleCells.map { ($0 as? NameCell)?.text } == ["Mercury", "Phobos"])
  }

  @Test func aCellShowsAViewModel() throws {
    let planets = try ArrayDataProvider(items: [Planet(id: 1, name: "Mercury")])
    let source = try TableViewDataSource(dataProvider: planets)
    source.registerCell(PlanetCell.self)

    let table = TableView(height: 20)
    table.dataSource = source
    try table.reloadData()
    #expect((table.visibleCells.first as? PlanetCell)?.text == "Mercury")
    source.configureRow = { row, planet in row.estimatedHeight = planet.name.count > 20 ? 88 : 44 }
    #expect(try source.row(at: [0, 0]).estimatedHeight == 44)
    source.footerTitle = { section in "\(try planets.numberOfRows(inSection: section)) in all" }
    #expect(try source.section(0).footer.title == "1 in all")
    let lines = try printed {
      source.registerActions(for: Planet.self) { planet in
        RowActions(
          trailing: [RowAction("Rename") { print("rename \(planet.name)") }],
          menu: [RowAction("Copy") { print("copy \(planet.name)") }])
      }
      try source.row(at: [0, 0]).actions.perform("Copy")
    }
    #expect(lines == ["copy Mercury"])
    try source.perform(.delete([0, 0]))
    #expect(planets.items.isEmpty)
  }

  @Test func itemsOfSeveralTypesHaveCellsOfTheirOwn() throws {
    let mixed = try ArrayDataProvider<any ItemViewModel>(
      items: [Planet(id: 1, name: "Mercury"), Moon(id: 1, name: "Phobos")])
    let source = try TableViewDataSource(dataProvider: mixed)
    source.registerCell(PlanetCell.self)
    source.registerCell(MoonCell.self)
    let table = TableView()
    table.dataSource = source
    try table.reloadData()
    #expect((table.visibleCells.last as? MoonCell)?.text == "Phobos")
  }
}
