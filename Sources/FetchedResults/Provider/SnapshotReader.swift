package import SQLiteStorage
package import TableData

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Reads one version of a result by index path. It throws errors where a collection would trap.
///
/// Not Sendable: it belongs to the code that made it. It keeps the version as long as it lives.
package final class SnapshotReader<Record: Sendable> {
  private let content: any ResultsContent<Record>

  /// Makes a reader with its own cache.
  package init(_ snapshot: FetchedSnapshot<Record>) { content = snapshot.content }

  /// The number of sections.
  package var sectionCount: Int { content.sectionCount }

  /// The number of rows in all sections.
  package var rowCount: Int { content.count }

  /// The description of a section, which must be in range.
  package func section(at section: Int) -> SectionInfo {
    SectionInfo(
      name: content.section(at: section).name,
      numberOfRows: content.rows(inSection: section).count)
  }

  /// The section key: the value that the records of a section have in common. Nil if the result has
  /// no section key.
  package func sectionKey(at section: Int) -> Value? { content.section(at: section).value }

  /// The record at an index path, which must be in range.
  ///
  /// - Throws: `FetchError` of code `.vanishedRow` for a damaged file, `DatabaseError`.
  package func record(at indexPath: IndexPath) throws -> Record {
    let rows = content.rows(inSection: indexPath.section)
    return try content.record(at: rows.lowerBound + indexPath.row)
  }
}
