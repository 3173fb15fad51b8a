import Foundation
import TableData
import Testing

struct ProviderSamples {
  final class Countdown: ViewModelDataProvider {
    weak var observer: (any TableChangesObserver)?
    private var start = 3

    var sections: [SectionInfo] { [SectionInfo(name: nil, numberOfRows: start)] }
    func item(at indexPath: IndexPath) -> Int { start - indexPath.row }

    func tick() {
      guard start > 0 else { return }
      observer?.contentWillChange(of: self)
      start -= 1
      observer?.contentDidChange(of: self, by: TableChanges(deletedRows: [[0, 0]]))
    }
  }

  @Test func aFlatListReportsEachMutation() throws {
    let lines = try printed {
      let planets = try ArrayDataProvider(
        title: "Planets", items: [Planet(id: 1, name: "Mercury"), Planet(id: 2, name: "Venus")])
      print(planets.sectionIndexTitles(), try planets.append(Planet(id: 3, name: "Earth")))
    }
    #expect(lines == [#"["P"] +[0,2]"#])
  }

  @Test func sectionsAreEditedFilteredAndFolded() throws {
    let lines = try printed {
      let bodies = try SectionDataProvider(sections: [
        Section(
          name: "Rock", items: [Planet(id: 1, name: "Mercury"), Planet(id: 2, name: "Venus")]),
        Section(name: "Gas", items: [Planet(id: 5, name: "Jupiter")]),
      ])
      let changes = try bodies.performBatch { sections in
        sections[0].items.swapAt(0, 1)
        sections[1].items.append(Planet(id: 6, name: "Saturn"))
      }
      print(changes)

      let filtered = try FilteredDataProvider(bodies) { $0.name.count > 5 }
      let folded = try FoldedDataProvider(filtered)
      try folded.setFolded(true, section: 0)
      print(folded.sections.map(\.numberOfRows))
      print(try bodies.setTitle("Gas giants", ofSection: 1))
    }
    #expect(lines == ["+[1,1] [0,1]>[0,0]", "[0, 2]", "[1]=[1]"])
  }

  struct PlanetRow: Equatable {
    let initial: Character?
    init(_ planet: Planet) { initial = planet.name.first }
  }

  @Test func viewModelsAreMadeOfItems() throws {
    let lines = try printed {
      let planets = try ArrayDataProvider(items: [Planet(id: 1, name: "Mars")])
      let rows = try planets.map { PlanetRow($0) }
      print(try rows.itemForRow(at: [0, 0]).initial ?? "?")
      try planets.replace(at: 0, with: Planet(id: 1, name: "Mercury"))
    }
    #expect(lines == ["M"])
  }

  @Test func aProviderOfOnesOwnConforms() throws {
    let countdown = Countdown()
    let batches = try checkedBatches(of: countdown) {
      for _ in 0..<4 { countdown.tick() }
    }
    #expect(batches.count == 3)
  }

  @Test func aDerivedListOfOnesOwnConforms() throws {
    let base = try SectionDataProvider(sections: [
      Section(name: "Rock", items: [Planet(id: 1, name: "Mercury"), Planet(id: 2, name: "Venus")]),
      Section(name: "Gas", items: [Planet(id: 5, name: "Jupiter")]),
    ])
    let capitals = try CapitalHeaders(base)
    let source = try TableViewDataSource(dataProvider: capitals)
    #expect(capitals.sections.map(\.name) == ["ROCK", "GAS"])
    let batches = try checkedBatches(of: source) {
      try base.setTitle("Rocks", ofSection: 0)
      try capitals.moveRow(at: [0, 0], to: [1, 1])
      try capitals.removeRow(at: [0, 0])
    }
    #expect(batches == ["[0]=[0]", "[0,0]>[1,1]", "-[0,0]"])
  }
}

final class CapitalHeaders<Base: ViewModelDataProvider>: DerivedDataProvider {
  typealias Item = Base.Item
  weak var observer: (any TableChangesObserver)?
  let base: Base

  init(_ base: Base) throws {
    self.base = base
    try base.setObserver(self)
  }

  var sections: [SectionInfo] {
    base.sections.map {
      SectionInfo(
        name: $0.name?.uppercased(), indexTitle: $0.indexTitle, footer: $0.footer,
        numberOfRows: $0.numberOfRows)
    }
  }
}

extension CapitalHeaders: EditableDataProvider where Base: EditableDataProvider {}
