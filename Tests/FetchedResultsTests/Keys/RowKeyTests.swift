import SQLiteStorage
import Testing

@testable import FetchedResults

struct RowKeyTests {
  @Test func anIntegerKeyIsAnIdentityOfOneInteger() {
    #expect(RowKey(RowIdentity(7)) == .integer(7))
    #expect(RowKey(RowIdentity(.real(7))) == .integer(7))
    for identity in [
      RowIdentity([]), RowIdentity([1, 2]), "7", RowIdentity(.real(7.5)), RowIdentity(.null),
    ] {
      #expect(RowKey(identity) == .tuple(KeyTuple(identity.values)))
    }
    #expect(RowKey.integer(7).identity == 7)
    #expect(RowKey.integer(.min).identity == RowIdentity(.integer(.min)))
  }

  @Test func aKeyOfAnyKindIsItsIdentity() {
    let values: [Value] = ["a\0", 1, .real(0.5), .blob([1])]
    #expect(RowKey(RowIdentity(values)) == .tuple(KeyTuple(values)))
    #expect(RowKey(KeyTuple(values)).identity == RowIdentity(values))
  }

  @Test func aKeyIsReadFromItsColumns() throws {
    let store = try Database.store("")
    try store.read { connection in
      try connection.query("SELECT NULL, 1, 'a', 2.0, 5") { row in
        #expect(RowKey(row, columns: 1..<2) == .integer(1))
        #expect(RowKey(row, columns: 0..<1) == .tuple(KeyTuple([.null])))
        #expect(RowKey(row, columns: 2..<3) == .tuple(KeyTuple(["a"])))
        // SQLite finds the row by either.
        #expect(RowKey(row, columns: 3..<4) == .integer(2))
        #expect(RowKey(row, columns: 1..<4) == .tuple(KeyTuple([1, "a", 2])))
        #expect(RowKey(row, columns: 0..<2) == .tuple(KeyTuple([.null, 1])))
      }
    }
  }

  @Test(
    arguments: [
      ([], [1]), ([3, 1, 2], []), ([3, 1, 9, 2], [1, 2, 3]), ([1], [7, 1, 4]),
      ([.min, 0, .max], [.max, .min, 5]), ([-4, -2], [-2, -3, -4]), ([.max], [.max, .max - 1]),
    ] as [([Int64], [Int64])])
  func rowsAreFoundAmongOthers(rows: [Int64], others: [Int64]) {
    let positions = rows.map { others.firstIndex(of: $0) }
    let integers = { (keys: [Int64]) in keys.map(RowKey.integer) }
    #expect(RowKey.positions(of: integers(rows), in: integers(others)) == positions)
    let texts = { (keys: [Int64]) in keys.map { RowKey(KeyTuple([.text("\($0)")])) } }
    #expect(RowKey.positions(of: texts(rows), in: texts(others)) == positions)
    #expect(
      RowKey.positions(of: integers(rows) + texts(rows), in: texts(others))
        == rows.map { _ in nil } + positions)
  }

  @Test func anIdentityOfTooManyOrTooFewValuesIsNotFound() throws {
    let store = try Database.store(
      "CREATE TABLE t(a, b, PRIMARY KEY(a, b)); INSERT INTO t VALUES ('x', 1), ('y', 1), (1, 2);")
    let provider = try FetchedResultsProvider(database: store, request: FetchRequest(table: "t"))
    try provider.performFetch()
    #expect(try provider.indexPath(forIdentity: RowIdentity(["x", 1]))?.last == 1)
    for values in [[], ["x"], ["x", 1, 1], ["x", .null], ["x", 1, .null], [1], [.null]] as [[Value]]
    {
      #expect(try provider.indexPath(forIdentity: RowIdentity(values)) == nil)
    }
  }
}
