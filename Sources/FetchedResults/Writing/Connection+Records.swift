public import SQLiteStorage

// Inside a transaction, the table of the records is looked up once, and each statement is prepared once.

extension Connection {
  /// Returns a writer of records of one type, so that an error of their description is thrown before any is written.
  package func writer<Record: FetchableRecord>(
    for type: Record.Type
  ) throws -> RecordWriter<Record> { try RecordWriter(self) }
}

// MARK: - Inserting

extension Connection {
  /// Inserts a record.
  ///
  /// ```swift
  /// let identity = try database.write { connection in
  ///   try connection.insert(Track(id: nil, name: "Blue", genre: "Jazz"))
  /// }
  /// ```
  ///
  /// All columns of the record's description are written, except generated ones. If the key is nil or not among the
  /// record's properties, the table makes one: a rowid, or the default of the column.
  ///
  /// - Returns: the identity of the new row.
  /// - Throws: `DatabaseError` with `.constraint` and the name of the constraint if the row is not
  ///   allowed: its key exists already, or a column that the record does not have must not be
  ///   `NULL`. `FetchError` with code `.invalidKey` if the row would have no key, and `.noSuchRow` if
  ///   a trigger or the table's conflict clause has skipped the row; `.notWritable` if the records are from a SELECT or
  ///   a view, `.noSuchTable`, `.noSuchColumn` or `.missingKey` if their description does not fit the database.
  @discardableResult
  public func insert<Record: FetchableRecord>(_ record: Record) throws -> RowIdentity {
    try write(record, orUpdate: false).identity
  }

  /// Inserts a record with an id, as `insert(_:)`.
  ///
  /// - Returns: the record's id: its own, or the one that the table made if it is nil.
  @discardableResult
  public func insert<Record: FetchableRecord & Identifiable>(
    _ record: Record
  ) throws -> Record.ID where Record.ID: ColumnValue {
    try id(of: record, write(record, orUpdate: false))
  }

  /// Inserts a record whose id may be nil, as `insert(_:)`.
  ///
  /// ```swift
  /// track.id = try database.write { try $0.insert(track) }
  /// ```
  ///
  /// - Returns: the record's id: its own, or the one that the table made if it is nil.
  /// - Throws: the same as `insert(_:)`; `DatabaseError` with code `.typeMismatch` if the id is nil and the key of the
  ///   table is not of its type.
  @discardableResult
  public func insert<Record: FetchableRecord & Identifiable, ID: ColumnValue>(
    _ record: Record
  ) throws -> ID where Record.ID == ID? {
    let key = try write(record, orUpdate: false)
    return try record.id ?? key.identity.decode(ID.self)
  }

  /// Inserts a record, or updates the row with its key if there is one.
  ///
  /// The row stays the same row: rows of other tables that refer to it stay, and columns that the
  /// record does not have keep their values. With `INSERT OR REPLACE` neither is the case. A record
  /// with a nil key is inserted.
  ///
  /// - Returns: the identity of the row.
  /// - Throws: the same as `insert(_:)`, except that the key may exist. If the table has a `NOT NULL` column without a
  ///   default that the record lacks, an upsert always fails: use `update(_:)`.
  @discardableResult
  public func upsert<Record: FetchableRecord>(_ record: Record) throws -> RowIdentity {
    try write(record, orUpdate: true).identity
  }

  /// Inserts a record with an id, or updates the row with it, as `upsert(_:)`.
  ///
  /// - Returns: the record's id: its own, or the one that the table made if it is nil.
  @discardableResult
  public func upsert<Record: FetchableRecord & Identifiable>(
    _ record: Record
  ) throws -> Record.ID where Record.ID: ColumnValue {
    try id(of: record, write(record, orUpdate: true))
  }

  /// Inserts a record whose id may be nil, or updates the row with it, as `upsert(_:)`.
  ///
  /// - Returns: the record's id: its own, or the one that the table made if it is nil.
  @discardableResult
  public func upsert<Record: FetchableRecord & Identifiable, ID: ColumnValue>(
    _ record: Record
  ) throws -> ID where Record.ID == ID? {
    let key = try write(record, orUpdate: true)
    return try record.id ?? key.identity.decode(ID.self)
  }

  private func write<Record: FetchableRecord>(
    _ record: Record, orUpdate: Bool
  ) throws -> RowKey {
    try writer(for: Record.self).insert(record, orUpdate: orUpdate)
  }

  private func id<Record: Identifiable>(
    of record: Record, _ key: RowKey
  ) throws -> Record.ID where Record.ID: ColumnValue {
    let id = record.id
    // An optional id can be the result too, where one is assigned.
    return id.columnValue == .null ? try key.identity.decode(Record.ID.self) : id
  }
}

// MARK: - Updating

extension Connection {
  /// Writes all columns of a record to the row with its key.
  ///
  /// The row keeps what it stores in another form than the record writes: its key, and values that did not change. So a
  /// UUID stays in small letters.
  ///
  /// - Returns: whether the row was written; false if a trigger or the table's conflict clause has left it as it was.
  /// - Throws: `FetchError` with code `.noSuchRow` if the row does not exist; `.missingKey` if the record does not have
  ///   its key, `.invalidKey` if two rows have it; `DatabaseError`.
  @discardableResult
  public func update<Record: FetchableRecord>(_ record: Record) throws -> Bool {
    try writer(for: Record.self).update(record)
  }

  /// Writes the columns in which a record differs from the one that was read, to the row of that one. So what other
  /// writers have written to other columns since stays.
  ///
  /// ```swift
  /// var track = try connection.find(Track.self, 7)
  /// let old = track
  /// track.name = "Blue in Green"
  /// try connection.update(track, from: old)
  /// ```
  ///
  /// The key may differ too: then it is the new key of the row.
  ///
  /// - Returns: whether the row was written; false if the records do not differ, when nothing is looked up, or if a
  ///   trigger or the table's conflict clause has left the row as it was.
  /// - Throws: the same as `update(_:)`.
  @discardableResult
  public func update<Record: FetchableRecord>(_ record: Record, from old: Record) throws -> Bool {
    try writer(for: Record.self).update(record, from: old)
  }

  /// Writes some columns of a record to the row with its key.
  ///
  /// ```swift
  /// try connection.update(track, only: \.name, \.genre)
  /// ```
  ///
  /// - Returns: whether the row was written, as for `update(_:)`.
  /// - Throws: the same as `update(_:)`, and `FetchError` with code `.computedProperty` for a property that
  ///   is not stored, `.notWritable` for a property whose column is generated.
  @discardableResult
  public func update<Record: FetchableRecord>(
    _ record: Record, only properties: AnyProperty<Record>...
  ) throws -> Bool {
    try writer(for: Record.self).update(record, only: properties)
  }
}

// MARK: - Deleting

extension Connection {
  /// Deletes the row with a record's key.
  ///
  /// - Returns: whether the row was deleted; false if there is none, or a trigger has kept it, as one that only marks rows
  ///   as deleted does.
  /// - Throws: `FetchError` with code `.missingKey` if the record does not have its key, and
  ///   `.invalidKey` if two rows have it; `DatabaseError`.
  @discardableResult
  public func delete<Record: FetchableRecord>(_ record: Record) throws -> Bool {
    try writer(for: Record.self).delete(record)
  }

  /// Deletes the row with a key.
  ///
  /// ```swift
  /// try connection.delete(Track.self, 7)
  /// ```
  ///
  /// - Parameter key: the values of the key's columns, in order.
  /// - Returns: whether the row was deleted, as for `delete(_:)`.
  /// - Throws: `FetchError` with code `.invalidKey` if there are more or fewer values than the key has, or if two rows
  ///   have it; `DatabaseError`.
  @discardableResult
  public func delete<Record: FetchableRecord>(
    _ type: Record.Type, _ key: any ColumnValue...
  ) throws -> Bool { try delete(type, RowIdentity(key.map(\.columnValue))) }

  /// Deletes the row with an identity, for example one from
  /// ``FetchedResultsProvider/identity(at:)``, as `delete(_:_:)`.
  @discardableResult
  public func delete<Record: FetchableRecord>(
    _ type: Record.Type, _ identity: RowIdentity
  ) throws -> Bool {
    try writer(for: type).delete(identity)
  }
}
