import SQLiteStorage
import Testing

@testable import FetchedResults

struct TextComparatorTests {
  private static let texts = [
    "", " ", "a", "A", "a ", "A  ", "ab", "aB", "a\0", "A\0", "a\0b", "a\0C", "a\0bb", "\0", "\0\0",
    "é", "É", "e\u{301}", " a", "ab ", "[", "{", "@", "`",
  ]

  @Test(arguments: [TextComparator.binary, .nocase, .rtrim])
  func normalizedTuplesAreEqualJustWhereTextsCompareEqual(comparator: TextComparator) {
    for left in Self.texts {
      for right in Self.texts {
        let isEqual = comparator.isSame(KeyTuple([.text(left)]), KeyTuple([.text(right)]))
        let lhs = comparator.normalized(KeyTuple([.text(left), 1]))
        let rhs = comparator.normalized(KeyTuple([.text(right), 1]))
        #expect((lhs == rhs) == isEqual, "\(left.debugDescription) \(right.debugDescription)")
      }
    }
  }

  @Test(arguments: [TextComparator.binary, .nocase, .rtrim])
  func nothingButTextIsNormalized(comparator: TextComparator) {
    let tuple = KeyTuple([.null, 1, .real(0.5), .blob([0x41, 0x20, 0, 0x42])])
    #expect(comparator.normalized(tuple) == tuple)
  }

  @Test func textThatIsNotValidUTF8IsNormalizedByItsBytes() throws {
    let store = try Database.store("")
    try store.read { connection in
      try connection.query("SELECT CAST(x'41FF20' AS TEXT), CAST(x'61FE20' AS TEXT)") { row in
        let lhs = KeyTuple(packing: row, columns: 0..<1)
        let rhs = KeyTuple(packing: row, columns: 1..<2)
        #expect(TextComparator.nocase.normalized(lhs) != TextComparator.nocase.normalized(rhs))
        #expect(!TextComparator.nocase.isSame(lhs, rhs))
        #expect(TextComparator.rtrim.normalized(lhs) != lhs)
      }
    }
  }
}
