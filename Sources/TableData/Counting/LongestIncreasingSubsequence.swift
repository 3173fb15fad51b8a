/// Chooses numbers that ascend in the order they come in: as many as possible, or of as much weight.
///
/// Complexity: O(n log n).
///
/// Source: M. L. Fredman, "On computing the length of longest increasing subsequences", 1975; with
/// weights, the piles become the nodes of a Fenwick tree.
///
/// - Parameters:
///   - numbers: different numbers.
///   - weights: for each number how much it is worth; nil where all are worth the same.
/// - Returns: for each number whether it is chosen.
package func longestIncreasingSubsequence(
  of numbers: [Int], weights: [Int]? = nil
) -> [Bool] {
  // Of equally good ends the latest counts: with equal weights it is the smallest.
  struct End {
    var weight = 0
    var index = -1

    mutating func take(_ other: End) {
      if (other.weight, other.index) > (weight, index) { self = other }
    }
  }
  let sorted = numbers.sorted()
  // For ranges of ranks, as in any Fenwick tree, the best end of a subsequence.
  var ends = [End](repeating: End(), count: numbers.count + 1)
  var previous: [Int] = []
  var best = End()
  for (index, number) in numbers.enumerated() {
    let rank = sorted.partitionPoint { $0 < number } + 1
    var below = End()
    var position = rank - 1
    while position > 0 {
      below.take(ends[position])
      position &= position - 1
    }
    previous.append(below.index)
    let end = End(weight: below.weight + (weights?[index] ?? 1), index: index)
    best.take(end)
    position = rank
    while position < ends.count {
      ends[position].take(end)
      position += position & -position
    }
  }
  var isChosen = [Bool](repeating: false, count: numbers.count)
  while best.index >= 0 {
    isChosen[best.index] = true
    best.index = previous[best.index]
  }
  return isChosen
}
