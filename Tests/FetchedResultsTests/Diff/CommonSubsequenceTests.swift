import TableDataTesting
import Testing

@testable import FetchedResults

@Suite struct CommonSubsequenceTests {
  private typealias Pairs = [(old: Int, new: Int)]

  private func pairs(
    _ old: [Int], _ new: [Int], pairCount: Int = CommonSubsequence.Budget().pairCount
  ) -> Pairs {
    var budget = CommonSubsequence.Budget(pairCount: pairCount)
    let (old, new) = (old.map(UInt64.init), new.map(UInt64.init))
    return CommonSubsequence(of: old[...], and: new[...], &budget).pairs
  }

  private func expectCommon(_ pairs: Pairs, _ old: [Int], _ new: [Int], _ comment: Comment) {
    #expect(pairs.allSatisfy { old[$0.old] == new[$0.new] }, comment)
    #expect(
      zip(pairs, pairs.dropFirst()).allSatisfy { $0.old < $1.old && $0.new < $1.new }, comment)
  }

  @Test(arguments: SeededGenerator.seeds(100))
  func asManyAsPossibleAreInCommon(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let kinds = Int.random(in: 1...8, using: &generator)
    let old = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
      Int.random(in: 0..<kinds, using: &generator)
    }
    var new = old
    for _ in 0..<Int.random(in: 0...12, using: &generator) {
      let place = Int.random(in: 0...new.count, using: &generator)
      if Bool.random(using: &generator), place < new.count {
        new.remove(at: place)
      } else {
        new.insert(Int.random(in: 0...kinds, using: &generator), at: place)
      }
    }
    if seed.isMultiple(of: 3) { new.shuffle(using: &generator) }
    let comment: Comment = "seed \(seed): \(old) \(new)"
    let all = pairs(old, new)
    expectCommon(all, old, new, comment)
    #expect(all.count == ShownContents.mostInCommon(old, new), comment)
    // Without a budget it may be fewer, but nothing between two of them is on both sides.
    let fewer = pairs(old, new, pairCount: 0)
    expectCommon(fewer, old, new, comment)
    var (start, newStart) = (0, 0)
    for pair in fewer + [(old.count, new.count)] {
      let gap = Set(old[start..<pair.old])
      #expect(gap.isDisjoint(with: new[newStart..<pair.new]), comment)
      (start, newStart) = (pair.old + 1, pair.new + 1)
    }
  }

  @Test func manyTwinsWithFewDifferencesAreNoMoreThanTheBudget() {
    // All pairs would be 10¹⁰.
    let old = (0..<200_000).map { $0 % 2 }
    let new = [7] + old.dropFirst(3) + [1, 1]
    let found = pairs(old, new)
    expectCommon(found, old, new, "")
    #expect(found.count == old.count - 2)
  }

  @Test func withoutTwinsAnyOrderTakesNoMoreThanSorting() {
    let old = Array(0..<100_000)
    let new = old.map { $0 * 7_919 % 100_003 }
    expectCommon(pairs(old, new, pairCount: 0), old, new, "")
  }
}
