public import SQLiteStorage

/// The identity of a row: the values of its key. It stays the same when the row is updated or
/// moved.
///
/// ```swift
/// let indexPath = try provider.indexPath(forIdentity: 42)
/// ```
///
/// Sendable and Hashable: use it to remember a row, instead of a row number or a record. In a table, a row is
/// identified by its record's `id` instead, if that is the key. A real without a fraction and the equal integer are the
/// same identity, as in SQLite.
///
/// Text is compared by its bytes: two different keys that are not valid UTF-8 are two identities,
/// although ``values`` shows both with U+FFFD.
public struct RowIdentity: Hashable, Sendable {
  /// The values in packed form.
  let key: KeyTuple

  init(key: KeyTuple) { self.key = key }

  /// The identity as bytes, to be stored: for example to show the same row when the app is opened again.
  ///
  /// ```swift
  /// let bytes = try provider.identity(at: [0, 3]).bytes
  /// let indexPath = try RowIdentity(bytes: bytes).flatMap { try provider.indexPath(forIdentity: $0) }
  /// ```
  ///
  /// Unlike ``values``, they have text that is not valid UTF-8 as it is. Only ``init(bytes:)`` reads them, and the next major
  /// version may have another form.
  public var bytes: [UInt8] { key.bytes }

  /// Makes the identity whose ``bytes`` these are; nil if there is none.
  public init?(bytes: [UInt8]) {
    guard let key = KeyTuple(packed: bytes) else { return nil }
    self.key = key
  }

  /// Makes the identity with these values.
  public init(_ values: [Value]) { key = KeyTuple(values) }

  /// The values of the key's columns, in order.
  public var values: [Value] { key.values }

  /// The key, if it is one integer: the id of most tables.
  public var int64: Int64? { key.onlyInteger }

  /// The key, if it is one value, decoded as `type`.
  ///
  /// ```swift
  /// let id = try provider.identity(at: [0, 3]).decode(UUID.self)
  /// ```
  ///
  /// - Throws: `DatabaseError` with code `.typeMismatch` if the key has several values, or a value of
  ///   another type.
  public func decode<ID: ColumnValue>(_ type: ID.Type = ID.self) throws -> ID {
    let values = values
    guard values.count == 1 else {
      throw DatabaseError(
        .typeMismatch, "the key \(self) has \(values.count) values, so it is not a \(type)",
        nextStep: "Use its values")
    }
    return try Row(columnNames: ColumnNames(["key"]), values: values).decode(type, at: 0)
  }

  /// Makes the identity with one value.
  public init(_ value: Value) { self.init([value]) }
}

extension RowIdentity: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
  /// Makes the identity with one integer.
  public init(integerLiteral value: Int64) { self.init(.integer(value)) }
  /// Makes the identity with one string.
  public init(stringLiteral value: String) { self.init(.text(value)) }
}

extension RowIdentity: CustomStringConvertible {
  /// The values, separated by commas.
  public var description: String { values.map(\.shortDescription).joined(separator: ", ") }
}

extension Value {
  /// The value in the form for error messages.
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
