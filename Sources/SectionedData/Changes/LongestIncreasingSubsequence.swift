import CountedTrees

/// Chooses numbers that ascend in the given order: as many as possible.
///
/// Of equally good choices it takes the one with the latest numbers. Complexity: O(n log m) for a choice of m numbers.
///
/// Source: M. L. Fredman, "On computing the length of longest increasing subsequences", 1975.
///
/// - Parameter numbers: different numbers.
/// - Returns: for each number whether it is chosen.
package func longestIncreasingSubsequence(of numbers: [Int]) -> [Bool] {
  choice(longest(numbers))
}

/// The same for a choice of the greatest weight. O(n log n).
///
/// To allow weights, the piles are the nodes of a Fenwick tree.
package func longestIncreasingSubsequence(
  of numbers: [Int], weights: [some AdditiveArithmetic & Comparable]
) -> [Bool] {
  choice(heaviest(numbers, weights))
}

private func choice(_ found: (last: Int, previous: [Int])) -> [Bool] {
  var last = found.last
  var isChosen = [Bool](repeating: false, count: found.previous.count)
  while last >= 0 {
    isChosen[last] = true
    last = found.previous[last]
  }
  return isChosen
}

/// The index of the last number of a longest choice, and for each number the index of the one before it in a choice
/// that it ends; -1 for none.
private func longest(_ numbers: [Int]) -> (last: Int, previous: [Int]) {
  // The smallest number that ends a choice of each length, and its index.
  var ends: [(number: Int, index: Int)] = []
  var previous = [Int](repeating: -1, count: numbers.count)
  for (index, number) in numbers.enumerated() {
    // Numbers that ascend already are the common case.
    let length =
      ends.last.map { $0.number < number } ?? true
      ? ends.count : ends.partitionPoint { $0.number < number }
    if length > 0 { previous[index] = ends[length - 1].index }
    if length == ends.count {
      ends.append((number, index))
    } else {
      ends[length] = (number, index)
    }
  }
  return (ends.last?.index ?? -1, previous)
}

/// The same for a choice of the greatest weight.
private func heaviest<Weight: AdditiveArithmetic & Comparable>(
  _ numbers: [Int], _ weights: [Weight]
) -> (last: Int, previous: [Int]) {
  let sorted = numbers.sorted()
  // The best end for a range of ranks; the ranges are those of a Fenwick tree.
  var ends = [End<Weight>](repeating: End(), count: numbers.count + 1)
  var previous: [Int] = []
  var best = End<Weight>()
  for (index, number) in numbers.enumerated() {
    let rank = sorted.partitionPoint { $0 < number } + 1
    var below = End<Weight>()
    var node = rank - 1
    while node > 0 {
      below.take(ends[node])
      node &= node - 1
    }
    previous.append(below.index)
    let end = End(weight: below.weight + weights[index], index: index)
    best.take(end)
    node = rank
    while node < ends.count {
      ends[node].take(end)
      node += node & -node
    }
  }
  return (best.index, previous)
}

/// The end of a choice. Of equally good ends the latest is the smallest number, if all weights are equal.
private struct End<Weight: AdditiveArithmetic & Comparable> {
  var weight = Weight.zero
  var index = -1

  mutating func take(_ other: End) {
    if (other.weight, other.index) > (weight, index) { self = other }
  }
}
