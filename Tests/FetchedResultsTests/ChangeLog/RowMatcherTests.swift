import SQLiteStorage
import Testing

@testable import FetchedResults

/// How rows of two versions are paired.
@Suite struct RowMatcherTests {
  /// Rows that nothing but their content tells apart. The first one was deleted, so that all others are at other places.
  @Test func aRowWithAPartnerIsNotHeld() throws {
    let database = try Database.store(
      """
      CREATE TABLE old(rowid, _rowid_, oid);
      INSERT INTO old VALUES (0, NULL, 'first'), (1, 2, 'a'), (1, 2, 'a'), (1, 2, 'b'), (3, 4, x'00'), (5, 6, 7);
      CREATE TABLE new(rowid, _rowid_, oid);
      INSERT INTO new VALUES (1, 2, 'a'), (1, 2, 'a'), (1, 2, 'b'), (3, 4, x'00'), (5, 6, 7.0), (5, 6, 7);
      """)
    try database.read { connection throws in
      let (old, new) = (try reader("old", connection), try reader("new", connection))
      let (oldRows, newRows) = (try old.scan(), try new.scan())
      var matcher = RowMatcher(hasIdentity: false)
      var memory = RowMemory()
      var largest = 0
      while try oldRows.step() {
        matcher.add(oldRows.currentRow, of: old, isOld: true, &memory)
        if try newRows.step() {
          matcher.add(newRows.currentRow, of: new, isOld: false, &memory)
        }
        largest = max(largest, matcher.heldCount)
      }
      #expect(largest == 2)
      let changes = matcher.changes()
      let deleted = try changes.compactMap(\.old).map { try old.read($0).values.values }
      #expect(deleted == [[0, .null, "first"]])
      let inserted = try changes.compactMap(\.new).map { try new.read($0).values.values }
      #expect(inserted == [[5, 6, 7.0]])
    }
  }

  private func reader(_ name: String, _ connection: Connection) throws -> LoggedTableReader {
    let description = try #require(try connection.table(named: name, in: "main"))
    return LoggedTableReader(LoggedTable(description, rootPage: 0), in: connection)
  }
}
