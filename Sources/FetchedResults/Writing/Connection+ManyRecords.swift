public import SQLiteStorage

// Each call writes all rows or none: it is a savepoint in the transaction of the caller, and a transaction if there is none.
// The table is looked up once, and each statement is prepared once.

// MARK: - Records

extension Connection {
  /// Inserts records, all or none: if one is refused, those before it are removed again.
  ///
  /// ```swift
  /// try database.write { try $0.insert(tracks) }
  /// ```
  ///
  /// They are written in order, in the transaction of the caller, which may go on after an error. The statement is prepared
  /// once.
  ///
  /// Complexity: O(n log m) for n records and a table of m rows. The records are not collected: the sequence may be lazy.
  ///
  /// - Returns: the number of records. To get their ids, insert them one by one, which takes hardly
  ///   longer in a transaction.
  /// - Throws: the same as `insert(_:)`, for the first record that is refused. The message of a `DatabaseError` begins with
  ///   its number.
  @discardableResult
  public func insert<Records: Sequence>(_ records: Records) throws -> Int
  where Records.Element: FetchableRecord {
    try writeAll(records, "insert") { writer, record in
      try writer.insert(record)
      return true
    }
  }

  /// Inserts records, or updates the rows with their keys, all or none: if one is refused, the rows are again as before.
  ///
  /// ```swift
  /// try database.write { try $0.upsert(page.posts) }
  /// ```
  ///
  /// They are written in order, in the transaction of the caller, which may go on after an error: of two records with the
  /// same key, the last one stays. The statement is prepared once.
  ///
  /// Complexity: O(n log m) for n records and a table of m rows. The records are not collected: the sequence may be lazy.
  ///
  /// - Returns: the number of records.
  /// - Throws: the same as `upsert(_:)`, for the first record that is refused. The message of a `DatabaseError` begins with
  ///   its number.
  @discardableResult
  public func upsert<Records: Sequence>(_ records: Records) throws -> Int
  where Records.Element: FetchableRecord {
    try writeAll(records, "upsert") { writer, record in
      _ = try writer.insert(record, orUpdate: true)
      return true
    }
  }

  /// Writes all columns of records to the rows with their keys, all or none: if a row does not exist or is refused, those
  /// before it are again as they were.
  ///
  /// ```swift
  /// try database.write { try $0.update(tracks) }
  /// ```
  ///
  /// They are written in order, in the transaction of the caller, which may go on after an error. The statement is prepared
  /// once.
  ///
  /// Complexity: O(n log m) for n records and a table of m rows. The records are not collected: the sequence may be lazy.
  ///
  /// - Returns: the number of records that were written, without those whose rows a trigger or the table's conflict clause
  ///   has left as they were.
  /// - Throws: the same as `update(_:)`, for the first record that cannot be written. The message of a `DatabaseError`
  ///   begins with its number.
  @discardableResult
  public func update<Records: Sequence>(_ records: Records) throws -> Int
  where Records.Element: FetchableRecord {
    try writeAll(records, "update") { try $0.update($1) }
  }

  /// Deletes the rows with the keys of records, all or none: if one is refused, those before it are there again.
  ///
  /// They are deleted in order, in the transaction of the caller, which may go on after an error. The statement is prepared
  /// once.
  ///
  /// Complexity: O(n log m) for n records and a table of m rows. The records are not collected: the sequence may be lazy.
  ///
  /// - Returns: the number of rows that were deleted, without those that are not there or that a trigger has kept.
  /// - Throws: the same as `delete(_:)`, for the first record that is refused. The message of a `DatabaseError` begins with
  ///   its number.
  @discardableResult
  public func delete<Records: Sequence>(_ records: Records) throws -> Int
  where Records.Element: FetchableRecord {
    try writeAll(records, "delete") { try $0.delete($1) }
  }

  /// - Parameters:
  ///   - purpose: what is done, for errors.
  ///   - write: returns whether the record counts.
  private func writeAll<Records: Sequence>(
    _ records: Records, _ purpose: String,
    by write: (RecordWriter<Records.Element>, Records.Element) throws -> Bool
  ) throws -> Int where Records.Element: FetchableRecord {
    let writer = try writer(for: Records.Element.self)
    return try savepoint {
      var count = 0
      for (index, record) in records.enumerated() {
        do {
          if try write(writer, record) { count += 1 }
        } catch let error as DatabaseError {
          throw error.located("record \(index + 1) of the records to \(purpose)")
        }
      }
      return count
    }
  }
}

// MARK: - Keys

extension Connection {
  /// Deletes the rows with some keys of one column, all or none: if one is refused, those before it are there again.
  ///
  /// ```swift
  /// let count = try connection.delete(Track.self, keys: [7, 8, 12])
  /// ```
  ///
  /// They are deleted in order, in the transaction of the caller, which may go on after an error. The statement is prepared
  /// once. For keys of several columns, use ``delete(_:identities:)``.
  ///
  /// Complexity: O(n log m) for n keys and a table of m rows.
  ///
  /// - Returns: the number of rows that were deleted, without those that are not there or that a trigger has kept.
  /// - Throws: the same as `delete(_:_:)`, for the first one that is refused.
  @discardableResult
  public func delete<Record: FetchableRecord>(
    _ type: Record.Type, keys: some Sequence<some ColumnValue>
  ) throws -> Int {
    try delete(type, identities: keys.lazy.map { RowIdentity([$0.columnValue]) })
  }

  /// Deletes the rows with some identities, for example those of a selection, as `delete(_:keys:)`.
  ///
  /// ```swift
  /// let count = try connection.delete(Track.self, identities: [provider.identity(at: indexPath)])
  /// ```
  @discardableResult
  public func delete<Record: FetchableRecord>(
    _ type: Record.Type, identities: some Sequence<RowIdentity>
  ) throws -> Int {
    let writer = try writer(for: type)
    return try savepoint {
      var count = 0
      for identity in identities where try writer.delete(identity) { count += 1 }
      return count
    }
  }
}
