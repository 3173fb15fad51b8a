import FetchedResults
import RowQueries
import SQLiteStorage

/// A long text or blob, which is read in pieces while it is sent.
///
/// Its version stays in the database until the end, so there is a limit of time.
///
/// A queue of its own, since SQLite waits for the disk.
actor ValueExport {
  private nonisolated let executor = QueueExecutor("sections.value")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  nonisolated let value: StoredValue
  private let version: Snapshot
  private let time: Duration

  init(value: StoredValue, version: Snapshot, time: Duration) {
    self.value = value
    self.version = version
    self.time = time
  }

  /// The number of bytes that are sent at once.
  private static let sentLength = 65_536
  /// The most bytes that are read at once.
  private static let mostRead = 8 << 20

  /// Some of the bytes.
  func bytes(_ range: Range<Int>) throws -> [UInt8] {
    try version.read { try $0.bytes(range, of: value) }
  }

  /// Passes some of the bytes to `send` in pieces.
  ///
  /// Memory: 8 MiB at most.
  func write(_ range: Range<Int>, _ send: SendPiece) async throws {
    let end = ContinuousClock.now + time
    for piece in Self.pieces(of: range) {
      var rest = try bytes(piece)[...]
      while !rest.isEmpty {
        guard ContinuousClock.now < end else { throw CancellationError() }
        try await send(Array(rest.prefix(Self.sentLength)))
        rest = rest.dropFirst(Self.sentLength)
      }
    }
  }

  /// The ranges that are read one after the other.
  ///
  /// For each, SQLite goes through the pages of the value from its first byte on. So the ranges become longer with the
  /// distance from there: if all had the same length, the time would grow with the square of the value's length.
  static func pieces(of range: Range<Int>) -> some Sequence<Range<Int>> {
    sequence(state: range.lowerBound) { start in
      guard start < range.upperBound else { return nil }
      let length = min(max(sentLength, start / 16), mostRead)
      let piece = start..<min(start + length, range.upperBound)
      start = piece.upperBound
      return piece
    }
  }
}

extension SourceCatalog {
  /// Finds a value of a row of a list where its table holds it, without reading it.
  ///
  /// - Returns: nil if it can only be read with its row: of a view or a SELECT, or if it is neither a text nor a blob.
  func storedValue(
    ofColumn column: String, _ identity: RowIdentity, of list: ListParameters,
    in connection: Connection
  ) throws -> StoredValue? {
    let (source, found) = try origin(of: list, in: connection)
    guard let table = found, source.rows.key == nil else { return nil }
    guard let rowID = try rowID(of: identity, in: table, connection) else { return nil }
    return try connection.storedValue(ofColumn: column, rowID: rowID, in: table)
  }

  private func rowID(
    of identity: RowIdentity, in table: TableDescription, _ connection: Connection
  ) throws -> Int64? {
    if table.isKeyRowID { return identity.int64 }
    let values = identity.values
    guard let name = table.rowIDName, !table.key.isEmpty, values.count == table.key.count,
      // Otherwise the values do not stand for the row.
      RowIdentity(values) == identity
    else { return nil }
    let conditions = zip(table.key, values).map { "\(identifier: $0) IS \($1)" as SQL }
    let rows = try connection.rows(
      """
      SELECT \(identifier: name) AS id FROM \(identifier: table.schema).\(identifier: table.name)
      WHERE \(conditions.joined(separator: " AND ")) LIMIT 2
      """)
    // Keys with NULL may be repeated.
    guard rows.count == 1, case .integer(let rowID) = rows[0]["id"] else { return nil }
    return rowID
  }
}
