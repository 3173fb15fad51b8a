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
    configuration.prepareConnection = { [limit = configuration.copySizeLimit] in
      try $0.execute(SQL(verbatim: "PRAGMA encoding = \(encoding.quotedLiteral)"))
      guard let limit, let pageSize = try $0.value(Int.self, "PRAGMA page_size") else { return }
      try $0.execute(SQL(verbatim: "PRAGMA max_page_count = \(max(1, limit / pageSize))"))
    }
    let copy = try Database.inMemory(configuration: configuration, interruptedWith: database)
    let isKeyUnique = try copy.writeCopy { copy in
      // No column types, so that the values are not converted.
      let names = plan.parts.copyColumns
      let columns = ["\(names.number.quotedIdentifier) INTEGER PRIMARY KEY"]
      let list = (columns + names.observed.map(\.quotedIdentifier)).joined(separator: ", ")
      try copy.execute(SQL(verbatim: "CREATE TABLE result(\(list))"))
      var editor = try CopyEditor(copy, names)
      let statement = try plan.statement(for: plan.parts.copied, in: connection)
      try statement.forEachRow { row in try editor.insert(row, before: nil) }
      guard let key = plan.parts.keyOfCopy else { return true }
      do {
        try copy.execute(SQL(verbatim: "CREATE UNIQUE INDEX byKey ON result(\(key))"))
        return true
      } catch let error as DatabaseError where .constraint ~= error.resultCode {
        // The fetch finds the key that two rows have.
        try copy.execute(SQL(verbatim: "CREATE INDEX byKey ON result(\(key))"))
        return false
      }
    }
    self.init(
      origin: origin, snapshot: try copy.snapshot(),
      plan: QueryPlan(reading: "result", isKeyUnique: isKeyUnique, copiedBy: plan), copy: copy)
  }
}
