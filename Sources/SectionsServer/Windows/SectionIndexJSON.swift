import FetchedResults
import RowQueries
import SQLiteStorage
import TableData

/// The section index of a list: titles, each with the line of the first section that has it.
enum SectionIndexJSON {
  private static let longest = 100
  /// The number of sections whose titles are read.
  private static let mostSections = 10_000

  /// The index as `/api/index` answers it.
  ///
  /// A long list of titles is thinned out evenly, and so are the sections that are read for it.
  static func bytes(
    _ reader: SnapshotReader<Row>, _ query: RowQuery, version: String
  ) -> [UInt8] {
    var entries: [(title: String, line: Int)] = []
    if query.sectionKey != nil {
      let step = max(1, (reader.sectionCount + mostSections - 1) / mostSections)
      var seen: Set<String> = []
      for section in stride(from: 0, to: reader.sectionCount, by: step) {
        guard let title = reader.section(at: section).indexTitle, seen.insert(title).inserted
        else { continue }
        entries.append((title, reader.rows(inSection: section).lowerBound + section))
      }
    }
    if entries.count > longest {
      let all = entries
      entries = (0..<longest).map { all[$0 * all.count / longest] }
    }
    let buffer = OutputBuffer()
    buffer.object {
      buffer.member("version", version)
      buffer.member("entries")
      buffer.append(array: entries) { entry in
        buffer.object {
          buffer.member("title", entry.title)
          buffer.member("line", entry.line)
        }
      }
    }
    return buffer.bytes
  }
}
