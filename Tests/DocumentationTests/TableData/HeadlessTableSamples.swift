import Foundation
import TableData
import TableDataTesting
import Testing

struct HeadlessTableSamples {
  @Test func theTableRefusesWhatUITableViewRefuses() throws {
    let lines = try printed {
      let planets = try ArrayDataProvider(items: [Planet(id: 1, name: "Mercury")])
      let source = try TableViewDataSource(dataProvider: planets)
      try source.registerCell(class: PlanetCell.self, identifier: "planet", for: Planet.self)
      let table = TableView(height: 20)
      table.dataSource = source
      try table.reloadData()

      do {
        try table.deleteRows(at: [[0, 0]])  // but the data source still has one row
      } catch let error as TableUpdateError {
        print(error.code)
      }
    }
    #expect(lines == ["rowCount"])
  }

  @Test func aHarnessFollowsAProvider() throws {
    let planets = try ArrayDataProvider(
      items: [Planet(id: 1, name: "Mercury"), Planet(id: 2, name: "Venus")])
    let harness = try ProviderHarness(planets)
    harness.observe()
    try planets.move(from: 1, to: 0)
    try planets.replace(at: 0, with: Planet(id: 2, name: "Morning star"))
    try harness.checkObserved()
    #expect(harness.batches.map(\.description) == ["[0,1]>[0,0]", "[0,0]=[0,0]"])
  }

  @Test func aHarnessFollowsADataSource() throws {
    let source = try planets(nil, "Mercury").source()
    let list = try ComposedTableViewDataSource([source])
    let harness = try ProviderHarness(DataSourceProvider(list))
    #expect(harness.table.numbersOfRows == [1])
  }
}
