/// What must be known of the tables to read the key of a row in the middle of a change, where no
/// SQL may run.
struct CapturedSchema {
  /// How the rows of a table are told apart.
  enum Identity: Hashable {
    case rowID
    /// By columns: where to find them, which can be in more than one way. See ``KeyColumn``.
    case key([[KeyColumn]])
    /// The table was not there when the schema was read.
    case unknown
  }

  /// A column of the primary key of a `WITHOUT ROWID` table.
  struct KeyColumn: Hashable {
    let position: Int32
    /// Whether SQLite stores whole numbers of it as integers and gives them back as reals.
    let isReal: Bool
  }

  /// A table, as SQLite spells its name.
  struct Table {
    let schema: String
    let name: String
    let identity: Identity
    /// The virtual table that stores its content here.
    let owner: String?
  }

  /// The schema versions it was read at, in the order of the schemas.
  let versions: [Int64]
  let tables: [Table]

  /// Knows no tables and fits no schema.
  static var unread: CapturedSchema { CapturedSchema(versions: [], tables: []) }
}

extension Connection {
  /// Reads what the schemas hold now. There must not be a transaction.
  func captureSchema(of schemas: [String]) throws -> CapturedSchema {
    try transaction(.deferred) {
      let versions = try schemas.map { try schemaVersion(of: $0) }
      for schema in schemas {
        // What table_list says is what the connection knows, and that is checked against the file
        // by the run of a statement that reads from it.
        try query("SELECT 1 FROM \(schema.quotedIdentifier).sqlite_schema LIMIT 1") { _ in }
      }
      let listed = try rows("SELECT schema, name, type, wr FROM pragma_table_list")
        .compactMap { row -> ListedTable? in
          guard case .text(let schema) = row["schema"], case .text(let name) = row["name"],
            case .text(let type) = row["type"], schema != "temp"
          else { return nil }
          return ListedTable(
            schema: schema, name: name, type: type, isWithoutRowID: row["wr"] == .integer(1))
        }
      let tables = try listed.filter { $0.type == "table" || $0.type == "shadow" }.map {
        CapturedSchema.Table(
          schema: $0.schema, name: $0.name,
          identity: $0.isWithoutRowID ? .key(try keyColumns(of: $0)) : .rowID,
          owner: $0.type == "shadow" ? $0.owner(in: listed) : nil)
      }
      return CapturedSchema(versions: versions, tables: tables)
    }
  }

  /// The number that SQLite gives the schema.
  ///
  /// Source: [PRAGMA schema_version](https://www.sqlite.org/pragma.html#pragma_schema_version).
  func schemaVersion(of schema: String) throws -> Int64 {
    let statement = try keptStatement("PRAGMA \(schema.quotedIdentifier).schema_version")
    defer { statement.reset() }
    try statement.step()
    return statement.currentRow.int64(at: 0)
  }

  private struct ListedTable {
    let schema: String
    let name: String
    let type: String
    let isWithoutRowID: Bool

    /// The virtual table that a shadow table belongs to: they are named after it.
    func owner(in tables: [ListedTable]) -> String? {
      tables.filter {
        $0.type == "virtual" && $0.schema == schema
          && name.sqliteFolded.hasPrefix($0.name.sqliteFolded + "_")
      }.max { $0.name.utf8.count < $1.name.utf8.count }?.name
    }
  }

  /// Where the hook finds the columns of a primary key, in the order of the key.
  ///
  /// Virtual columns are not stored. Whether they count in the number of a column depends on the
  /// version of SQLite and on what is asked (3.40 counts them, except for the new values of an
  /// UPDATE). Where it makes a difference there are two answers: one of them is right, and a row
  /// too many does no harm.
  private func keyColumns(of table: ListedTable) throws -> [[CapturedSchema.KeyColumn]] {
    var counted: [Int64: CapturedSchema.KeyColumn] = [:]
    var stored: [Int64: CapturedSchema.KeyColumn] = [:]
    var storedCount: Int32 = 0
    try query(
      "SELECT cid, type, pk, hidden FROM pragma_table_xinfo(?, ?) ORDER BY cid",
      [.text(table.name), .text(table.schema)]
    ) { row in
      let rank = row.int64(at: 2)
      if rank > 0 {
        let isReal = ColumnAffinity(declaredType: row.string(at: 1)) == .real
        counted[rank] = CapturedSchema.KeyColumn(
          position: Int32(row.int64(at: 0)), isReal: isReal)
        stored[rank] = CapturedSchema.KeyColumn(position: storedCount, isReal: isReal)
      }
      // 2 is a virtual column, 3 a generated one that is stored.
      if row.int64(at: 3) != 2 { storedCount += 1 }
    }
    let answers = [counted, stored].map { columns in
      columns.keys.sorted().compactMap { columns[$0] }
    }
    return answers[0] == answers[1] ? [answers[0]] : answers
  }
}

/// The type that SQLite prefers for the values of a column.
///
/// Source: [Determination Of Column Affinity](https://www.sqlite.org/datatype3.html#determination_of_column_affinity).
enum ColumnAffinity: Hashable {
  case integer, text, blob, real, numeric

  init(declaredType: String) {
    let type = declaredType.sqliteFolded
    self =
      if type.contains("int") {
        .integer
      } else if ["char", "clob", "text"].contains(where: type.contains) {
        .text
      } else if type.isEmpty || type.contains("blob") {
        .blob
      } else if ["real", "floa", "doub"].contains(where: type.contains) {
        .real
      } else {
        .numeric
      }
  }
}
