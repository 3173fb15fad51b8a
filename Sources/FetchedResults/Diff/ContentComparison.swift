internal import SQLiteStorage
internal import TableData

/// Compares the contents of rows: of two versions of a result without a key, or of the results of
/// two requests with the same columns.
///
/// Only what is shown is compared: the columns of the records and the sections, inside the window.
/// If the list shows the same, nothing has changed, whatever the rows are read from or sorted by.
///
/// Complexity: O(n) rows read for n rows shown, and the complexity of ``CommonSubsequence``.
/// Memory, until the comparison ends: a number for each row, and 16 bytes for each different
/// content.
struct ContentComparison {
  private let old: ResultsVersion<Int64>
  private let numbers: RowNumbers
  private let new: ResultsVersion<Int64>

  /// - Parameter numbers: the numbers that identify the rows of `old`.
  init(
    from old: ResultsVersion<Int64>, _ numbers: RowNumbers, to new: ResultsVersion<Int64>
  ) {
    self.old = old
    self.numbers = numbers
    self.new = new
  }

  /// Compares the old version with the new one.
  ///
  /// - Returns: the new version, in which unchanged rows have their old numbers.
  /// - Throws: `FetchError` of code `.vanishedRow` for a damaged file, and `DatabaseError`.
  func run() throws -> (ResultsVersion<Int64>, TableChanges) {
    var contents = Contents()
    let oldRows = (try contents.read(old), old.index.layout)
    let newRows = (try contents.read(new), new.index.layout)
    let comparator = new.plan.sectioning.comparator
    // Keys that are equal on one side only are different.
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

/// Assigns a number to each content of a row. Contents that are equal byte for byte have the same
/// number.
private struct Contents {
  /// A hash of a content. It has so many bits, and is seeded differently in each process, that no
  /// two contents have the same.
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
