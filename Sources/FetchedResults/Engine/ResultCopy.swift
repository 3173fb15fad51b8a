internal import SQLiteStorage

/// Serves a result in which nothing identifies a row: it is copied into a private table, where the
/// rows are numbered as they come.
struct ResultCopy<Record: Sendable> {
  private let request: FetchRequest<Record>
  private let connection: Connection
  private let sql: BoundSQL
  /// The table of the copy: conditions may name it.
  private let table: String
  /// The named parameters that the copied SELECT has used.
  let parameters: Set<String>

  /// Looks at the SELECT to copy.
  ///
  /// - Throws: `FetchError` and `DatabaseError` where it cannot be served.
  init(
    of request: FetchRequest<Record>, _ configuration: Database.Configuration,
    in connection: Connection
  ) throws {
    self.request = request
    self.connection = connection
    switch request.description.source {
    case .select(let select):
      sql = BoundSQL(select)
      table = "result"
    case .table(let name):
      sql = BoundSQL("SELECT * FROM \(name.quotedIdentifier)")
      table = name
    }
    let region = try connection.readRegion(of: sql.text)
    if !request.isFetchedOnce {
      try UnstableFunctions(in: connection, configuration).refuse(
        region, sql, parameters: request.parameters)
    }
    let (statement, _) = try connection.statement(for: sql, parameters: request.parameters)
    try statement.refusePositionalParameters()
    parameters = statement.parameterNames
  }

  /// Copies the rows.
  ///
  /// - Returns: a snapshot of the copy, and the request that reads it.
  func make(of database: Database) throws -> (Snapshot, FetchRequest<Record>) {
    let copy = try Database.inMemory(
      configuration: try configurationOfCopy(database.configuration), interruptedWith: database)
    let (statement, _) = try connection.statement(for: sql, parameters: request.parameters)
    defer { statement.reset() }
    // The names and their number are certain only when the run has begun.
    var isAtRow = try statement.step()
    let columns = try columnDefinitions(of: statement)
    let name = table.quotedIdentifier
    try copy.write { connection in
      try connection.execute("CREATE TABLE \(name)(\(columns.joined(separator: ", ")))")
      let insert = try connection.prepare(
        "INSERT INTO \(name) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))")
      while isAtRow {
        let row = statement.currentRow
        for column in columns.indices { try insert.bind(row, column: column, at: column + 1) }
        try insert.run()
        isAtRow = try statement.step()
      }
    }
    var request = request
    request.description = request.description.reading(.table(table), key: .ofTable)
    return (try copy.snapshot(), request)
  }

  private func configurationOfCopy(
    _ configuration: Database.Configuration
  ) throws -> Database.Configuration {
    // Under BINARY the order of text depends on how it is stored.
    let encoding = try connection.value(String.self, "PRAGMA encoding") ?? "UTF-8"
    var configuration = configuration
    configuration.usesWAL = true
    // What the application's own attaches is not there in the copy.
    configuration.prepareConnection = {
      try $0.execute("PRAGMA encoding = \(encoding.quotedLiteral)")
    }
    return configuration
  }

  /// The columns without a type, so that values stay as they are, under names that are unique.
  private func columnDefinitions(of statement: Statement) throws -> [String] {
    var used: Set<String> = []
    return try statement.columnNames.names.enumerated().map { position, name in
      var unique = name
      var count = 0
      while !used.insert(unique.sqliteFolded).inserted {
        count += 1
        unique = "\(name):\(count)"  // As SQLite names them in a subquery.
      }
      let collation = try statement.declaredCollation(ofColumn: position) ?? "BINARY"
      return "\(unique.quotedIdentifier) COLLATE \(collation.quotedIdentifier)"
    }
  }
}

extension Statement {
  /// Gives a parameter the value of a column, to the byte.
  fileprivate func bind(_ row: borrowing RowView, column: Int, at index: Int) throws {
    switch row.storageClass(at: column) {
    case .text: try row.withBytes(at: column) { try bindText($0, at: index) }
    case .blob: try row.withBytes(at: column) { try bindBlob($0, at: index) }
    case .null, .integer, .real: try bind(row.value(at: column), at: index)
    }
  }
}
