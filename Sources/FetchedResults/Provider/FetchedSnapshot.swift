public import SQLiteStorage
public import SectionedData

/// One version of a fetched result, which later writes do not change.
///
/// ```swift
/// for section in update.new.sections { print(section.name ?? "", section.numberOfRows) }
/// let rowCount = update.new.objects.count
/// let names = try (0..<rowCount).map { try update.new.object(at: $0).name }
/// ```
///
/// Records are read when the caller asks for them. Do not keep a snapshot for long: it prevents the write-ahead log
/// from being reset, like a ``/SQLiteStorage/Snapshot``.
///
/// Sendable: a value. Records in sequence are read in batches, which the copies of a snapshot share. Two callers that
/// read at once do not wait for each other.
public struct FetchedSnapshot<Record: Sendable>: Sendable {
  let version: ResultsVersion
  fileprivate let description: RecordDescription<Record>
  fileprivate let requestedTotals: [SectionTotal<Record>]
  /// The reader of ``object(at:)-(Int)``, made at its first use.
  private let reader = Locked<SnapshotReader<Record>?>(nil)

  init(_ version: ResultsVersion, of request: FetchRequest<Record>) {
    self.version = version
    // Not the request: Swift 6.3 crashes on a closure of `JointUpdates` then.
    description = request.description
    requestedTotals = request.totals
  }

  /// The version of the database, from which anything else can be read.
  public var databaseSnapshot: Snapshot { version.snapshot }

  /// A new reader, which belongs to the caller.
  private var content: SnapshotReader<Record> { SnapshotReader(self) }

  /// The record at a position in the whole result.
  ///
  /// Complexity: O(1) amortised for records in sequence, else O(log n).
  ///
  /// - Throws: `TableDataError` if the position is out of range; `DatabaseError` if this record cannot
  ///   be read or decoded, with its key, its index path and the column; `FetchError` with code
  ///   `.vanishedRow` for a damaged file.
  public func object(at position: Int) throws -> Record {
    try read { try $0.object(at: position) }
  }

  /// The record at an index path of this version.
  ///
  /// Complexity: the same as ``object(at:)-(Int)``.
  ///
  /// - Throws: `TableDataError` if the row does not exist; else as ``object(at:)-(Int)``.
  public func object(at indexPath: IndexPath) throws -> Record {
    try read { try $0.record(at: try $0.position(of: indexPath)) }
  }

  private func read(_ body: (SnapshotReader<Record>) throws -> Record) throws -> Record {
    let record: Record? = try reader.withLockIfAvailable { reader in
      let content = reader ?? content
      reader = content
      return try body(content)
    }
    return try record ?? body(content)
  }

  /// The records in order, each read when the caller asks for it. The subscript traps if a record
  /// cannot be decoded: see ``FetchedObjects``.
  public var objects: FetchedObjects<Record> { FetchedObjects(content) }

  /// The sections, in order.
  ///
  /// Complexity: O(sections).
  public var sections: [SectionInfo] {
    let content = content
    return (0..<content.sectionCount).map(content.section(at:))
  }

  /// The section key: the value that the records of a section have in common. Nil if the result has
  /// no section key. The section must be in range.
  public func sectionKey(at section: Int) -> Value? { content.sectionKey(at: section) }

  /// The totals of a section. The section must be in range.
  ///
  /// Complexity: O(log sections).
  public func totals(at section: Int) -> SectionTotals<Record> {
    content.sectionTotals(at: section)
  }

  /// The totals of all rows.
  public var totals: SectionTotals<Record> { content.listTotals }

  /// The identities of the records, section by section, for a diffable data source.
  ///
  /// Complexity: O(n).
  ///
  /// - Throws: `FetchError` and `DatabaseError` if the identities must be read from the database.
  public var identities: [[RowIdentity]] {
    get throws {
      let content = content
      return try (0..<content.sectionCount).map { section in
        try content.identities(at: content.rows(inSection: section))
      }
    }
  }
}

extension SnapshotReader {
  /// Makes a reader with its own cache.
  package convenience init(_ snapshot: FetchedSnapshot<Record>) {
    self.init(snapshot.version, snapshot.description, snapshot.requestedTotals)
  }
}
