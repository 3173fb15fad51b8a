/// Chooses as many numbers as possible that ascend in the order they come in.
///
/// Complexity: O(n log n).
///
/// Source: M. L. Fredman, "On computing the length of longest increasing subsequences", 1975
/// (patience sorting).
///
/// - Parameter numbers: different numbers.
/// - Returns: for each number whether it is chosen.
func longestIncreasingSubsequence(of numbers: some Collection<Int>) -> [Bool] {
  let numbers = Array(numbers)
  // For each length the index of the smallest number that ends a subsequence of that length.
  var ends: [Int] = []
  var previous: [Int?] = []
  for (index, number) in numbers.enumerated() {
    let length = ends.partitioningIndex { numbers[$0] >= number }
    previous.append(length > 0 ? ends[length - 1] : nil)
    if length < ends.count { ends[length] = index } else { ends.append(index) }
  }
  var isChosen = [Bool](repeating: false, count: numbers.count)
  var index = ends.last
  while let chosen = index {
    isChosen[chosen] = true
    index = previous[chosen]
  }
  return isChosen
}
