public import SQLiteStorage

/// Writes records of one type to their table.
///
/// ```swift
/// try database.write { connection in
///   let tracks = try connection.writer(for: Track.self)
///   for track in imported { try tracks.upsert(track) }
/// }
/// ```
///
/// A writer has looked the table up once; `insert(_:)` of a connection and the similar
/// methods do so for each record. Use a writer for many records, in one transaction: it is not
/// valid after the transaction or a change of the schema.
///
/// All columns of the record's description are written, except generated ones. The statements are
/// prepared once for each connection.
///
/// Not Sendable: use it where its connection is used.
public struct RecordWriter<Record: FetchableRecord> {
  /// A column to write.
  struct WrittenColumn {
    let name: String
    let isKey: Bool
    /// The position of its value in what the description writes of a record.
    let position: Int
  }

  let connection: Connection
  let description: RecordDescription<Record>
  let table: WrittenTable
  /// The writable columns of the record.
  let columns: [WrittenColumn]

  /// Looks up the table of the records.
  init(_ connection: Connection) throws {
    let description = Record.recordDescription
    let table = try WrittenTable(description, in: connection)
    let key = Set(table.key.map(\.name.sqliteFolded))
    self.connection = connection
    self.description = description
    self.table = table
    columns = try description.writtenColumns.enumerated().compactMap { position, column in
      let name = try table.column(named: column)
      guard !table.isGenerated(name) else { return nil }
      return WrittenColumn(
        name: name, isKey: key.contains(name.sqliteFolded), position: position)
    }
  }
}

// MARK: - Inserting

extension RecordWriter {
  /// Inserts a record.
  ///
  /// If the key is nil or not among the record's properties, the table makes one: a rowid, or the
  /// default of the column.
  ///
  /// - Returns: the identity of the new row.
  /// - Throws: `DatabaseError` with `.constraint` and the name of the constraint if the row is not
  ///   allowed: its key exists already, or a column that the record does not have must not be
  ///   `NULL`. `FetchError` of code `.invalidKey` if the row would have no key, and `.noSuchRow` if
  ///   a trigger or the table's conflict clause has skipped the row.
  @discardableResult
  public func insert(_ record: Record) throws -> RowIdentity {
    try insert(record, orUpdate: false)
  }

  /// Inserts a record with an id, as `insert(_:)`.
  ///
  /// - Returns: the record's id: its own, or the one that the table made if it is nil.
  @discardableResult
  public func insert(_ record: Record) throws -> Record.ID
  where Record: Identifiable, Record.ID: ColumnValue {
    let identity: RowIdentity = try insert(record, orUpdate: false)
    // An optional id can be the result too, where one is assigned.
    return record.id.columnValue == .null ? try identity.decode(Record.ID.self) : record.id
  }

  /// Inserts a record whose id may be nil, as `insert(_:)`.
  ///
  /// - Returns: the record's id: its own, or the one that the table made if it is nil.
  /// - Throws: as `insert(_:)`; `DatabaseError` of code `.typeMismatch` if the id is nil and the
  ///   key of the table is no such id.
  @discardableResult
  public func insert<ID: ColumnValue>(_ record: Record) throws -> ID
  where Record: Identifiable, Record.ID == ID? {
    let identity: RowIdentity = try insert(record, orUpdate: false)
    return try record.id ?? identity.decode(ID.self)
  }

  /// Inserts a record, or updates the row with its key if there is one.
  ///
  /// The row stays the same row: rows of other tables that refer to it stay, and columns that the
  /// record does not have keep their values. With `INSERT OR REPLACE` neither is the case. A record
  /// with a nil key is inserted.
  ///
  /// - Returns: the identity of the row.
  /// - Throws: as `insert(_:)`, except that the key may exist. If the record does not
  ///   have a `NOT NULL` column without a default, the upsert fails even if the row exists: use
  ///   ``update(_:)`` then.
  @discardableResult
  public func upsert(_ record: Record) throws -> RowIdentity {
    try insert(record, orUpdate: true)
  }

  private func insert(_ record: Record, orUpdate: Bool) throws -> RowIdentity {
    var names: [String] = []
    var values: [Value] = []
    let written = try description.writtenValues(of: record)
    for column in columns {
      let value = written[column.position]
      // Omitted, so that the default of the column applies. For an INTEGER PRIMARY KEY, NULL does
      // this.
      if column.isKey, !table.isKeyRowID, value == .null { continue }
      names.append(column.name.quotedIdentifier)
      values.append(value)
    }
    var sql = "INSERT INTO \(table.sql) "
    if names.isEmpty {
      sql += "DEFAULT VALUES"
    } else {
      let open = Array(repeating: "?", count: names.count).joined(separator: ", ")
      sql += "(\(names.joined(separator: ", "))) VALUES (\(open))"
      if orUpdate { sql += conflictClause }
    }
    sql += " RETURNING " + table.key.map(\.name.quotedIdentifier).joined(separator: ", ")
    // Only a rowid is never NULL. A row without a key must not stay if the caller catches the
    // error.
    return table.isKeyRowID
      ? try insertRow(sql, values) : try connection.savepoint { try insertRow(sql, values) }
  }

  private var conflictClause: String {
    let others = columns.filter { !$0.isKey }.map(\.name.quotedIdentifier)
    let key = table.key.map(\.name.quotedIdentifier)
    let assignments =
      others.isEmpty
      // Changes nothing, but DO NOTHING would not return the row.
      ? ["\(key[0]) = \(key[0])"] : others.map { "\($0) = excluded.\($0)" }
    return " ON CONFLICT(\(key.joined(separator: ", "))) DO UPDATE SET "
      + assignments.joined(separator: ", ")
  }

  private func insertRow(_ sql: String, _ values: [Value]) throws -> RowIdentity {
    var identity: RowIdentity?
    try connection.query(SQL(verbatim: sql, values)) { row in
      let key = KeyTuple(packing: row, columns: 0..<row.count)
      guard !key.hasNull else {
        throw FetchError(
          .invalidKey, "a \(Record.self) without a key cannot be a row of \(table.name)",
          nextStep: "Give \(table.key.map(\.name).joined(separator: ", ")) a value or a default")
      }
      identity = key.identity
    }
    guard let identity else {
      throw FetchError(
        .noSuchRow, "no row of \(table.name) was written: a trigger or the table left it out",
        nextStep: "Look for RAISE(IGNORE) and ON CONFLICT IGNORE in its definition")
    }
    return identity
  }
}
