import FetchedResults

/// Something to do. The columns of its table are its coding keys.
nonisolated struct Item: Codable, Hashable, Identifiable, FetchableRecord {
  var id: Int64?
  var title: String
  var list: String
  var isDone = false
  var position: Position

  static let recordDescription = RecordDescription(
    table: "item", key: \Item.id, columnNames: .snakeCase)

  static let schema = """
    CREATE TABLE IF NOT EXISTS item(
      id INTEGER PRIMARY KEY, title TEXT NOT NULL, list TEXT NOT NULL,
      is_done INTEGER NOT NULL, position TEXT NOT NULL);
    CREATE INDEX IF NOT EXISTS item_order ON item(list, position);
    """
}
