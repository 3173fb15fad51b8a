import FetchedResults
import SQLiteStorage
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

  @Test func aMomentIsBound() throws {
    let limit = 150_000
    let request = Track.all.filter("\(\.milliseconds) < \(limit)")
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
