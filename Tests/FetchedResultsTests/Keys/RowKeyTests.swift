import SQLiteStorage
import Testing

@testable import FetchedResults

struct RowKeyTests {
  @Test func anIntegerKeyIsAnIdentityOfOneInteger() {
    #expect(Int64(RowIdentity(7)) == 7)
    #expect(Int64(RowIdentity(.real(7))) == 7)
    for identity in [
      RowIdentity([]), RowIdentity([1, 2]), "7", RowIdentity(.real(7.5)), RowIdentity(.null),
    ] {
      #expect(Int64(identity) == nil)
    }
    #expect((7 as Int64).identity == 7)
    #expect((Int64.min).identity == RowIdentity(.integer(.min)))
  }

  @Test func aKeyOfAnyKindIsItsIdentity() {
    let values: [Value] = ["a\0", 1, .real(0.5), .blob([1])]
    #expect(KeyTuple(RowIdentity(values)) == KeyTuple(values))
    #expect(KeyTuple(values).identity == RowIdentity(values))
  }

  @Test func aKeyIsReadFromItsColumns() throws {
    let store = try Database.store("")
    try store.read { connection in
      try connection.query("SELECT NULL, 1, 'a', 2.0, 5") { row in
        #expect(Int64(row, columns: 1..<2) == 1)
        #expect(Int64(row, columns: 0..<1) == nil)
        #expect(Int64(row, columns: 2..<3) == nil)
        #expect(Int64(row, columns: 3..<4) == nil)
        #expect(KeyTuple(row, columns: 1..<4) == KeyTuple([1, "a", 2]))
        #expect(KeyTuple(row, columns: 0..<2) == KeyTuple([.null, 1]))
      }
    }
  }

  @Test(
    arguments: [
      ([], [1]), ([3, 1, 2], []), ([3, 1, 9, 2], [1, 2, 3]), ([1], [7, 1, 4]),
      ([.min, 0, .max], [.max, .min, 5]), ([-4, -2], [-2, -3, -4]), ([.max], [.max, .max - 1]),
    ] as [([Int64], [Int64])])
  func rowsAreFoundAmongOthers(rows: [Int64], others: [Int64]) {
    #expect(Int64.positions(of: rows, in: others) == rows.map { others.firstIndex(of: $0) })
    let tuples = { (keys: [Int64]) in keys.map { KeyTuple(rowID: $0) } }
    #expect(
      KeyTuple.positions(of: tuples(rows), in: tuples(others))
        == rows.map { others.firstIndex(of: $0) })
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
