public import SQLiteStorage

extension Connection {
  /// Writes records one by one, and leaves out those that cannot be written.
  ///
  /// ```swift
  /// let summary = try database.write { connection in
  ///   try connection.importRecords(try JSONRecords(bytes), onRefusal: { print($0) }) { record in
  ///     let track = try record.decode(Track.self)
  ///     try connection.insert(track)
  ///   }
  /// }
  /// print(summary.importedCount)
  /// ```
  ///
  /// What `write` did for a record that it refuses, by an error, is undone; the other records stay. An
  /// error of the database itself, which has nothing to do with the record, ends the import: a full
  /// disk, a lock, an interrupt.
  ///
  /// - Parameters:
  ///   - records: what to write. Call it inside of `Database.write`, so that all of them are written
  ///     or none.
  ///   - onRefusal: told of each record that is left out.
  ///   - write: writes one record.
  /// - Returns: how many were written.
  /// - Throws: `DatabaseError` but for a broken constraint, and where a trigger or a conflict clause
  ///   has rolled everything back; `CancellationError`.
  @discardableResult
  public func importRecords(
    _ records: JSONRecords, onRefusal: (ImportRefusal) -> Void = { _ in },
    by write: (JSONRecord) throws -> Void
  ) throws -> ImportSummary {
    var summary = ImportSummary()
    for record in records {
      do {
        try savepoint { try write(record) }
        summary.importedCount += 1
      } catch {
        guard isInTransaction, error.isAboutRecord else { throw error }
        summary.refusedCount += 1
        onRefusal(ImportRefusal(number: record.number, line: record.line, reason: error))
      }
    }
    return summary
  }

  /// Inserts records of one type: each is decoded from its JSON and written by its description.
  ///
  /// ```swift
  /// try database.write { try $0.importRecords(try JSONRecords(bytes), as: Track.self) }
  /// ```
  ///
  /// - Parameter onRefusal: told of each record that is left out.
  /// - Returns: how many were written.
  /// - Throws: as ``importRecords(_:onRefusal:by:)`` and ``writer(for:)``.
  @discardableResult
  public func importRecords<Record: FetchableRecord & Decodable>(
    _ records: JSONRecords, as type: Record.Type, onRefusal: (ImportRefusal) -> Void = { _ in }
  ) throws -> ImportSummary {
    let writer = try writer(for: type)
    return try importRecords(records, onRefusal: onRefusal) { try writer.insert($0.decode(type)) }
  }

  /// Inserts records into a table: the names in a record are columns, and those that it leaves out
  /// have their default.
  ///
  /// Numbers keep all their digits, `true` and `false` are 1 and 0, and `{"base64": "…"}` is a blob.
  /// A record is refused where it is no object, names a column that is not there or a generated one,
  /// or breaks a constraint; and, also where the table is not `STRICT`, where a column of type
  /// `INTEGER`, `INT`, `REAL`, `TEXT` or `BLOB` would hold a value of another type.
  ///
  /// - Parameters:
  ///   - table: the name of the table.
  ///   - onRefusal: told of each record that is left out.
  /// - Returns: how many were written.
  /// - Throws: as ``importRecords(_:onRefusal:by:)``; `FetchError` of code `.noSuchTable`, and
  ///   `.notWritable` for a view.
  @discardableResult
  public func importRecords(
    _ records: JSONRecords, into table: String, onRefusal: (ImportRefusal) -> Void = { _ in }
  ) throws -> ImportSummary {
    let target = try ImportTarget(table, in: self)
    return try importRecords(records, onRefusal: onRefusal) { try target.insert($0, by: self) }
  }
}

extension Error {
  /// Whether the record is at fault, and not the database.
  fileprivate var isAboutRecord: Bool {
    switch self {
    case let error as DatabaseError:
      [.constraint, .mismatch, .tooBig].contains { $0 ~= error.resultCode }
    case is CancellationError: false
    default: true
    }
  }
}
