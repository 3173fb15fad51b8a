import FetchedResults
import Foundation
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
          print("new:", update.new.objects[place.row].name)
        }
        if update.new.objects.count > 5 { break }
      }
    }
    try await other.value
    // Nothing is new where the first fetch came after it.
    #expect(lines == ["new: Creole"] || lines == [])
  }

  @Test(.timeLimit(.minutes(5))) func anotherConnectionIsHeard() async throws {
    let file = try TemporaryFile()
    let path = file.path
    let database = try Database(path: path)
    try await database.write { connection in
      try connection.execute(
        script: """
          CREATE TABLE track(
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, genre TEXT, milliseconds INTEGER NOT NULL);
          INSERT INTO track VALUES
            (1, 'Blue', 'Jazz', 3), (2, 'Anthem', 'Rock', 2), (5, 'Ahead', 'Jazz', 5);
          """)
    }
    let lines = try await printed {
      let updates = FetchedUpdates(database: database, request: Track.all.sorted(by: \.name))
      var iterator = updates.makeAsyncIterator()
      let first = try await iterator.next()

      // Somebody else, here another connection, which tells nobody.
      try await Database(path: path).write {
        try $0.execute("DELETE FROM track WHERE genre = 'Jazz'")
      }

      if let second = try await iterator.next(), let source = second.source {
        print(second.changes, "found by:", source)
      }
      #expect(first?.new.objects.count == 3)
    }
    #expect(lines == ["-[0,2] -[0,0] found by: pages"])
  }
}
