import FetchedResults

// The record of the articles.
struct Track: Codable, Identifiable, FetchableRecord {
  let id: Int64
  let name: String
  let genre: String?
  let milliseconds: Int

  /// Not a column: see "Sections and key paths".
  var initial: String { String(name.prefix(1)).uppercased() }

  static let recordDescription = RecordDescription(table: "track", key: \Track.id)
}

extension Database {
  /// A private store of five tracks in three genres.
  static func library() throws -> Database {
    let database = try Database.inMemory()
    try database.write { connection in
      try connection.createTracks(
        """
        (1, 'Blue', 'Jazz', 300000), (2, 'Anthem', 'Rock', 200000), (3, 'Zoo', 'Rock', 100000),
        (4, 'Crossroads', 'Blues', 400000), (5, 'Ahead', 'Jazz', 500000)
        """)
    }
    return database
  }
}

extension Connection {
  /// Creates the table of tracks, with rows given as SQL.
  func createTracks(_ rows: String) throws {
    try execute(
      script: """
        CREATE TABLE track(
          id INTEGER PRIMARY KEY, name TEXT NOT NULL, genre TEXT, milliseconds INTEGER NOT NULL);
        INSERT INTO track VALUES \(rows);
        """)
  }
}
