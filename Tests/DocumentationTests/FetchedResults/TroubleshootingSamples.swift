import FetchedResults
import Testing

struct TroubleshootingSamples {
  @Test func aKeyThatIsNotUniqueIsNamed() throws {
    let database = try Database.library()
    let lines = try printed {
      let request = FetchRequest(select: "SELECT name, genre FROM track", key: ["genre"])
      let provider = try FetchedResultsProvider(database: database, request: request)
      do {
        try provider.performFetch()
      } catch let error as FetchError where error.code == .invalidKey {
        print(error)
      }
    }
    #expect(lines.first?.hasPrefix("two rows have the key \"Jazz\" in genre") == true)
  }

  @Test func aRowThatCannotBeDecodedIsSkipped() async throws {
    let database = try Database.inMemory()
    try await database.write { connection in
      try connection.execute(
        script: """
          CREATE TABLE track(id INTEGER PRIMARY KEY, name TEXT, genre TEXT, milliseconds INTEGER);
          INSERT INTO track VALUES
            (1, 'Blue', 'Jazz', 3), (2, NULL, 'Rock', 2), (3, 'Zoo', 'Rock', 1);
          """)
    }
    var updates = FetchedUpdates(database: database, request: Track.all).makeAsyncIterator()
    let update = try #require(try await updates.next())
    let lines = printed {
      let tracks = update.new
      for row in tracks.objects.indices {
        do {
          print(try tracks.object(at: row).name)
        } catch {
          print("skipped:", error)
        }
      }
    }
    #expect(lines.count == 3)
    #expect(lines.first == "Blue")
    #expect(lines.last == "Zoo")
    #expect(
      lines[1].hasPrefix(
        "skipped: the row at [0, 1] with the key 2 cannot be read: column name holds null"))
  }

  @Test func aMomentIsBound() throws {
    let limit = 150_000
    let request = Track.all.where { $0.milliseconds < limit }
    let provider = try FetchedResultsProvider(
      database: try Database.library(), request: request)
    try provider.performFetch()
    #expect(provider.fetchedObjects?.map(\.name) == ["Zoo"])
  }

  @Test func aLockThatLastsIsAnError() throws {
    let file = try TemporaryFile()
    let other = try Connection(path: file.path, access: .readWriteCreate)
    try other.execute("CREATE TABLE track(id INTEGER PRIMARY KEY)")
    var configuration = Database.Configuration()
    configuration.busyTimeout = .zero
    let database = try Database(path: file.path, configuration: configuration)
    let lines = try other.transaction {
      try printed {
        do {
          try database.write { try $0.execute("DELETE FROM track") }
        } catch let error as DatabaseError where .busy ~= error.resultCode {
          print("try again:", error)
        }
      }
    }
    #expect(lines.first?.hasPrefix("try again: database is locked") == true)
  }
}
