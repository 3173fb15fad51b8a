internal import SQLiteStorage
internal import TableData

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What a provider shows at one time: a version of the result, with the records read so far.
///
/// The key's type is known below this protocol and not above it.
protocol ResultsContent<Record>: AnyObject {
  associatedtype Record: Sendable

  /// The version of the database that it is of.
  var databaseSnapshot: Snapshot { get }

  /// How to go to another version, nil where this is it. Nothing in it belongs to the provider, so
  /// it can be done elsewhere.
  func advance(by fetch: ResultsFetch<Record>)
    -> @Sendable (Snapshot) throws -> NextContent<Record>?

  /// How to go to the result of another request, in the same version. It can be done elsewhere too.
  func replace(
    by fetch: ResultsFetch<Record>, insteadOf old: ResultsFetch<Record>, isTracked: Bool
  ) -> @Sendable () throws -> NextContent<Record>

  /// How it is kept true.
  var maintenance: MaintenancePlan { get }

  /// The number of rows.
  var count: Int { get }
  /// The number of sections.
  var sectionCount: Int { get }

  /// The section at a number, which must be in range.
  func section(at section: Int) -> SectionEntry
  /// The positions of a section's rows in the result.
  func rows(inSection section: Int) -> Range<Int>
  /// The place of a position, which must be in range.
  func place(of position: Int) -> (section: Int, row: Int)
  /// The position of a row; nil where it is not in the result.
  func position(of identity: RowIdentity) throws -> Int?
  /// The identities at some positions, which must be in range.
  func identities(at positions: Range<Int>) throws -> [RowIdentity]
  /// The columns of a record, in the order of ``values(at:)``.
  var columnNames: [String] { get }
  /// What the columns of the record at a position contain, which must be in range.
  func values(at position: Int) throws -> [Value]
  /// The record at a position, which must be in range.
  ///
  /// - Throws: `DatabaseError` where that record cannot be read or decoded, naming its key, its place
  ///   and the column; `FetchError` of code `.vanishedRow` for a damaged file.
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
  /// - Throws: `TableDataError` where there is no such position, naming it and the count; as
  ///   ``record(at:)``.
  func object(at position: Int) throws -> Record {
    guard 0..<count ~= position else {
      throw TableDataError(
        .rowOutOfRange,
        "there is no row \(position): the result has \(count) row\(count == 1 ? "" : "s")")
    }
    return try record(at: position)
  }

  /// The position of a place in the whole result.
  ///
  /// - Throws: `TableDataError` where there is no such place, naming it and the counts.
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
