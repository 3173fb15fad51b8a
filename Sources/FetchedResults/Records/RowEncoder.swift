internal import SQLiteStorage

/// Encodes a record as the values of its columns.
final class RowEncoder: Encoder, PathlessCoder {
  let layout: CodedLayout
  /// The values in the order of the layout; nil for a key that was not encoded.
  private(set) var values: [Value?]
  private var next = 0

  init(_ layout: CodedLayout) {
    self.layout = layout
    values = Array(repeating: nil, count: layout.keys.count)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Keyed(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { refusing }

  func singleValueContainer() -> any SingleValueEncodingContainer { refusing }

  private var refusing: RefusingContainer<NoKey> {
    RefusingContainer(reason: "\(layout.record) is not encoded by keys")
  }

  /// Removes all values, before another record is encoded.
  func clear() {
    for index in values.indices { values[index] = nil }
    next = 0
  }

  fileprivate func column(of key: String) throws -> Int {
    guard let column = layout.column(of: key, next: &next) else { throw layout.unknownKey(key) }
    return column
  }

  fileprivate func set(_ key: String, _ value: Value) throws {
    values[try column(of: key)] = value
  }

  fileprivate func set(_ key: String, encoding property: some Encodable) throws {
    let column = try column(of: key)
    values[column] = try layout.value(property, column)
  }
}

extension RowEncoder {
  /// The values of a record. The generic method is the witness of all requirements of its name, except
  /// for the most frequent types: they need no cast.
  fileprivate struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol, PathlessCoder {
    let encoder: RowEncoder

    func encodeNil(forKey key: Key) throws { try encoder.set(key.stringValue, .null) }

    func encode(_ text: String, forKey key: Key) throws {
      try encoder.set(key.stringValue, .text(text))
    }
    func encode(_ number: Int, forKey key: Key) throws {
      try encoder.set(key.stringValue, number.columnValue)
    }
    func encode(_ number: Int64, forKey key: Key) throws {
      try encoder.set(key.stringValue, .integer(number))
    }
    func encode(_ number: Double, forKey key: Key) throws {
      try encoder.set(key.stringValue, .real(number))
    }
    func encode(_ flag: Bool, forKey key: Key) throws {
      try encoder.set(key.stringValue, flag.columnValue)
    }

    func encode<Property: Encodable>(_ property: Property, forKey key: Key) throws {
      if let property = property as? any ColumnValue {
        try encoder.set(key.stringValue, property.columnValue)
      } else {
        try encoder.set(key.stringValue, encoding: property)
      }
    }

    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
      KeyedEncodingContainer(RefusingContainer(reason: reason(key)))
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      RefusingContainer<NoKey>(reason: reason(key))
    }
    func superEncoder() -> any Encoder { encoder }
    func superEncoder(forKey key: Key) -> any Encoder { encoder }

    private func reason(_ key: Key) -> String {
      "its encode(to:) encodes the parts of the coding key \(key.stringValue) itself"
    }
  }
}

extension CodedLayout {
  /// The value to store of a property that is not a `ColumnValue`.
  fileprivate func value<Property: Encodable>(_ property: Property, _ column: Int) throws -> Value {
    let coding = codings[column]
    if coding.type == Property.self {
      return try unsafeDowncast(coding, to: ColumnCoding<Property>.self).write(property)
    }
    if let property = property as? any Decodable { return try decodable(property) }
    throw FetchError(
      .invalidRecord, "the coding key \(keys[column]) of \(record) is encoded as \(Property.self)",
      nextStep: "Encode the type that is decoded")
  }

  private func decodable<Property: Decodable>(_ property: Property) throws -> Value {
    let type = Property.self
    return try ColumnCoding.make(type, isNested: Sample.isNested(type)).write(property)
  }
}

// MARK: - Refusing

/// The keys of a container without keys.
enum NoKey: CodingKey {}

/// A container whose every use throws: those who ask for a container do not expect an error.
struct RefusingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol,
  UnkeyedEncodingContainer, SingleValueEncodingContainer, PathlessCoder
{
  let reason: String
  var count: Int { 0 }

  private var error: FetchError {
    FetchError(
      .unknownColumns, "a record cannot be encoded: \(reason)",
      nextStep: "Encode each coding key as one value, or list the columns of the record")
  }

  func encodeNil() throws { throw error }
  func encodeNil(forKey key: Key) throws { throw error }
  func encode<Property: Encodable>(_ property: Property) throws { throw error }
  func encode<Property: Encodable>(_ property: Property, forKey key: Key) throws { throw error }
  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(RefusingContainer<NestedKey>(reason: reason))
  }
  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> { nestedContainer(keyedBy: type) }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { self }
  func superEncoder() -> any Encoder {
    RefusingEncoder(container: RefusingContainer<NoKey>(reason: reason))
  }
  func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
}

/// An encoder of such containers.
private struct RefusingEncoder: Encoder, PathlessCoder {
  let container: RefusingContainer<NoKey>

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RefusingContainer(reason: container.reason))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { container }
  func singleValueContainer() -> any SingleValueEncodingContainer { container }
}
