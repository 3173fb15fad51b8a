import Foundation
import TableData
import TableDataTesting
import Testing

/// Which cell shows a view model.
struct CellRegistryTests {
  private protocol DetailedText { var detail: String { get } }
  private protocol Marked { var isMarked: Bool { get } }

  private struct Track: ItemViewModel, DetailedText {
    let id = 1
    let detail = "track"
  }
  private struct Album: ItemViewModel, DetailedText, Marked {
    let id = 1
    let detail = "album"
    let isMarked = true
  }
  private class Person: ItemViewModel {
    let id = 1
  }
  private class Artist: Person {}
  private final class Singer: Artist, DetailedText {
    let detail = "singer"
  }

  private final class DetailedCell: TableViewCell, Configurable {
    private(set) var text = ""
    func configure(with viewModel: any DetailedText) { text = viewModel.detail }
  }
  private final class MarkedCell: TableViewCell, Configurable {
    func configure(with viewModel: any Marked) {}
  }
  private final class TrackCell: TableViewCell, Configurable {
    func configure(with viewModel: Track) {}
  }
  private final class OtherTrackCell: TableViewCell, Configurable {
    func configure(with viewModel: Track) {}
  }
  private final class PersonCell: TableViewCell, Configurable {
    func configure(with viewModel: Person) {}
  }
  private final class ArtistCell: TableViewCell, Configurable {
    func configure(with viewModel: Artist) {}
  }

  private typealias Source = TableViewDataSource<ArrayDataProvider<any ItemViewModel>>

  private func source(_ items: any ItemViewModel...) throws -> Source {
    try TableViewDataSource(dataProvider: try ArrayDataProvider(items: items))
  }

  private func cells(of source: any ComposableTableViewDataSource) throws -> [String] {
    let table = TableView()
    table.dataSource = source
    try table.reloadData()
    return table.visibleCells.map { "\(type(of: $0))" }
  }

  @Test func oneCellShowsAllTypesOfAProtocol() throws {
    let source = try source(Track(), Album())
    source.registerCell(DetailedCell.self, identifier: "detailed", for: (any DetailedText).self)
    let table = TableView()
    table.dataSource = source
    try table.reloadData()
    #expect(table.visibleCells.map { ($0 as? DetailedCell)?.text } == ["track", "album"])
  }

  @Test func theNearestRegistrationCounts() throws {
    let source = try source(Track(), Album(), Singer(), Person())
    source.registerCell(DetailedCell.self, identifier: "detailed", for: (any DetailedText).self)
    source.registerCell(TrackCell.self, identifier: "track", for: Track.self)
    source.registerCell(PersonCell.self, identifier: "person", for: Person.self)
    #expect(
      try cells(of: source) == ["TrackCell", "DetailedCell", "PersonCell", "PersonCell"])
    source.registerCell(ArtistCell.self, identifier: "artist", for: Artist.self)
    #expect(try cells(of: source)[2...] == ["ArtistCell", "PersonCell"])
  }

  @Test func twoProtocolsOfOneViewModelAreAnError() throws {
    let source = try source(Album())
    source.registerCell(DetailedCell.self, identifier: "detailed", for: (any DetailedText).self)
    source.registerCell(MarkedCell.self, identifier: "marked", for: (any Marked).self)
    let error = #expect(throws: TableDataError.self) { try cells(of: source) }
    #expect(error?.code == .duplicateRegistration)
    #expect(error?.message == "Album conforms to several registered types: DetailedText and Marked")
    #expect(error?.nextStep == "Register Album itself")
  }

  @Test func twoComponentsShowOneTypeInTwoCells() throws {
    let (first, second) = (try source(Track()), try source(Track()))
    first.registerCell(TrackCell.self, identifier: "track", for: Track.self)
    second.registerCell(OtherTrackCell.self, identifier: "other", for: Track.self)
    #expect(
      try cells(of: try ComposedTableViewDataSource([first, second]))
        == ["TrackCell", "OtherTrackCell"])
  }

  @Test func aTypeOfNoRegistrationIsAnError() throws {
    let source = try source(Person())
    source.registerCell(DetailedCell.self, identifier: "detailed", for: (any DetailedText).self)
    let error = #expect(throws: TableDataError.self) { try cells(of: source) }
    #expect(error?.code == .unregisteredViewModel)
  }

  /// Destinations are found as cells are.
  @Test func aDestinationOfAProtocolIsFound() throws {
    let source = try source(Track(), Singer())
    source.registerCell(DetailedCell.self, identifier: "detailed", for: (any DetailedText).self)
    let router = DestinationRouter()
    var shown: [String] = []
    for name in ["detail", "person"] { router.register(name) { shown.append($0.destination) } }
    let screen = TableViewController(router: router) { Issue.record($0) }
    screen.register(destination: "detail", for: (any DetailedText).self)
    screen.register(destination: "person", for: Person.self)
    try screen.setDataSource(source)
    try screen.selectRow(at: [0, 0])
    try screen.selectRow(at: [0, 1])
    #expect(shown == ["detail", "person"])
  }
}
