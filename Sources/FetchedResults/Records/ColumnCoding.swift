internal import SmallFoundation
internal import SQLiteStorage

/// How properties of a type are read from columns and stored in them.
///
/// Sendable: none of its classes has stored properties. Classes, because closures over a type would not
/// be Sendable.
class ColumnCoding<Property>: AnyColumnCoding, @unchecked Sendable {
  final var type: Any.Type { Property.self }

  func read(_ row: borrowing RowView, at column: Int) throws -> Property {
    throw row.typeMismatch(at: column, expected: "a \(Property.self)")
  }

  func write(_ property: Property) throws -> Value { .null }

  final var spelling: Spelling? {
    if Spelling.isOnlyOne(of: type) { return nil }
    return Spelling { [self] value in
      try? write(read(RowView(.copy(Row(onlyValue: value))), at: 0))
    }
  }
}

/// A ``ColumnCoding`` of any type.
protocol AnyColumnCoding: AnyObject, Sendable {
  var type: Any.Type { get }
  /// The forms in which its values may be stored; nil if each has only one.
  var spelling: Spelling? { get }
}

extension ColumnCoding {
  /// The coding of a type, as of a property of a `Codable` record; nil if it is neither a `ColumnValue`
  /// nor `Decodable`.
  static func make(_ type: Property.Type) -> ColumnCoding? {
    if let type = type as? any Decodable.Type { return ofDecodable(type) as? ColumnCoding }
    return (type as? any ColumnValue.Type).flatMap { ofColumnValue($0) as? ColumnCoding }
  }

  private static func ofDecodable<Value: Decodable>(_ type: Value.Type) -> any AnyColumnCoding {
    ColumnCoding<Value>.make(type, isNested: Sample.isNested(type))
  }

  fileprivate static func ofColumnValue<Column: ColumnValue>(
    _: Column.Type
  ) -> any AnyColumnCoding { ColumnValueCoding<Column>() }
}

extension ColumnCoding where Property: Decodable {
  /// The coding of a type: as a `ColumnValue` if it is one, by its raw value, by the single value that
  /// it encodes, or as JSON.
  ///
  /// - Parameter isNested: whether the type is decoded from a keyed or an unkeyed container.
  static func make(_ type: Property.Type, isNested: Bool) -> ColumnCoding<Property> {
    if let type = type as? any ColumnValue.Type,
      let coding = ofColumnValue(type) as? ColumnCoding<Property>
    {
      return coding
    }
    if isNested { return JSONCoding() }
    if let type = type as? any RawRepresentable.Type,
      let coding = ofRawValue(type) as? ColumnCoding<Property>
    {
      return coding
    }
    return SingleValueCoding()
  }

  private static func ofRawValue<Raw: RawRepresentable>(_: Raw.Type) -> (any AnyColumnCoding)? {
    guard let stored = Raw.RawValue.self as? any ColumnValue.Type else { return nil }
    return ofRawValue(Raw.self, stored)
  }

  private static func ofRawValue<Raw: RawRepresentable, Stored: ColumnValue>(
    _: Raw.Type, _: Stored.Type
  ) -> any AnyColumnCoding { RawValueCoding<Raw, Stored>() }
}

private final class ColumnValueCoding<Property: ColumnValue>: ColumnCoding<Property>,
  @unchecked Sendable
{
  override func read(_ row: borrowing RowView, at column: Int) throws -> Property {
    try Property.decode(row, at: column)
  }

  override func write(_ property: Property) -> Value { property.columnValue }
}

private final class RawValueCoding<Property: RawRepresentable, Stored: ColumnValue>:
  ColumnCoding<Property>, @unchecked Sendable
{
  override func read(_ row: borrowing RowView, at column: Int) throws -> Property {
    let raw = try Stored.decode(row, at: column)
    guard let value = (raw as? Property.RawValue).flatMap(Property.init) else {
      throw row.noCase(of: Property.self, for: raw, at: column)
    }
    return value
  }

  override func write(_ property: Property) -> Value {
    (property.rawValue as? Stored)?.columnValue ?? .null
  }
}

private final class SingleValueCoding<Property: Decodable>: ColumnCoding<Property>,
  @unchecked Sendable
{
  override func read(_ row: borrowing RowView, at column: Int) throws -> Property {
    try Property(from: SingleValueDecoder(row, column))
  }

  override func write(_ property: Property) throws -> Value {
    let encoder = SingleValueEncoder()
    try (property as? any Encodable)?.encode(to: encoder)
    return encoder.value
  }
}

private final class JSONCoding<Property: Decodable>: ColumnCoding<Property>, @unchecked Sendable {
  override func read(_ row: borrowing RowView, at column: Int) throws -> Property {
    guard row.storageClass(at: column) == .text else {
      throw row.typeMismatch(at: column, expected: "the JSON text of a \(Property.self)")
    }
    let text = row.withBytes(at: column) { Data($0) }
    do {
      return try JSONColumn.decoder.decode(Property.self, from: text)
    } catch let error as DecodingError {
      throw row.typeMismatch(
        at: column, expected: "the JSON text of a \(Property.self) (\(error.reason))")
    }
  }

  override func write(_ property: Property) throws -> Value {
    guard let property = property as? any Encodable else { return .null }
    let text = try JSONColumn.encoder.encode(property)
    return .text(String(decoding: text, as: UTF8.self))
  }
}

/// JSON as GRDB stores it, so that either reads the columns of the other: sorted keys, data in base64,
/// dates as milliseconds since 1970.
private enum JSONColumn {
  static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    return decoder
  }

  static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .millisecondsSince1970
    // Equal objects have equal texts: otherwise a row that is written unchanged would be an update. The
    // elements of a Set, and of a dictionary whose keys are not texts, have no order: keep sorted arrays.
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}

extension DecodingError {
  /// What is wrong, with the place in the value.
  fileprivate var reason: String {
    let context: Context? =
      switch self {
      case .typeMismatch(_, let context), .valueNotFound(_, let context),
        .keyNotFound(_, let context), .dataCorrupted(let context):
        context
      @unknown default: nil
      }
    guard let context else { return "\(self)" }
    let path = context.codingPath.map(\.stringValue).joined(separator: ".")
    return path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)"
  }
}

// MARK: - Single values

/// A coder, or a container of one, that does not tell where it is in a value: a column has no place in another.
protocol PathlessCoder {}

extension PathlessCoder {
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }
}

private final class SingleValueDecoder: Decoder, SingleValueDecodingContainer, PathlessCoder {
  private let row: RowView
  private let column: Int

  init(_ row: borrowing RowView, _ column: Int) {
    self.row = RowView(sameAs: row)
    self.column = column
  }

  func container<Key: CodingKey>(keyedBy: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw isNotNested
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw isNotNested }
  func singleValueContainer() -> any SingleValueDecodingContainer { self }
  func decodeNil() -> Bool { row.isNull(at: column) }
  func decode<Property: Decodable>(_ type: Property.Type) throws -> Property {
    if let type = type as? any ColumnValue.Type,
      let value = try type.decode(row, at: column) as? Property
    {
      return value
    }
    if let type = type as? any FixedWidthInteger.Type,
      let value = try integer(type) as? Property
    {
      return value
    }
    return try Property(from: self)
  }

  /// An integer of a type that has larger values than a column.
  private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
    guard let integer = Integer(exactly: try Int64.decode(row, at: column)) else {
      throw row.typeMismatch(at: column, expected: "an integer that fits \(Integer.self)")
    }
    return integer
  }

  private var isNotNested: DatabaseError {
    row.typeMismatch(
      at: column, expected: "a value with parts: its type was decoded as a single value before")
  }
}

private final class SingleValueEncoder: Encoder, SingleValueEncodingContainer, PathlessCoder {
  private(set) var value = Value.null
  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RefusingContainer(reason: "its type was decoded as a single value"))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    RefusingContainer<NoKey>(reason: "its type was decoded as a single value")
  }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }
  func encodeNil() { value = .null }
  func encode<Property: Encodable>(_ property: Property) throws {
    if let property = property as? any ColumnValue {
      value = property.columnValue
    } else if let property = property as? any FixedWidthInteger {
      guard let integer = Int64(exactly: property) else {
        throw FetchError(
          .invalidRecord, "the value \(property) is too large for a column",
          nextStep: "Store it as text: the largest integer of SQLite is \(Int64.max)")
      }
      value = .integer(integer)
    } else {
      try property.encode(to: self)
    }
  }
}
