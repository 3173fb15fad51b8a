import CountedTrees

/// The lines of a list: for each section its header, if it has one, and then its rows. It converts index paths to
/// positions in a view without sections, and back.
package struct FlatRows<Header> {
  package enum Line: Hashable {
    case header(Int)
    case row(IndexPath)
  }

  package private(set) var rowCounts: [Int]
  private var headers: [Header?]
  private var lineCounts: PrefixSums

  /// Adds up sections, which have no headers by default. O(sections).
  package init(rowCounts: [Int] = [], headers: [Header?]? = nil) {
    let headers = headers ?? [Header?](repeating: nil, count: rowCounts.count)
    self.rowCounts = rowCounts
    self.headers = headers
    lineCounts = PrefixSums(zip(rowCounts, headers).lazy.map { $0 + ($1 == nil ? 0 : 1) })
  }

  /// The number of lines. O(1).
  package var count: Int { lineCounts.weight }

  /// The header of a section; nil if it has none, or if the section does not exist. O(1).
  package func header(of section: Int) -> Header? {
    headers.indices.contains(section) ? headers[section] : nil
  }

  /// Whether the list has a row. O(1).
  package func contains(_ indexPath: IndexPath) -> Bool {
    indexPath.count == 2 && rowCounts.indices.contains(indexPath.section)
      && 0..<rowCounts[indexPath.section] ~= indexPath.row
  }

  /// The line at a position; nil if there is none. O(log sections).
  package func line(at position: Int) -> Line? {
    guard 0..<count ~= position else { return nil }
    let (section, line) = lineCounts.position(containingWeight: position)
    guard headers[section] != nil else { return .row(IndexPath(row: line, section: section)) }
    return line == 0 ? .header(section) : .row(IndexPath(row: line - 1, section: section))
  }

  /// The position of a line; nil if the list does not have it. O(log sections).
  package func position(of line: Line) -> Int? {
    switch line {
    case .header(let section):
      header(of: section) == nil ? nil : lineCounts.weight(before: section)
    case .row(let indexPath): contains(indexPath) ? position(of: indexPath) : nil
    }
  }

  /// The position of a row, or of the end of its section. The section must exist. O(log sections).
  package func position(of indexPath: IndexPath) -> Int {
    lineCounts.weight(before: indexPath.section) + headerCount(of: indexPath.section)
      + indexPath.row
  }

  private func headerCount(of section: Int) -> Int { headers[section] == nil ? 0 : 1 }
}

// These return the positions of the lines that are inserted or removed. O(log sections), and O(sections) if a section
// is inserted or removed.
extension FlatRows {
  mutating func insertSection(_ section: Int, rowCount: Int, header: Header?) -> Range<Int> {
    rowCounts.insert(rowCount, at: section)
    headers.insert(header, at: section)
    lineCounts.insert(headerCount(of: section) + rowCount, at: section)
    return positions(ofSection: section)
  }

  mutating func removeSection(_ section: Int) -> Range<Int> {
    let positions = positions(ofSection: section)
    rowCounts.remove(at: section)
    headers.remove(at: section)
    lineCounts.remove(at: section)
    return positions
  }

  mutating func insertRow(at indexPath: IndexPath) -> Int {
    rowCounts[indexPath.section] += 1
    lineCounts.update(at: indexPath.section) { $0 += 1 }
    return position(of: indexPath)
  }

  mutating func removeRow(at indexPath: IndexPath) -> Int {
    rowCounts[indexPath.section] -= 1
    lineCounts.update(at: indexPath.section) { $0 -= 1 }
    return position(of: indexPath)
  }

  private func positions(ofSection section: Int) -> Range<Int> {
    let start = lineCounts.weight(before: section)
    return start..<start + lineCounts[section]
  }

  /// Checks that the counts of rows, headers and lines agree. O(sections).
  package func checkInvariants() throws {
    try lineCounts.checkInvariants()
    let expected = zip(rowCounts, headers).map { $0 + ($1 == nil ? 0 : 1) }
    let lines = Array(lineCounts.elements())
    try BrokenInvariant.check(
      lines == expected && headers.count == rowCounts.count,
      "\(lines) lines, \(rowCounts) rows and \(headers.count) headers")
  }
}
