internal import CSQLite

/// The row a statement is at, read in place: nothing is copied that is not asked for.
///
/// It cannot be kept or copied, so it cannot outlive the step it belongs to; ``Row`` is the copy
/// that can.
///
/// ```swift
/// try statement.forEachRow { row in
///   total += try row.decode(Int.self, named: "milliseconds")
/// }
/// ```
public struct RowView: ~Copyable {
  let pointer: OpaquePointer

  /// The names of the columns.
  public let columnNames: ColumnNames

  init(pointer: OpaquePointer, columnNames: ColumnNames) {
    self.pointer = pointer
    self.columnNames = columnNames
  }

  /// The number of columns.
  public var count: Int { Int(sqlite3_data_count(pointer)) }
}

/// The storage class of a value: the type SQLite stores it as.
public enum StorageClass: String, Sendable {
  /// SQL `NULL`.
  case null
  /// A signed 64-bit integer.
  case integer
  /// An IEEE 754 double.
  case real
  /// Text.
  case text
  /// Bytes.
  case blob
}

extension RowView {
  /// The storage class of a column's value. The column must be in `0..<count`.
  public func storageClass(at column: Int) -> StorageClass {
    switch sqlite3_column_type(pointer, Int32(column)) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  /// Whether a column is `NULL`.
  public func isNull(at column: Int) -> Bool {
    sqlite3_column_type(pointer, Int32(column)) == SQLITE_NULL
  }

  /// A column as an integer, converted as SQLite's `CAST` does.
  public func int64(at column: Int) -> Int64 { sqlite3_column_int64(pointer, Int32(column)) }

  /// A column as a real, converted as SQLite's `CAST` does.
  public func double(at column: Int) -> Double { sqlite3_column_double(pointer, Int32(column)) }

  /// A column as text; `NULL` reads as the empty string, invalid UTF-8 as U+FFFD.
  public func string(at column: Int) -> String {
    String(decoding: textBytes(at: column), as: UTF8.self)
  }

  /// The number of bytes of a column's text or blob.
  public func byteCount(at column: Int) -> Int { Int(sqlite3_column_bytes(pointer, Int32(column))) }

  /// The bytes of a column's text (in UTF-8) or blob, valid only inside `body`.
  public func withBytes<Result>(
    at column: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    if storageClass(at: column) == .blob {
      // The pointer must be asked for before the length: asking may convert the value.
      let start = sqlite3_column_blob(pointer, Int32(column))
      return try body(UnsafeRawBufferPointer(start: start, count: byteCount(at: column)))
    }
    return try body(UnsafeRawBufferPointer(textBytes(at: column)))
  }

  /// A column's value, copied. The column must be in `0..<count`.
  public func value(at column: Int) -> Value {
    switch storageClass(at: column) {
    case .null: .null
    case .integer: .integer(int64(at: column))
    case .real: .real(double(at: column))
    case .text: .text(string(at: column))
    case .blob: .blob(withBytes(at: column) { Array($0) })
    }
  }

  private func textBytes(at column: Int) -> UnsafeBufferPointer<UInt8> {
    let start = sqlite3_column_text(pointer, Int32(column))
    return UnsafeBufferPointer(start: start, count: byteCount(at: column))
  }
}

extension RowView {
  /// A column decoded as `type`.
  ///
  /// - Throws: `DatabaseError` of code `.missingColumn` where there is no such column, and
  ///   `.typeMismatch` where the value is of another type.
  public func decode<T: ColumnValue>(_ type: T.Type = T.self, at column: Int) throws -> T {
    guard column >= 0, column < count else {
      throw DatabaseError(
        .missingColumn, "there is no column \(column): the row has \(count) columns")
    }
    return try T.decode(self, at: column)
  }

  /// The column of that name decoded as `type`. Names are compared as SQLite does.
  ///
  /// - Throws: as ``decode(_:at:)``.
  public func decode<T: ColumnValue>(_ type: T.Type = T.self, named name: String) throws -> T {
    guard let column = columnNames.position(of: name) else {
      throw DatabaseError(
        .missingColumn, "there is no column \(name)",
        nextStep: "The row's columns are: \(columnNames.names.joined(separator: ", "))")
    }
    return try T.decode(self, at: column)
  }

  /// The error for a column that holds something else than `expected`.
  public func typeMismatch(at column: Int, expected: String) -> DatabaseError {
    DatabaseError(
      .typeMismatch,
      "column \(columnNames.names[column]) holds \(storageClass(at: column)), not \(expected)",
      nextStep: "Give the property a type that fits what is stored")
  }
}
