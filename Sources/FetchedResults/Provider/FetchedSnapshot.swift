public import SQLiteStorage
public import TableData

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One version of a fetched result, which stays as it is whatever is written afterwards.
///
/// ```swift
/// for section in update.new.sections { print(section.name ?? "", section.numberOfRows) }
/// let rowCount = update.new.objects.count
/// let names = try (0..<rowCount).map { try update.new.object(at: $0).name }
/// ```
///
/// Records are read when they are asked for. Holding a snapshot for long keeps the database's
/// write-ahead log from being emptied, as ``/SQLiteStorage/Snapshot`` does.
///
/// Sendable: a value. Records that are asked for one after the other are read in batches, which the
/// copies of a snapshot share; who asks while another one reads gets a reader of their own.
public struct FetchedSnapshot<Record: Sendable>: Sendable {
  private let makeContent: @Sendable () -> any ResultsContent<Record>
  /// The reader of ``object(at:)-(Int)``, made when it is asked for first.
  private let reader = Guarded<(any ResultsContent<Record>)?>(nil)

  init(_ next: NextContent<Record>) { makeContent = next.makeContent }

  /// A reader that belongs to the caller.
  var content: any ResultsContent<Record> { makeContent() }

  /// The record at a position in the whole result.
  ///
  /// Complexity: O(1) amortised when records are asked for one after the other, else O(log n).
  ///
  /// - Throws: `TableDataError` where there is no such position; `DatabaseError` where this record
  ///   cannot be read or decoded, naming its key, its place and the column; `FetchError` of code
  ///   `.vanishedRow` for a damaged file.
  public func object(at position: Int) throws -> Record {
    try read { try $0.object(at: position) }
  }

  /// The record at a place.
  ///
  /// Complexity: as ``object(at:)-(Int)``.
  ///
  /// - Throws: `TableDataError` where there is no such place; else as ``object(at:)-(Int)``.
  public func object(at indexPath: IndexPath) throws -> Record {
    try read { try $0.record(at: try $0.position(of: indexPath)) }
  }

  private func read(_ body: (any ResultsContent<Record>) throws -> Record) throws -> Record {
    let record: Record? = try reader.withLockIfAvailable { reader in
      let content = reader ?? makeContent()
      reader = content
      return try body(content)
    }
    return try record ?? body(makeContent())
  }

  /// The records in order, read when they are asked for. Their subscript traps where a record cannot be
  /// decoded: see ``FetchedObjects``.
  public var objects: FetchedObjects<Record> { FetchedObjects(content) }

  /// The sections, in order.
  ///
  /// Complexity: O(sections).
  public var sections: [SectionInfo] {
    let content = content
    return (0..<content.sectionCount).map { section in
      SectionInfo(
        name: content.section(at: section).name,
        numberOfRows: content.rows(inSection: section).count)
    }
  }

  /// The value that the records of a section have in common; nil for a result that is not divided.
  /// The section must be in range.
  public func sectionKey(at section: Int) -> Value? { content.section(at: section).value }

  /// The identities of the records, section by section: what a diffable data source takes.
  ///
  /// Complexity: O(n).
  ///
  /// - Throws: `FetchError` and `DatabaseError`, for a result of which they have to be read.
  public var identities: [[RowIdentity]] {
    get throws {
      let content = content
      return try (0..<content.sectionCount).map { section in
        try content.identities(at: content.rows(inSection: section))
      }
    }
  }
}
