import FetchedResults
import RowQueries
import SQLiteStorage
import TableData

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension RowQuery {
  /// The start of a version as a table, in lines with escape sequences and without line ends. Only the
  /// rows that fit are read.
  ///
  /// - Parameters:
  ///   - highlighted: the index paths of highlighted rows.
  ///   - height: the number of lines that fit.
  func tableLines(
    of reader: SnapshotReader<Row>, indexTitles: [String]?,
    highlighting highlighted: Set<IndexPath>, options: TerminalOptions, height: Int
  ) throws -> [String] {
    let buffer = OutputBuffer()
    let writer = TableWriter(to: buffer, options: options)
    let isSectioned = sectionKey != nil
    // The columns may change after a change of the schema.
    let first = reader.rowCount > 0 ? try reader.record(at: IndexPath(row: 0, section: 0)) : nil
    let columns = first.map(layout.columnNames) ?? self.columns
    writer.begin(columns: columns, isSectioned: isSectioned, indexTitles: indexTitles)
    // Each row is one line, so line numbers are known before the lines are written.
    var lineCount = (indexTitles == nil ? 0 : 2) + (columns.isEmpty ? 0 : 2)
    var highlightedLines: Set<Int> = []
    let hasTotals = !totals.isEmpty
    for number in 0..<reader.sectionCount where lineCount < height {
      let section = reader.section(at: number)
      var header = try layout.header(of: number, in: reader)
      header.totals = printed(reader.totals(at: number))
      try writer.beginSection(header)
      if isSectioned { lineCount += number > 0 ? 2 : 1 }
      for row in 0..<section.numberOfRows where lineCount < height {
        let place = IndexPath(row: row, section: number)
        try writer.row(layout.values(of: try reader.record(at: place)).map { .value($0) })
        if highlighted.contains(place) { highlightedLines.insert(lineCount) }
        lineCount += 1
      }
      try writer.endSection()
      if isSectioned, hasTotals { lineCount += 1 }
    }
    try writer.end(totals: printed(reader.totals))
    if hasTotals { lineCount += isSectioned && reader.sectionCount > 0 ? 2 : 1 }
    // The writer's own count at the end is of the rows drawn; the status line has the right one.
    var lines = buffer.contents.split(separator: "\n", omittingEmptySubsequences: false)
      .prefix(min(lineCount, height)).map { String($0) }
    guard options.usesColor else { return lines }
    for line in highlightedLines where line < lines.count {
      lines[line] = lines[line].inReverse
    }
    return lines
  }
}
