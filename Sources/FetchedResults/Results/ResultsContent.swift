internal import SQLiteStorage
internal import TableData

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The content of a provider: a version of the result and a cache of records.
///
/// This protocol hides the type of the key from the provider.
protocol ResultsContent<Record>: AnyObject {
  associatedtype Record: Sendable

  /// The version of the database.
  var databaseSnapshot: Snapshot { get }

  /// A function that computes the content of another version. It returns nil if that is the current
  /// version. It uses nothing of the provider, so it can run on any thread.
  func advance(by fetch: ResultLoader<Record>)
    -> @Sendable (Snapshot) throws -> ResultUpdate<Record>?

  /// A function that computes the result of another request in the same version. It can run on any
  /// thread.
  func replace(
    by fetch: ResultLoader<Record>, insteadOf old: ResultLoader<Record>, isTracked: Bool
  ) -> @Sendable () throws -> ResultUpdate<Record>

  /// How the result is kept up to date.
  var maintenance: MaintenancePlan { get }

  /// The number of rows.
  var count: Int { get }
  /// The number of sections.
  var sectionCount: Int { get }

  /// The section with a number, which must be in range.
  func section(at section: Int) -> SectionEntry
  /// The positions of a section's rows in the whole result.
  func rows(inSection section: Int) -> Range<Int>
  /// The section and row of a position, which must be in range.
  func place(of position: Int) -> (section: Int, row: Int)
  /// The position of a row; nil if it is not in the result.
  func position(of identity: RowIdentity) throws -> Int?
  /// The identities at positions that must be in range.
  func identities(at positions: Range<Int>) throws -> [RowIdentity]
  /// The columns of a record, in the order of ``values(at:)``.
  var columnNames: [String] { get }
  /// The values of the record's columns at a position, which must be in range.
  func values(at position: Int) throws -> [Value]
  /// The record at a position, which must be in range.
  ///
  /// - Throws: `DatabaseError` if the record cannot be read or decoded, with its key, its index
  ///   path and the column; `FetchError` of code `.vanishedRow` for a damaged file.
  func record(at position: Int) throws -> Record
  /// The identity of a record, which need not be in the result.
  func identity(of record: Record) throws -> RowIdentity
}

extension ResultsContent {
  /// The identity at a position, which must be in range.
  func identity(at position: Int) throws -> RowIdentity {
    try identities(at: position..<(position + 1))[0]
  }

  /// The record at a position, which may be out of range.
  ///
  /// - Throws: `TableDataError` if there is no such position, with the position and the count; as
  ///   ``record(at:)``.
  func object(at position: Int) throws -> Record {
    guard 0..<count ~= position else {
      throw TableDataError(
        .rowOutOfRange,
        "there is no row \(position): the result has \(count) row\(count == 1 ? "" : "s")")
    }
    return try record(at: position)
  }

  /// The position of an index path in the whole result.
  ///
  /// - Throws: `TableDataError` if there is no such row, with the index path and the counts.
  func position(of indexPath: IndexPath) throws -> Int {
    guard indexPath.count == 2 else { throw TableDataError.malformedIndexPath(indexPath) }
    guard 0..<sectionCount ~= indexPath.section else {
      throw TableDataError.sectionOutOfRange(indexPath, count: sectionCount)
    }
    let rows = rows(inSection: indexPath.section)
    guard 0..<rows.count ~= indexPath.row else {
      throw TableDataError.rowOutOfRange(indexPath, count: rows.count)
    }
    return rows.lowerBound + indexPath.row
  }
}
