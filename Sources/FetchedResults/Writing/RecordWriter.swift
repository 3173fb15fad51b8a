internal import SQLiteStorage

/// Writes records of one type to their table.
///
/// Making a writer looks up the table. Inside a transaction the look-up is kept until the schema may have changed. A writer
/// is not valid after its transaction or a change of the schema.
///
/// Apps write by the methods of `Connection`, which say what is returned and thrown.
///
/// Not Sendable: use it where its connection is used.
package struct RecordWriter<Record: FetchableRecord> {
  typealias WrittenColumn = InsertStatements.WrittenColumn

  private let connection: Connection
  private let statements: InsertStatements
  private var description: RecordDescription<Record> { Record.recordDescription }
  private var table: WrittenTable { statements.table }
  private var columns: [WrittenColumn] { statements.columns }
  /// What a row stores in other forms than a record writes.
  private var stored: StoredForms { statements.stored }

  /// Looks up the table of the records, unless this transaction has done so.
  init(_ connection: Connection) throws {
    self.connection = connection
    statements = try InsertStatements.of(Record.self, in: connection)
  }

  package func insert(_ record: Record) throws { _ = try insert(record, orUpdate: false) }

  func insert(_ record: Record, orUpdate: Bool) throws -> RowKey {
    try withAddress(of: record) { record in
      try statements.insert(record, orUpdate: orUpdate, in: connection)
    }
  }
}

// MARK: - Updating

extension RecordWriter {
  func update(_ record: Record) throws -> Bool {
    try update(record, columns.filter { !$0.isKey })
  }

  func update(_ record: Record, from old: Record) throws -> Bool {
    let written = try description.writtenValues(of: record)
    let former = try description.writtenValues(of: old)
    let columns = columns.filter { written[$0.position] != former[$0.position] }
    if columns.isEmpty { return false }
    return try update(
      written, columns, of: identity(of: old, writing: former),
      by: statements.updateStatement(of: columns, nil, in: connection))
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

  // MARK: - Deleting

  func delete(_ record: Record) throws -> Bool {
    try delete(try identity(of: record, writing: try description.writtenValues(of: record)))
  }

  func delete(_ identity: RowIdentity) throws -> Bool {
    if try deleteRow(identity) { return true }
    // A row that a trigger keeps is the one that was meant.
    guard stored.key != nil, try !table.hasRow(identity, in: connection),
      let found = try stored.storedIdentity(of: identity, in: table, connection)
    else { return false }
    return try deleteRow(found)
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
