import FetchedResults
import Testing

struct ChangeContractSamples {
  final class Log: FetchedResultsProviderDelegate {
    func provider(_ provider: FetchedResultsProvider<Track>, didChange changes: TableChanges) {
      do {
        for place in changes.deletedRows {
          print("gone:", try provider.previousObject(at: place).name)
        }
        for row in changes.updatedRows {
          for column in try provider.changedColumns(from: row.old, to: row.new) {
            print(column.column, "is", column.new)
          }
        }
      } catch {
        print(error)
      }
    }
  }

  /// What the picture shows, in its three forms.
  @Test func oneBatchInItsThreeForms() throws {
    let database = try Database.library()
    let provider = try FetchedResultsProvider(
      database: database, request: Track.all.sorted(by: \.name), sectionedBy: \.genre)
    try provider.performFetch()
    let lines = try printed {
      try database.write { connection in
        try connection.execute(
          script: """
            DELETE FROM track WHERE name IN ('Ahead', 'Crossroads');
            UPDATE track SET milliseconds = 310000 WHERE name = 'Blue';
            UPDATE track SET name = 'Abba' WHERE name = 'Zoo';
            INSERT INTO track(name, genre, milliseconds) VALUES ('Creole', 'Soul', 250000);
            """)
      }
      let changes = try provider.refresh()
      print(changes)
      for batch in changes.staged { print(batch) }
      for operation in changes.sequential { print(operation) }
    }
    #expect(
      lines == [
        "-[0] +[2] -[1,0] -[0,0] +[2,0] [2,1]>[1,0] [1,1]=[0,0]",
        "-[0] -[1,0] -[0,0]",
        "+[2] +[2,0] [1,1]>[1,0]",
        "[0,0]=[0,0]",
        "deleteRow(at: [1, 0])", "deleteRow(at: [0, 0])", "deleteSection(at: 0)",
        "insertSection(at: 2)", "moveRow(from: [1, 1], to: [1, 0], new: [1, 0])",
        "insertRow(at: [2, 0], new: [2, 0])", "updateRow(at: [0, 0])",
      ])
  }

  @Test func whatARowWasCanBeAsked() throws {
    let database = try Database.library()
    let provider = try FetchedResultsProvider(
      database: database, request: Track.all.sorted(by: \.name))
    let log = Log()
    provider.delegate = log
    try provider.performFetch()
    let lines = try printed {
      try database.write { connection in
        try connection.execute("DELETE FROM track WHERE name = 'Zoo'")
        try connection.execute("UPDATE track SET genre = 'Pop' WHERE name = 'Blue'")
      }
      try provider.refresh()
    }
    #expect(lines.first == "gone: Zoo")
    #expect(lines.last?.hasPrefix("genre is") == true)
  }
}
