internal import SQLiteStorage

/// Serves a result in which nothing identifies a row: it is copied into a private table, where the
/// rows are numbered as they come.
struct ResultCopy<Record: Sendable> {
  private let request: FetchRequest<Record>
  private let statement: Statement
  /// The named parameters that the copied SELECT has used.
  let parameters: Set<String>

  /// Prepares the SELECT to copy.
  ///
  /// - Throws: `FetchError` and `DatabaseError` where it cannot be served.
  init(
    of request: FetchRequest<Record>, _ configuration: Database.Configuration,
    in connection: Connection
  ) throws {
    self.request = request
    let sql =
      switch request.description.source {
      case .select(let select): select
      case .table(let name): "SELECT * FROM \(name.quotedIdentifier)"
      }
    try UnstableFunctions(in: connection, configuration).refuse(
      try connection.readRegion(of: sql), sql: [sql], values: Array(request.parameters.values))
    (statement, _) = try connection.statement(for: BoundSQL(sql), parameters: request.parameters)
    let statement = statement
    parameters = Set(
      (0..<statement.parameterCount).compactMap { statement.parameterName(at: $0 + 1) })
  }

  /// Copies the rows.
  ///
  /// - Returns: a snapshot of the copy, and the request that reads it.
  func make(_ configuration: Database.Configuration) throws -> (Snapshot, FetchRequest<Record>) {
    var configuration = configuration
    configuration.prepareConnection = nil  // What it attaches is not there in the copy.
    let copy = try Database.inMemory(configuration: configuration)
    let columns = try columnDefinitions()
    try copy.write { connection in
      try connection.execute("CREATE TABLE result(\(columns.joined(separator: ", ")))")
      let insert = try connection.prepare(
        "INSERT INTO result VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))")
      try statement.forEachRow { row in
        for column in columns.indices { try insert.bind(row.value(at: column), at: column + 1) }
        try insert.run()
      }
    }
    var request = request
    request.description = request.description.reading(.table("result"), key: .ofTable)
    return (try copy.snapshot(), request)
  }

  /// The columns without a type, so that values stay as they are, under names that are unique.
  private func columnDefinitions() throws -> [String] {
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
