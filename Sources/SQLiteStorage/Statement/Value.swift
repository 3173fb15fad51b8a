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
    case (.text(let lhs), .text(let rhs)): lhs.utf8.elementsEqual(rhs.utf8)
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
