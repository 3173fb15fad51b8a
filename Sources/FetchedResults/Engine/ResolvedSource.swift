internal import SQLiteStorage

/// What a request reads from, as the schema has it.
struct ResolvedSource {
  /// What stands after `FROM`.
  let sql: String
  /// The columns a record may have, in order.
  let columns: [String]
  /// The columns that identify a row; none where nothing does.
  let key: [String]
  /// Whether the schema guarantees that keys are unique.
  let isKeyUnique: Bool
  /// Whether the key is the rowid: one integer.
  let isKeyRowID: Bool
  /// The table or view; nil for a SELECT.
  let table: TableDescription?
  /// The SELECT; nil for a table or view.
  let select: String?

  /// Looks the source of `description` up.
  ///
  /// - Parameter mayLackKey: whether the rows of a SELECT or a view need nothing to identify them.
  /// - Throws: `FetchError` of code `.noSuchTable`, `.noSuchColumn` or `.missingKey`, and
  ///   `DatabaseError` where a SELECT is none.
  init<Record>(
    _ description: RecordDescription<Record>, in connection: Connection, mayLackKey: Bool = false
  ) throws {
    let source: String
    switch description.source {
    case .table(let name):
      guard let table = try connection.table(named: name) else {
        throw FetchError(
          .noSuchTable, "there is no table or view \(name)",
          nextStep: try ResolvedSource.tableList(connection))
      }
      self.table = table
      select = nil
      source = "\(table.schema.quotedIdentifier).\(table.name.quotedIdentifier)"
      columns = table.columns.map(\.name)
    case .select(let select):
      // Alone first, so that an error is about what was written, and a second statement is found.
      _ = try connection.readRegion(of: select)
      let statement = try connection.prepare(select)
      try statement.refusePositionalParameters()
      table = nil
      // Without the semicolon and what follows it; on lines of its own, in case it ends in a comment.
      let text = statement.sql.trimmingTerminator
      self.select = text
      source = "(\n\(text)\n)"
      // Under the names that a query of it sees, where one that is there twice gets a number. Only a
      // run takes notice of a schema that has changed since this connection read last.
      let all = try connection.prepare("SELECT * FROM \(source) LIMIT 0")
      try all.run()
      columns = all.columnNames.names
    }
    let declared: [String]? =
      if case .columns(let names) = description.key { names } else { nil }
    key = declared ?? table?.key ?? []
    let isWithoutKey = mayLackKey && declared == nil && key.isEmpty && table?.kind != .table
    // Each row is made once, and in the same order whatever is asked of it: OFFSET keeps SQLite from
    // working the SELECT into the statement around it.
    let alias = table.map { " AS \($0.name.quotedIdentifier)" } ?? ""
    sql = isWithoutKey ? "(SELECT * FROM \(source) LIMIT -1 OFFSET 0)\(alias)" : source
    isKeyRowID = table?.isKeyRowID == true && key.map(\.sqliteFolded) == table?.key.folded
    let schemaKey = Set(table?.key.folded ?? [])
    isKeyUnique = !schemaKey.isEmpty && schemaKey.isSubset(of: key.map(\.sqliteFolded))
    guard isWithoutKey || !key.isEmpty else {
      throw FetchError(
        .missingKey, "nothing identifies a row of \(table?.name ?? "the SELECT")",
        nextStep: "Name the columns of its key")
    }
    for column in key { _ = try self.column(named: column) }
  }

  /// The columns, and the key where it is the hidden rowid.
  var allColumns: [String] { columns + key.filter { !columns.folded.contains($0.sqliteFolded) } }

  /// The column's name as the schema spells it.
  ///
  /// - Throws: `FetchError` of code `.noSuchColumn`.
  func column(named name: String) throws -> String {
    let folded = name.sqliteFolded
    if let column = columns.first(where: { $0.sqliteFolded == folded }) { return column }
    if isKeyRowID, key.folded.contains(folded) { return name }
    throw noSuchColumn(name)
  }

  /// The error for a column that is not there.
  func noSuchColumn(_ name: String) -> FetchError {
    FetchError(
      .noSuchColumn, "there is no column \(name) in \(table?.name ?? "the SELECT")",
      nextStep: "The columns are: \(columns.joined(separator: ", "))")
  }

  /// The collation under which SQLite compares a column: that which a table declares for it, BINARY
  /// if it declares none.
  func collation(of column: String, in connection: Connection) throws -> Collation {
    guard let table, table.kind != .view else {
      let name = try connection.collation(
        ofColumn: 0, of: 1, in: "SELECT \(column.quotedIdentifier) FROM \(sql)")
      return Collation(name: name)
    }
    let name = try connection.collation(
      ofColumn: column, table: table.name, schema: table.schema)
    return name.map { Collation(name: $0) } ?? .binary
  }

  /// The collation that makes a key unique: that of the primary key's index, which may be another
  /// than the column declares.
  func keyCollation(of column: String, in connection: Connection) throws -> Collation {
    if let table, key.folded == table.key.folded {
      let name = try connection.value(
        String.self,
        """
        SELECT coll FROM pragma_index_list(?1, ?2) AS list, pragma_index_xinfo(list.name, ?2) AS info
        WHERE origin = 'pk' AND key AND info.name = ?3 COLLATE NOCASE
        """, [.text(table.name), .text(table.schema), .text(column)])
      if let name { return Collation(name: name) }
    }
    return try collation(of: column, in: connection)
  }

  private static func tableList(_ connection: Connection) throws -> String {
    let names = try connection.tables().map(\.name)
    return names.isEmpty
      ? "The database has no tables" : "The database has: \(names.joined(separator: ", "))"
  }
}

extension [String] {
  /// The names as SQLite compares them.
  fileprivate var folded: [String] { map(\.sqliteFolded) }
}

extension String {
  /// The statement without the semicolons and white space at its end.
  var trimmingTerminator: String {
    String(reversed().drop { $0.isWhitespace || $0 == ";" }.reversed())
  }
}
