internal import SQLiteStorage

// In a table that was altered, an old row is compared as it would be with the new columns: SQLite shows the default in
// each row that was there before a column.

extension LoggedTable {
  /// SQL for each column, to be read from an older version of the table: a column that it does not have is the default.
  func columns(
    of older: LoggedTable, in connection: Connection
  ) throws -> [LoggedTableReader.Column] {
    let added = columns.names.filter { older.columns.position(of: $0) == nil }
    let defaults = try connection.defaults(of: added.map { ($0, type(ofColumn: $0)) }, in: name)
    return columns.names.map { name in
      let sql =
        older.columns.position(of: name).map { older.columns.names[$0].quotedIdentifier }
        ?? (defaults[name.exact] ?? .null).literal
      return LoggedTableReader.Column(name: name, sql: sql)
    }
  }
}

extension Connection {
  /// The values that columns have in a row that was there before them: their defaults, as SQLite stores them.
  ///
  /// - Parameter columns: their names and declared types.
  /// - Returns: the values by the names; none for `NULL`.
  fileprivate func defaults(
    of columns: [(name: String, type: String)], in table: String
  ) throws -> [ExactText: Value] {
    var store: Database?
    var defaults: [ExactText: Value] = [:]
    for column in columns {
      let expression = try value(
        String.self,
        "SELECT dflt_value FROM pragma_table_xinfo(\(table), 'main') WHERE name = \(column.name)")
      guard let expression else { continue }
      let affinity = try affinity(ofType: column.type, in: table)
      let database = try store ?? Database.inMemory()
      store = database
      defaults[column.name.exact] = try database.stored(default: expression, affinity)
    }
    return defaults
  }

  private func affinity(ofType type: String, in table: String) throws -> String {
    // Only in a STRICT table, ANY stores each value as it is.
    if type.sqliteFolded == "any" {
      let isStrict = try value(
        Bool.self, "SELECT strict FROM pragma_table_list(\(table)) WHERE schema = 'main'")
      if isStrict == true { return "BLOB" }
    }
    return TableDescription.Column.affinity(ofType: type)
  }
}

extension Database {
  /// What SQLite stores for a default in a column with an affinity. Only SQLite knows which texts it makes numbers.
  fileprivate func stored(default expression: String, _ affinity: String) throws -> Value? {
    // In parentheses a word would be a column, and without them only one token is a default.
    let isOneToken = SQLLexer(expression).count { !$0.isBlank } == 1
    let value = isOneToken ? expression : "(\(expression)\n)"
    do {
      return try write { connection in
        try connection.execute("DROP TABLE IF EXISTS d")
        try connection.execute(SQL(verbatim: "CREATE TABLE d(c \(affinity) DEFAULT \(value))"))
        try connection.execute("INSERT INTO d DEFAULT VALUES")
        return try connection.value(Value.self, "SELECT c FROM d")
      }
    } catch let error as DatabaseError where .error ~= error.resultCode {
      // It calls a function that only the program of the file has. ADD COLUMN accepts no such default, so that the table
      // was made anew, and the rows before it had no value.
      return nil
    }
  }
}
