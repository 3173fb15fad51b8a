internal import CFetchedResultsSQLite

extension Connection {
  /// The collation that a column of a table declares; nil where there is no such column.
  package func collation(
    ofColumn column: String, table: String, schema: String?
  ) throws -> String? {
    var name: UnsafePointer<CChar>?
    let status = sqlite3_table_column_metadata(
      handle, schema, table, column, nil, &name, nil, nil, nil)
    // The rowid without a name of its own, and a column that is none, have no collation.
    return status == SQLITE_OK ? name.map { String(cString: $0) } : nil
  }
}

extension Statement {
  /// The collation declared by the table column that a result column comes from; nil where it is
  /// computed, or this SQLite does not tell.
  package func declaredCollation(ofColumn column: Int) throws -> String? {
    guard let origin = ColumnOrigin.of(column, in: pointer) else { return nil }
    var name: UnsafePointer<CChar>?
    let status = sqlite3_table_column_metadata(
      sqlite3_db_handle(pointer), origin.schema, origin.table, origin.column, nil, &name, nil, nil,
      nil)
    return status == SQLITE_OK ? name.map { String(cString: $0) } : nil
  }
}

/// The table column that a result column is read from, unchanged.
struct ColumnOrigin {
  let schema: String
  let table: String
  let column: String

  /// The origin of a result column; nil where it is computed, or this SQLite does not tell.
  static func of(_ column: Int, in statement: OpaquePointer) -> ColumnOrigin? {
    func text(_ function: OptionalSymbol<ColumnText>) -> String? {
      function.value?(statement, Int32(column)).map { String(cString: $0) }
    }
    guard let schema = text(databaseName), let table = text(tableName), let name = text(originName)
    else { return nil }
    return ColumnOrigin(schema: schema, table: table, column: name)
  }

  private typealias ColumnText = @convention(c) (OpaquePointer?, Int32) -> UnsafePointer<CChar>?

  // Only there when the library was built with SQLITE_ENABLE_COLUMN_METADATA.
  private static let databaseName = OptionalSymbol<ColumnText>("sqlite3_column_database_name")
  private static let tableName = OptionalSymbol<ColumnText>("sqlite3_column_table_name")
  private static let originName = OptionalSymbol<ColumnText>("sqlite3_column_origin_name")
}
