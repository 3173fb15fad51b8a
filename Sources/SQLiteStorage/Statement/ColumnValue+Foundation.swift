#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Data: ColumnValue {
  /// Reads a blob.
  public static func decode(_ row: borrowing RowView, at column: Int) throws -> Data {
    guard row.storageClass(at: column) == .blob else {
      throw row.typeMismatch(at: column, expected: "a blob")
    }
    return row.withBytes(at: column) { Data($0) }
  }

  /// The bytes, as a blob.
  public var columnValue: Value { .blob(Array(self)) }
}

extension UUID: ColumnValue {
  /// Reads the 36-character form.
  public static func decode(_ row: borrowing RowView, at column: Int) throws -> UUID {
    guard let value = UUID(uuidString: try String.decode(row, at: column)) else {
      throw row.typeMismatch(at: column, expected: "a UUID")
    }
    return value
  }

  /// The 36-character form, as text.
  public var columnValue: Value { .text(uuidString) }
}

extension URL: ColumnValue {
  /// Reads text that is a URL.
  public static func decode(_ row: borrowing RowView, at column: Int) throws -> URL {
    guard let value = URL(string: try String.decode(row, at: column)) else {
      throw row.typeMismatch(at: column, expected: "a URL")
    }
    return value
  }

  /// The absolute string, as text.
  public var columnValue: Value { .text(absoluteString) }
}
