internal import SQLiteStorage

extension ResultSource {
  /// Copies the rows of a result into a private table: in the order of the result if they have a
  /// key, so that SQLite sorts them once for all scans; else in the order they are read, which numbers
  /// them.
  ///
  /// Complexity: O(n): the rows are read once; with a key, O(n log n) for the order and for the SQL
  /// index by which they are found.
  ///
  /// - Parameters:
  ///   - plan: the plan of the request for the schema of `origin`.
  ///   - connection: a connection that sees `origin`.
  ///   - database: the database whose interruption also interrupts reads of the copy.
  init(
    copying plan: QueryPlan, of origin: Snapshot, in connection: Connection, of database: Database
  ) throws {
    // Under BINARY the order of text depends on its encoding.
    let encoding = try connection.value(String.self, "PRAGMA encoding") ?? "UTF-8"
    var configuration = database.configuration
    configuration.usesWAL = true
    // Not the application's own `prepareConnection`: what it attaches does not exist in the copy.
    configuration.prepareConnection = {
      try $0.execute("PRAGMA encoding = \(encoding.quotedLiteral)")
    }
    let copy = try Database.inMemory(configuration: configuration, interruptedWith: database)
    let isKeyUnique = try copy.write { copy in
      // No column types, so that the values are not converted.
      let names = plan.parts.copiedColumns.map { $0.name.quotedIdentifier }
      let columns = names.isEmpty ? ["nothing"] : names
      try copy.execute("CREATE TABLE result(\(columns.joined(separator: ", ")))")
      let insert = try copy.prepare(
        "INSERT INTO result VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))")
      let (statement, _) = try connection.statement(
        for: plan.parts.copied, parameters: plan.parameters)
      try statement.forEachRow { row in
        for column in columns.indices { try insert.bind(row, column: column, at: column + 1) }
        try insert.run()
      }
      guard let key = plan.parts.keyOfCopy else { return true }
      do {
        try copy.execute("CREATE UNIQUE INDEX byKey ON result(\(key))")
        return true
      } catch let error as DatabaseError where .constraint ~= error.resultCode {
        // The fetch finds the key that two rows have.
        try copy.execute("CREATE INDEX byKey ON result(\(key))")
        return false
      }
    }
    self.init(
      origin: origin, snapshot: try copy.snapshot(),
      plan: QueryPlan(reading: "result", isKeyUnique: isKeyUnique, copiedBy: plan))
  }
}

extension Statement {
  /// Binds the value of a column to a parameter, byte for byte.
  fileprivate func bind(_ row: borrowing RowView, column: Int, at index: Int) throws {
    switch row.storageClass(at: column) {
    case .text: try row.withBytes(at: column) { try bindText($0, at: index) }
    case .blob: try row.withBytes(at: column) { try bindBlob($0, at: index) }
    case .null, .integer, .real: try bind(row.value(at: column), at: index)
    }
  }
}
