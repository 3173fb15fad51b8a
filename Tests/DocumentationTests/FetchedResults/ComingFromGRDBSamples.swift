import FetchedResults
import Testing

struct ComingFromGRDBSamples {
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
