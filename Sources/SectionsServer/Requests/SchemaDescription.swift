import SQLiteStorage

/// The tables and views of a file with all that its schema says of them, for people who read it.
struct SchemaDescription: Sendable {
  struct Column: Sendable {
    let name: String
    let type: String
    /// The position in the primary key, from 1; 0 if the column is not part of it.
    let keyPosition: Int
    let isNotNull: Bool
    let isGenerated: Bool
    /// The SQL of the default value; nil if there is none.
    let defaultSQL: String?
  }

  struct ForeignKey: Sendable {
    let columns: [String]
    let table: String
    /// Empty for the primary key.
    let referred: [String]
    /// What happens to the row, such as `ON DELETE CASCADE`.
    let actions: [String]
  }

  struct Index: Sendable {
    let name: String
    /// The columns with their order and collation, if those are not the usual ones.
    let columns: [String]
    let isUnique: Bool
    /// Nil if a constraint of the table has made the index.
    let sql: String?
  }

  struct Trigger: Sendable {
    let name: String
    let sql: String
  }

  struct Table: Sendable {
    let name: String
    /// What the table is, such as `table, WITHOUT ROWID`.
    let kind: String
    let columns: [Column]
    let foreignKeys: [ForeignKey]
    let indexes: [Index]
    let triggers: [Trigger]
    /// Nil if the schema has none.
    let sql: String?
  }

  let tables: [Table]
}

extension SchemaDescription {
  /// Reads the schema of the file.
  ///
  /// Complexity: some queries for each table.
  init(_ connection: Connection) throws {
    var statements: [ExactText: String] = [:]
    var triggers: [ExactText: [Trigger]] = [:]
    let entries = try connection.rows(
      "SELECT type, name, tbl_name, sql FROM main.sqlite_schema WHERE sql IS NOT NULL ORDER BY name",
      [])
    for row in entries {
      let (name, sql) = (row.text("name"), row.text("sql"))
      if row.text("type") == "trigger" {
        triggers[row.text("tbl_name").sqliteFolded, default: []]
          .append(Trigger(name: name, sql: sql))
      } else {
        statements[name.sqliteFolded] = sql
      }
    }
    let all = try connection.tables().filter { $0.schema.exact == "main".exact }
    tables = try all.map { table in
      Table(
        name: table.name, kind: Self.kind(of: table),
        columns: try Self.columns(of: table, connection),
        foreignKeys: try Self.foreignKeys(of: table, connection),
        indexes: try Self.indexes(of: table, connection) { statements[$0.sqliteFolded] },
        triggers: triggers[table.name.sqliteFolded] ?? [], sql: statements[table.name.sqliteFolded])
    }
  }

  private static func kind(of table: TableDescription) -> String {
    switch table.kind {
    case .view: "view"
    case .virtual: "virtual table"
    case .table, .shadow: table.isWithoutRowID ? "table, WITHOUT ROWID" : "table"
    }
  }

  private static func columns(
    of table: TableDescription, _ connection: Connection
  ) throws -> [Column] {
    // A view that cannot be read has no columns, and is an error there.
    guard !table.columns.isEmpty else { return [] }
    let defaults = try connection.rows(
      "SELECT name, dflt_value FROM pragma_table_xinfo(?, 'main') WHERE dflt_value IS NOT NULL",
      [.text(table.name)])
    let named = Dictionary(
      defaults.map { ($0.text("name").exact, $0.text("dflt_value")) }, uniquingKeysWith: { $1 })
    return table.columns.map {
      Column(
        name: $0.name, type: $0.declaredType, keyPosition: $0.primaryKeyPosition,
        isNotNull: $0.isNotNull, isGenerated: $0.isGenerated, defaultSQL: named[$0.name.exact])
    }
  }

  /// The foreign keys of a table, in the order of its declaration.
  static func foreignKeys(
    of table: TableDescription, _ connection: Connection
  ) throws -> [ForeignKey] {
    guard table.kind == .table else { return [] }
    let rows = try connection.rows(
      """
      SELECT id, "from", "table" AS target, "to", on_update, on_delete
      FROM pragma_foreign_key_list(?, ?) ORDER BY id DESC, seq
      """, [.text(table.name), .text(table.schema)])
    return rows.parts(by: "id").map { rows in
      let actions = [("ON DELETE", "on_delete"), ("ON UPDATE", "on_update")]
        .map { ($0, rows[0].text($1)) }
      return ForeignKey(
        columns: rows.map { $0.text("from") }, table: rows[0].text("target"),
        referred: rows.filter { $0["to"] != .null }.map { $0.text("to") },
        actions: actions.filter { $1 != "NO ACTION" }.map { "\($0) \($1)" })
    }
  }

  private static func indexes(
    of table: TableDescription, _ connection: Connection, sql: (String) -> String?
  ) throws -> [Index] {
    guard table.kind == .table else { return [] }
    return try connection.indexes(of: table).reversed().map { index in
      Index(
        name: index.name,
        columns: index.columns.map { column in
          [
            column.name ?? "an expression",
            column.collation == "BINARY" ? "" : "COLLATE \(column.collation)",
            column.isDescending ? "DESC" : "",
          ].filter { !$0.isEmpty }.joined(separator: " ")
        },
        isUnique: index.isUnique, sql: sql(index.name))
    }
  }
}

extension Row {
  /// A text; empty for another value.
  fileprivate func text(_ column: String) -> String {
    if case .text(let text) = self[column] { text } else { "" }
  }
}

extension [Row] {
  /// The rows that follow each other with the same value in a column, together.
  fileprivate func parts(by column: String) -> [[Row]] {
    reduce(into: []) { parts, row in
      if let last = parts.last?.last, last[column] == row[column] {
        parts[parts.count - 1].append(row)
      } else {
        parts.append([row])
      }
    }
  }
}
