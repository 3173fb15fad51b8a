import CountedTrees
import FetchedResults
import SQLiteStorage
import SectionedData

/// The lines of a version as a table: for each section its heading, its rows, its totals and an empty
/// line; at the end the totals of all rows.
///
/// No line is stored: a place is found by the positions of the sections' rows, O(log² sections).
struct ResultLines {
  enum Line: Hashable {
    case heading(Int)
    case row(IndexPath)
    case totals(Int)
    case empty
    case wholeTotals
  }

  let sectionCount: Int
  let rowCount: Int
  let hasHeadings: Bool
  /// Whether sections and the whole list have totals.
  let hasTotals: Bool
  /// The positions of a section's rows in the whole list.
  private let rows: (Int) -> Range<Int>

  init(
    sectionCount: Int, rowCount: Int, hasHeadings: Bool, hasTotals: Bool,
    rows: @escaping (Int) -> Range<Int>
  ) {
    self.sectionCount = sectionCount
    self.rowCount = rowCount
    self.hasHeadings = hasHeadings
    self.hasTotals = hasTotals
    self.rows = rows
  }

  /// The lines of a version.
  init(of snapshot: FetchedSnapshot<Row>, hasHeadings: Bool, hasTotals: Bool) {
    self.init(
      sectionCount: snapshot.numberOfSections, rowCount: snapshot.numberOfRows,
      hasHeadings: hasHeadings, hasTotals: hasTotals, rows: snapshot.rows(inSection:))
  }

  /// The number of lines of a section beside its rows.
  private var extra: Int { hasHeadings ? hasTotals ? 3 : 2 : 0 }

  var count: Int {
    // After the last section an empty line is needed only before the totals.
    let sections = sectionCount * extra - (hasHeadings && !hasTotals && sectionCount > 0 ? 1 : 0)
    return rowCount + sections + (hasTotals ? 1 : 0)
  }

  /// The position of the first line of a section.
  func start(ofSection section: Int) -> Int { rows(section).lowerBound + section * extra }

  func position(of row: IndexPath) -> Int {
    start(ofSection: row.section) + (hasHeadings ? 1 : 0) + row.row
  }

  /// The line at a position, which must be in range.
  func line(at position: Int) -> Line {
    if hasTotals, position == count - 1 { return .wholeTotals }
    guard hasHeadings else { return .row(IndexPath(row: position, section: 0)) }
    let section = section(atLine: position)
    let offset = position - start(ofSection: section)
    let rowCount = rows(section).count
    if offset == 0 { return .heading(section) }
    if offset <= rowCount { return .row(IndexPath(row: offset - 1, section: section)) }
    return hasTotals && offset == rowCount + 1 ? .totals(section) : .empty
  }

  private func section(atLine position: Int) -> Int {
    (0..<sectionCount).partitionPoint { start(ofSection: $0) <= position } - 1
  }
}
