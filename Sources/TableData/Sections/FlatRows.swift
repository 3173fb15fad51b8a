#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The rows of a sectioned list one below the other, as a view without sections shows them: each
/// section's header, where it has one, then its rows.
struct FlatRows {
  /// What a row of the view shows.
  enum Place: Equatable {
    case header(section: Int)
    case row(IndexPath)
  }

  /// Whether each section has a header.
  let hasHeaders: Bool
  /// The number of rows of each section, its header counted.
  private var heights: PrefixSums

  /// Counts rows.
  ///
  /// - Parameter counts: the number of rows of each section.
  init(_ counts: [Int] = [], hasHeaders: Bool) {
    self.hasHeaders = hasHeaders
    heights = PrefixSums(counts.lazy.map { $0 + (hasHeaders ? 1 : 0) })
  }

  /// The number of rows with headers.
  var total: Int { heights.total }

  private var headerHeight: Int { hasHeaders ? 1 : 0 }

  /// The number of rows above one, or above the end of its section. O(log sections).
  func row(of path: IndexPath) -> Int {
    heights.sum(before: path.section) + headerHeight + path.row
  }

  /// What a row shows; nil where there is none. O(log sections).
  func place(at row: Int) -> Place? {
    guard let location = heights.location(of: row) else { return nil }
    guard hasHeaders else { return .row(IndexPath(row: location.rest, section: location.index)) }
    return location.rest == 0
      ? .header(section: location.index)
      : .row(IndexPath(row: location.rest - 1, section: location.index))
  }

  // All of these give the rows of the view that come or go.

  mutating func insertSection(_ section: Int, rowCount: Int) -> Range<Int> {
    heights.insert(headerHeight + rowCount, at: section)
    return rows(ofSection: section)
  }

  mutating func removeSection(_ section: Int) -> Range<Int> {
    let rows = rows(ofSection: section)
    heights.remove(at: section)
    return rows
  }

  mutating func insertRow(at path: IndexPath) -> Int {
    heights[path.section] += 1
    return row(of: path)
  }

  mutating func removeRow(at path: IndexPath) -> Int {
    heights[path.section] -= 1
    return row(of: path)
  }

  private func rows(ofSection section: Int) -> Range<Int> {
    let start = heights.sum(before: section)
    return start..<start + heights[section]
  }
}
