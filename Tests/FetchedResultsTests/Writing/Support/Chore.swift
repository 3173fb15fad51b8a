import FetchedResults
import SQLiteStorage

/// A record with a key that the table makes, and a column that it computes.
struct Chore: FetchableRecord, Hashable {
  var id: Int64?
  var title: String
  var note: String?
  var position: Position
  var shout: String = ""

  static let recordDescription = RecordDescription(
    table: "chore", key: \.id, making: Chore.init,
    Column("id", \.id), Column("Title", \.title), Column("note", \.note),
    Column("position", \.position), Column("shout", \.shout))

  static func store() throws -> Database {
    try .store(
      """
      CREATE TABLE chore(
        id INTEGER PRIMARY KEY, title TEXT NOT NULL CHECK (title <> ''), note TEXT,
        position TEXT NOT NULL UNIQUE, shout TEXT AS (upper(title) || '!'));
      CREATE TABLE step(chore INTEGER REFERENCES chore ON DELETE CASCADE, text);
      """)
  }

  init(
    id: Int64? = nil, title: String, note: String? = nil, position: Position = .first,
    shout: String = ""
  ) {
    self.id = id
    self.title = title
    self.note = note
    self.position = position
    self.shout = shout
  }
}

extension Database {
  /// All records, in the order of their key.
  func all<Record: FetchableRecord>(_ type: Record.Type) throws -> [Record] {
    let provider = try FetchedResultsProvider(database: self, request: Record.all)
    try provider.performFetch()
    return provider.fetchedObjects.map(Array.init) ?? []
  }
}
