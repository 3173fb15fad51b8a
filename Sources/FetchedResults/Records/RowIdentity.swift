public import SQLiteStorage

/// What makes a row the same row when its content or its place changes: the values of its key.
///
/// ```swift
/// let indexPath = try provider.indexPath(forIdentity: 42)
/// ```
///
/// Sendable and Hashable: keep it for a selection, in place of a row number or a record. A real
/// that is a whole number and the integer it equals are the same identity, as in SQLite.
///
/// Text is told apart by its bytes: two keys that are not valid UTF-8 stay two identities, although
/// ``values`` shows both with U+FFFD.
public struct RowIdentity: Hashable, Sendable {
  /// The values, packed.
  let key: KeyTuple

  init(key: KeyTuple) { self.key = key }

  /// The identity with these values.
  public init(_ values: [Value]) { key = KeyTuple(values) }

  /// The values of the key's columns, in order.
  public var values: [Value] { key.values }

  /// The identity with one value.
  public init(_ value: Value) { self.init([value]) }
}

extension RowIdentity: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
  /// The identity with one integer.
  public init(integerLiteral value: Int64) { self.init(.integer(value)) }
  /// The identity with one text.
  public init(stringLiteral value: String) { self.init(.text(value)) }
}

extension RowIdentity: CustomStringConvertible {
  /// The values, separated by commas.
  public var description: String { values.map(\.shortDescription).joined(separator: ", ") }
}

extension Value {
  /// The value as an error message shows it.
  var shortDescription: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let value): "\"\(value.prefix(60))\""
    case .blob(let bytes): "a blob of \(bytes.count) bytes"
    }
  }
}
