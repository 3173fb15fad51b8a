import FetchedResults
import Testing

struct StoreSamples {
  @Test func aStoreIsAFileThatOthersCanOpen() throws {
    let database = try Database.inMemory()
    try database.write { connection in
      try connection.execute(
        "CREATE TABLE song(id INTEGER PRIMARY KEY, name TEXT NOT NULL, genre TEXT)")
      try connection.insert(Song(id: 1, name: "Blue", genre: "Jazz"))
    }
    let songs = FetchedList(database: database, request: Song.all)
    try songs.fetch()
    #expect(songs.rows.count == 1)
    let other = try Database(path: database.path)
    try other.write { try $0.execute("DELETE FROM song") }
    try songs.fetch()
    #expect(songs.rows.isEmpty)
  }

  @Test func eachStoreIsItsOwn() throws {
    #expect(try Database.inMemory().path != Database.inMemory().path)
  }

  @Test func twoAnswersTellTwoCopiesOfSQLiteApart() throws {
    let database = try Database.inMemory()
    let source = try database.read { try $0.value(String.self, "SELECT sqlite_source_id()") }
    #expect(source?.isEmpty == false)
  }

  @Test func aTriggerNotesWhatWasNotSent() throws {
    let database = try Database.library()
    try database.write { connection in
      try connection.execute(
        script: """
          CREATE TABLE unsent(track INTEGER PRIMARY KEY);
          CREATE TRIGGER track_changed AFTER UPDATE ON track BEGIN
            INSERT OR IGNORE INTO unsent VALUES (new.id);
          END;
          """)
    }
    let provider = try FetchedResultsProvider(
      database: database, request: FetchRequest(table: "unsent"))
    try provider.performFetch()
    try database.write { try $0.execute("UPDATE track SET name = 'Red' WHERE id < 3") }
    #expect(try provider.refresh().insertedRows.count == 2)
  }
}
