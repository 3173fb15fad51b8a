internal import CountedTrees
internal import SQLiteStorage
internal import SectionedData

/// Reads the rows of one version of a result by position, by index path and by identity, with a cache of the
/// batches of records used last. It throws errors where a collection would trap.
///
/// Not Sendable: it belongs to the code that made it. It keeps the version as long as it lives, or until a
/// later version with the same rows takes its place.
final class SnapshotReader<Record: Sendable> {
  private(set) var version: ResultsVersion
  private let description: RecordDescription<Record>
  private let requestedTotals: [SectionTotal<Record>]
  private var layout: ResultsLayout { version.layout }
  /// The number of sections.
  let sectionCount: Int
  /// The number of rows in all sections.
  let rowCount: Int

  private var batches = LeastRecentlyUsed<Int, [Record]>(capacity: 16)
  /// The records read last and their positions. The next record is usually one of them.
  private var latestRecords: [Record] = []
  private var latestPositions = 0..<0
  /// The batches with a record that cannot be read. Their records are read one at a time.
  private var brokenBatches: Set<Int> = []
  /// The identities read last and their positions.
  private var latestIdentities: [RowIdentity] = []
  private var identifiedPositions = 0..<0
  /// The positions of the records that could not be read, since the version has expired.
  private(set) var unreadPositions: Set<Int> = []
  /// The rows of the section used last.
  private var latestRows: (section: Int, rows: Range<Int>)?

  init(
    _ version: ResultsVersion, _ description: RecordDescription<Record>,
    _ totals: [SectionTotal<Record>] = []
  ) {
    self.version = version
    self.description = description
    requestedTotals = totals
    sectionCount = version.layout.sectionCount
    rowCount = version.layout.count
  }

  /// Reads from a later version to which no changes lead, so that the older one need not stay readable.
  func move(to next: ResultsVersion) {
    version = next
    // What is not shown of a key may be stored in another form.
    identifiedPositions = 0..<0
  }
}

// MARK: - Sections

extension SnapshotReader {
  /// The totals of a section by what was requested. The section must be in range.
  func sectionTotals(at section: Int) -> SectionTotals<Record> {
    SectionTotals(layout.totals(ofSection: section), of: requestedTotals)
  }

  /// The totals of the whole list by what was requested.
  var listTotals: SectionTotals<Record> {
    SectionTotals(layout.totals?.whole.values ?? [], of: requestedTotals)
  }

  /// The identity of a section: its key, as the list compares keys.
  func identity(ofSection section: Int) -> SectionID {
    guard let key = layout.section(at: section).key else { return SectionID("") }
    return SectionID(version.source.plan.parts.sectioning.comparator.normalized(key))
  }

  /// The positions of a section's rows in the whole result.
  func rows(inSection section: Int) -> Range<Int> {
    if let latestRows, latestRows.section == section { return latestRows.rows }
    let rows = layout.rows(inSection: section)
    latestRows = (section, rows)
    return rows
  }

  /// The index path of a position, which must be in range.
  func indexPath(of position: Int) -> IndexPath { IndexPath(layout.place(of: position)) }

  /// The position of an index path in the whole result.
  ///
  /// - Throws: `TableDataError` if the row does not exist, with the index path and the counts.
  func position(of indexPath: IndexPath) throws -> Int {
    try indexPath.requireRow(inSections: sectionCount) { rows(inSection: $0).count }
    return rows(inSection: indexPath.section).lowerBound + indexPath.row
  }
}

// MARK: - Identities

extension SnapshotReader {
  /// The identity at a position, which must be in range. Identities are read as records are: a batch if
  /// a neighbour was asked for before.
  func identity(at position: Int) throws -> RowIdentity {
    if !identifiedPositions.contains(position) {
      let positions =
        identifiedPositions.isBeside(position)
        ? positions(ofBatch: position / batchSize) : position..<(position + 1)
      latestIdentities = try version.identities(at: positions)
      identifiedPositions = positions
    }
    return latestIdentities[position - identifiedPositions.lowerBound]
  }

  /// How the `id` of a record follows from its key; nil if its key is not its `id`.
  ///
  /// - Parameter position: the position of a record, which must be in range, and which is read.
  func idCoding(at position: Int) throws -> IDCoding? {
    guard keyColumns.count == 1 else { return nil }
    return try IDCoding(
      description, keyColumn: keyColumns[0], identity: try identity(at: position),
      row: try row(at: position))
  }

  var keyColumns: [String] { version.source.plan.parts.key }

  /// The identity of the row whose key is stored in another form than a record writes it; nil if there is none.
  func storedIdentity(of identity: RowIdentity) throws -> RowIdentity? {
    if let found = try version.collatedIdentity(of: identity) { return found }
    let plan = version.source.plan
    guard let spellings = plan.parts.keySpellings(description) else { return nil }
    if version.packed != nil {
      return try spellings.storedIdentity(
        of: identity, among: version.identities(at: 0..<rowCount), plan.keyOrder)
    }
    return try version.snapshot.read { connection in
      try spellings.storedIdentity(
        of: identity, in: plan.parts.source, connection, parameters: plan.statements.parameters)
    }
  }

  /// The identity of a record, which need not be in the result.
  func identity(of record: Record) throws -> RowIdentity {
    guard !version.plan.isWithoutKey else {
      throw FetchError(
        .missingKey, "nothing in a \(Record.self) identifies it",
        nextStep: "Name the columns of its key, or use a RowIdentity")
    }
    return try description.identity(of: record, key: version.source.plan.parts.key)
  }
}

// MARK: - Records

extension SnapshotReader {
  /// The names and values of the record's columns at a position, which must be in range.
  func values(at position: Int) throws -> [(column: String, value: Value)] {
    var values: [(column: String, value: Value)] = []
    try version.read(position..<(position + 1)) { row in
      for (index, column) in version.source.plan.parts.columns.enumerated() {
        values.append((column.name, row.value(at: index)))
      }
    }
    return values
  }

  /// A copy of the row at a position, which must be in range.
  private func row(at position: Int) throws -> Row {
    var copy = Row(columnNames: ColumnNames([]), values: [])
    try version.read(position..<(position + 1)) { copy = Row($0) }
    return copy
  }

  /// The record at a position, which may be out of range.
  ///
  /// - Throws: `TableDataError` if the position is out of range, with the position and the count; as
  ///   ``record(at:)-(Int)``.
  func object(at position: Int) throws -> Record {
    guard 0..<rowCount ~= position else {
      throw TableDataError(
        .rowOutOfRange,
        "there is no row \(position): the result has \(rowCount) row\(rowCount == 1 ? "" : "s")")
    }
    return try record(at: position)
  }

  /// The record at a position, which must be in range.
  ///
  /// - Throws: `DatabaseError` if the record cannot be read or decoded, with its key, its index
  ///   path and the column; `FetchError` with code `.vanishedRow` for a damaged file.
  func record(at position: Int) throws -> Record {
    if !latestPositions.contains(position) { try read(around: position) }
    return latestRecords[position - latestPositions.lowerBound]
  }

  /// Reads the record at a position, alone or with its batch.
  ///
  /// A single random access reads one row, so that it returns at once. The access to a neighbour
  /// suggests that the caller walks along the list, so it reads the whole batch.
  private func read(around position: Int) throws {
    let batch = position / batchSize
    if latestPositions.isBeside(position) || batches.contains(batch),
      !brokenBatches.contains(batch)
    {
      let positions = positions(ofBatch: batch)
      do {
        latestRecords = try batches.value(for: batch) { try records(at: positions) }
        latestPositions = positions
        return
      } catch {
        // The broken record need not be the requested one. Its error is thrown when it is
        // requested.
        brokenBatches.insert(batch)
      }
    }
    do {
      latestRecords = try records(at: position..<(position + 1))
    } catch {
      if (error as? DatabaseError)?.code == .versionExpired { unreadPositions.insert(position) }
      throw located(error, at: position)
    }
    latestPositions = position..<(position + 1)
  }

  private var batchSize: Int { version.source.plan.parts.fetchBatchSize }

  /// The positions of a batch, which must not be beyond the end.
  private func positions(ofBatch batch: Int) -> Range<Int> {
    let start = batch * batchSize
    return start..<(start + min(batchSize, rowCount - start))
  }

  /// The error of reading one record, with the record's key and index path. An error that the closure of a description
  /// throws, and one that names the key already, stay as they are.
  private func located(_ error: any Error, at position: Int) -> any Error {
    guard let error = error as? DatabaseError else { return error }
    let place = layout.place(of: position)
    var row = "the row at [\(place.section), \(place.row)]"
    if let identity = try? identity(at: position) { row += " with the key \(identity)" }
    return error.located("\(row) cannot be read")
  }

  /// The records at positions that must be in range, read in one go.
  ///
  /// - Throws: the same as ``record(at:)-(Int)``, without the place of the record.
  func records(at positions: Range<Int>) throws -> [Record] {
    var records: [Record] = []
    records.reserveCapacity(positions.count)
    try forEachRecord(at: positions) { records.append($0) }
    return records
  }

  /// Calls `body` with the records at positions that must be in range, one after the other. None is
  /// kept, however large its values are.
  func forEachRecord(
    at positions: Range<Int>, _ body: (Record) throws -> Void
  ) throws {
    try version.read(positions) { try body(try description.decode($0)) }
  }
}

extension Range<Int> {
  /// Whether a position is the next one after the range, or the one before it.
  fileprivate func isBeside(_ position: Int) -> Bool {
    position == upperBound || position == lowerBound - 1
  }
}

/// A small least-recently-used cache.
///
/// Complexity: O(capacity).
struct LeastRecentlyUsed<Key: Hashable, Value> {
  private let capacity: Int
  // Two plain arrays instead of one array of pairs: this generic code is not specialised, and would
  // look up the type of the pair at run time for each access.
  /// The keys, the most recently used last.
  private var keys: [Key] = []
  /// The values of `keys`.
  private var values: [Value] = []

  init(capacity: Int) { self.capacity = capacity }

  /// Whether the cache has a value for a key.
  func contains(_ key: Key) -> Bool { keys.contains(key) }

  /// The value for a key, made and stored if it is not in the cache.
  mutating func value(for key: Key, make: () throws -> Value) rethrows -> Value {
    let value: Value
    if let index = keys.firstIndex(of: key) {
      value = values.remove(at: index)
      keys.remove(at: index)
    } else {
      value = try make()
      if keys.count >= capacity {
        values.removeFirst()
        keys.removeFirst()
      }
    }
    keys.append(key)
    values.append(value)
    return value
  }
}

extension SectionID {
  /// The identity of a section with a key of one value.
  fileprivate init(_ key: KeyTuple) {
    self = key.withReader { reader in
      switch reader.next() {
      case nil, .null: SectionID.null
      case .integer(let number): SectionID(.integer(number))
      case .real(let number): SectionID(.real(number))
      case .text(let bytes): SectionID(.text(Array(bytes)))
      case .blob(let bytes): SectionID(.blob(Array(bytes)))
      }
    }
  }
}
