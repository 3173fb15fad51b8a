import FetchedResults
import RowQueries
import SQLiteStorage

/// The sections of a list with their counts and totals, without their rows.
enum SectionListJSON {
  /// The first sections as `/api/sections` answers them.
  static func bytes(
    _ snapshot: FetchedSnapshot<Row>, _ query: RowQuery, version: String, limit: Int
  ) throws -> [UInt8] {
    let count = query.sectionKey == nil ? 0 : snapshot.numberOfSections
    let buffer = OutputBuffer()
    try buffer.object {
      buffer.member("version", version)
      buffer.member("sections")
      try buffer.append(array: 0..<min(limit, count)) { section in
        let header = query.header(of: section, in: snapshot)
        try buffer.object {
          buffer.member("line", snapshot.rows(inSection: section).lowerBound + section)
          try buffer.append(
            membersOf: header, hasTotals: !query.totals.isEmpty, value: buffer.append(shown:))
        }
      }
      buffer.member("more", count > limit)
    }
    return buffer.bytes
  }
}
