import FetchedResults
import Testing

struct AppAndExtensionSamples {
  @Test func aSuspendedListGetsItsBatch() throws {
    let file = try TemporaryFile()
    let path = file.path
    let database = try Database(path: path)
    try database.write { connection in
      try connection.createTracks(
        "(1, 'Blue', 'Jazz', 3), (2, 'Anthem', 'Rock', 2), (5, 'Ahead', 'Jazz', 5)")
    }

    func didEnterBackground() throws { try database.suspend() }
    func willEnterForeground() throws { try database.resume() }

    let lines = try printed {
      let provider = try FetchedResultsProvider(
        database: database, request: Track.all.sorted(by: \.name))
      try provider.performFetch()

      try didEnterBackground()
      try Database(path: path).write { try $0.execute("DELETE FROM track WHERE genre = 'Jazz'") }
      try willEnterForeground()

      print(try provider.refresh())
    }
    #expect(lines == ["-[0,2] -[0,0]"])
  }
}
