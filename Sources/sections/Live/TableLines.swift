import TableData

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The lines of a table on a terminal: for each section its heading, where it has one, and its rows.
struct TableLines {
  /// What a line shows.
  enum Line: Equatable {
    case heading(Int)
    case row(IndexPath)
  }

  private let rowCounts: [Int]
  private let headings: [String?]
  /// For each section the number of lines before it.
  private let starts: [Int]
  /// The number of lines.
  let count: Int

  /// Adds up the sections of what a table shows. O(sections).
  ///
  /// - Parameter headings: the title of each section; nil for one that has no heading.
  init(rowCounts: [Int], headings: [String?]) {
    self.rowCounts = rowCounts
    self.headings = headings
    var starts: [Int] = []
    var sum = 0
    for (rows, heading) in zip(rowCounts, headings) {
      starts.append(sum)
      sum += rows + (heading == nil ? 0 : 1)
    }
    self.starts = starts
    count = sum
  }

  /// The title of a section; nil where it has none, or there is no such section.
  func heading(of section: Int) -> String? {
    headings.indices.contains(section) ? headings[section] : nil
  }

  /// The number of rows of a section that is there.
  func rowCount(of section: Int) -> Int { rowCounts[section] }

  /// The line that has `position` lines before it; nil where there are not as many. O(log sections).
  func line(at position: Int) -> Line? {
    guard 0..<count ~= position else { return nil }
    // The last section that starts there or before: ones without any line come first.
    var (low, high) = (0, starts.count)
    while low + 1 < high {
      let middle = (low + high) / 2
      if starts[middle] <= position { low = middle } else { high = middle }
    }
    let place = position - starts[low]
    guard headings[low] != nil else { return .row(IndexPath(row: place, section: low)) }
    return place == 0 ? .heading(low) : .row(IndexPath(row: place - 1, section: low))
  }

  /// The number of lines before a line; nil where it is not there.
  func position(of line: Line) -> Int? {
    switch line {
    case .heading(let section):
      heading(of: section) == nil ? nil : starts[section]
    case .row(let path):
      rowCounts.indices.contains(path.section) && 0..<rowCounts[path.section] ~= path.row
        ? starts[path.section] + (headings[path.section] == nil ? 0 : 1) + path.row : nil
    }
  }

  /// The rows among some lines: how many come before them in the whole table, and how many they are.
  func rows(in window: Range<Int>) -> (offset: Int, count: Int) {
    let before = rowsBefore(window.lowerBound)
    return (before, rowsBefore(window.upperBound) - before)
  }

  private func rowsBefore(_ position: Int) -> Int {
    var rows = 0
    for (section, start) in starts.enumerated() where start < position {
      let headingCount = headings[section] == nil ? 0 : 1
      rows += min(max(position - start - headingCount, 0), rowCounts[section])
    }
    return rows
  }
}
