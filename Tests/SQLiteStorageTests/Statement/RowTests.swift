import SQLiteStorage
import Testing

@Suite struct RowTests {
  @Test func aRowKeepsItsValuesAfterTheStatementMovedOn() throws {
    let store = try TestConnection("CREATE TABLE t(x); INSERT INTO t VALUES ('a'), ('b'), (NULL)")
    let rows = try store.connection.rows("SELECT x FROM t ORDER BY rowid")
    #expect(rows.map(\.values) == [["a"], ["b"], [.null]])
  }

  @Test func valuesAreFoundByNameAsSQLiteComparesIt() throws {
    let store = try TestConnection()
    let row = try #require(try store.connection.rows("SELECT 1 AS Id, 'x' AS \"a b\"").first)
    #expect(row["id"] == 1)
    #expect(row["A B"] == "x")
    #expect(row["missing"] == .null)
  }

  @Test func rowsAreEqualWithEqualNamesAndValues() throws {
    let store = try TestConnection()
    let one = try store.connection.rows("SELECT 1 AS a UNION ALL SELECT 1")
    let other = try store.connection.rows("SELECT 1 AS b")
    #expect(one[0] == one[1])
    #expect(one[0] != other[0])
    #expect(Set(one).count == 1)
  }
}
