import FetchedResults
import SQLiteStorage

/// The record of most tests.
struct Track: FetchableRecord, Hashable {
  let id: Int64
  let name: String
  let genre: String?
  let milliseconds: Int

  /// Computed: SQL does not know it.
  var initial: String { String(name.prefix(1)) }

  static let recordDescription = RecordDescription(
    table: "track", key: \.id, making: Track.init,
    Column("id", \.id), Column("name", \.name), Column("genre", \.genre),
    Column("milliseconds", \.milliseconds))

  static let schema = """
    CREATE TABLE track(
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, genre TEXT, milliseconds INTEGER NOT NULL);
    """

  /// Five tracks in three genres, one of them `NULL`.
  static let sample =
    schema + """
      INSERT INTO track VALUES
        (1, 'Blue', 'Jazz', 300), (2, 'Anthem', 'Rock', 200), (3, 'Zoo', 'Rock', 100),
        (4, 'Cello', NULL, 400), (5, 'Ahead', 'Jazz', 500);
      """

  static func store(_ more: String = "") throws -> Database { try .store(sample + more) }
}
