import FetchedResults
import Testing

struct OtherProcessesSamples {
  @Test(.timeLimit(.minutes(5))) func anotherConnectionIsHeard() async throws {
    let file = try TemporaryFile()
    let path = file.path
    let database = try Database(path: path)
    try await database.write { connection in
      try connection.createTracks(
        "(1, 'Blue', 'Jazz', 3), (2, 'Anthem', 'Rock', 2), (5, 'Ahead', 'Jazz', 5)")
    }
    let lines = try await printed {
      let updates = FetchedUpdates(database: database, request: Track.all.sorted(by: \.name))
      var iterator = updates.makeAsyncIterator()
      let first = try await iterator.next()

      // Another connection writes, as another process would. It does not notify this one.
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
