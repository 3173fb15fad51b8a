internal import SQLiteStorage

/// Writes records of one type to their table.
///
/// ```swift
/// try database.write { connection in
///   let tracks = try connection.writer(for: Track.self)
///   for track in imported { try tracks.upsert(track) }
/// }
/// ```
///
/// It has looked the table up once, which ``SQLiteStorage/Connection/insert(_:)`` and the others do
/// for each record: for many records make a writer. It is good for one transaction: do not keep it
/// longer, nor past a change of the schema.
///
/// All columns of the record's description are written, but for generated ones. The statements are
/// prepared once for the connection.
///
/// Not Sendable: it belongs where its connection belongs.
public struct RecordWriter<Record: FetchableRecord> {
  /// A column that is written.
  struct WrittenColumn {
    let name: String
    let isKey: Bool
    let value: @Sendable (Record) -> Value
  }

  let connection: Connection
  let description: RecordDescription<Record>
  let table: WrittenTable
  /// The columns of the record that can be written.
  let columns: [WrittenColumn]

  /// Looks the table of the records up.
  init(_ connection: Connection) throws {
    let description = Record.recordDescription
    let table = try WrittenTable(description, in: connection)
    let key = Set(table.key.map(\.name.sqliteFolded))
    self.connection = connection
    self.description = description
    self.table = table
    columns = try description.properties.compactMap { property in
      let name = try table.column(named: property.column)
      guard !table.isGenerated(name) else { return nil }
      return WrittenColumn(
        name: name, isKey: key.contains(name.sqliteFolded), value: property.value)
    }
  }
}

// MARK: - Inserting

extension RecordWriter {
  /// Inserts a record.
  ///
  /// Where its key is nil, or not among its properties, the table makes one: a rowid, or the default
  /// of the column.
  ///
  /// - Returns: the identity of the new row.
  /// - Throws: `DatabaseError` with `.constraint`, naming the constraint, where the row may not be:
  ///   its key is taken, or a column that the record does not have may not be `NULL`. `FetchError` of
  ///   code `.invalidKey` where the row would have no key, and `.noSuchRow` where a trigger or the
  ///   table's own conflict clause left it out.
  @discardableResult
  public func insert(_ record: Record) throws -> RowIdentity {
    try insert(record, orUpdate: false)
  }

  /// Inserts a record or, where the table has a row of its key, updates that row.
  ///
  /// The row stays the same row: rows of other tables that refer to it stay, columns that the record
  /// does not have keep their values. That is what `INSERT OR REPLACE` does not do. A record whose
  /// key is nil is inserted.
  ///
  /// - Returns: the identity of the row.
  /// - Throws: as ``insert(_:)``, but that a key may be taken. A `NOT NULL` column without a default
  ///   that the record does not have fails even where the row is there: use ``update(_:)`` then.
  @discardableResult
  public func upsert(_ record: Record) throws -> RowIdentity {
    try insert(record, orUpdate: true)
  }

  private func insert(_ record: Record, orUpdate: Bool) throws -> RowIdentity {
    var names: [String] = []
    var values: [Value] = []
    for column in columns {
      let value = column.value(record)
      // Left out, so that the column's default counts. An INTEGER PRIMARY KEY takes NULL for that.
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
    // Only a rowid is never NULL: a row without a key must not stay when somebody catches the error.
    return table.isKeyRowID
      ? try insertRow(sql, values) : try connection.savepoint { try insertRow(sql, values) }
  }

  private var conflictClause: String {
    let others = columns.filter { !$0.isKey }.map(\.name.quotedIdentifier)
    let key = table.key.map(\.name.quotedIdentifier)
    let assignments =
      others.isEmpty
      // Nothing to change, but DO NOTHING would not return the row.
      ? ["\(key[0]) = \(key[0])"] : others.map { "\($0) = excluded.\($0)" }
    return " ON CONFLICT(\(key.joined(separator: ", "))) DO UPDATE SET "
      + assignments.joined(separator: ", ")
  }

  private func insertRow(_ sql: String, _ values: [Value]) throws -> RowIdentity {
    var identity: RowIdentity?
    try connection.query(sql, values) { row in
      guard let key = KeyTuple(row, columns: 0..<row.count) else {
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
