internal import SQLiteStorage

/// What writing records of one type needs: their table, their columns, and the statements.
///
/// A connection keeps it for a transaction (`Connection.keptObject(for:)`), so the schema is read and
/// the SQL is made once for many records. The record's values are bound from the record: no array and
/// no text is made for a record.
///
/// It is not generic, for the reason that `RecordValues` has: only `of(_:in:)` knows the type.
///
/// Not Sendable: it belongs to the owner of its connection, and does not refer to it.
final class InsertStatements {
  struct WrittenColumn {
    let name: String
    let isKey: Bool
    /// The position of its value in what the description writes of a record.
    let position: Int
  }

  let table: WrittenTable
  /// The writable columns of the record.
  let columns: [WrittenColumn]
  private let record: Any.Type
  private let values: RecordValues
  private let allColumns: [Int]
  /// Whether the key is the rowid, which SQLite reports without `RETURNING`.
  private var isKeyRowID: Bool { table.isKeyRowID }
  /// The parameters of the statements that belong to the key; empty if it is the rowid.
  private let keyParameters: [Int]
  private let hasWholeKey: Bool
  /// The forms in which the record's values may be stored.
  let stored: StoredForms
  private var insertAll: Statement?
  private var upsertAll: Statement?
  /// The positions of the key's columns in what the description writes of a record; nil if it does not write all.
  let keyPositions: [Int]?
  private var updates: [Update] = []
  private var delete: Statement?

  private struct Update {
    let columns: [WrittenColumn]
    /// The properties that the caller named; nil for columns.
    let properties: [AnyKeyPath]?
    let statement: Statement
  }

  /// The statements for a type of records, which were kept in this transaction or are made.
  static func of<Record: FetchableRecord>(
    _ type: Record.Type, in connection: Connection
  ) throws -> InsertStatements {
    if let kept = connection.keptObject(for: type) as? InsertStatements { return kept }
    let statements = try InsertStatements(type.recordDescription, connection)
    connection.keep(statements, for: type)
    return statements
  }

  private init<Record>(_ description: RecordDescription<Record>, _ connection: Connection) throws {
    let table = try WrittenTable(description, in: connection)
    let key = Set(table.key.map(\.name.sqliteFolded))
    let columns = try description.writtenColumns.enumerated().compactMap {
      position, column -> WrittenColumn? in
      let name = try table.column(named: column)
      guard !table.isGenerated(name) else { return nil }
      return WrittenColumn(
        name: name, isKey: key.contains(name.sqliteFolded), position: position)
    }
    record = Record.self
    self.table = table
    self.columns = columns
    allColumns = Array(columns.indices)
    values = try RecordValues(description, positions: columns.map(\.position))
    keyParameters = table.isKeyRowID ? [] : columns.indices.filter { columns[$0].isKey }
    hasWholeKey = keyParameters.count == table.key.count
    stored = StoredForms(description, table, columns)
    let positions = try description.writtenColumns.map(\.sqliteFolded)
    let keyPositions = table.key.compactMap { positions.firstIndex(of: $0.name.sqliteFolded) }
    self.keyPositions = keyPositions.count == table.key.count ? keyPositions : nil
  }
}

// MARK: - Inserting

extension InsertStatements {
  /// Inserts the record at an address, or updates the row with its key.
  func insert(
    _ record: UnsafeRawPointer, orUpdate: Bool, in connection: Connection
  ) throws -> RowKey {
    try values.withValues(of: record) { values in
      var hasKey = hasWholeKey
      for parameter in keyParameters {
        switch values.value(at: parameter) {
        // Omitted, so that the default of the column applies. For an INTEGER PRIMARY KEY, NULL does
        // this.
        case .null: return try insertWithoutKey(values, orUpdate, in: connection)
        case .real(let number): hasKey = hasKey && !number.isNaN
        default: break
        }
      }
      if orUpdate, let forms = try storedForms(of: values, in: connection) {
        let statement = try wholeStatement(orUpdate, in: connection)
        return try run(
          statement, binding: allColumns, of: values, orUpdate, keeping: forms, in: connection)
      }
      let statement = try wholeStatement(orUpdate, in: connection)
      // Only a rowid is never NULL. A row without a key must not stay if the caller catches the
      // error.
      let needsSavepoint = table.isKeyNullable && !hasKey
      return needsSavepoint
        ? try connection.savepoint {
          try run(statement, binding: allColumns, of: values, orUpdate, in: connection)
        }
        : try run(statement, binding: allColumns, of: values, orUpdate, in: connection)
    }
  }

  /// Inserts a record without the columns of its key that are nil.
  private func insertWithoutKey(
    _ values: RecordValues.Bound, _ orUpdate: Bool, in connection: Connection
  ) throws -> RowKey {
    let written = allColumns.filter { !columns[$0].isKey || values.value(at: $0) != .null }
    let statement = try connection.cachedStatement(sql(columns: written, orUpdate))
    return try connection.savepoint {
      try run(statement, binding: written, of: values, orUpdate, in: connection)
    }
  }

  /// What the row with the record's key stores in other forms than the record writes; nil if there is no such row or
  /// nothing of it can have other forms.
  private func storedForms(
    of values: RecordValues.Bound, in connection: Connection
  ) throws -> [Int: Value]? {
    guard !stored.isEmpty else { return nil }
    let key = table.key.map { key in columns.firstIndex { $0.name.exact == key.name.exact } }
    let keyValues = key.compactMap { $0.map { values.value(at: $0) } }
    guard keyValues.count == key.count, !keyValues.contains(.null) else { return nil }
    var written: [Int: Value] = [:]
    for (index, column) in columns.enumerated() {
      written[column.position] = values.value(at: index)
    }
    let identity = RowIdentity(keyValues)
    guard let found = try stored.keep(in: &written, identity, of: table, connection) else {
      return nil
    }
    for (index, value) in zip(key, found.values) {
      if let index { written[columns[index].position] = value }
    }
    return written
  }

  /// - Parameter forms: what to write in place of the record's values, by their positions.
  private func run(
    _ statement: Statement, binding written: [Int], of values: RecordValues.Bound,
    _ orUpdate: Bool, keeping forms: [Int: Value] = [:], in connection: Connection
  ) throws -> RowKey {
    var parameter = 1
    for column in written {
      let value = forms[columns[column].position] ?? values.value(at: column)
      try statement.bind(value, at: parameter)
      parameter += 1
    }
    guard !isKeyRowID || orUpdate else {
      try statement.run()
      guard connection.changeCount > 0 else { throw noRow }
      // A trigger that inserts rows leaves the rowid of this row.
      return .integer(connection.lastInsertRowID)
    }
    var key: KeyTuple?
    try statement.forEachRow { row in
      let new = KeyTuple(packing: row, columns: 0..<row.count)
      guard !new.hasNull else {
        throw FetchError(
          .invalidKey, "a \(record) without a key cannot be a row of \(table.name)",
          nextStep: "Give \(table.key.map(\.name).joined(separator: ", ")) a value or a default")
      }
      key = new
    }
    guard let key else { throw noRow }
    return RowKey(key)
  }

  private var noRow: FetchError {
    FetchError(
      .noSuchRow, "no row of \(table.name) was written: a trigger or the table left it out",
      nextStep: FetchError.whereRowsAreIgnored)
  }
}

// MARK: - Statements

extension InsertStatements {
  /// The columns of some properties that have been written before, and the statement that updates them; nil if they have
  /// not, or the statement is in use.
  func update(of properties: [AnyKeyPath]) -> (columns: [WrittenColumn], statement: Statement)? {
    updates.first { $0.properties == properties && !$0.statement.isBusy }
      .map { ($0.columns, $0.statement) }
  }

  /// The statement that updates some columns of the row with a key.
  ///
  /// - Parameter properties: what the caller names; nil if they are not properties.
  func updateStatement(
    of columns: [WrittenColumn], _ properties: [AnyKeyPath]?, in connection: Connection
  ) throws -> Statement {
    let positions = columns.map(\.position)
    let kept = updates.first {
      $0.properties == properties && !$0.statement.isBusy && $0.columns.map(\.position) == positions
    }
    if let kept { return kept.statement }
    // Even if there is nothing to write, the statement checks that the row exists.
    let assignments =
      columns.isEmpty
      ? table.key.prefix(1).map { "\($0.name.quotedIdentifier) = \($0.name.quotedIdentifier)" }
      : columns.map { "\($0.name.quotedIdentifier) = ?" }
    let statement = try table.statement(
      "UPDATE \(table.sql) SET \(assignments.joined(separator: ", "))", in: connection)
    if updates.count >= InsertStatements.updateLimit { updates.removeAll() }
    updates.append(Update(columns: columns, properties: properties, statement: statement))
    return statement
  }

  /// The statement that deletes the row with a key.
  func deleteStatement(in connection: Connection) throws -> Statement {
    if let delete, !delete.isBusy { return delete }
    let statement = try table.statement("DELETE FROM \(table.sql)", in: connection)
    delete = statement
    return statement
  }

  /// The maximum number of `UPDATE`s that are kept.
  private static var updateLimit: Int { 16 }

  /// The statement that writes all columns.
  private func wholeStatement(_ orUpdate: Bool, in connection: Connection) throws -> Statement {
    if let statement = orUpdate ? upsertAll : insertAll, !statement.isBusy { return statement }
    let statement = try connection.cachedStatement(
      sql(columns: allColumns, orUpdate))
    if orUpdate { upsertAll = statement } else { insertAll = statement }
    return statement
  }

  private func sql(columns written: [Int], _ orUpdate: Bool) -> String {
    var sql = "INSERT INTO \(table.sql) "
    if written.isEmpty {
      sql += "DEFAULT VALUES"
    } else {
      let names = written.map { columns[$0].name.quotedIdentifier }.joined(separator: ", ")
      let open = Array(repeating: "?", count: written.count).joined(separator: ", ")
      sql += "(\(names)) VALUES (\(open))"
      if orUpdate { sql += conflictClause }
    }
    if isKeyRowID, !orUpdate { return sql }
    return sql + " RETURNING " + table.key.map(\.name.quotedIdentifier).joined(separator: ", ")
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
}
