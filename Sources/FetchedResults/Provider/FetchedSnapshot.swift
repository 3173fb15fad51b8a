public import SQLiteStorage
public import TableData

/// One version of a fetched result, which stays as it is whatever is written afterwards.
///
/// ```swift
/// for section in update.new.sections { print(section.name ?? "", section.numberOfRows) }
/// let names = update.new.objects.map(\.name)
/// ```
///
/// Records are read when they are asked for. Holding a snapshot for long keeps the database's
/// write-ahead log from being emptied, as ``/SQLiteStorage/Snapshot`` does.
///
/// Sendable: a value; whoever reads records gets a reader of their own.
public struct FetchedSnapshot<Record: Sendable>: Sendable {
  private let makeContent: @Sendable () -> any ResultsContent<Record>

  init(_ next: NextContent<Record>) { makeContent = next.makeContent }

  /// A reader that belongs to the caller.
  var content: any ResultsContent<Record> { makeContent() }

  /// The records in order, read when they are asked for.
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
