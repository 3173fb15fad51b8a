/// The description of the tables that is needed to read the key of a row during a change, when no
/// SQL may run.
struct CapturedSchema {
  /// How the rows of a table are identified.
  enum Identity: Hashable {
    case rowID
    /// By key columns, as lists of where to find them. There is a second list if their positions
    /// may be counted in two ways.
    case key([[KeyColumn]])
    /// The table did not exist when the schema was read.
    case unknown
  }

  /// A table, with its name as the schema spells it.
  struct Table {
    let name: String
    let identity: Identity
    /// The virtual table whose content this shadow table stores; nil for other tables.
    let owner: String?
  }

  /// The version of the schema at which the tables were read.
  let version: Int64
  let tables: [Table]
}

extension Connection {
  /// Reads the current schema of `main`. The connection must not be in a transaction.
  func captureSchema() throws -> CapturedSchema {
    try transaction(.deferred) {
      let version = try schemaVersion(of: "main")
      let listed = try listedTables(in: "main")
      let tables = try listed.filter { $0.kind == .table || $0.kind == .shadow }.map {
        CapturedSchema.Table(
          name: $0.name,
          identity: $0.isWithoutRowID ? .key(try keyColumns(of: $0)) : .rowID,
          owner: $0.owner(in: listed))
      }
      return CapturedSchema(version: version, tables: tables)
    }
  }

  /// SQLite's version number of the schema.
  ///
  /// Source: [PRAGMA schema_version](https://www.sqlite.org/pragma.html#pragma_schema_version).
  package func schemaVersion(of schema: String) throws -> Int64 {
    try keptNumber("PRAGMA \(schema.quotedIdentifier).schema_version")
  }

  /// The number that a statement without parameters returns. The statement is kept for the next call.
  func keptNumber(_ sql: String) throws -> Int64 {
    let statement = try cachedStatement(sql, keepsPragma: true)
    defer { statement.reset() }
    try statement.step()
    return statement.currentRow.int64(at: 0)
  }

  /// Where the hook finds the columns of a primary key, in the order of the key.
  ///
  /// Virtual columns are not stored. Whether they count in the position of a column depends on the
  /// version of SQLite and on the function called (3.40 counts them, except for the new values of
  /// an UPDATE). If that makes a difference, both lists of positions are returned. One of them is
  /// right, and an additional row does no harm.
  private func keyColumns(of table: ListedTable) throws -> [[KeyColumn]] {
    var counted: [Int64: KeyColumn] = [:]
    var stored: [Int64: KeyColumn] = [:]
    var storedCount = 0
    try query(
      "SELECT cid, type, pk, hidden FROM pragma_table_xinfo(?, ?) ORDER BY cid",
      [.text(table.name), .text(table.schema)]
    ) { row in
      let rank = row.int64(at: 2)
      if rank > 0 {
        let type = row.string(at: 1)
        counted[rank] = KeyColumn(position: Int(row.int64(at: 0)), declaredType: type)
        stored[rank] = KeyColumn(position: storedCount, declaredType: type)
      }
      // 2 is a virtual column, 3 a stored generated column.
      if row.int64(at: 3) != 2 { storedCount += 1 }
    }
    let answers = [counted, stored].map { columns in
      columns.keys.sorted().compactMap { columns[$0] }
    }
    return answers[0] == answers[1] ? [answers[0]] : answers
  }
}

extension ListedTable {
  /// The virtual table that a shadow table belongs to, found by the prefix of the name; nil for another table.
  func owner(in tables: [ListedTable]) -> String? {
    guard kind == .shadow else { return nil }
    return tables.filter {
      $0.kind == .virtual && $0.schema == schema
        && name.sqliteFolded.hasPrefix("\($0.name.sqliteFolded)_")
    }.max { $0.name.utf8.count < $1.name.utf8.count }?.name
  }
}
