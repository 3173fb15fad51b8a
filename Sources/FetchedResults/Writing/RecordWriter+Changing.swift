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
    try update(record, columns.filter { !$0.isKey })
  }

  /// Writes some columns of a record to the row with its key.
  ///
  /// - Throws: the same as ``update(_:)``, and `FetchError` with code `.computedProperty` for a property that
  ///   is not stored, `.notWritable` for a property whose column is generated.
  public func update(_ record: Record, only properties: AnyProperty<Record>...) throws {
    try update(record, only: properties)
  }

  func update(_ record: Record, only properties: [AnyProperty<Record>]) throws {
    try update(
      record,
      try properties.map { property in
        guard let column = description.column(of: property, in: table.columns.map(\.name)),
          let position = try description.writtenColumns.exact.firstIndex(of: column.exact)
        else {
          throw FetchError(
            .computedProperty, "\(property.name) is not stored in a column of \(Record.self)",
            nextStep: "Name properties of its columns: "
              + columns.map(\.name).joined(separator: ", "))
        }
        let name = try table.writableColumn(named: column)
        return WrittenColumn(name: name, isKey: false, position: position)
      })
  }

  private func update(_ record: Record, _ columns: [WrittenColumn]) throws {
    var identity = try identity(of: record)
    var written = try description.writtenValues(of: record)
    if !stored.isEmpty {
      var values: [Int: Value] = [:]
      for column in columns { values[column.position] = written[column.position] }
      if let found = try stored.keep(in: &values, identity, of: table, connection) {
        identity = found
        for (position, value) in values { written[position] = value }
      }
    }
    // Even if there is nothing to write, the statement checks that the row exists.
    let assignments =
      columns.isEmpty
      ? table.key.prefix(1).map { "\($0.name.quotedIdentifier) = \($0.name.quotedIdentifier)" }
      : columns.map { "\($0.name.quotedIdentifier) = ?" }
    let isThere = try change(
      "UPDATE \(table.sql) SET \(assignments.joined(separator: ", "))",
      columns.map { written[$0.position] }, identity)
    guard isThere else {
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
    try delete(try identity(of: record))
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
    try change("DELETE FROM \(table.sql)", [], identity) || table.hasRow(identity, in: connection)
  }

  private func identity(of record: Record) throws -> RowIdentity {
    try description.identity(of: record, key: table.key.map(\.name))
  }

  /// Runs a statement on the row with an identity.
  ///
  /// - Returns: whether the statement has changed it.
  private func change(
    _ sql: String, _ values: [Value], _ identity: RowIdentity
  ) throws -> Bool {
    // Several rows may have NULL in a unique key.
    if table.isKeyUnique, !identity.key.hasNull {
      return try table.changedCount(sql, values, identity, in: connection) > 0
    }
    return try connection.savepoint {
      let count = try table.changedCount(sql, values, identity, in: connection)
      guard count < 2 else {
        throw FetchError.duplicateKey(identity, columns: table.key.map(\.name))
      }
      return count > 0
    }
  }
}
