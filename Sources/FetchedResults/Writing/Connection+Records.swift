public import SQLiteStorage

extension Connection {
  /// Returns a writer of records of one type. It looks the table up once for many records.
  ///
  /// - Throws: `FetchError` with code `.notWritable` if the records are from a SELECT or a view,
  ///   `.noSuchTable`, `.noSuchColumn` or `.missingKey`; `DatabaseError`.
  public func writer<Record: FetchableRecord>(
    for type: Record.Type
  ) throws -> RecordWriter<Record> { try RecordWriter(self) }

  /// Inserts a record, as `insert(_:)` of a ``RecordWriter``.
  ///
  /// ```swift
  /// let identity = try database.write { connection in
  ///   try connection.insert(Track(id: nil, name: "Blue", genre: "Jazz"))
  /// }
  /// ```
  ///
  /// - Returns: the identity of the new row.
  /// - Throws: the same as ``writer(for:)``, and `insert(_:)` of a ``RecordWriter``.
  @discardableResult
  public func insert<Record: FetchableRecord>(_ record: Record) throws -> RowIdentity {
    try writer(for: Record.self).insert(record)
  }

  /// Inserts a record with an id.
  ///
  /// - Returns: the record's id: its own, or the one that the table made if it is nil.
  /// - Throws: the same as ``writer(for:)``, and `insert(_:)` of a ``RecordWriter``.
  @discardableResult
  public func insert<Record: FetchableRecord & Identifiable>(
    _ record: Record
  ) throws -> Record.ID where Record.ID: ColumnValue {
    try writer(for: Record.self).insert(record)
  }

  /// Inserts a record whose id may be nil.
  ///
  /// ```swift
  /// track.id = try database.write { try $0.insert(track) }
  /// ```
  ///
  /// - Returns: the record's id: its own, or the one that the table made if it is nil.
  /// - Throws: the same as ``writer(for:)``, and `insert(_:)` of a ``RecordWriter``.
  @discardableResult
  public func insert<Record: FetchableRecord & Identifiable, ID: ColumnValue>(
    _ record: Record
  ) throws -> ID where Record.ID == ID? {
    try writer(for: Record.self).insert(record)
  }

  /// Inserts records, all or none: ``RecordWriter/insert(_:)-(Records)``.
  ///
  /// ```swift
  /// try database.write { try $0.insert(tracks) }
  /// ```
  ///
  /// Complexity: O(n), with one statement that is prepared once. The table is looked up once.
  ///
  /// - Returns: the number of records. To get their ids, insert them one by one, which takes hardly
  ///   longer in a transaction.
  /// - Throws: the same as ``writer(for:)`` and ``RecordWriter/insert(_:)-(Records)``.
  @discardableResult
  public func insert<Records: Sequence>(_ records: Records) throws -> Int
  where Records.Element: FetchableRecord {
    try writer(for: Records.Element.self).insert(records)
  }

  /// Inserts a record, or updates the row with the record's key: `upsert(_:)` of a ``RecordWriter``.
  ///
  /// - Returns: the identity of the row.
  /// - Throws: the same as ``writer(for:)`` and `upsert(_:)` of a ``RecordWriter``.
  @discardableResult
  public func upsert<Record: FetchableRecord>(_ record: Record) throws -> RowIdentity {
    try writer(for: Record.self).upsert(record)
  }

  /// Inserts a record with an id, or updates the row with it.
  ///
  /// - Returns: the record's id: its own, or the one that the table made if it is nil.
  /// - Throws: the same as ``writer(for:)`` and `upsert(_:)` of a ``RecordWriter``.
  @discardableResult
  public func upsert<Record: FetchableRecord & Identifiable>(
    _ record: Record
  ) throws -> Record.ID where Record.ID: ColumnValue {
    try writer(for: Record.self).upsert(record)
  }

  /// Inserts a record whose id may be nil, or updates the row with it.
  ///
  /// - Returns: the record's id: its own, or the one that the table made if it is nil.
  /// - Throws: the same as ``writer(for:)`` and `upsert(_:)` of a ``RecordWriter``.
  @discardableResult
  public func upsert<Record: FetchableRecord & Identifiable, ID: ColumnValue>(
    _ record: Record
  ) throws -> ID where Record.ID == ID? {
    try writer(for: Record.self).upsert(record)
  }

  /// Writes all columns of a record to the row with its key: ``RecordWriter/update(_:)``.
  ///
  /// - Returns: whether the row was written; false if a trigger or the table's conflict clause has left it as it was.
  /// - Throws: the same as ``writer(for:)`` and ``RecordWriter/update(_:)``.
  @discardableResult
  public func update<Record: FetchableRecord>(_ record: Record) throws -> Bool {
    try writer(for: Record.self).update(record)
  }

  /// Writes the columns in which a record differs from the one that was read: ``RecordWriter/update(_:from:)``.
  ///
  /// ```swift
  /// var track = try connection.find(Track.self, 7)
  /// let old = track
  /// track.name = "Blue in Green"
  /// try connection.update(track, from: old)
  /// ```
  ///
  /// - Returns: whether the row was written; false if the records do not differ, or as for `update(_:)`.
  /// - Throws: the same as ``writer(for:)`` and ``RecordWriter/update(_:)``.
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
  /// - Throws: the same as ``writer(for:)`` and ``RecordWriter/update(_:only:)``.
  @discardableResult
  public func update<Record: FetchableRecord>(
    _ record: Record, only properties: AnyProperty<Record>...
  ) throws -> Bool {
    try writer(for: Record.self).update(record, only: properties)
  }

  /// Deletes the row with a record's key.
  ///
  /// - Returns: whether the row was deleted; false if there is none, or a trigger has kept it.
  /// - Throws: the same as ``writer(for:)`` and ``RecordWriter/delete(_:)-(Record)``.
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
  /// - Returns: whether the row was deleted; false if there is none, or a trigger has kept it.
  /// - Throws: the same as ``writer(for:)`` and ``RecordWriter/delete(_:)-(RowIdentity)``.
  @discardableResult
  public func delete<Record: FetchableRecord>(
    _ type: Record.Type, _ key: any ColumnValue...
  ) throws -> Bool { try delete(type, RowIdentity(key.map(\.columnValue))) }

  /// Deletes the rows with some keys of one column, all or none.
  ///
  /// ```swift
  /// let count = try connection.deleteAll(Track.self, [7, 8, 12])
  /// ```
  ///
  /// - Parameter keys: the keys. One that no row has is left out.
  /// - Returns: the number of rows that were deleted.
  /// - Throws: the same as ``writer(for:)`` and ``RecordWriter/deleteAll(_:)``.
  @discardableResult
  public func deleteAll<Record: FetchableRecord>(
    _ type: Record.Type, _ keys: some Sequence<some ColumnValue>
  ) throws -> Int { try deleteAll(type, keys.lazy.map { RowIdentity([$0.columnValue]) }) }

  /// Deletes the rows with some identities, all or none, for example those of a selection.
  ///
  /// - Returns: the number of rows that were deleted.
  /// - Throws: the same as ``writer(for:)`` and ``RecordWriter/deleteAll(_:)``.
  @discardableResult
  public func deleteAll<Record: FetchableRecord>(
    _ type: Record.Type, _ identities: some Sequence<RowIdentity>
  ) throws -> Int { try writer(for: type).deleteAll(identities) }

  /// Deletes the row with an identity, for example one from
  /// ``FetchedResultsProvider/identity(at:)``.
  ///
  /// - Returns: whether the row was deleted; false if there is none, or a trigger has kept it.
  /// - Throws: the same as ``writer(for:)`` and ``RecordWriter/delete(_:)-(RowIdentity)``.
  @discardableResult
  public func delete<Record: FetchableRecord>(
    _ type: Record.Type, _ identity: RowIdentity
  ) throws -> Bool {
    try writer(for: type).delete(identity)
  }
}
