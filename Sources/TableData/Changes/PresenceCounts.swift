/// Which of the numbers `0..<count` are still there, and how many of a range: a Fenwick tree.
struct PresenceCounts {
  /// `sums[i - 1]` counts what is there of the numbers `i - (lowest bit of i) ..< i`.
  private var sums: [Int]

  /// Begins with all numbers. O(count).
  init(count: Int) {
    sums = (0..<count).map { ($0 + 1) & -($0 + 1) }
  }

  /// Takes a number away, which must be there. O(log count).
  mutating func remove(_ number: Int) {
    var index = number + 1
    while index <= sums.count {
      sums[index - 1] -= 1
      index += index & -index
    }
  }

  /// How many numbers of a range are there. O(log count).
  func count(in range: Range<Int>) -> Int {
    count(below: range.upperBound) - count(below: range.lowerBound)
  }

  private func count(below number: Int) -> Int {
    var sum = 0
    var index = number
    while index > 0 {
      sum += sums[index - 1]
      index &= index - 1
    }
    return sum
  }
}
