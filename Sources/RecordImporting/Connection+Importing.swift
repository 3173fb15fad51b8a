public import Basics
public import FetchedResults
public import SQLiteStorage

extension Connection {
  /// Writes records one at a time, and skips those that are refused.
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
  /// If `write` throws an error about a record, the changes of that call are undone and the other records stay. An
  /// error of the database that is not about the record ends the import: a full disk, a lock, an interrupt. Call this
  /// inside `Database.write`, so that such an error undoes all of it.
  ///
  /// - Parameters:
  ///   - records: the records to write.
  ///   - onRefusal: called for each record that is refused.
  ///   - write: writes one record.
  /// - Returns: the numbers of written and refused records.
  /// - Throws: `DatabaseError` that is not about a record, or any error after a trigger or conflict clause has rolled
  ///   back the transaction; `CancellationError`.
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

  /// Inserts records of one type. Each is decoded from its JSON and written according to its
  /// description.
  ///
  /// ```swift
  /// try database.write { try $0.importRecords(try JSONRecords(bytes), as: Track.self) }
  /// ```
  ///
  /// - Parameter onRefusal: called for each record that is refused.
  /// - Returns: the numbers of written and refused records.
  /// - Throws: the same as ``importRecords(_:onRefusal:by:)``, and `FetchError` if the description of the records does not fit the
  ///   database.
  @discardableResult
  public func importRecords<Record: FetchableRecord & Decodable>(
    _ records: JSONRecords, as type: Record.Type, onRefusal: (ImportRefusal) -> Void = { _ in }
  ) throws -> ImportSummary {
    let writer = try writer(for: type)
    return try importRecords(records, onRefusal: onRefusal) { try writer.insert($0.decode(type)) }
  }

  /// Inserts records into a table. The names in a record are columns; missing columns get their
  /// default.
  ///
  /// Integers keep all their digits, other numbers are read as a double; `true` and `false` are 1 and 0, and
  /// `{"base64": "…"}` is a blob. A record is refused if it is not an object, names an unknown or generated column, or
  /// violates a constraint. It is also refused if a column of type `INTEGER`, `INT`, `REAL`, `TEXT` or `BLOB` would
  /// contain a value of another type, even if the table is not `STRICT`.
  ///
  /// - Parameters:
  ///   - table: the name of the table.
  ///   - onRefusal: called for each record that is refused.
  /// - Returns: the numbers of written and refused records.
  /// - Throws: the same as ``importRecords(_:onRefusal:by:)``; `FetchError` with code `.noSuchTable`, and
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
  /// Whether the error is about the record, not the database.
  fileprivate var isAboutRecord: Bool {
    switch self {
    case let error as DatabaseError:
      [.constraint, .mismatch, .tooBig].contains { $0 ~= error.resultCode }
    case is CancellationError: false
    default: true
    }
  }
}

/// The result of an import.
///
/// ```swift
/// let summary = try connection.importRecords(records, into: "cover")
/// print("imported \(summary.importedCount), refused \(summary.refusedCount)")
/// ```
///
/// Sendable: a plain value.
public struct ImportSummary: Hashable, Sendable {
  /// The number of records that were written.
  public internal(set) var importedCount = 0
  /// The number of records that were refused.
  public internal(set) var refusedCount = 0
}

/// A record that was not imported, with the reason.
///
/// ```swift
/// try connection.importRecords(records, into: "cover") { refusal in
///   print(refusal)  // record 17: NOT NULL constraint failed: cover.label
/// }
/// ```
///
/// Sendable: a plain value.
public struct ImportRefusal: DescribedError, Sendable {
  /// The number of the record in its text, counted from 1.
  public let number: Int
  /// The line where the record begins, counted from 1.
  public let line: Int
  /// The error for which the record was refused.
  public let reason: any Error
}

extension ImportRefusal {
  /// The number and the reason in one line, without the SQL, which the caller did not write.
  public var message: String {
    "record \(number): \((reason as? any DescribedError)?.message ?? "\(reason)")"
  }
  /// The next step of the reason; nil if it has none.
  public var nextStep: String? { (reason as? any DescribedError)?.nextStep }
}
