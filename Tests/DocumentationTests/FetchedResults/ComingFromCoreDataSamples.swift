import FetchedResults
import TableData
import TableDataTesting
import Testing

struct ComingFromCoreDataSamples {
  final class ListDelegate: FetchedResultsProviderDelegate {
    let table: TableView

    init(_ table: TableView) { self.table = table }

    func provider(_ provider: FetchedResultsProvider<Track>, didChange changes: TableChanges) {
      do { try table.apply(changes) } catch { print(error) }
    }
  }

  @Test func aDelegateAppliesTheBatch() throws {
    let database = try Database.library()
    let provider = try FetchedResultsProvider(
      database: database, request: Track.all.sorted(by: \.name), sectionedBy: \.genre)
    try provider.performFetch()
    let source = try TableViewDataSource(dataProvider: provider)
    source.registerCell(TrackCell.self)
    let table = TableView(height: 20)
    table.dataSource = source
    try table.reloadData()
    let delegate = ListDelegate(table)
    provider.delegate = delegate
    let lines = try printed {
      try database.write { try $0.execute("UPDATE track SET genre = 'Pop' WHERE name = 'Zoo'") }
      try provider.refresh()
    }
    #expect(lines.isEmpty)
    #expect(table.numbersOfRows == [1, 2, 1, 1])
  }
}
