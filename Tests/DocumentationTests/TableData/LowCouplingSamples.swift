import FetchedResults
import Foundation
import RecordImporting
import TableData
import TableDataTesting
import Testing

struct Cover: Codable, Identifiable, FetchableRecord {
  let id: Int64
  let artist: String?
  let label: String
  let image: String

  static let recordDescription = RecordDescription(table: "cover", key: \Cover.id)
}

final class CoverCell: TableViewCell, Configurable {
  private(set) var text = ""
  func configure(with cover: Cover) { text = cover.label }
}

/// The list depends on the covers, and neither on the page nor on the table.
@MainActor struct CoverList: @MainActor TableViewDataSourceFactory {
  let database: Database

  func makeDataSource() throws -> any ComposableTableViewDataSource {
    let covers = try FetchedResultsProvider(
      database: database, request: Cover.all.sorted(by: \.label), sectionedBy: \.artist)
    let source = try TableViewDataSource(dataProvider: covers)
    source.registerCell(CoverCell.self)
    try covers.performFetch()
    covers.startObserving()
    return source
  }
}

/// The page depends on the covers and the selection, and not on the list.
@MainActor final class CoverPage: @MainActor SelectionObserver {
  let loadImage: (String) async throws -> Data
  private let covers: FetchedList<Cover>

  init(
    _ database: Database, selection: Selection, loadImage: @escaping (String) async throws -> Data
  ) throws {
    self.loadImage = loadImage
    covers = FetchedList(database: database, request: Self.request(for: selection))
    try covers.fetch()
    covers.provider?.startObserving()
    selection.addObserver(self)
  }

  /// The newest version of the selected cover; nil if none is selected, or if it was deleted.
  var cover: Cover? { covers.rows.first?.object }

  func selectionDidChange(_ selection: Selection) {
    covers.request = Self.request(for: selection)
  }

  /// The image of the cover; nil if another one is selected by the time it is loaded.
  func image() async throws -> Data? {
    guard let cover else { return nil }
    let data = try await loadImage(cover.image)
    return self.cover?.id == cover.id ? data : nil
  }

  private static func request(for selection: Selection) -> FetchRequest<Cover> {
    Cover.all.filter("\(\.id) = \(selection.identity(as: Cover.ID.self))")
  }
}

/// The columns of a screen: the list and the page side by side, or one of them.
@MainActor struct CoverBrowser {
  enum Column { case list, page }

  let selection: Selection
  /// Set it when the size of the screen changes.
  var hasTwoColumns: Bool

  var columns: [Column] {
    if hasTwoColumns { return [.list, .page] }
    return selection.identity == nil ? [.list] : [.page]
  }

  /// What the Back button of a single column does.
  func goBack() { selection.select(nil) }
}

@Suite(.timeLimit(.minutes(5))) @MainActor struct LowCouplingSamples {
  /// The file of the article: its covers have no artist.
  private let file = Data(
    """
    [{"label": "Engines", "image": "engines.png"}, {"label": 5, "image": "x"},
     {"label": "Notes", "image": "notes.png"},
     {"artist": "Bix", "label": "Cornet", "image": "cornet.png"}]
    """.utf8)

  private func store() throws -> (database: Database, printed: [String]) {
    let database = try Database.inMemory()
    try database.write {
      try $0.execute(
        """
        CREATE TABLE cover(
          id INTEGER PRIMARY KEY, artist TEXT, label TEXT NOT NULL, image TEXT NOT NULL)
        """)
    }
    let lines = try printed { _ = try database.write { try importCovers(file, in: $0) } }
    return (database, lines)
  }

  private func importCovers(_ file: Data, in connection: Connection) throws -> ImportSummary {
    try connection.importRecords(
      try JSONRecords(file), into: "cover", onRefusal: { refusal in print(refusal) })
  }

  @Test func coversWithMasterAndDetail() async throws {
    let (database, refused) = try store()
    #expect(refused.count == 1 && refused[0].hasPrefix("record 2: "))
    let loadImage: (String) async throws -> Data = { Data($0.utf8) }
    var pages: [CoverPage] = []
    func show(_ page: CoverPage) { pages.append(page) }

    let selection = Selection()
    let router = DestinationRouter()
    let list = ConfigurableTableViewController(
      factory: CoverList(database: database), selection: selection, router: router,
      onError: { error in print(error) })
    let page = try CoverPage(database, selection: selection, loadImage: loadImage)
    router.register("cover") { _ in show(page) }
    list.register(destination: "cover", for: Cover.self)
    try list.loadDataSource()

    let cells = list.tableView.visibleCells.compactMap { $0 as? CoverCell }
    #expect(cells.map(\.text) == ["Engines", "Notes", "Cornet"])
    try list.selectRow(at: [0, 1])
    #expect(pages.count == 1 && page.cover?.label == "Notes")
    #expect(try await page.image() == Data("notes.png".utf8))
    // The page follows a change, and the row stays selected where it goes.
    try await follow(page) {
      try database.write {
        try $0.execute("UPDATE cover SET label = 'A note' WHERE label = 'Notes'")
      }
    }
    #expect(page.cover?.label == "A note")
    #expect(list.tableView.indexPathForSelectedRow == [0, 0])
    try await follow(page) { try list.deleteRow(at: [0, 0]) }
    #expect(page.cover == nil)
    #expect(list.tableView.numbersOfRows == [1, 1])
  }

  @Test func theScreenHasOneColumnOrTwo() {
    let selection = Selection()
    var browser = CoverBrowser(selection: selection, hasTwoColumns: false)
    #expect(browser.columns == [.list])
    selection.select(Cover.ID(2))
    #expect(browser.columns == [.page])
    browser.hasTwoColumns = true
    #expect(browser.columns == [.list, .page])
    browser.hasTwoColumns = false
    browser.goBack()
    #expect(browser.columns == [.list])
  }

  @Test func anArrayAFetchedListAndBoth() throws {
    let (database, _) = try store()
    let covers = [Cover(id: 9, artist: nil, label: "Seen before", image: "seen.png")]

    let recent = try TableViewDataSource(
      dataProvider: ArrayDataProvider(title: "Recent", items: covers))
    recent.registerCell(CoverCell.self)

    let stored = try TableViewDataSource(
      dataProvider: FetchedResultsProvider(
        database: database, request: Cover.all.sorted(by: \.label)))
    try stored.dataProvider.performFetch()
    stored.dataProvider.startObserving()
    stored.registerCell(CoverCell.self)

    let screen = TableViewController()
    try screen.setDataSource(try ComposedTableViewDataSource([recent, stored]))
    let cells = screen.tableView.visibleCells.compactMap { $0 as? CoverCell }
    #expect(cells.map(\.text) == ["Seen before", "Cornet", "Engines", "Notes"])
  }

  @Test func anImageThatComesTooLateIsNotShown() async throws {
    let (database, _) = try store()
    let selection = Selection()
    let page = try CoverPage(database, selection: selection) { name in
      selection.select(Int64(3))
      return Data(name.utf8)
    }
    #expect(try await page.image() == nil)
    selection.select(Int64(1))
    #expect(try await page.image() == nil)
  }

  /// Waits until the page and the list show what `change` does.
  private func follow(_ page: CoverPage, _ change: () throws -> Void) async throws {
    let before = page.cover?.label
    try change()
    while page.cover?.label == before { await Task.yield() }
  }
}
