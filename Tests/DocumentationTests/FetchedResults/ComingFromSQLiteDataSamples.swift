import FetchedResults
import Testing

struct ComingFromSQLiteDataSamples {
  /// Prints what a table has to do to show the newest tracks.
  func follow(_ database: Database) async throws {
    let updates = FetchedUpdates(
      database: database, request: Track.all.sorted(by: \.name), sectionedBy: \.genre)
    for try await update in updates {
      for place in update.changes.deletedRows {
        print("gone:", try update.old?.object(at: place).name ?? "")
      }
      for place in update.changes.insertedRows {
        print("new:", try update.new.object(at: place).name)
      }
      if update.new.objects.isEmpty { break }
    }
  }

  @Test(.timeLimit(.minutes(5))) func deletedRowsAreStillReadable() async throws {
    let database = try Database.library()
    let writer = Task.detached {
      try await database.write { try $0.execute("DELETE FROM track") }
    }
    let lines = try await printed { try await follow(database) }
    try await writer.value
    // Nothing is gone where the first fetch came after it.
    let all: Set = ["gone: Ahead", "gone: Anthem", "gone: Blue", "gone: Crossroads", "gone: Zoo"]
    #expect(Set(lines) == all || lines == [])
  }
}
