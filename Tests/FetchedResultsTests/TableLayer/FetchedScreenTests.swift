import Foundation
import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

/// Fetched lists on the screen that shows all others.
struct FetchedScreenTests {
  let database: Database
  let selection = Selection()
  let screen: ConfigurableTableViewController

  /// The errands of a database, in their lists.
  private struct Stored: TableViewDataSourceFactory {
    let database: Database

    func makeDataSource() throws -> any ComposableTableViewDataSource {
      try TableViewDataSource.showing(try Errand.provider(database))
    }
  }

  /// A few errands from nowhere.
  private struct Sample: TableViewDataSourceFactory {
    func makeDataSource() throws -> any ComposableTableViewDataSource {
      try TableViewDataSource.showing(
        try ArrayDataProvider(items: [Errand(id: 9, list: nil, title: "9", position: .first)]))
    }
  }

  init() throws {
    database = try Errand.store()
    screen = ConfigurableTableViewController(
      factory: Stored(database: database), selection: selection, height: 30
    ) { Issue.record($0) }
    try screen.loadDataSource()
  }

  private var provider: FetchedResultsProvider<Errand> {
    get throws {
      let source = screen.dataSource as? TableViewDataSource<FetchedResultsProvider<Errand>>
      return try #require(source).dataProvider
    }
  }

  @Test func theScreenShowsWhateverItsFactoryMakes() throws {
    #expect(screen.shownErrands == ["1", "2", "3", "4", "5"])
    #expect(screen.tableView.numbersOfRows == [3, 2])
    try screen.configure(with: Sample())
    #expect(screen.shownErrands == ["9"])
    try screen.configure(with: Stored(database: database))
    #expect(screen.tableView.numbersOfRows == [3, 2])
  }

  @Test func theSelectionFollowsTheRecordThroughCommits() throws {
    try screen.selectRow(at: [0, 1])
    #expect(selection.identity(as: Int64.self) == 2)
    try database.run("DELETE FROM errand WHERE id = 1; UPDATE errand SET list = 'c' WHERE id = 2;")
    try provider.refresh()
    #expect(screen.tableView.indexPathForSelectedRow == [2, 0])
    try database.run("DELETE FROM errand WHERE id = 2")
    try provider.refresh()
    #expect(screen.tableView.indexPathForSelectedRow == nil)
    #expect(selection.identity(as: Int64.self) == 2)
  }

  @Test func aRecordThatIsSelectedElsewhereIsSelectedHere() throws {
    selection.select(Int64(5))
    #expect(screen.tableView.indexPathForSelectedRow == [1, 1])
    selection.select(RowIdentity(4))
    #expect(screen.tableView.indexPathForSelectedRow == [1, 0])
    selection.select(Int64(99))
    #expect(screen.tableView.indexPathForSelectedRow == nil)
  }

  @Test func aRowLeadsToItsRecord() throws {
    let router = DestinationRouter()
    var shown: Int64?
    router.register("errand") { shown = $0.identity(as: Int64.self) }
    screen.router = router
    screen.register(destination: "errand", for: Errand.self)
    try screen.selectRow(at: [1, 0])
    #expect(shown == 4)
  }

  /// In the original the objects were unwrapped by force.
  @Test func aProviderThatHasNotFetchedIsAnEmptyList() throws {
    let provider = try FetchedResultsProvider(database: database, request: Errand.all)
    let source = try TableViewDataSource.showing(provider)
    try screen.setDataSource(source)
    #expect(screen.tableView.numbersOfRows == [])
    #expect(try source.sectionIndex.titles == [])
    #expect(throws: TableDataError.self) { try source.row(at: [0, 0]).viewModel }
    try provider.performFetch()
    #expect(screen.tableView.numbersOfRows == [5])
  }

  // MARK: The checks for everybody's providers

  @Test func aFetchedListKeepsTheProtocolsPromises() throws {
    try provider.checkConformance()
    try DataSourceProvider(try Stored(database: database).makeDataSource()).checkConformance()
    let flat = try FetchedResultsProvider(
      database: database, request: Errand.all.sorted(by: \.title).limited(to: 3, offset: 1))
    try flat.performFetch()
    try flat.checkConformance()
    let empty = try FetchedResultsProvider(
      database: database, request: Errand.all.filter("0"), sectionedBy: \.list)
    try empty.performFetch()
    try empty.checkConformance()
  }

  /// Both are sections without a name.
  @Test func nullAndTheEmptyStringAreTwoSections() throws {
    let provider = try Errand.provider(database)
    let harness = try ProviderHarness(provider) { try $0.sectionKey(at: $1) }
    harness.observe()
    for (script, told) in [
      (
        "UPDATE errand SET list = NULL WHERE list = 'a'",
        "-[0] +[0] -[0,2] -[0,1] -[0,0] +[0,0] +[0,1] +[0,2]"
      ),
      ("UPDATE errand SET list = '' WHERE list = 'b'", "-[1] +[1] -[1,1] -[1,0] +[1,0] +[1,1]"),
      ("UPDATE errand SET list = '' WHERE id = 3", "[0,2]>[1,2]"),
      ("DELETE FROM errand WHERE list IS NULL", "-[0] -[0,1] -[0,0]"),
    ] {
      try database.run(script)
      try provider.refresh()
      try harness.checkObserved()
      #expect(harness.batches.last?.description == told)
    }
    #expect(provider.sections.map(\.name) == [""])
    #expect(try provider.sectionKey(at: 0) == .text(""))
  }
}
