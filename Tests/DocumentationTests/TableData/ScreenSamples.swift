import Foundation
import TableData
import TableDataTesting
import Testing

struct ScreenSamples {
  struct SamplePlanets: TableViewDataSourceFactory {
    func makeDataSource() throws -> any ComposableTableViewDataSource {
      let planets = try ArrayDataProvider(items: [Planet(id: 1, name: "Mercury")])
      let source = try TableViewDataSource(dataProvider: planets)
      source.registerCell(PlanetCell.self)
      return source
    }
  }

  final class PlanetPage: SelectionObserver {
    private(set) var text = "nothing"
    private let planets: ArrayDataProvider<Planet>

    init(_ planets: ArrayDataProvider<Planet>, selection: Selection) {
      self.planets = planets
      selection.addObserver(self)
    }

    func selectionDidChange(_ selection: Selection) {
      let id = selection.identity(as: Planet.ID.self)
      text = planets.items.first { $0.id == id }?.name ?? "nothing"
    }
  }

  @Test func aScreenShowsADataSource() throws {
    let source = try planets(nil, "Mercury", "Venus").source()
    let lines = try printed {
      let screen = TableViewController(height: 20) { error in print(error) }
      try screen.setDataSource(source)
      try screen.selectRow(at: [0, 1])
      #expect(screen.selection.identity(as: Int.self) == 2)
    }
    #expect(lines.isEmpty)
  }

  @Test func aFactoryMakesTheDataSource() throws {
    let lines = try printed {
      let screen = ConfigurableTableViewController(
        factory: SamplePlanets(), onError: { error in print(error) })
      try screen.loadDataSource()
      #expect(screen.tableView.numbersOfRows == [1])

      let router = DestinationRouter()
      router.register("planet") { route in
        print("show planet", route.identity(as: Int.self) ?? 0)
      }
      screen.router = router
      screen.register(destination: "planet", for: Planet.self)
      try screen.selectRow(at: [0, 0])
    }
    #expect(lines == ["show planet 1"])
  }

  @Test func aListAndAPageShareTheSelection() throws {
    let planets = try planets(nil, "Mercury", "Venus")
    let source = try planets.source()
    let lines = try printed {
      let selection = Selection()
      let screen = TableViewController(selection: selection) { error in print(error) }
      try screen.setDataSource(source)
      let page = PlanetPage(planets, selection: selection)

      try screen.selectRow(at: [0, 1])
      print(page.text)
      try planets.move(from: 1, to: 0)
      print(screen.tableView.indexPathForSelectedRow == [0, 0], page.text)
    }
    #expect(lines == ["Venus", "true Venus"])
  }

  @Test func severalItemsAreSelected() throws {
    let lines = printed {
      let marked = Selection(allowsMultipleSelection: true)
      marked.insert(2)
      marked.insert(1)
      marked.remove(2)
      print(marked.identities(as: Planet.ID.self))
    }
    #expect(lines == ["[1]"])
  }
}
