import CountedTrees

/// Chooses numbers that ascend in the given order: as many as possible, or of the greatest weight.
///
/// Of equally good choices it takes the one with the latest numbers.
///
/// Complexity: O(n log n).
///
/// Source: M. L. Fredman, "On computing the length of longest increasing subsequences", 1975. To allow
/// weights, the piles are the nodes of a Fenwick tree.
///
/// - Parameters:
///   - numbers: different numbers.
///   - weights: the weight of each number; nil if all weigh the same.
/// - Returns: for each number whether it is chosen.
package func longestIncreasingSubsequence(
  of numbers: [Int], weights: [Int]? = nil
) -> [Bool] {
  // The end of a subsequence. Of equally good ends the latest is the smallest number, if all weights
  // are equal.
  struct End {
    var weight = 0
    var index = -1

    mutating func take(_ other: End) {
      if (other.weight, other.index) > (weight, index) { self = other }
    }
  }
  let sorted = numbers.sorted()
  // The best end for a range of ranks; the ranges are those of a Fenwick tree.
  var ends = [End](repeating: End(), count: numbers.count + 1)
  var previous: [Int] = []
  var best = End()
  for (index, number) in numbers.enumerated() {
    let rank = sorted.partitionPoint { $0 < number } + 1
    var below = End()
    var node = rank - 1
    while node > 0 {
      below.take(ends[node])
      node &= node - 1
    }
    previous.append(below.index)
    let end = End(weight: below.weight + (weights?[index] ?? 1), index: index)
    best.take(end)
    node = rank
    while node < ends.count {
      ends[node].take(end)
      node += node & -node
    }
  }
  var isChosen = [Bool](repeating: false, count: numbers.count)
  while best.index >= 0 {
    isChosen[best.index] = true
    best.index = previous[best.index]
  }
  return isChosen
}
