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
  private let description: RecordDescription<Record>
  private let requestedTotals: [SectionTotal<Record>]
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
  private var content: SnapshotReader<Record> {
    SnapshotReader(version, description, requestedTotals)
  }

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
}

// MARK: - Sections

extension FetchedSnapshot {
  /// The number of sections.
  public var numberOfSections: Int { version.layout.sectionCount }

  /// The sections, in order.
  ///
  /// Complexity: O(sections).
  public var sections: [SectionInfo] { (0..<numberOfSections).map(section(at:)) }

  /// A section, which must be in range.
  ///
  /// Complexity: O(log sections).
  public func section(at section: Int) -> SectionInfo {
    SectionInfo(
      name: version.name(ofSection: section), numberOfRows: rows(inSection: section).count)
  }

  /// The section key: the value that the records of a section have in common. Nil if the result has
  /// no section key. The section must be in range.
  public func sectionKey(at section: Int) -> Value? { version.layout.section(at: section).value }

  /// The section key as an identity, which differs for two texts that are not valid UTF-8, and can be stored. Nil if the
  /// result has no section key. The section must be in range.
  public func sectionKeyIdentity(at section: Int) -> RowIdentity? {
    version.layout.section(at: section).key.map(RowIdentity.init(key:))
  }

  /// The totals of a section. The section must be in range.
  ///
  /// Complexity: O(log sections).
  public func totals(at section: Int) -> SectionTotals<Record> {
    SectionTotals(version.layout.totals(ofSection: section), of: requestedTotals)
  }

  /// The totals of all rows.
  public var totals: SectionTotals<Record> {
    SectionTotals(version.layout.totals?.whole.values ?? [], of: requestedTotals)
  }
}

// MARK: - Positions

// For code that draws a list itself, or reads it in parts. A position counts the rows of all sections, from 0.

extension FetchedSnapshot {
  /// The number of rows in all sections.
  public var numberOfRows: Int { version.layout.count }

  /// The positions of the rows of a section, which must be in range.
  ///
  /// Complexity: O(log sections).
  public func rows(inSection section: Int) -> Range<Int> { version.layout.rows(inSection: section) }

  /// The index path of a position, which must be in range.
  ///
  /// Complexity: O(log sections).
  public func indexPath(of position: Int) -> IndexPath {
    IndexPath(version.layout.place(of: position))
  }

  /// The position of the row with an identity; nil if it is not in the result.
  ///
  /// Complexity: O(log n) look-ups of single rows.
  ///
  /// - Throws: `DatabaseError`.
  public func position(of identity: RowIdentity) throws -> Int? {
    try version.position(of: identity)
  }

  /// The identities of the rows at positions that must be in range.
  ///
  /// - Throws: `FetchError` and `DatabaseError` if they must be read from the database.
  public func identities(at positions: Range<Int>) throws -> [RowIdentity] {
    try version.identities(at: positions)
  }

  /// The records at positions that must be in range, read in one go.
  ///
  /// - Throws: `DatabaseError` if one cannot be read or decoded.
  public func objects(at positions: Range<Int>) throws -> [Record] {
    try content.records(at: positions)
  }

  /// Calls `body` with the records at positions that must be in range, one after the other. None is
  /// kept, however large its values are.
  ///
  /// - Throws: as ``objects(at:)``, and what `body` throws.
  public func forEachObject(at positions: Range<Int>, _ body: (Record) throws -> Void) throws {
    try content.forEachRecord(at: positions, body)
  }

  /// The names of the columns of a record, in this version of the schema.
  public var columnNames: [String] { version.plan.parts.columns.map(\.name) }

  /// The identities of the records, section by section, for a diffable data source.
  ///
  /// Complexity: O(n).
  ///
  /// - Throws: `FetchError` and `DatabaseError` if the identities must be read from the database.
  public var identities: [[RowIdentity]] {
    get throws {
      try (0..<numberOfSections).map { try identities(at: rows(inSection: $0)) }
    }
  }
}
