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

extension Date: ColumnValue {
  /// Reads ISO 8601 text in UTC, with or without a fraction, with a `T` or a space between date
  /// and time: the forms SQLite's own date functions write. A `Z` may follow; a time of another
  /// zone is refused.
  public static func decode(_ row: borrowing RowView, at column: Int) throws -> Date {
    let text = try String.decode(row, at: column)
    // The style reads the date and time it finds and leaves out what follows, such as "+02:00".
    let hasOffset = text.dropFirst(10).contains { $0 == "+" || $0 == "-" }
    for style in hasOffset ? [] : [ISO8601FormatStyle.sqlite, .sqlite.fractional(false)] {
      for separator in [ISO8601FormatStyle.DateTimeSeparator.space, .standard] {
        if let date = try? style.dateTimeSeparator(separator).parse(text) { return date }
      }
    }
    throw row.typeMismatch(at: column, expected: "a date in ISO 8601")
  }

  /// The form `2026-11-21 08:47:00.000`, in UTC, as text: it sorts by time. What is finer than a
  /// millisecond is rounded.
  public var columnValue: Value {
    // The style cuts off, and most milliseconds lie a little below in binary: .001 would read .000.
    .text(addingTimeInterval(0.000_5).formatted(ISO8601FormatStyle.sqlite))
  }
}

extension Date.ISO8601FormatStyle {
  fileprivate static let sqlite = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    .year().month().day().dateTimeSeparator(.space).time(includingFractionalSeconds: true)

  fileprivate func fractional(_ included: Bool) -> Self {
    time(includingFractionalSeconds: included)
  }
}
