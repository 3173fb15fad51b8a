import CountedTrees
import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

struct RowOrderTests {
  private func order(_ keys: [RowKey]) -> RowOrder {
    var builder = RowOrder.Builder(nil)
    for key in keys { builder.append(key) }
    return builder.finish { _ in KeyTuple([]) }
  }

  private func repeated(in keys: [RowKey]) -> RowKey? {
    if case .keys(let list) = order(keys) { list.repeatedKey() } else { nil }
  }

  private func repeated(in keys: [Int64]) -> RowKey? { repeated(in: keys.map(RowKey.integer)) }

  @Test func keysThatAreDifferentAreNotRepeated() {
    #expect(repeated(in: [Int64]()) == nil)
    #expect(repeated(in: [7] as [Int64]) == nil)
    #expect(repeated(in: Array(0..<5_000 as Range<Int64>)) == nil)
    #expect(repeated(in: [.min, -1, 0, 1, .max] as [Int64]) == nil)
    #expect(
      repeated(in: (0..<3_000).map { .tuple(KeyTuple([.text("\($0)"), .integer($0)])) }) == nil)
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
    #expect(repeated(in: keys) == .integer(key))
    let text = { RowKey(KeyTuple([.text("\($0 as Int64)")])) }
    #expect(repeated(in: keys.map(text)) == text(key))
    #expect(repeated(in: [text(1)] + keys.map(RowKey.integer)) == .integer(key))
  }

  @Test func aKeyThatIsInTheOrderTwiceBreaksAnInvariant() throws {
    func check(_ keys: [RowKey], rowCount: Int = 3) throws {
      try order(keys).checkInvariants(
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
    #expect(repeated(in: keys) == nil)
    #expect(repeated(in: keys + [keys[17]]) == .integer(keys[17]))
  }
}
