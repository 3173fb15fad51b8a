import TableDataTesting
import Testing

@testable import TableData

struct PrefixSumsTests {
  @Test func anEmptySequenceHasNothing() {
    let sums = PrefixSums()
    #expect(sums.count == 0)
    #expect(sums.total == 0)
    #expect(sums.sum(before: 0) == 0)
    #expect(sums.location(of: 0) == nil)
  }

  @Test func countsOfZeroAreSkipped() {
    let sums = PrefixSums([0, 2, 0, 0, 3, 0])
    #expect((0..<5).map { sums.location(of: $0)?.index } == [1, 1, 4, 4, 4])
    #expect((0..<5).map { sums.location(of: $0)?.rest } == [0, 1, 0, 1, 2])
    #expect(sums.location(of: 5) == nil)
    #expect(sums.location(of: -1) == nil)
  }

  @Test(arguments: SeededGenerator.seeds(20))
  func aTreeIsWhatAnArrayIs(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var counts = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
      Int.random(in: 0...3, using: &generator)
    }
    var sums = PrefixSums(counts)
    for _ in 0..<400 {
      let count = Int.random(in: 0...3, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0, 1:
        let index = Int.random(in: 0...counts.count, using: &generator)
        counts.insert(count, at: index)
        sums.insert(count, at: index)
      case 2 where !counts.isEmpty:
        let index = Int.random(in: counts.indices, using: &generator)
        #expect(sums.remove(at: index) == counts.remove(at: index))
      case 3 where !counts.isEmpty:
        let index = Int.random(in: counts.indices, using: &generator)
        counts[index] = count
        sums[index] = count
      default: break
      }
      let index = Int.random(in: 0...counts.count, using: &generator)
      #expect(sums.sum(before: index) == counts[..<index].reduce(0, +))
    }
    #expect(sums.counts == counts)
    #expect(sums.count == counts.count)
    #expect(counts.indices.map { sums[$0] } == counts)
    let owners = counts.enumerated().flatMap { [Int](repeating: $0.offset, count: $0.element) }
    #expect((0..<sums.total).map { sums.location(of: $0)?.index } == owners)
  }

  @Test func emptyingATreeAndFillingItAgainWorks() {
    var sums = PrefixSums([Int](repeating: 1, count: 5_000))
    for _ in 0..<5_000 { sums.remove(at: 0) }
    #expect(sums.count == 0)
    for _ in 0..<100 { sums.insert(2, at: 0) }
    #expect(sums.total == 200)
    #expect(sums.location(of: 199)?.index == 99)
  }

  @Test func aCopyKeepsTheOldState() {
    let old = PrefixSums([1, 2, 3])
    var new = old
    new[1] = 7
    new.insert(5, at: 0)
    #expect(old.counts == [1, 2, 3])
    #expect(new.counts == [5, 1, 7, 3])
  }

  @Test(arguments: [100, 10_000, 1_000_000])
  func aLookUpTakesLogarithmicallyManySteps(count: Int) throws {
    let sums = PrefixSums((0..<count).map { $0 % 3 })
    var steps = 0
    for sum in stride(from: 0, to: sums.total, by: max(1, count / 100)) {
      steps = max(steps, try #require(sums.location(of: sum)).steps)
    }
    // Up to 32 on each level, and 32 times more counts need one more level.
    let levels = sequence(first: count) { $0 > 32 ? ($0 + 31) / 32 : nil }.reduce(0) { n, _ in
      n + 1
    }
    #expect(steps <= 32 * levels)
    #expect(levels <= 4)
  }
}
