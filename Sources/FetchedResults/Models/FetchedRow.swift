public import SQLiteStorage
public import SectionedData

/// A row of a ``FetchedList``. Its record is read when the caller asks for it.
///
/// Not Sendable: it belongs to the owner of the list. It keeps a version of the database with this row readable.
public struct FetchedRow<Record: Sendable>: Identifiable {
  /// The identity of the row: its key.
  public let id: RowIdentity
  private let content: SnapshotReader<Record>
  private let position: Int

  init(_ content: SnapshotReader<Record>, _ position: Int) {
    self.content = content
    self.position = position
    // Only above a million rows it is read from the database. If that fails, an identity that no
    // row has, because it has one value too many: the record cannot be read either, and says why.
    id =
      (try? content.identity(at: position))
      ?? RowIdentity(
        content.version.source.plan.parts.key.map { _ in .null } + [.integer(Int64(position))])
  }

  /// The record; nil if it cannot be read or decoded. ``read()`` throws the reason.
  ///
  /// Complexity: O(1) amortised for rows in sequence, else O(log n).
  public var object: Record? { try? read() }

  /// Reads the record.
  ///
  /// - Throws: `DatabaseError` if the record cannot be read or decoded, with its key, its index path
  ///   and the column.
  public func read() throws -> Record { try content.record(at: position) }
}

/// The rows of a ``FetchedList`` in order.
///
/// Not Sendable, like ``FetchedRow``.
public struct FetchedRows<Record: Sendable>: RandomAccessCollection {
  private let content: SnapshotReader<Record>?

  init(_ content: SnapshotReader<Record>?) { self.content = content }

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of rows.
  public var endIndex: Int { content?.rowCount ?? 0 }

  /// The row at a position in the whole result, which must be in range.
  public subscript(position: Int) -> FetchedRow<Record> {
    guard let content, indices.contains(position) else {
      fatalError("there is no row \(position): the list has \(count)")
    }
    return FetchedRow(content, position)
  }
}

/// A section of a ``FetchedList``: a collection of its rows.
///
/// Not Sendable, like ``FetchedRow``.
public struct FetchedSection<Record: Sendable>: RandomAccessCollection, Identifiable {
  private let content: SnapshotReader<Record>
  private let section: Int
  /// The positions of the rows in the whole result.
  private let positions: Range<Int>

  fileprivate init(_ content: SnapshotReader<Record>, _ section: Int) {
    self.content = content
    self.section = section
    positions = content.rows(inSection: section)
  }

  /// The identity, the same in each version: see `FetchedResultsProvider.identityForSection(_:)`.
  public var id: SectionID { content.identity(ofSection: section) }

  /// The name, as in `FetchedResultsProvider.sections`; nil if the list has no section key.
  public var name: String? { content.version.name(ofSection: section) }

  /// The section key: the value that the records of the section have in common; nil if the list has
  /// no section key.
  public var key: Value? { content.version.layout.section(at: section).value }

  /// The totals of the section.
  public var totals: SectionTotals<Record> { content.sectionTotals(at: section) }

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of rows.
  public var endIndex: Int { positions.count }

  /// The row at a position in the section, which must be in range.
  public subscript(position: Int) -> FetchedRow<Record> {
    guard indices.contains(position) else {
      fatalError("there is no row \(position): the section has \(count)")
    }
    return FetchedRow(content, positions.lowerBound + position)
  }
}

/// The sections of a ``FetchedList`` in order.
///
/// Not Sendable, like ``FetchedRow``.
public struct FetchedSections<Record: Sendable>: RandomAccessCollection {
  private let content: SnapshotReader<Record>?

  init(_ content: SnapshotReader<Record>?) { self.content = content }

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of sections.
  public var endIndex: Int { content?.sectionCount ?? 0 }

  /// The section at a position, which must be in range.
  ///
  /// Complexity: O(log n).
  public subscript(position: Int) -> FetchedSection<Record> {
    guard let content, indices.contains(position) else {
      fatalError("there is no section \(position): the list has \(count)")
    }
    return FetchedSection(content, position)
  }
}
