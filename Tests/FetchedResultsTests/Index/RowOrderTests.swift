import CountedTrees
import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

struct RowOrderTests {
  private func repeated<Key: RowKey>(in keys: [Key]) -> Key? {
    var builder = CountedTree<Key>.Builder()
    for key in keys { builder.append(key) }
    return builder.finish().repeatedKey()
  }

  @Test func keysThatAreDifferentAreNotRepeated() {
    #expect(repeated(in: [Int64]()) == nil)
    #expect(repeated(in: [7] as [Int64]) == nil)
    #expect(repeated(in: Array(0..<5_000 as Range<Int64>)) == nil)
    #expect(repeated(in: [.min, -1, 0, 1, .max] as [Int64]) == nil)
    #expect(repeated(in: (0..<3_000).map { KeyTuple([.text("\($0)"), .integer($0)]) }) == nil)
  }

  @Test(arguments: SeededGenerator.seeds(50))
  func aKeyThatIsThereTwiceIsFound(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let count = Int.random(in: 1...3_000, using: &generator)
    var keys = Array(
      Set((0..<count).map { _ in Int64.random(in: .min ... .max, using: &generator) }))
    #expect(repeated(in: keys) == nil)
    let key = keys.randomElement(using: &generator) ?? 0
    keys.insert(key, at: Int.random(in: 0...keys.count, using: &generator))
    #expect(repeated(in: keys) == key)
    #expect(repeated(in: keys.map { KeyTuple([.integer($0)]) }) == KeyTuple([.integer(key)]))
  }

  @Test func aKeyThatIsInTheOrderTwiceBreaksAnInvariant() throws {
    func check(_ keys: [Int64], rowCount: Int = 3) throws {
      var builder = CountedTree<Int64>.Builder()
      for key in keys { builder.append(key) }
      try RowOrder.identities(builder.finish()).checkInvariants(
        rowCount: rowCount, SortOrder(terms: []), ChunkPolicy())
    }
    try check([3, 1, 2])
    #expect(throws: BrokenInvariant.self) { try check([3, 1, 3]) }
    #expect(throws: BrokenInvariant.self) { try check([3, 1, 2], rowCount: 4) }
  }

  @Test func keysOfOneSlotAreDistinguished() {
    // Their products with the multiplier are small numbers.
    let inverse: UInt64 = 0xF1DE_83E1_9937_733D
    let keys = (0..<1_000).map { Int64(bitPattern: inverse &* UInt64($0)) }
    #expect(keys.allSatisfy { $0.scattered < 1_000 })
    #expect(repeated(in: keys) == nil)
    #expect(repeated(in: keys + [keys[17]]) == keys[17])
  }
}
