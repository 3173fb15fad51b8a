internal import SQLiteStorage

/// A version of the result with a cache of the batches of records used last.
///
/// Not Sendable: it belongs to its provider.
final class IndexedContent<Record: Sendable, Key: RowKey>: ResultsContent {
  let count: Int
  let sectionCount: Int
  private let version: ResultsVersion<Key>
  private let description: RecordDescription<Record>

  private var batches = LeastRecentlyUsed<Int, [Record]>(capacity: 16)
  /// The records read last and their positions. The next record is usually one of them.
  private var latestRecords: [Record] = []
  private var latestPositions = 0..<0
  /// The batches with a record that cannot be read. Their records are read one at a time.
  private var brokenBatches: Set<Int> = []
  /// The rows of the section used last.
  private var latestRows: (section: Int, rows: Range<Int>)?

  init(
    _ version: ResultsVersion<Key>, _ description: RecordDescription<Record>
  ) {
    count = version.index.layout.count
    sectionCount = version.index.layout.sectionCount
    self.version = version
    self.description = description
  }

  var databaseSnapshot: Snapshot { version.origin }

  func advance(
    by fetch: ResultLoader<Record>
  ) -> @Sendable (Snapshot) throws -> ResultUpdate<Record>? {
    { [version] in try fetch.advance(from: version, to: $0) }
  }

  func replace(
    by fetch: ResultLoader<Record>, insteadOf old: ResultLoader<Record>, isTracked: Bool
  ) -> @Sendable () throws -> ResultUpdate<Record> {
    { [version] in try fetch.replace(version, of: old, isTracked: isTracked) }
  }

  var maintenance: MaintenancePlan { version.plan.maintenance }

  func section(at section: Int) -> SectionEntry { version.index.layout.section(at: section) }

  func rows(inSection section: Int) -> Range<Int> {
    if let latestRows, latestRows.section == section { return latestRows.rows }
    let rows = version.index.layout.rows(inSection: section)
    latestRows = (section, rows)
    return rows
  }

  func place(of position: Int) -> (section: Int, row: Int) {
    version.index.layout.place(of: position)
  }
  func identities(at positions: Range<Int>) throws -> [RowIdentity] {
    try version.identities(at: positions)
  }
  func identity(of record: Record) throws -> RowIdentity {
    guard version.numbers == nil else {
      throw FetchError(
        .missingKey, "nothing in a \(Record.self) identifies it",
        nextStep: "Name the columns of its key, or ask by identity")
    }
    return try description.identity(of: record, key: version.plan.key)
  }

  func position(of identity: RowIdentity) throws -> Int? { try version.position(of: identity) }

  func values(at position: Int) throws -> [Value] {
    var values: [Value] = []
    try version.read(position..<(position + 1)) { row in
      for column in 0..<row.count { values.append(row.value(at: column)) }
    }
    return values
  }

  var columnNames: [String] { version.plan.columns.map(\.name) }

  func record(at position: Int) throws -> Record {
    if !latestPositions.contains(position) { try read(around: position) }
    return latestRecords[position - latestPositions.lowerBound]
  }

  /// Reads the record at a position, alone or with its batch.
  ///
  /// A single random access reads one row, so that it returns at once. The access to a neighbour
  /// suggests that the caller walks along the list, so it reads the whole batch.
  private func read(around position: Int) throws {
    let size = version.plan.fetchBatchSize
    let batch = position / size
    let isNeighbour =
      position == latestPositions.upperBound || position == latestPositions.lowerBound - 1
    if isNeighbour || batches.contains(batch), !brokenBatches.contains(batch) {
      let positions = (batch * size)..<(batch * size + min(size, count - batch * size))
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
      throw located(error, at: position)
    }
    latestPositions = position..<(position + 1)
  }

  /// The error of reading one record, with the record's key and index path. An error that the record's
  /// initialiser throws, and one that names the key already, stay as they are.
  private func located(_ error: any Error, at position: Int) -> any Error {
    guard let error = error as? DatabaseError else { return error }
    let place = place(of: position)
    var row = "the row at [\(place.section), \(place.row)]"
    if let identity = try? identity(at: position) { row += " with the key \(identity)" }
    return DatabaseError(
      error.code, "\(row) cannot be read: \(error.message)", resultCode: error.resultCode,
      sql: error.sql, nextStep: error.nextStep, cause: error)
  }

  private func records(at positions: Range<Int>) throws -> [Record] {
    var records: [Record] = []
    records.reserveCapacity(positions.count)
    try version.read(positions) { records.append(try description.decode($0)) }
    return records
  }
}
