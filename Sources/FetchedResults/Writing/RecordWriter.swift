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
/// Making a writer looks up the table. Inside a transaction, `insert(_:)` of a connection and its siblings reuse the
/// look-up until the schema may have changed, so they are hardly slower. A writer is not valid after its transaction or
/// a change of the schema.
///
/// All columns of the record's description are written, except generated ones. The statements are
/// prepared once for each connection.
///
/// Not Sendable: use it where its connection is used.
public struct RecordWriter<Record: FetchableRecord> {
  typealias WrittenColumn = InsertStatements.WrittenColumn

  let connection: Connection
  let statements: InsertStatements
  var description: RecordDescription<Record> { Record.recordDescription }
  var table: WrittenTable { statements.table }
  var columns: [WrittenColumn] { statements.columns }
  /// What a row stores in other forms than a record writes.
  var stored: StoredForms { statements.stored }

  /// Looks up the table of the records, unless this transaction has done so.
  init(_ connection: Connection) throws {
    self.connection = connection
    statements = try InsertStatements.of(Record.self, in: connection)
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
  ///   `NULL`. `FetchError` with code `.invalidKey` if the row would have no key, and `.noSuchRow` if
  ///   a trigger or the table's conflict clause has skipped the row.
  @discardableResult
  public func insert(_ record: Record) throws -> RowIdentity {
    try insert(record, orUpdate: false).identity
  }

  /// Inserts a record with an id, as `insert(_:)`.
  ///
  /// - Returns: the record's id: its own, or the one that the table made if it is nil.
  @discardableResult
  public func insert(_ record: Record) throws -> Record.ID
  where Record: Identifiable, Record.ID: ColumnValue {
    try id(of: record, insert(record, orUpdate: false))
  }

  /// Inserts a record whose id may be nil: see `insert(_:)`.
  ///
  /// - Returns: the record's id: its own, or the one that the table made if it is nil.
  /// - Throws: the same as `insert(_:)`; `DatabaseError` with code `.typeMismatch` if the id is nil and the key of the
  ///   table is not of its type.
  @discardableResult
  public func insert<ID: ColumnValue>(_ record: Record) throws -> ID
  where Record: Identifiable, Record.ID == ID? {
    let key = try insert(record, orUpdate: false)
    return try record.id ?? key.identity.decode(ID.self)
  }

  /// Inserts records, all or none: if one is refused, those before it are removed again.
  ///
  /// - Returns: the number of records.
  /// - Throws: the same as ``insert(_:)``, for the first record that is refused.
  @discardableResult
  public func insert<Records: Sequence>(_ records: Records) throws -> Int
  where Records.Element == Record {
    try connection.savepoint {
      var count = 0
      for record in records {
        do {
          _ = try insert(record, orUpdate: false)
        } catch let error as DatabaseError {
          throw error.located("record \(count + 1) of the records to insert")
        }
        count += 1
      }
      return count
    }
  }

  /// Inserts a record, or updates the row with its key if there is one.
  ///
  /// The row stays the same row: rows of other tables that refer to it stay, and columns that the
  /// record does not have keep their values. With `INSERT OR REPLACE` neither is the case. A record
  /// with a nil key is inserted.
  ///
  /// - Returns: the identity of the row.
  /// - Throws: the same as `insert(_:)`, except that the key may exist. If the table has a `NOT NULL` column without a
  ///   default that the record lacks, an upsert always fails: use ``update(_:)``.
  @discardableResult
  public func upsert(_ record: Record) throws -> RowIdentity {
    try insert(record, orUpdate: true).identity
  }

  /// Inserts a record with an id, or updates the row with it, as `upsert(_:)`.
  ///
  /// - Returns: the record's id: its own, or the one that the table made if it is nil.
  @discardableResult
  public func upsert(_ record: Record) throws -> Record.ID
  where Record: Identifiable, Record.ID: ColumnValue {
    try id(of: record, insert(record, orUpdate: true))
  }

  /// Inserts a record whose id may be nil, or updates the row with it, as `upsert(_:)`.
  ///
  /// - Returns: the record's id: its own, or the one that the table made if it is nil.
  @discardableResult
  public func upsert<ID: ColumnValue>(_ record: Record) throws -> ID
  where Record: Identifiable, Record.ID == ID? {
    let key = try insert(record, orUpdate: true)
    return try record.id ?? key.identity.decode(ID.self)
  }

  private func id(of record: Record, _ key: RowKey) throws -> Record.ID
  where Record: Identifiable, Record.ID: ColumnValue {
    let id = record.id
    // An optional id can be the result too, where one is assigned.
    return id.columnValue == .null ? try key.identity.decode(Record.ID.self) : id
  }

  private func insert(
    _ record: Record, orUpdate: Bool
  ) throws -> RowKey {
    try withAddress(of: record) { record in
      try statements.insert(record, orUpdate: orUpdate, in: connection)
    }
  }
}
