import Foundation
import TableData
import TableDataTesting
import Testing

struct CompositionSamples {
  final class Greeting: ComposableTableViewDataSource {
    weak var observer: (any TableChangesObserver)?
    let numberOfSections = 1
    func section(_ section: Int) -> TableSection { TableSection(numberOfRows: 1) }
    func row(at indexPath: IndexPath) -> TableRow {
      TableRow("Hello", cell: TableCell(SettingCell.self))
    }
  }

  @Test func severalListsAreOne() throws {
    let near = try planets("Near", "Mercury", "Venus", "Earth")
    let far = try planets("Far", "Uranus", "Neptune")
    let nearSource = try near.source()
    let farSource = try far.source()
    let lines = try printed {
      let list = try ComposedTableViewDataSource([nearSource, farSource])
      print(list.numberOfSections, try list.section(1).header.title ?? "")
      let batches = try checkedBatches(of: list) {
        try list.performBatch {
          try near.append(Planet(id: 4, name: "Mars"))
          try far.remove(at: 0)
        }
        try list.remove(farSource)
        try list.insert(farSource, at: 0)
      }
      #expect(batches == ["-[1,0] +[0,3]", "-[1]", "+[0]"])
      try list.append(Greeting())
      #expect(list.numberOfSections == 3)
    }
    #expect(lines == ["2 Far"])
  }

  struct Publication: ItemViewModel, Equatable {
    let id: String
    var title: String { id }
  }

  final class PublicationCell: TableViewCell, Configurable {
    private(set) var text = ""
    func configure(with publication: Publication) { text = publication.title }
  }

  func shelf(_ title: String, _ publications: [String]) throws
    -> TableViewDataSource<ArrayDataProvider<Publication>>
  {
    let source = try TableViewDataSource(
      dataProvider: ArrayDataProvider(title: title, items: publications.map(Publication.init)))
    source.registerCell(PublicationCell.self)
    return source
  }

  @Test func booksAndMagazinesAreComposed() throws {
    let lines = try printed {
      let books = try shelf("Books", ["Dune", "Emma"])
      let magazines = try shelf("Magazines", ["Byte", "Life"])
      let reading = try ComposedTableViewDataSource([books, magazines])
      let screen = TableViewController { error in print(error) }
      try screen.setDataSource(reading)

      try screen.selectRow(at: [0, 1])
      try screen.moveRow(at: [0, 1], to: [1, 0])
      print(screen.tableView.indexPathForSelectedRow == [1, 0], magazines.dataProvider.items.count)
      try reading.swap(books, magazines)
      #expect(screen.tableView.indexPathForSelectedRow == [0, 0])
      #expect(
        screen.tableView.visibleCells.map { ($0 as? PublicationCell)?.text }
          == ["Emma", "Byte", "Life", "Dune"])
    }
    #expect(lines == ["true 3"])
  }

  final class SettingCell: TableViewCell, Configurable {
    private(set) var text = ""
    func configure(with setting: String) { text = setting }
  }

  final class DetailCell: TableViewCell, Configurable {
    private(set) var text = ""
    private(set) var detail = ""
    func configure(with planet: Planet) {
      text = planet.name
      detail = "No. \(planet.id)"
    }
  }

  @Test func aFormAndDetailsAreOnOneScreen() throws {
    let lines = try printed {
      let planets = try ArrayDataProvider(
        title: "Planets", items: [Planet(id: 2, name: "Venus"), Planet(id: 1, name: "Mercury")])
      let details = try TableViewDataSource(dataProvider: planets)
      details.registerCell(DetailCell.self)
      let settings = try DataDisplayManager {
        TitleHeaderGenerator(title: "Settings")
        CellGenerator(SettingCell.self, "Sort by name") { _ in
          do {
            try planets.performBatch { $0.sort { $0.name < $1.name } }
          } catch {
            print(error)
          }
        }
      }
      let screen = TableViewController { error in print(error) }
      try screen.setDataSource(try ComposedTableViewDataSource([settings, details]))
      try screen.selectRow(at: [0, 0])
      #expect(
        screen.tableView.visibleCells.compactMap { ($0 as? DetailCell)?.detail }
          == ["No. 1", "No. 2"])
    }
    #expect(lines.isEmpty)
  }
}
