#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The number of rows of each section, and the rows counted through all sections.
struct RowCounts {
  /// The number of rows of each section.
  let rows: [Int]
  /// For each section the number of rows before it.
  private let starts: [Int]
  /// The number of rows of all sections.
  let total: Int

  /// Adds up the sections. O(sections).
  init(_ rows: [Int] = []) {
    self.rows = rows
    var starts: [Int] = []
    starts.reserveCapacity(rows.count)
    var sum = 0
    for count in rows {
      starts.append(sum)
      sum += count
    }
    self.starts = starts
    total = sum
  }

  /// Whether there is such a row.
  func contains(_ indexPath: IndexPath) -> Bool {
    indexPath.count == 2 && rows.indices.contains(indexPath.section)
      && 0..<rows[indexPath.section] ~= indexPath.row
  }

  /// The number of rows before one that is there.
  func position(of indexPath: IndexPath) -> Int {
    starts[indexPath.section] + indexPath.row
  }

  /// The row that has `position` rows before it, which must be less than the total. O(log sections).
  func indexPath(at position: Int) -> IndexPath {
    // The last section that starts there or before; empty ones that start there too come first.
    let section = starts.partitionPoint { $0 <= position } - 1
    return IndexPath(row: position - starts[section], section: section)
  }
}
