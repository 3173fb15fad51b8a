import Foundation
import TableData
import TableDataTesting
import Testing

struct HeadlessTableSamples {
  @Test func theTableRefusesWhatUITableViewRefuses() throws {
    let lines = try printed {
      let planets = try ArrayDataProvider(items: [Planet(id: 1, name: "Mercury")])
      let source = try TableViewDataSource(dataProvider: planets)
      source.registerCell(PlanetCell.self)
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

  @Test func aRecorderHasTheRowsThatAreDisplayed() throws {
    let lines = try printed {
      let planets = try ArrayDataProvider(
        items: [
          Planet(id: 1, name: "Mercury"), Planet(id: 2, name: "Venus"),
          Planet(id: 3, name: "Earth"),
        ])
      let rows = try DisplayRecorder(planets)
      let harness = try ProviderHarness(
        try FilteredDataProvider(rows) { $0.name != "Venus" }, height: 1)
      harness.observe()
      try harness.table.setContentOffset(1)
      try harness.checkDisplayed(by: rows)
      print(rows.displayed)  // [AnyHashable(3)]
    }
    #expect(lines == ["[AnyHashable(3)]"])
  }

  @Test func aHarnessFollowsADataSource() throws {
    let source = try planets(nil, "Mercury").source()
    let list = try ComposedTableViewDataSource([source])
    let harness = try ProviderHarness(DataSourceProvider(list))
    #expect(harness.table.numbersOfRows == [1])
  }
}
