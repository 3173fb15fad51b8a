import FetchedResults
import SQLiteStorage
import TableData
import Testing

struct FetchRequestTests {
  private func ids(_ request: FetchRequest<Track>) throws -> [Int64]? {
    let provider = try FetchedResultsProvider(database: try Track.store(), request: request)
    try provider.performFetch()
    try provider.expectConsistent()
    return provider.fetchedObjects?.map(\.id)
  }

  @Test func conditionsAddUp() throws {
    #expect(try ids(Track.all.filter("id > 1").filter("id = 2 OR id = 1 OR id = 5")) == [2, 5])
  }

  @Test func aRequestIsAValue() throws {
    let all = Track.all
    let some = all.filter("id > \(3)")
    #expect(try ids(all) == [1, 2, 3, 4, 5])
    #expect(try ids(some) == [4, 5])
    #expect(try ids(some.sorted(by: \.name)) == [5, 4])
    #expect(try ids(some) == [4, 5])
  }

  @Test func termsAddUp() throws {
    #expect(try ids(Track.all.sorted(by: \.genre, \.name)) == [4, 5, 1, 2, 3])
    #expect(
      try ids(Track.all.sorted(by: \.genre, .descending).sorted(by: \.name, \.milliseconds, \.id))
        == [2, 3, 5, 1, 4])
    let request = Track.all.sorted(by: \.genre, .descending, nulls: .first)
    #expect(try ids(request.sorted(by: \.milliseconds, .descending)) == [4, 2, 3, 5, 1])
    #expect(try ids(request.sorted(.by(\.milliseconds))) == [4, 3, 2, 1, 5])
    #expect(try ids(request.sorted()) == [4, 2, 3, 1, 5])
  }

  @Test func anExpressionSortsToo() throws {
    #expect(
      try ids(Track.all.sorted(.expression("length(\(\.name)) % \(3)", .descending)))
        == [4, 5, 1, 2, 3])
  }

  @Test func aLaterLimitReplacesAnEarlierOne() throws {
    #expect(try ids(Track.all.limited(to: 1).limited(to: 2, offset: 1)) == [2, 3])
    #expect(try ids(Track.all.limited(to: 1, offset: 3).limited(to: nil)) == [1, 2, 3, 4, 5])
  }

  @Test func aConditionMayAskOtherTables() throws {
    #expect(
      try ids(
        Track.all.filter("milliseconds = (SELECT max(t.milliseconds) FROM track t)")) == [5])
    #expect(try ids(Track.all.filter("track.genre = \("Jazz")")) == [1, 5])
  }

  #if os(macOS) || os(Linux)
    @Test func aNegativeLimitOrOffsetIsAMistakeInTheProgram() async {
      await #expect(processExitsWith: .failure) { _ = Track.all.limited(to: -1) }
      await #expect(processExitsWith: .failure) { _ = Track.all.limited(to: 1, offset: -1) }
    }
  #endif
}

/// The example of the README, as it stands there.
struct FetchableRecordTests {
  struct Track: FetchableRecord {
    let id: Int64
    let name: String
    let genre: String?

    static let recordDescription = RecordDescription(
      table: "Track", key: \.id, making: Track.init,
      Column("TrackId", \.id), Column("Name", \.name), Column("Genre", \.genre))
  }

  @Test func theExampleOfTheReadmeWorksAsItIs() throws {
    let db = try Database.store(
      """
      CREATE TABLE Track(TrackId INTEGER PRIMARY KEY, Name TEXT, Genre TEXT, Milliseconds INTEGER);
      INSERT INTO Track VALUES
        (1, 'Blue', 'Jazz', 300000), (2, 'Jingle', 'Rock', 60000), (3, 'Zoo', 'Rock', 60001),
        (4, 'Anthem', 'Rock', 200000);
      """)

    let provider = try FetchedResultsProvider(
      database: db,
      request: Track.all.filter("Milliseconds > \(60_000)").sorted(by: \.name),
      sectionedBy: \.genre)
    try provider.performFetch()

    #expect(provider.sections.map(\.name) == ["Jazz", "Rock"])
    #expect(provider.fetchedObjects?.map(\.name) == ["Blue", "Anthem", "Zoo"])
  }

  @Test func allIsEveryRecordInTheOrderOfTheKey() throws {
    let db = try Database.store(
      """
      CREATE TABLE Track(TrackId INTEGER PRIMARY KEY, Name TEXT, Genre TEXT);
      INSERT INTO Track VALUES (3, 'a', 'x'), (1, 'c', 'x'), (2, 'b', 'x');
      """)
    let provider = try FetchedResultsProvider(database: db, request: Track.all)
    try provider.performFetch()
    #expect(provider.fetchedObjects?.map(\.id) == [1, 2, 3])
  }
}
