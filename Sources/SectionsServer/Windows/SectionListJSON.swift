import FetchedResults
import RowQueries
import SQLiteStorage

/// The sections of a list with their counts and totals, without their rows.
enum SectionListJSON {
  /// The first sections as `/api/sections` answers them.
  static func bytes(
    _ reader: SnapshotReader<Row>, _ query: RowQuery, version: String, limit: Int
  ) throws -> [UInt8] {
    let count = query.sectionKey == nil ? 0 : reader.sectionCount
    let buffer = OutputBuffer()
    try buffer.object {
      buffer.member("version", version)
      buffer.member("sections")
      try buffer.append(array: 0..<min(limit, count)) { section in
        let header = query.header(of: section, in: reader)
        try buffer.object {
          buffer.member("line", reader.rows(inSection: section).lowerBound + section)
          try buffer.append(
            membersOf: header, hasTotals: !query.totals.isEmpty, value: buffer.append(shown:))
        }
      }
      buffer.member("more", count > limit)
    }
    return buffer.bytes
  }
}
