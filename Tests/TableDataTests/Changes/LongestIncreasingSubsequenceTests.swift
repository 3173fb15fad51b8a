import TableDataTesting
import Testing

@testable import TableData

struct LongestIncreasingSubsequenceTests {
  @Test func ofEquallyGoodOnesTheLatestAndSmallestIsChosen() {
    #expect(longestIncreasingSubsequence(of: []) == [])
    #expect(longestIncreasingSubsequence(of: [1, 0]) == [false, true])
    #expect(longestIncreasingSubsequence(of: [3, 1, 2]) == [false, true, true])
  }

  @Test(arguments: SeededGenerator.seeds(50))
  func equalWeightsChooseTheSame(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let numbers = Array(0..<Int.random(in: 1...40, using: &generator)).shuffled(using: &generator)
    #expect(
      longestIncreasingSubsequence(of: numbers)
        == longestIncreasingSubsequence(of: numbers, weights: numbers.map { _ in 1 }),
      "\(numbers)")
  }

  @Test func oneHeavyNumberOutweighsManyLightOnes() {
    #expect(
      longestIncreasingSubsequence(of: [9, 1, 2, 3], weights: [4, 1, 1, 1])
        == [true, false, false, false])
  }

  @Test(arguments: SeededGenerator.seeds(50))
  func noOtherChoiceWeighsMore(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let numbers = Array(0..<Int.random(in: 1...9, using: &generator)).shuffled(using: &generator)
    let weights = numbers.map { _ in Int.random(in: 1...5, using: &generator) }
    let chosen = longestIncreasingSubsequence(of: numbers, weights: weights)
    let picked = zip(numbers, chosen).filter { $0.1 }.map(\.0)
    #expect(picked == picked.sorted())
    let weight = zip(weights, chosen).filter { $0.1 }.map(\.0).reduce(0, +)
    let best = (0..<(1 << numbers.count)).map { choice in
      let indices = numbers.indices.filter { choice & (1 << $0) != 0 }
      let isAscending = zip(indices, indices.dropFirst()).allSatisfy { numbers[$0] < numbers[$1] }
      return isAscending ? indices.reduce(0) { $0 + weights[$1] } : 0
    }.max()
    #expect(weight == best, "\(numbers), weights \(weights)")
  }
}
