internal import SQLiteStorage

extension RecordWriter {
  /// Writes all columns of a record to the row with its key.
  ///
  /// The row keeps what it stores in another form than the record writes: its key, and values that did not change. So a
  /// UUID stays in small letters.
  ///
  /// - Throws: `FetchError` with code `.noSuchRow` if the row does not exist, or a trigger or the table's conflict
  ///   clause has left it as it was; `.missingKey` if the record does not have its key, `.invalidKey` if two rows
  ///   have it; `DatabaseError`.
  public func update(_ record: Record) throws {
    let columns = columns.filter { !$0.isKey }
    try update(record, columns, by: statements.updateStatement(of: columns, nil, in: connection))
  }

  /// Writes some columns of a record to the row with its key.
  ///
  /// - Throws: the same as ``update(_:)``, and `FetchError` with code `.computedProperty` for a property that
  ///   is not stored, `.notWritable` for a property whose column is generated.
  public func update(_ record: Record, only properties: AnyProperty<Record>...) throws {
    try update(record, only: properties)
  }

  func update(_ record: Record, only properties: [AnyProperty<Record>]) throws {
    if let known = statements.update(of: properties) {
      return try update(record, known.columns, by: known.statement)
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
    try update(
      record, columns, by: statements.updateStatement(of: columns, properties, in: connection))
  }

  private func update(
    _ record: Record, _ columns: [WrittenColumn], by statement: Statement
  ) throws {
    var written = try description.writtenValues(of: record)
    var identity = try identity(of: record, writing: written)
    if !stored.isEmpty {
      var values: [Int: Value] = [:]
      for column in columns { values[column.position] = written[column.position] }
      if let found = try stored.keep(in: &values, identity, of: table, connection) {
        identity = found
        for (position, value) in values { written[position] = value }
      }
    }
    guard try change(statement, columns.map { written[$0.position] }, identity) else {
      guard try !table.hasRow(identity, in: connection) else {
        throw FetchError.keptRow(identity, of: table.name)
      }
      throw FetchError(
        .noSuchRow, "\(table.name) has no row \(identity) to update",
        nextStep: "Insert the record, or upsert it")
    }
  }

  /// Deletes the row with a record's key.
  ///
  /// - Returns: whether there was such a row. A trigger may have kept it, as one that only marks rows as deleted does.
  /// - Throws: `FetchError` with code `.missingKey` if the record does not have its key, and
  ///   `.invalidKey` if two rows have it; `DatabaseError`.
  @discardableResult
  public func delete(_ record: Record) throws -> Bool {
    try delete(try identity(of: record, writing: try description.writtenValues(of: record)))
  }

  /// Deletes the row with an identity.
  ///
  /// - Returns: whether there was such a row. A trigger may have kept it, as one that only marks rows as deleted does.
  /// - Throws: `FetchError` with code `.invalidKey` if the identity has more or fewer values than the
  ///   key, or if two rows have it; `DatabaseError`.
  @discardableResult
  public func delete(_ identity: RowIdentity) throws -> Bool {
    if try deleteRow(identity) { return true }
    guard let found = try stored.storedIdentity(of: identity, in: table, connection),
      found != identity
    else { return false }
    return try deleteRow(found)
  }

  /// - Returns: whether there was such a row.
  private func deleteRow(_ identity: RowIdentity) throws -> Bool {
    let statement = try statements.deleteStatement(in: connection)
    return try change(statement, [], identity) || table.hasRow(identity, in: connection)
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
