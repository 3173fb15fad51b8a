import FetchedResults

struct Song: FetchableRecord {
  let id: Int64
  let name: String
  let genre: String?

  static let recordDescription = RecordDescription(
    table: "song", key: \.id, making: Song.init,
    Column("id", \.id), Column("name", \.name), Column("genre", \.genre))
}

extension Database {
  static func sample() throws -> Database {
    let database = try Database.inMemory()
    try database.write {
      try $0.execute(
        script: """
          CREATE TABLE song(id INTEGER PRIMARY KEY, name TEXT NOT NULL, genre TEXT);
          INSERT INTO song VALUES (1, 'Blue', 'Jazz'), (2, 'Anthem', NULL), (3, 'Ahead', 'Jazz');
          """)
    }
    return database
  }
}
