internal import CountedTrees
internal import SectionedData

/// The numbers that identify the rows of a result without a key, by position.
///
/// A row has the same number in all versions, and no number is used twice.
struct RowNumbers: Sendable {
  private let numbers: [Int64]
  /// The first number that no row has had.
  let next: Int64

  /// Numbers rows that have no counterparts in an old version.
  ///
  /// - Parameters:
  ///   - numbers: the number of each row among all rows that were read, from 1.
  ///   - used: the highest number that has been used.
  init(_ numbers: [Int64], after used: Int64 = 0) {
    self.numbers = numbers.map { $0 + used }
    next = (self.numbers.max() ?? used) + 1
  }

  /// Numbers the rows of a later version.
  ///
  /// - Parameters:
  ///   - old: the numbers of the old version.
  ///   - counterparts: for each new row its old position; nil for an inserted row.
  init(following old: RowNumbers, _ counterparts: [Int?]) {
    var next = old.next
    numbers = counterparts.map { counterpart in
      if let counterpart { return old[counterpart] }
      next += 1
      return next - 1
    }
    self.next = next
  }

  /// The number of the row at a position, which must be in range.
  subscript(position: Int) -> Int64 { numbers[position] }

  /// The position of the row with a number; nil if there is none.
  ///
  /// Complexity: O(n).
  func position(of number: Int64) -> Int? { numbers.firstIndex(of: number) }

  /// Checks that there is one number for each row, and that none is used twice. O(n).
  func checkInvariants(rowCount: Int) throws {
    try BrokenInvariant.check(
      numbers.count == rowCount && Set(numbers).count == rowCount,
      "the numbers \(numbers) of \(rowCount) rows")
    try BrokenInvariant.check(
      numbers.allSatisfy { $0 < next }, "the next number \(next) is used")
  }
}
