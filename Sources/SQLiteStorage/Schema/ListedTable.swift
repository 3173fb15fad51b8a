/// A table or view as the schema lists it, without its columns.
package struct ListedTable: Sendable {
  /// The schema of the table: `main`, `temp` or the name of an attached database.
  package let schema: String
  /// The name, spelled as in the schema.
  package let name: String
  package var kind: TableDescription.Kind
  var isWithoutRowID: Bool
}

extension Connection {
  /// Lists the tables and views, in the order in which `PRAGMA database_list` has their schemas.
  ///
  /// The answer is that of `PRAGMA table_list`. For it, SQLite prepares all views of a schema on each new
  /// connection, which may cost more than the query that the caller has in mind. So the schema itself is read, and
  /// the pragma is asked only about virtual tables, and what may belong to one. Views are only prepared then.
  ///
  /// Reading the schema also makes the connection notice that another one has changed it.
  ///
  /// - Parameters:
  ///   - names: the names, compared as SQLite does; nil for all tables.
  ///   - schema: the name of a schema; nil for all schemas.
  package func listedTables(
    named names: [String]? = nil, in schema: String? = nil
  ) throws -> [ListedTable] {
    var virtual: [ListedTable] = []
    var listed: [ListedTable] = []
    let isAsked = names.map { names in
      "name COLLATE NOCASE IN (\(names.map { _ in "?" }.joined(separator: ", ")))"
    }
    let listing = try listing(of: schema, isAsked: isAsked ?? "true")
    try query(SQL(verbatim: listing), names?.map { .text($0) } ?? []) { row in
      let table = ListedTable(
        schema: row.string(at: 0), name: row.string(at: 1),
        kind: row.string(at: 2) == "view" ? .view : .table, isWithoutRowID: row.int64(at: 3) != 0)
      if row.int64(at: 4) != 0 { virtual.append(table) }
      if row.int64(at: 5) != 0 { listed.append(table) }
    }
    return try listed.compactMap { table in
      let mayBelong = virtual.contains { owner in
        owner.schema == table.schema
          && (owner.name.exact == table.name.exact
            || table.name.sqliteFolded.hasPrefix("\(owner.name.sqliteFolded)_"))
      }
      return table.kind == .table && mayBelong ? try askedFor(table) : table
    }
  }

  /// The query for the tables and views that are asked for, and for all virtual tables.
  private func listing(of schema: String?, isAsked: String) throws -> String {
    func isWanted(_ name: String) -> Bool {
      schema.map { $0.sqliteFolded == name.sqliteFolded } ?? true
    }
    var parts = ["SELECT NULL AS schema, NULL AS name, NULL AS type, NULL AS root WHERE false"]
    for schema in try schemaNames().filter(isWanted) {
      let literal = schema.quotedLiteral
      parts.append(
        """
        SELECT \(literal), name, type, ifnull(rootpage, 0) FROM \(schema.quotedIdentifier).sqlite_schema
        WHERE type IN ('table', 'view')
        """)
      if schema != "temp" { parts.append("SELECT \(literal), 'sqlite_schema', 'table', 1") }
    }
    // It exists even if nothing is temporary, when SQLite does not list the schema.
    if isWanted("temp") { parts.append("SELECT 'temp', 'sqlite_temp_schema', 'table', 1") }
    // The pragma returns the columns of a primary key that is stored in place of a rowid. It is not asked about
    // the schema itself, which would open a file for temporary tables.
    return """
      SELECT schema, name, type,
        CASE WHEN isAsked AND type = 'table' AND root > 1
          THEN EXISTS (SELECT 1 FROM pragma_index_info(listed.name, listed.schema)) ELSE 0 END,
        isVirtual, isAsked
      FROM (
        SELECT *, type = 'table' AND root = 0 AS isVirtual, \(isAsked) AS isAsked
        FROM (
      \(parts.joined(separator: "\nUNION ALL\n"))
        )
      ) AS listed WHERE isAsked OR isVirtual
      """
  }

  /// The table as `PRAGMA table_list` returns it.
  private func askedFor(_ table: ListedTable) throws -> ListedTable? {
    var found: ListedTable?
    try query(
      "SELECT type, wr FROM pragma_table_list(?) WHERE schema = ?",
      [.text(table.name), .text(table.schema)]
    ) { row in
      found = table
      found?.kind = TableDescription.Kind(rawValue: row.string(at: 0)) ?? .table
      found?.isWithoutRowID = row.int64(at: 1) != 0
    }
    return found
  }
}
