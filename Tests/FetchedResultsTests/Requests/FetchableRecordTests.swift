import FetchedResults
import SQLiteStorage
import TableData
import Testing

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
      request: Track.all.filter("Milliseconds > ?", 60_000).sorted(by: \.name),
      sectionNameKeyPath: \.genre)
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
