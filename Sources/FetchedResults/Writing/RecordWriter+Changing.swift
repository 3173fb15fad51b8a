internal import SQLiteStorage

extension RecordWriter {
  /// Writes all columns of a record to the row with its key.
  ///
  /// The row keeps what it stores in another form than the record writes: its key, and values that did not change. So a
  /// UUID stays in small letters.
  ///
  /// - Returns: whether the row was written; false if a trigger or the table's conflict clause has left it as it was.
  /// - Throws: `FetchError` with code `.noSuchRow` if the row does not exist; `.missingKey` if the record does not have
  ///   its key, `.invalidKey` if two rows have it; `DatabaseError`.
  @discardableResult
  public func update(_ record: Record) throws -> Bool {
    try update(record, columns.filter { !$0.isKey })
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
  public func update(_ record: Record, from old: Record) throws -> Bool {
    let written = try description.writtenValues(of: record)
    let former = try description.writtenValues(of: old)
    let columns = columns.filter { written[$0.position] != former[$0.position] }
    if columns.isEmpty { return false }
    return try update(
      written, columns, of: identity(of: old, writing: former),
      by: statements.updateStatement(of: columns, nil, in: connection))
  }

  /// Writes some columns of a record to the row with its key.
  ///
  /// - Returns: whether the row was written, as `update(_:)`.
  /// - Throws: the same as ``update(_:)``, and `FetchError` with code `.computedProperty` for a property that
  ///   is not stored, `.notWritable` for a property whose column is generated.
  @discardableResult
  public func update(_ record: Record, only properties: AnyProperty<Record>...) throws -> Bool {
    try update(record, only: properties)
  }

  func update(_ record: Record, only properties: [AnyProperty<Record>]) throws -> Bool {
    if let known = statements.update(of: properties) {
      return try update(record, known.columns, known.statement)
    }
    let columns = try properties.map { property -> WrittenColumn in
      guard let column = description.column(of: property, in: table.columns.map(\.name)),
        let position = try description.writtenColumns.exact.firstIndex(of: column.exact)
      else {
        throw FetchError(
          .computedProperty, "\(property.name) is not stored in a column of \(Record.self)",
          nextStep: "Name properties of its columns: "
            + self.columns.map(\.name).joined(separator: ", "))
      }
      let name = try table.writableColumn(named: column)
      return WrittenColumn(name: name, isKey: false, position: position)
    }
    return try update(
      record, columns, statements.updateStatement(of: columns, properties, in: connection))
  }

  /// - Parameter statement: that of these columns; nil if it is not at hand.
  private func update(
    _ record: Record, _ columns: [WrittenColumn], _ statement: Statement? = nil
  ) throws -> Bool {
    let written = try description.writtenValues(of: record)
    return try update(
      written, columns, of: identity(of: record, writing: written),
      by: statement ?? statements.updateStatement(of: columns, nil, in: connection))
  }

  private func update(
    _ written: [Value], _ columns: [WrittenColumn], of identity: RowIdentity,
    by statement: Statement
  ) throws -> Bool {
    var written = written
    var identity = identity
    if !stored.isEmpty {
      var values: [Int: Value] = [:]
      for column in columns { values[column.position] = written[column.position] }
      if let found = try stored.keep(in: &values, identity, of: table, connection) {
        identity = found
        for (position, value) in values { written[position] = value }
      }
    }
    if try change(statement, columns.map { written[$0.position] }, identity) { return true }
    // A trigger may have left it as it was.
    if try table.hasRow(identity, in: connection) { return false }
    throw FetchError(
      .noSuchRow, "\(table.name) has no row \(identity) to update",
      nextStep: "Insert the record, or upsert it")
  }

  /// Deletes the row with a record's key.
  ///
  /// - Returns: whether the row was deleted; false if there is none, or a trigger has kept it, as one that only marks rows
  ///   as deleted does.
  /// - Throws: `FetchError` with code `.missingKey` if the record does not have its key, and
  ///   `.invalidKey` if two rows have it; `DatabaseError`.
  @discardableResult
  public func delete(_ record: Record) throws -> Bool {
    try delete(try identity(of: record, writing: try description.writtenValues(of: record)))
  }

  /// Deletes the row with an identity.
  ///
  /// - Returns: whether the row was deleted; false if there is none, or a trigger has kept it, as one that only marks rows
  ///   as deleted does.
  /// - Throws: `FetchError` with code `.invalidKey` if the identity has more or fewer values than the
  ///   key, or if two rows have it; `DatabaseError`.
  @discardableResult
  public func delete(_ identity: RowIdentity) throws -> Bool {
    if try deleteRow(identity) { return true }
    // A row that a trigger keeps is the one that was meant.
    guard stored.key != nil, try !table.hasRow(identity, in: connection),
      let found = try stored.storedIdentity(of: identity, in: table, connection)
    else { return false }
    return try deleteRow(found)
  }

  /// Deletes the rows with some identities, all or none: if one is refused, those before it are there again.
  ///
  /// Complexity: O(log n) for each.
  ///
  /// - Returns: the number of rows that were deleted, without those that are not there or that a trigger has kept.
  /// - Throws: the same as ``delete(_:)-(RowIdentity)``, for the first one that is refused.
  @discardableResult
  public func deleteAll(_ identities: some Sequence<RowIdentity>) throws -> Int {
    try connection.savepoint {
      var count = 0
      for identity in identities where try delete(identity) { count += 1 }
      return count
    }
  }

  private func deleteRow(_ identity: RowIdentity) throws -> Bool {
    try change(statements.deleteStatement(in: connection), [], identity)
  }

  /// - Parameter written: what the description writes of the record.
  private func identity(of record: Record, writing written: [Value]) throws -> RowIdentity {
    // Also throws if a column of the key has no property.
    guard let positions = statements.keyPositions else {
      return try description.identity(of: record, key: table.key.map(\.name))
    }
    return RowIdentity(positions.map { written[$0] })
  }

  /// Runs a statement on the row with an identity.
  ///
  /// - Returns: whether the statement has changed it.
  private func change(
    _ statement: Statement, _ values: [Value], _ identity: RowIdentity
  ) throws -> Bool {
    // Several rows may have NULL in a unique key.
    if table.isKeyUnique, !identity.key.hasNull {
      return try table.changedCount(statement, values, identity, in: connection) > 0
    }
    return try connection.savepoint {
      let count = try table.changedCount(statement, values, identity, in: connection)
      guard count < 2 else {
        throw FetchError.duplicateKey(identity, columns: table.key.map(\.name))
      }
      return count > 0
    }
  }
}
