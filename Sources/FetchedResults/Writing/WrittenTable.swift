internal import SQLiteStorage

/// The table that records are written to, as in the schema.
struct WrittenTable {
  /// A column of the key, with the collation under which keys are unique.
  struct KeyColumn {
    let name: String
    let collation: Collation?

    fileprivate var collate: String {
      collation.map { " COLLATE \($0.name.quotedIdentifier)" } ?? ""
    }
  }

  /// The name in the record's description.
  let name: String
  /// The quoted name for statements.
  let sql: String
  let key: [KeyColumn]
  /// Whether the schema guarantees that keys are unique.
  let isKeyUnique: Bool
  let isKeyRowID: Bool
  /// Whether a row may have no key.
  let isKeyNullable: Bool
  /// All visible columns of the table.
  var columns: [TableDescription.Column] { source.table?.columns ?? [] }
  private let source: ResolvedSource

  /// Looks up the table of a description.
  init<Record>(_ description: RecordDescription<Record>, in connection: Connection) throws {
    guard case .table(let name) = description.source else {
      throw FetchError(
        .notWritable, "a \(Record.self) is computed by a SELECT, which cannot be written",
        nextStep: "Describe a record of the table to write, or use execute(_:_:)")
    }
    let source: ResolvedSource
    do {
      source = try ResolvedSource(description, in: connection)
    } catch let error as FetchError where error.code == .missingKey {
      // A view without a named key has no key, but the problem here is that it is a view.
      try WrittenTable.refuseView(try connection.table(named: name))
      throw error
    }
    try WrittenTable.refuseView(source.table)
    self.source = source
    self.name = name
    sql = source.sql
    isKeyUnique = source.isKeyUnique
    isKeyRowID = source.isKeyRowID
    isKeyNullable = source.isKeyNullable
    key = try source.key.map { column in
      KeyColumn(
        name: try source.column(named: column),
        collation: source.isKeyRowID ? nil : try source.keyCollation(of: column, in: connection))
    }
  }

  /// Refuses views, even those with `INSTEAD OF` triggers: SQLite does not report whether the
  /// triggers found a row, and has no upsert for views.
  private static func refuseView(_ table: TableDescription?) throws {
    guard let table, table.kind == .view else { return }
    throw FetchError(
      .notWritable, "\(table.name) is a view, which cannot be written record by record",
      nextStep: "Describe a record of the table behind it, or use execute(_:_:)")
  }

  /// How keys may be stored in other forms than records write them; nil if they cannot be.
  func keySpellings<Record>(_ description: RecordDescription<Record>) -> KeySpellings? {
    KeySpellings(
      key.map {
        KeySpellings.Column($0.name, collate: $0.collate, description.spelling(ofColumn: $0.name))
      })
  }

  /// The condition for the row with a key, with a `?` for each value.
  private var keyCondition: String {
    let sign = isKeyNullable ? "IS" : "="
    return key.map { "\($0.name.quotedIdentifier) \(sign) ?\($0.collate)" }
      .joined(separator: " AND ")
  }

  /// The values of some columns in the row with a key.
  ///
  /// - Returns: nil if there is no such row.
  /// - Throws: as ``changedCount(_:_:_:in:)``.
  func row(
    _ identity: RowIdentity, columns: [String], in connection: Connection
  ) throws -> [Value]? {
    let list = columns.isEmpty ? "1" : columns.map(\.quotedIdentifier).joined(separator: ", ")
    let statement = try statement("SELECT \(list) FROM \(sql)", in: connection)
    try bind([], identity, to: statement)
    defer { statement.reset() }
    return try statement.step() ? Row(statement.currentRow).values : nil
  }

  /// Runs a statement on the row with a key.
  ///
  /// - Parameters:
  ///   - statement: an `UPDATE` or `DELETE` from ``statement(_:in:)``.
  ///   - values: the values for its `?`.
  /// - Returns: the number of rows changed: several if the key is not unique, or `NULL`.
  /// - Throws: `FetchError` with code `.invalidKey` if the key has more or fewer values; `DatabaseError`.
  func changedCount(
    _ statement: Statement, _ values: [Value], _ identity: RowIdentity, in connection: Connection
  ) throws -> Int {
    try bind(values, identity, to: statement)
    try statement.run()
    return connection.changeCount
  }

  /// A statement on the row with a key. Its last values are those of the key.
  ///
  /// - Parameter sql: the statement without its `WHERE`.
  func statement(_ sql: String, in connection: Connection) throws -> Statement {
    try connection.cachedStatement(SQL(verbatim: "\(sql) WHERE \(keyCondition)"))
  }

  private func bind(
    _ values: [Value], _ identity: RowIdentity, to statement: Statement
  ) throws {
    statement.reset()
    for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
    guard statement.parameterCount == values.count + identity.values.count else {
      throw FetchError(
        .invalidKey, "\(identity) does not identify a row of \(name)",
        nextStep: "Give a value for each of \(key.map(\.name).joined(separator: ", "))")
    }
    // Bound as bytes, not as values, so that text that is not valid UTF-8 finds its row.
    try identity.key.bind(to: statement, from: values.count + 1)
  }

  func hasRow(_ identity: RowIdentity, in connection: Connection) throws -> Bool {
    try row(identity, columns: [], in: connection) != nil
  }

  /// The name of a column as the schema spells it.
  func column(named name: String) throws -> String { try source.column(named: name) }

  /// The name of a column as the schema spells it, if the column can be written.
  func writableColumn(named name: String) throws -> String {
    let column = try self.column(named: name)
    guard !isGenerated(column) else {
      throw FetchError(
        .notWritable, "the column \(column) of \(self.name) is generated",
        nextStep: "Write the columns that it is computed from")
    }
    return column
  }

  func isGenerated(_ column: String) -> Bool {
    columns.contains { $0.isGenerated && $0.name.exact == column.exact }
  }
}
