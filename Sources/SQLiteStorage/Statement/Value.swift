public import SmallFoundation

/// A value as SQLite stores it, in one of the five storage classes.
///
/// ```swift
/// let title: Value = "Abbey Road"
/// let year: Value = 1969
/// ```
///
/// Values are equal if they are stored equally: `.integer(1)` and `.real(1)` differ, and text is
/// compared by its bytes in UTF-8, as by SQLite's BINARY collation. For Swift's `String`, a
/// composed and a decomposed "é" are equal; for SQLite they are not.
public enum Value: Sendable {
  /// SQL `NULL`.
  case null
  /// A signed 64-bit integer.
  case integer(Int64)
  /// An IEEE 754 double. SQLite stores NaN as `NULL`.
  case real(Double)
  /// Text. Bytes in the file that are not valid UTF-8 are replaced by U+FFFD.
  case text(String)
  /// Bytes, uninterpreted.
  case blob([UInt8])
}

extension Value: ExpressibleByNilLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByBooleanLiteral
{
  /// Makes SQL `NULL`.
  public init(nilLiteral: ()) { self = .null }
  /// Makes an integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Makes a real.
  public init(floatLiteral value: Double) { self = .real(value) }
  /// Makes text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// Makes the integer 1 for `true` and 0 for `false`, as SQLite's `TRUE` and `FALSE` do.
  public init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }
}

extension Value: Hashable {
  /// Whether both have the same storage class and the same bytes; so -0.0 is not equal to 0.0.
  public static func == (lhs: Value, rhs: Value) -> Bool {
    switch (lhs, rhs) {
    case (.null, .null): true
    case (.integer(let lhs), .integer(let rhs)): lhs == rhs
    case (.real(let lhs), .real(let rhs)): lhs.bitPattern == rhs.bitPattern
    case (.text(let lhs), .text(let rhs)): lhs.hasBytes(of: rhs)
    case (.blob(let lhs), .blob(let rhs)): lhs == rhs
    default: false
    }
  }

  /// Feeds the storage class and the bytes to `hasher`.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0 as UInt8)
    case .integer(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value.bitPattern)
    case .text(var value):
      value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
      hasher.combine(0xFF as UInt8)
    case .blob(let value): hasher.combine(value)
    }
  }
}

extension String {
  /// Whether both have the same bytes in UTF-8.
  func hasBytes(of other: String) -> Bool {
    var (text, other) = (self, other)
    return text.withUTF8 { bytes in
      other.withUTF8 { UnsafeRawBufferPointer(bytes).hasBytes(of: UnsafeRawBufferPointer($0)) }
    }
  }
}

/// A type that can be read from a column and stored in a column.
///
/// Numbers are never truncated: `Double` reads an integer column, and `Int` a real that is a whole number; only `Float`
/// rounds. A value of another type throws. An enumeration with a raw value that is a `ColumnValue` conforms by
/// declaring it:
///
/// ```swift
/// enum Kind: String, ColumnValue { case text, number, toggle }
/// ```
public protocol ColumnValue: Sendable {
  /// Reads the value of an existing column of the row.
  ///
  /// - Throws: `DatabaseError` with code `.typeMismatch`, or any other error, if the value is of another type. The
  ///   error that a caller gets names the row.
  static func decode(_ row: borrowing RowView, at column: Int) throws -> Self

  /// The value to store.
  var columnValue: Value { get }
}

extension Value: ColumnValue {
  /// Reads any value.
  public static func decode(_ row: borrowing RowView, at column: Int) -> Value {
    row.value(at: column)
  }

  /// The value itself.
  public var columnValue: Value { self }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
  /// Reads `NULL` as nil, and anything else as `Wrapped`.
  public static func decode(_ row: borrowing RowView, at column: Int) throws -> Wrapped? {
    row.isNull(at: column) ? nil : try Wrapped.decode(row, at: column)
  }

  /// The wrapped value, or `NULL`.
  public var columnValue: Value { self?.columnValue ?? .null }
}

extension FixedWidthInteger where Self: ColumnValue {
  /// Reads an integer that fits, or a real that is a whole number that fits.
  public static func decode(_ row: borrowing RowView, at column: Int) throws -> Self {
    if let integer = row.integer(at: column) {
      if let value = Self(exactly: integer) { return value }
    } else if row.storageClass(at: column) == .real {
      if let value = Self(exactly: row.double(at: column)) { return value }
    }
    throw row.typeMismatch(at: column, expected: "an integer that fits \(Self.self)")
  }

  /// The integer. Do not declare the conformance of a type with values beyond `Int64`: they would be stored as other
  /// numbers.
  public var columnValue: Value { .integer(Int64(truncatingIfNeeded: self)) }
}

extension Int: ColumnValue {}
extension Int8: ColumnValue {}
extension Int16: ColumnValue {}
extension Int32: ColumnValue {}
extension Int64: ColumnValue {}
extension UInt8: ColumnValue {}
extension UInt16: ColumnValue {}
extension UInt32: ColumnValue {}

extension Bool: ColumnValue {
  /// Reads an integer: 0 is false, anything else true.
  public static func decode(_ row: borrowing RowView, at column: Int) throws -> Bool {
    guard row.storageClass(at: column) == .integer else {
      throw row.typeMismatch(at: column, expected: "a Boolean (integer)")
    }
    return row.int64(at: column) != 0
  }

  /// 1 or 0.
  public var columnValue: Value { .integer(self ? 1 : 0) }
}

extension Double: ColumnValue {
  /// Reads a real, or an integer that a `Double` represents exactly.
  public static func decode(_ row: borrowing RowView, at column: Int) throws -> Double {
    switch row.storageClass(at: column) {
    case .real: return row.double(at: column)
    case .integer:
      if let value = Double(exactly: row.int64(at: column)) { return value }
    default: break
    }
    throw row.typeMismatch(at: column, expected: "a number that fits Double")
  }

  /// The real.
  public var columnValue: Value { .real(self) }
}

extension Float: ColumnValue {
  /// Reads a number as `Double` does, and rounds it to the nearest `Float`.
  public static func decode(_ row: borrowing RowView, at column: Int) throws -> Float {
    Float(try Double.decode(row, at: column))
  }

  /// The number as a real.
  public var columnValue: Value { .real(Double(self)) }
}

extension Decimal: ColumnValue {
  /// Reads an integer, a real (by its shortest decimal form), or text with a decimal number.
  public static func decode(_ row: borrowing RowView, at column: Int) throws -> Decimal {
    let text: String? =
      switch row.storageClass(at: column) {
      case .integer: "\(row.int64(at: column))"
      case .real: "\(row.double(at: column))"
      case .text: row.string(at: column)
      case .null, .blob: nil
      }
    // `Decimal.init` ignores what follows a number, and `Double.init` also reads "nan" and "0x10".
    guard let text, text.utf8.allSatisfy("0123456789+-.eE".utf8.contains), Double(text) != nil,
      let value = Decimal(string: text), value.isFinite
    else {
      throw row.typeMismatch(at: column, expected: "a decimal number")
    }
    return value
  }

  /// All digits, as text. A column declared `NUMERIC` or `DECIMAL` stores it as a number if no digit is lost. Only such
  /// a column sorts by value: text sorts by its characters. NaN and infinity are `NULL`.
  public var columnValue: Value { isFinite ? .text(description) : .null }
}

extension String: ColumnValue {
  /// Reads text. Bytes that are not valid UTF-8 are replaced by U+FFFD.
  public static func decode(_ row: borrowing RowView, at column: Int) throws -> String {
    guard let text = row.text(at: column) else {
      throw row.typeMismatch(at: column, expected: "text")
    }
    return text
  }

  /// The text.
  public var columnValue: Value { .text(self) }
}

extension [UInt8]: ColumnValue {
  /// Reads a blob.
  public static func decode(_ row: borrowing RowView, at column: Int) throws -> [UInt8] {
    guard row.storageClass(at: column) == .blob else {
      throw row.typeMismatch(at: column, expected: "a blob")
    }
    return row.withBytes(at: column) { Array($0) }
  }

  /// The blob.
  public var columnValue: Value { .blob(self) }
}

extension RawRepresentable where Self: ColumnValue, RawValue: ColumnValue {
  /// Reads the raw value of a case.
  public static func decode(_ row: borrowing RowView, at column: Int) throws -> Self {
    let raw = try RawValue.decode(row, at: column)
    guard let value = Self(rawValue: raw) else {
      throw row.noCase(of: Self.self, for: raw, at: column)
    }
    return value
  }

  /// The raw value.
  public var columnValue: Value { rawValue.columnValue }
}

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
  /// Reads the 36-character form, in capitals or small letters, its 32 digits without hyphens, or a blob of its 16 bytes.
  public static func decode(_ row: borrowing RowView, at column: Int) throws -> UUID {
    switch row.storageClass(at: column) {
    case .text:
      if let value = row.text(at: column).flatMap(UUID.init(text:)) { return value }
    case .blob:
      let bytes = row.withBytes(at: column) {
        $0.count == 16 ? $0.loadUnaligned(as: uuid_t.self) : nil
      }
      if let bytes { return UUID(uuid: bytes) }
    case .integer, .real, .null: break
    }
    throw row.typeMismatch(at: column, expected: "a UUID")
  }

  private init?(text: String) {
    guard text.utf8.count == 32 else {
      self.init(uuidString: text)
      return
    }
    var rest = text[...]
    let parts = [8, 4, 4, 4, 12].map { count in
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
    self.init(uuidString: parts.joined(separator: "-"))
  }

  /// The 36-character form in capitals, as text.
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
