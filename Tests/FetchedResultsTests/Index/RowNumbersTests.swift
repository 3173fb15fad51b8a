import TableDataTesting
import Testing

@testable import FetchedResults

@Suite struct RowNumbersTests {
  @Test func rowsThatStayKeepTheirNumbersAndNoneIsGivenTwice() {
    let first = RowNumbers([1, 2, 3])
    let second = RowNumbers(following: first, [nil, 0, 2, nil])
    #expect((0..<4).map { second[$0] } == [4, 1, 3, 5])
    #expect(second.next == 6)
    #expect((1...6).map { second.position(of: Int64($0)) } == [1, nil, 2, 0, 3, nil])
    let other = RowNumbers([2, 1], after: second.next - 1)
    #expect((0..<2).map { other[$0] } == [7, 6])
    let empty = RowNumbers(following: second, [])
    #expect(empty.next == 6)
    #expect(empty.position(of: 1) == nil)
  }

  @Test(arguments: SeededGenerator.seeds(20))
  func theyAreThoseOfAPlainList(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var plain = (0..<20).map { Int64($0) + 1 }
    var numbers = RowNumbers(Array(1...20))
    for _ in 0..<30 {
      var counterparts = (0..<plain.count).map { Int?.some($0) }
      for _ in 0..<Int.random(in: 0...3, using: &generator) where !counterparts.isEmpty {
        let row = counterparts.remove(at: .random(in: 0..<counterparts.count, using: &generator))
        let place = Int.random(in: 0...counterparts.count, using: &generator)
        if Bool.random(using: &generator) { counterparts.insert(row, at: place) }
        if Bool.random(using: &generator) { counterparts.insert(nil, at: place) }
      }
      var next = numbers.next
      plain = counterparts.map { counterpart in
        if let counterpart { return plain[counterpart] }
        next += 1
        return next - 1
      }
      numbers = RowNumbers(following: numbers, counterparts)
      #expect(plain.indices.map { numbers[$0] } == plain, "seed \(seed)")
      #expect(plain.map { numbers.position(of: $0) } == Array(plain.indices), "seed \(seed)")
      #expect(numbers.next == next, "seed \(seed)")
      try numbers.checkInvariants(rowCount: plain.count)
    }
  }
}
