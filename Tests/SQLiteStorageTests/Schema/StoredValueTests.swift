import SQLiteStorage
import Testing

/// Values that are read in parts.
@Suite struct StoredValueTests {
  private static let schema = """
    CREATE TABLE photo(id INTEGER PRIMARY KEY, title TEXT, image BLOB, size AS (length(image)) STORED);
    CREATE TABLE tag(name TEXT PRIMARY KEY, image BLOB) WITHOUT ROWID;
    INSERT INTO photo(id, title, image) VALUES (7, 'Köln', x'00010203'), (8, 12, NULL);
    INSERT INTO tag VALUES ('a', x'00');
    """

  @Test func aTextAndABlobAreReadInParts() throws {
    let store = try TestConnection()
    try store.connection.execute(script: Self.schema)
    let photo = try #require(try store.connection.table(named: "photo"))
    let image = try #require(
      try store.connection.storedValue(ofColumn: "image", rowID: 7, in: photo))
    #expect(image.count == 4 && !image.isText)
    #expect(try store.connection.bytes(1..<3, of: image) == [1, 2])
    #expect(try store.connection.bytes(4..<4, of: image) == [])
    let title = try #require(
      try store.connection.storedValue(ofColumn: "title", rowID: 7, in: photo))
    #expect(title.count == 5 && title.isText)
    #expect(try store.connection.bytes(0..<5, of: title) == Array("Köln".utf8))
  }

  @Test func otherValuesAreReadWithTheirRow() throws {
    let store = try TestConnection()
    try store.connection.execute(script: Self.schema)
    let photo = try #require(try store.connection.table(named: "photo"))
    let tag = try #require(try store.connection.table(named: "tag"))
    for (column, rowID) in [
      ("image", 8), ("image", 9), ("id", 7), ("size", 7), ("nothing", 7),
    ] as [(String, Int64)] {
      #expect(
        try store.connection.storedValue(ofColumn: column, rowID: rowID, in: photo) == nil,
        "\(column) of \(rowID)")
    }
    #expect(try store.connection.storedValue(ofColumn: "image", rowID: 1, in: tag) == nil)
    #expect(photo.rowIDName == "rowid" && tag.rowIDName == nil)
  }
}
