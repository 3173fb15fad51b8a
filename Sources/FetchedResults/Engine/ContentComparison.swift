internal import SQLiteStorage
internal import TableData

/// Finds what differs between two versions of a result without a key, or between the results of two
/// requests with the same columns, by what their rows contain.
///
/// Only what is shown is compared: the columns of the records and the sections, inside the window.
/// Where the list shows the same, nothing has changed, whatever the rows are read from or sorted by.
///
/// Complexity: O(n) rows read for n rows shown, and what ``CommonSubsequence`` takes; a number for each
/// row meanwhile, and 16 bytes for each different content.
struct ContentComparison {
  private let old: ResultsVersion<Int64>
  private let numbers: RowNumbers
  private let new: ResultsVersion<Int64>

  /// - Parameter numbers: what identifies the rows of `old`.
  init(
    from old: ResultsVersion<Int64>, _ numbers: RowNumbers, to new: ResultsVersion<Int64>
  ) {
    self.old = old
    self.numbers = numbers
    self.new = new
  }

  /// Compares both.
  ///
  /// - Returns: the new version, in which rows that are the same have the numbers they had.
  /// - Throws: `FetchError` of code `.vanishedRow` for a damaged file, and `DatabaseError`.
  func run() throws -> (ResultsVersion<Int64>, TableChanges) {
    var contents = Contents()
    let oldRows = (try contents.read(old), old.index.layout)
    let newRows = (try contents.read(new), new.index.layout)
    let comparator = new.plan.sectioning.comparator
    // Keys that only one side takes for equal are told apart.
    let common = comparator.isSame(as: old.plan.sectioning.comparator) ? comparator : .binary
    let match = ContentMatch(oldRows, newRows, common)
    let next = new.numbered(RowNumbers(following: numbers, match.counterparts))
    guard old.plan.sectioning.isNone == new.plan.sectioning.isNone else {
      return (next, .replacement(of: oldRows.1, by: newRows.1))
    }
    let changes = TableChanges(
      match.difference, comparator: common, from: oldRows.1, to: newRows.1)
    return (next, changes)
  }
}

/// Numbers for what rows contain: the same for the same values, to the byte.
private struct Contents {
  /// What stands for a content: so many bits, and of a function that is another one in each process,
  /// that no two contents will ever have the same.
  private struct Digest: Hashable {
    let first: Int
    let second: Int
  }

  private var numbers: [Digest: Int] = [:]

  /// The numbers of the contents of all rows that a version shows.
  mutating func read(_ version: ResultsVersion<Int64>) throws -> [Int] {
    var contents: [Int] = []
    contents.reserveCapacity(version.index.layout.count)
    try version.read(0..<version.index.layout.count) { row in
      contents.append(number(of: Contents.digest(of: row)))
    }
    return contents
  }

  private mutating func number(of digest: Digest) -> Int {
    if let number = numbers[digest] { return number }
    numbers[digest] = numbers.count
    return numbers.count - 1
  }

  private static func digest(of row: borrowing RowView) -> Digest {
    var first = Hasher()
    var second = Hasher()
    second.combine(0)
    for column in 0..<row.count {
      let storageClass = row.storageClass(at: column)
      first.combine(storageClass)
      second.combine(storageClass)
      switch storageClass {
      case .null: break
      case .integer:
        first.combine(row.int64(at: column))
        second.combine(row.int64(at: column))
      case .real:
        first.combine(row.double(at: column).bitPattern)
        second.combine(row.double(at: column).bitPattern)
      case .text, .blob:
        row.withBytes(at: column) { bytes in
          first.combine(bytes.count)
          first.combine(bytes: bytes)
          second.combine(bytes.count)
          second.combine(bytes: bytes)
        }
      }
    }
    return Digest(first: first.finalize(), second: second.finalize())
  }
}
