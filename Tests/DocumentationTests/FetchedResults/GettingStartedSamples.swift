import FetchedResults
import Testing

struct GettingStartedSamples {
  final class ChangesPrinter: FetchedResultsProviderDelegate {
    func provider(_ provider: FetchedResultsProvider<Track>, didChange changes: TableChanges) {
      print(changes)
    }
  }

  struct Genre: FetchableRecord {
    let name: String?
    let trackCount: Int

    static let recordDescription = RecordDescription(
      select: "SELECT genre, count(*) AS track_count FROM track GROUP BY genre",
      key: \.name, making: Genre.init,
      Column("genre", \.name), Column("track_count", \.trackCount))
  }

  @Test func aFileBecomesAListAndReportsItsFirstChange() throws {
    let file = try TemporaryFile()
    let path = file.path
    let database = try Database(path: path)
    try database.write { connection in
      try connection.execute(
        script: """
          CREATE TABLE track(
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, genre TEXT, milliseconds INTEGER NOT NULL);
          CREATE INDEX track_genre_name ON track(genre, name, id);
          """)
      try connection.insert(Track(id: 1, name: "Blue", genre: "Jazz", milliseconds: 300_000))
      try connection.insert(Track(id: 2, name: "Anthem", genre: "Rock", milliseconds: 200_000))
      try connection.insert(Track(id: 3, name: "Zoo", genre: "Rock", milliseconds: 100_000))
    }
    let lines = try printed {
      let provider = try FetchedResultsProvider(
        database: database, request: Track.all.sorted(by: \.name), sectionedBy: \.genre)
      try provider.performFetch()

      for (number, section) in provider.sections.enumerated() {
        print("\(section.name ?? "") (\(section.numberOfRows))")
        for row in 0..<section.numberOfRows {
          print("-", try provider.object(at: [number, row]).name)
        }
      }

      let (longest, rockCount) = try database.read { connection in
        let tracks = Track.all.sorted(by: \.milliseconds, .descending)
        return (
          try connection.fetchOne(tracks),
          try connection.fetchCount(tracks.where { $0.genre == "Rock" })
        )
      }
      #expect(longest?.name == "Blue")
      #expect(rockCount == 2)
      #expect(
        try database.read { try $0.fetchAll(Genre.all) }.map(\.trackCount).sorted() == [1, 2])

      let printer = ChangesPrinter()
      provider.delegate = printer
      try database.write { connection in
        try connection.insert(Track(id: 4, name: "Cello", genre: "Jazz", milliseconds: 400_000))
        try connection.execute("UPDATE track SET genre = 'Soul' WHERE id = 2")
      }
      try provider.refresh()
    }
    #expect(
      lines == [
        "Jazz (1)", "- Blue", "Rock (2)", "- Anthem", "- Zoo", "+[2] -[1,0] +[0,1] +[2,0]",
      ])
  }
}
