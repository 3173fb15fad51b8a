package import SQLiteStorage
package import TableData

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Reads one version of a result by place, with errors in place of the traps of a collection.
///
/// Not Sendable: it belongs to whoever made it. It keeps the version until it goes.
package final class SnapshotReader<Record: Sendable> {
  private let content: any ResultsContent<Record>

  /// Makes a reader with a cache of its own.
  package init(_ snapshot: FetchedSnapshot<Record>) { content = snapshot.content }

  /// The number of sections.
  package var sectionCount: Int { content.sectionCount }

  /// The number of rows in all sections.
  package var rowCount: Int { content.count }

  /// What is known of a section, which must be in range.
  package func section(at section: Int) -> SectionInfo {
    SectionInfo(
      name: content.section(at: section).name,
      numberOfRows: content.rows(inSection: section).count)
  }

  /// The value that the records of a section have in common; nil for a result that is not divided.
  package func sectionKey(at section: Int) -> Value? { content.section(at: section).value }

  /// The record at a place, which must be one of the result.
  ///
  /// - Throws: `FetchError` of code `.vanishedRow` for a damaged file, `DatabaseError`.
  package func record(at indexPath: IndexPath) throws -> Record {
    let rows = content.rows(inSection: indexPath.section)
    return try content.record(at: rows.lowerBound + indexPath.row)
  }
}
