/// The numbers that identify the rows of a result without a key, by position.
///
/// A row keeps its number from version to version, and no number is given twice.
struct RowNumbers: Sendable {
  private let numbers: [Int64]
  /// The first number that no row has had.
  let next: Int64

  /// Numbers for rows of which nothing is known.
  ///
  /// - Parameter numbers: those of the rows among all that were read, from 1.
  init(_ numbers: [Int64], after used: Int64 = 0) {
    self.numbers = numbers.map { $0 + used }
    next = (self.numbers.max() ?? used) + 1
  }

  /// The numbers of the rows that follow some others.
  ///
  /// - Parameters:
  ///   - old: the numbers in the version before.
  ///   - counterparts: for each row its position there; nil for a new one.
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

  /// The position of the row with a number; nil where there is none.
  ///
  /// Complexity: O(n).
  func position(of number: Int64) -> Int? { numbers.firstIndex(of: number) }
}
