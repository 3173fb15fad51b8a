public import SQLiteStorage

// A request read once, in the version that the connection sees. Inside `write` it sees what the
// transaction has written.
extension Connection {
  /// Returns all records of a request, in order.
  ///
  /// ```swift
  /// let tracks = try database.read { try $0.fetchAll(Track.all.sorted(by: \.name)) }
  /// ```
  ///
  /// Complexity: O(n) memory. For many records, use ``fetchCursor(_:)``.
  ///
  /// - Throws: `FetchError` if the request does not fit the schema, and `DatabaseError`, with code
  ///   `.typeMismatch` if a record cannot be decoded.
  public func fetchAll<Record>(_ request: FetchRequest<Record>) throws -> [Record] {
    try withQuery(.records, request) { query, hasRow in
      var records: [Record] = []
      var hasRow = hasRow
      while hasRow {
        records.append(try query.statement.record(request.description, count: records.count + 1))
        hasRow = try query.statement.step()
      }
      return records
    }
  }

  /// Returns the first record of a request; nil if it has none. Only one row is read.
  ///
  /// The statement is kept with the connection, for requests that differ from this one only in their values.
  ///
  /// - Throws: the same as ``fetchAll(_:)``.
  public func fetchOne<Record>(_ request: FetchRequest<Record>) throws -> Record? {
    var request = request
    request.window = request.window.prefix(1)
    return try withQuery(.records, request) { query, hasRow in
      hasRow ? try query.statement.record(request.description, count: 1) : nil
    }
  }

  /// Returns the number of records of a request. No record is read.
  ///
  /// - Throws: the same as ``fetchAll(_:)``.
  public func fetchCount<Record>(_ request: FetchRequest<Record>) throws -> Int {
    try withQuery(.count, request) { query, hasRow in
      hasRow ? try query.statement.currentRow.decode(Int.self, at: 0) : 0
    }
  }

  /// Returns the most frequent values of an SQL expression among the rows of a request, each with the number of rows that
  /// have it: for a menu of filters.
  ///
  /// ```swift
  /// let years = try connection.fetchValueCounts(of: "\(\.year) / 10 * 10", in: Track.all, limit: 20)
  /// for year in years { print("\(year.value): \(year.count)") }
  /// ```
  ///
  /// The rows are all that meet the conditions of the request, also if it has a limit. `NULL` is a value. Of several that
  /// the collation takes for equal, one is returned. Values that are equally frequent are in their own order.
  ///
  /// Complexity: O(rows), or O(values) for a column with an index.
  ///
  /// - Parameter limit: the number of values to return at most.
  /// - Throws: `FetchError` if the request does not fit the schema, and `DatabaseError`.
  public func fetchValueCounts<Record>(
    of expression: SQLFragment<Record>, in request: FetchRequest<Record>, limit: Int
  ) throws -> [ValueCount] {
    let compiler = try compiler(of: request)
    let sql = try compiler.parts().parts
      .valueCounts(of: compiler.sql(expression), limit: max(0, limit))
    let (statement, _) = try statement(for: sql, parameters: request.parameters)
    var values: [ValueCount] = []
    try statement.forEachRow { row in
      values.append(ValueCount(value: row.value(at: 0), count: Int(row.int64(at: 1))))
    }
    return values
  }

  /// Returns the most frequent values of a stored property, as ``fetchValueCounts(of:in:limit:)-(SQLFragment<Record>,_,_)``.
  ///
  /// ```swift
  /// let genres = try connection.fetchValueCounts(of: \.genre, in: Track.all, limit: 20)
  /// ```
  public func fetchValueCounts<Record>(
    of property: AnyProperty<Record>, in request: FetchRequest<Record>, limit: Int
  ) throws -> [ValueCount] {
    try fetchValueCounts(of: "\(property)", in: request, limit: limit)
  }

  /// Returns the records of a request one at a time, each read when the caller asks for it.
  ///
  /// ```swift
  /// try database.read { connection in
  ///   let tracks = try connection.fetchCursor(Track.all)
  ///   while let track = try tracks.next() { try export(track) }
  /// }
  /// ```
  ///
  /// Do not write to the table of the records while a cursor reads it: SQLite does not define which
  /// rows it then returns.
  ///
  /// - Throws: the same as ``fetchAll(_:)``.
  public func fetchCursor<Record>(_ request: FetchRequest<Record>) throws -> RecordCursor<Record> {
    try fetchCursor(request, sectionedBy: nil)
  }

  func compiler<Record>(
    of request: FetchRequest<Record>, sectionedBy sectionKey: SectionKey<Record>? = nil
  ) throws -> PlanCompiler<Record> {
    // The configuration only tells which functions a request must not call if it is kept up to date.
    try PlanCompiler(
      request, sectionKey: sectionKey, configuration: Database.Configuration(), connection: self)
  }
}

/// A value, and the number of rows that have it: see `fetchValueCounts(of:in:limit:)` of a connection.
///
/// Sendable: a plain value.
public struct ValueCount: Hashable, Sendable {
  /// The value.
  public let value: Value
  /// The number of rows.
  public let count: Int
}

// MARK: - Records by their keys

extension Connection {
  /// Returns the record with a key.
  ///
  /// ```swift
  /// try database.write { connection in
  ///   var track = try connection.find(Track.self, 7)
  ///   track.name = "Blue in Green"
  ///   try connection.update(track)
  /// }
  /// ```
  ///
  /// If no row has the key as the record writes it, a row that stores it in another common form is found: a UUID in small
  /// letters or as bytes, a date without its time.
  ///
  /// Complexity: O(log n); for a key that is missing, once for each form that it may have. The statement is kept with the
  /// connection.
  ///
  /// - Parameter key: the values of the key's columns, in order.
  /// - Throws: `FetchError` with code `.noSuchRow` if there is no such record, and `.invalidKey` if the number of
  ///   values is not the number of key columns; otherwise the same as ``fetchAll(_:)``.
  public func find<Record: FetchableRecord>(
    _ type: Record.Type, _ key: any ColumnValue...
  ) throws -> Record { try find(type, RowIdentity(key.map(\.columnValue))) }

  /// Returns the record with an identity, for example one from
  /// ``FetchedResultsProvider/identity(at:)``.
  ///
  /// - Throws: the same as `find(_:_:)` with the values of the key.
  public func find<Record: FetchableRecord>(
    _ type: Record.Type, _ identity: RowIdentity
  ) throws -> Record {
    if let record = try fetchOne(type, identity) { return record }
    throw FetchError(
      .noSuchRow, "there is no \(type) with the key \(identity)",
      nextStep: "If it may have been deleted, use fetchOne(_:_:)")
  }

  /// Returns the record with a key, as `find(_:_:)` does; nil if there is none.
  ///
  /// - Throws: `FetchError` with code `.invalidKey` if the number of values is not the number of key columns, or if
  ///   several rows store the key, in other forms than the record writes; else as ``fetchAll(_:)``.
  public func fetchOne<Record: FetchableRecord>(
    _ type: Record.Type, _ key: any ColumnValue...
  ) throws -> Record? { try fetchOne(type, RowIdentity(key.map(\.columnValue))) }

  /// Returns the record with an identity; nil if there is none.
  ///
  /// - Throws: the same as `fetchOne(_:_:)` with the values of the key.
  public func fetchOne<Record: FetchableRecord>(
    _ type: Record.Type, _ identity: RowIdentity
  ) throws -> Record? {
    let description = type.recordDescription
    let (record, stored) = try withQuery(type, identity) {
      query, hasRow -> (Record?, RowIdentity?) in
      if hasRow { return (try query.statement.record(description, count: 1), nil) }
      let stored = try query.spellings?.storedIdentity(
        of: identity, in: query.source, self, parameters: type.all.parameters)
      return (nil, stored)
    }
    guard let stored else { return record }
    return try withQuery(type, stored) { query, hasRow in
      hasRow ? try query.statement.record(description, count: 1) : nil
    }
  }
}
