import FetchedResults
import SQLiteStorage
import TableData
import Testing

struct ComingFromSamples {
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
      database: database, request: Track.all.sorted(by: \.name), sectionNameKeyPath: \.genre)
    try provider.performFetch()
    let source = try TableViewDataSource(dataProvider: provider)
    try source.registerCell(class: TrackCell.self, identifier: "track", for: Track.self)
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

  @Test(.timeLimit(.minutes(5))) func insertsAreRead() async throws {
    let database = try Database.library()
    let other = Task.detached {
      try await database.write { connection in
        try connection.execute(
          "INSERT INTO track(name, genre, milliseconds) VALUES ('Creole', 'Soul', 1)")
      }
    }
    let lines = try await printed {
      let updates = FetchedUpdates(database: database, request: Track.all.sorted(by: \.name))
      for try await update in updates {
        for place in update.changes.insertedRows {
          print("new:", try update.new.object(at: place).name)
        }
        if update.new.objects.count > 5 { break }
      }
    }
    try await other.value
    // Nothing is new where the first fetch came after it.
    #expect(lines == ["new: Creole"] || lines == [])
  }
}
