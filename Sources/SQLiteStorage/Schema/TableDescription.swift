/// The description of a table or view in the schema.
public struct TableDescription: Hashable, Sendable {
  /// The kind of a table.
  public enum Kind: String, Sendable {
    case table
    case view
    case virtual
    /// A table that stores the content of a virtual table.
    case shadow
  }

  /// A column of a table.
  public struct Column: Hashable, Sendable {
    /// The name.
    public let name: String
    /// The declared type; empty if there is none.
    public let declaredType: String
    /// Whether the column is `NOT NULL`.
    public let isNotNull: Bool
    /// The position in the primary key, from 1; 0 if the column is not part of it.
    public let primaryKeyPosition: Int
    /// Whether the column is computed from other columns.
    public let isGenerated: Bool
  }

  /// The name, spelled as in the schema.
  public let name: String
  /// The schema of the table: `main`, `temp` or the name of an attached database.
  public let schema: String
  /// The kind of the table.
  public let kind: Kind
  /// Whether the table was created `WITHOUT ROWID`.
  public let isWithoutRowID: Bool
  /// The visible columns, in order.
  public let columns: [Column]
  /// The columns that identify a row, in the order of the key: the declared primary key, or else a
  /// name of the rowid that no column hides. Empty for a view, and for a virtual table.
  public let key: [String]
  /// Whether the key is the rowid: one integer, never NULL and always unique.
  public let isKeyRowID: Bool
}

// Names are compared by their bytes: a String is equal to others.
extension TableDescription {
  /// Whether both describe the same table: all that is known of it is equal, names by their bytes.
  public static func == (lhs: TableDescription, rhs: TableDescription) -> Bool {
    lhs.names == rhs.names && lhs.kind == rhs.kind && lhs.isWithoutRowID == rhs.isWithoutRowID
      && lhs.columns == rhs.columns && lhs.isKeyRowID == rhs.isKeyRowID
  }

  /// Feeds the names to `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(names) }

  private var names: [ExactText] { ([schema, name] + key).exact }
}

extension TableDescription.Column {
  /// Whether both columns have the same name, byte for byte, and the same properties.
  public static func == (lhs: TableDescription.Column, rhs: TableDescription.Column) -> Bool {
    lhs.name.exact == rhs.name.exact && lhs.declaredType.exact == rhs.declaredType.exact
      && lhs.isNotNull == rhs.isNotNull && lhs.primaryKeyPosition == rhs.primaryKeyPosition
      && lhs.isGenerated == rhs.isGenerated
  }

  /// Feeds the name to `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(name.exact) }
}

extension TableDescription.Column {
  /// The affinity that a declared type gives.
  ///
  /// Source: [Determination Of Column Affinity](https://www.sqlite.org/datatype3.html#determination_of_column_affinity).
  package static func affinity(ofType type: String) -> String {
    let type = type.sqliteFolded
    func has(_ words: String...) -> Bool { words.contains(where: type.text.contains) }
    if has("int") { return "INTEGER" }
    if has("char", "clob", "text") { return "TEXT" }
    if type.isEmpty || has("blob") { return "BLOB" }
    return has("real", "floa", "doub") ? "REAL" : "NUMERIC"
  }
}

extension TableDescription {
  /// A name of the rowid that no column hides; nil if all are hidden, or there is no rowid.
  public var rowIDName: String? {
    guard kind == .table || kind == .shadow, !isWithoutRowID else { return nil }
    return Self.rowIDName(besides: columns)
  }

  fileprivate static func rowIDName(besides columns: [Column]) -> String? {
    let hidden = Set(columns.map { $0.name.sqliteFolded })
    return rowIDNames.first { !hidden.contains($0.exact) }
  }

  /// The names of the rowid, unless columns hide them.
  package static var rowIDNames: [String] { ["rowid", "_rowid_", "oid"] }
}

extension Connection {
  /// The names of the schemas: `main`, those of attached files, and `temp` if it is used.
  package func schemaNames() throws -> [String] {
    var names: [String] = []
    try query("PRAGMA database_list") { names.append($0.string(at: 1)) }
    return names
  }

  package func hasAttachedFiles() throws -> Bool {
    try schemaNames().contains { $0 != "main" && $0 != "temp" }
  }

  /// Returns the tables and views, in order of their names, without those that belong to SQLite or to a virtual table.
  public func tables() throws -> [TableDescription] {
    try listedTables()
      .filter { listed in
        listed.schema != "temp" && listed.kind != .shadow
          && !listed.name.sqliteFolded.hasPrefix("sqlite_")
      }
      .map { ($0, order: [$0.name.sqliteFolded, $0.name.exact, $0.schema.exact]) }
      .sorted { $0.order.lexicographicallyPrecedes($1.order) }
      .map { listed, _ in
        do {
          return try table(listed)
        } catch let error as DatabaseError where .error ~= error.resultCode {
          // A view of a table that no longer exists, or a table of an unknown module. The other
          // tables are returned all the same.
          return TableDescription(
            name: listed.name, schema: listed.schema, kind: listed.kind, isWithoutRowID: false,
            columns: [], key: [], isKeyRowID: false)
        }
      }
  }

  /// Returns the table or view with this name; nil if there is none. Names are compared as SQLite
  /// does, and searched in SQLite's order: temporary, main, attached.
  public func table(named name: String) throws -> TableDescription? {
    try table(named: name, in: nil)
  }

  /// Does the same as ``table(named:)``, but only in `schema` if it is not nil.
  package func table(named name: String, in schema: String?) throws -> TableDescription? {
    let listedName = name.sqliteFolded == "sqlite_master" ? "sqlite_schema" : name
    return try searchedTables(named: listedName, in: schema).first.map(table)
  }

  /// The schemas that have a table or view with a name, in the order in which SQLite searches them.
  package func schemas(with name: String) throws -> [String] {
    try searchedTables(named: name).map(\.schema)
  }

  /// The tables and views with a name, in the order in which SQLite searches them.
  private func searchedTables(named name: String, in schema: String? = nil) throws -> [ListedTable]
  {
    let listed = try listedTables(named: [name], in: schema)
    let temporary = listed.filter { $0.schema == "temp" }
    return temporary + listed.filter { $0.schema != "temp" }
  }

  private func table(_ listed: ListedTable) throws -> TableDescription {
    let columns: [TableDescription.Column]
    do {
      columns = try self.columns(of: listed.name, in: listed.schema)
    } catch let error as DatabaseError where .error ~= error.resultCode {
      throw DatabaseError(
        .sqlite, "the columns of \(listed.name) are not known: \(error.message)",
        resultCode: error.resultCode, nextStep: "Look at its definition in sqlite_schema",
        cause: error)
    }
    let (key, isKeyRowID) = try key(
      of: listed.name, in: listed.schema, kind: listed.kind,
      isWithoutRowID: listed.isWithoutRowID, columns: columns)
    return TableDescription(
      name: listed.name, schema: listed.schema, kind: listed.kind,
      isWithoutRowID: listed.isWithoutRowID, columns: columns, key: key, isKeyRowID: isKeyRowID)
  }

  /// The SQL that made a view or a virtual table; empty if it is not known.
  package func definition(of table: TableDescription) throws -> String {
    try value(
      String.self,
      SQL(
        verbatim: """
          SELECT sql FROM \(table.schema.quotedIdentifier).sqlite_schema
          WHERE type = ? AND name = ? COLLATE NOCASE
          """), [.text(table.kind == .view ? "view" : "table"), .text(table.name)]) ?? ""
  }

  private func columns(
    of table: String, in schema: String
  ) throws -> [TableDescription.Column] {
    var columns: [TableDescription.Column] = []
    // hidden: 1 is a virtual table's hidden column, 2 and 3 are generated columns.
    try query(
      """
      SELECT name, type, "notnull", pk, hidden FROM pragma_table_xinfo(?, ?)
      WHERE hidden <> 1 ORDER BY cid
      """, [.text(table), .text(schema)]
    ) { row in
      columns.append(
        TableDescription.Column(
          name: row.string(at: 0), declaredType: row.string(at: 1),
          isNotNull: row.int64(at: 2) != 0, primaryKeyPosition: Int(row.int64(at: 3)),
          isGenerated: row.int64(at: 4) > 1))
    }
    return columns
  }

  private func key(
    of table: String, in schema: String, kind: TableDescription.Kind, isWithoutRowID: Bool,
    columns: [TableDescription.Column]
  ) throws -> (columns: [String], isRowID: Bool) {
    guard kind == .table || kind == .shadow else { return ([], false) }
    let declared = columns.filter { $0.primaryKeyPosition > 0 }
      .sorted { $0.primaryKeyPosition < $1.primaryKeyPosition }
    if declared.isEmpty {
      let rowID = TableDescription.rowIDName(besides: columns)
      return (rowID.map { [$0] } ?? [], rowID != nil)
    }
    // INTEGER PRIMARY KEY is the rowid, unless it was declared with DESC: then it has an index.
    var isRowID = false
    if !isWithoutRowID, declared.count == 1,
      declared[0].declaredType.sqliteFolded == "integer"
    {
      let indexes = try value(
        Int.self, "SELECT count(*) FROM pragma_index_list(?, ?) WHERE origin = 'pk'",
        [.text(table), .text(schema)])
      isRowID = indexes == 0
    }
    return (declared.map(\.name), isRowID)
  }
}
