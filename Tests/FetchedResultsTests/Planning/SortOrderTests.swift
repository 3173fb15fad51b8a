import SQLiteStorage
import Testing

@testable import FetchedResults

/// Comparing in Swift must say what SQLite says.
struct SortOrderTests {
  /// Where two values compare differently in many ways.
  static let values: [Value] = [
    .null, 0, 1, -1, 2, .real(1), .real(-0.0), .real(0.5), .real(-1.5), .real(1e308),
    .real(-.infinity), .real(.infinity), .integer(.max), .integer(.min), .integer(.max - 1),
    .real(0x1p63), .real(-0x1p63), .real(0x1.fffffffffffffp62), .integer(1 << 53),
    .integer((1 << 53) + 1), .real(0x1p53), .integer(-(1 << 53) - 1), .real(-0x1p53),
    .real(.leastNonzeroMagnitude), "", " ", "  ", "a", "A", "a ", "a  ", "A ", "b", "B", "aa", "_",
    "[", "@", "`", "{", "é", "É", "e\u{301}", "\u{FB00}", "\u{FFFD}", "😀", "😀 ", "z", "0", "1",
    "1.0", "\0", "a\0", "a\0b", "a\0c", "A\0d", "a\0bb", "\0a", "a\t", "a\u{A0}",
    .blob([]), .blob([0]), .blob([0x61]), .blob([0xFF]), .blob([0x61, 0]), .blob([0x31]),
  ]

  @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
  func comparesEveryPairAsSQLiteDoes(encoding: String) throws {
    let store = try Database.store("") { configuration in
      configuration.prepareConnection = {
        try $0.execute(SQL(verbatim: "PRAGMA encoding = '\(encoding)'"))
      }
      configuration.collations = [CustomCollation("length") { $0.utf8.count - $1.utf8.count }]
    }
    try store.run("CREATE TABLE v(n INTEGER PRIMARY KEY, x)")
    try store.write { connection in
      for (number, value) in Self.values.enumerated() {
        try connection.execute("INSERT INTO v VALUES (?, ?)", [.integer(Int64(number)), value])
      }
    }
    let isBigEndian: Bool? = encoding == "UTF-8" ? nil : encoding == "UTF-16be"
    let comparators: [(String, TextComparator)] = [
      ("BINARY", isBigEndian.map { .binaryUTF16(isBigEndian: $0) } ?? .binary),
      ("NOCASE", .nocase), ("RTRIM", .rtrim), ("length", .custom { $0.utf8.count - $1.utf8.count }),
    ]
    for (collation, comparator) in comparators {
      try store.read { connection in
        try connection.query(
          SQL(
            verbatim: """
              SELECT a.n, b.n, a.x, b.x,
                CASE WHEN a.x IS b.x COLLATE \(collation) THEN 0
                  WHEN a.x IS NULL THEN -1 WHEN b.x IS NULL THEN 1
                  WHEN a.x < b.x COLLATE \(collation) THEN -1 ELSE 1 END
              FROM v a, v b
              """)
        ) { row in
          let (lhs, rhs) = (Int(row.int64(at: 0)), Int(row.int64(at: 1)))
          let expected = Int(row.int64(at: 4))
          let term = SortOrder.Term(
            comparator: comparator, isDescending: false, areNullsFirst: true)
          let order = SortOrder(terms: [term])
          let fromRow = order.compare(
            KeyTuple(packing: row, columns: 2..<3), KeyTuple(packing: row, columns: 3..<4))
          let fromValues = order.compare(
            KeyTuple([Self.values[lhs]]), KeyTuple([Self.values[rhs]]))
          #expect(
            fromRow.signum() == expected && fromValues.signum() == expected,
            "\(collation): \(Self.values[lhs]) and \(Self.values[rhs])")
        }
      }
    }
  }

  @Test func aKeyIsComparedTermByTerm() {
    let ascending = SortOrder.Term(comparator: .binary, isDescending: false, areNullsFirst: true)
    let descending = SortOrder.Term(comparator: .binary, isDescending: true, areNullsFirst: false)
    let order = SortOrder(terms: [ascending, descending])
    #expect(order.compare(KeyTuple([1, 2]), KeyTuple([2, 1])) < 0)
    #expect(order.compare(KeyTuple([1, 2]), KeyTuple([1, 1])) < 0)
    #expect(order.compare(KeyTuple([1, 1]), KeyTuple([1, 2])) > 0)
    #expect(order.compare(KeyTuple([1, 2]), KeyTuple([1, 2])) == 0)
  }

  @Test(arguments: [false, true], [false, true])
  func nullStandsWhereTheTermSays(isDescending: Bool, areNullsFirst: Bool) {
    let order = SortOrder(terms: [
      SortOrder.Term(
        comparator: .binary, isDescending: isDescending, areNullsFirst: areNullsFirst)
    ])
    #expect((order.compare(KeyTuple([.null]), KeyTuple([1])) < 0) == areNullsFirst)
    #expect((order.compare(KeyTuple([1]), KeyTuple([.null])) < 0) == !areNullsFirst)
    #expect(order.compare(KeyTuple([.null]), KeyTuple([.null])) == 0)
    #expect((order.compare(KeyTuple([1]), KeyTuple([2])) < 0) == !isDescending)
  }
}
