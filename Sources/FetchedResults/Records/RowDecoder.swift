internal import SQLiteStorage

/// The coding keys of a record in the order of its columns, and how their values are stored.
final class CodedLayout: Sendable {
  let record: String
  let keys: [String]
  let codings: [any AnyColumnCoding]

  init(record: String, keys: [String], codings: [any AnyColumnCoding]) {
    self.record = record
    self.keys = keys
    self.codings = codings
  }

  /// The column of a key. `next` is the column after the one that was used last: usually it is that.
  func column(of key: String, next: inout Int) -> Int? {
    var column = next
    if column >= keys.count || keys[column].exact != key.exact {
      guard let found = keys.exact.firstIndex(of: key.exact) else { return nil }
      column = found
    }
    next = column + 1
    return column
  }

  /// The error for a key that the samples did not show.
  func unknownKey(_ key: String) -> FetchError {
    FetchError(
      .unknownColumns, "the coding key \(key) of \(record) is not used by every \(record)",
      nextStep: "Decode and encode the same keys in each case, or list the columns")
  }

  /// The coding of a column for values of some type. It is another than that of the samples if a key
  /// is decoded as several types.
  func coding<Property: Decodable>(
    _ column: Int, _ type: Property.Type
  ) -> ColumnCoding<Property> {
    let coding = codings[column]
    // Many times faster than a cast to a generic class.
    if coding.type == type { return unsafeDowncast(coding, to: ColumnCoding<Property>.self) }
    return ColumnCoding.make(type, isNested: Sample.isNested(type))
  }
}

/// Decodes a record from the columns of a row, which are in the order of its layout.
final class RowDecoder: Decoder, PathlessCoder {
  private let row: RowView
  private let layout: CodedLayout
  private var next = 0

  init(_ row: borrowing RowView, _ layout: CodedLayout) {
    self.row = RowView(sameAs: row)
    self.layout = layout
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Keyed(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw isKeyed }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw isKeyed }

  private var isKeyed: FetchError {
    FetchError(
      .unknownColumns, "\(layout.record) is not always decoded from a keyed container",
      nextStep: "Decode the same keys each time, or list the columns of the record")
  }

  private func column(of key: String) throws -> Int {
    guard let column = layout.column(of: key, next: &next) else { throw layout.unknownKey(key) }
    return column
  }

  private func value<Property: ColumnValue>(_ key: String) throws -> Property {
    try Property.decode(row, at: try column(of: key))
  }

  private func valueIfPresent<Property: ColumnValue>(_ key: String) throws -> Property? {
    let column = try column(of: key)
    return row.isNull(at: column) ? nil : try Property.decode(row, at: column)
  }
}

extension RowDecoder {
  /// The values of a row. The methods for the types that most records have are faster than the generic
  /// ones, which are the witnesses for all others.
  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol, PathlessCoder {
    let decoder: RowDecoder
    var allKeys: [Key] { decoder.layout.keys.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { decoder.layout.keys.exact.contains(key.stringValue.exact) }

    func decodeNil(forKey key: Key) throws -> Bool {
      let column = try decoder.column(of: key.stringValue)
      decoder.next = column
      return decoder.row.isNull(at: column)
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
      try decoder.value(key.stringValue)
    }
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
      try decoder.value(key.stringValue)
    }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
      try decoder.value(key.stringValue)
    }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
      try decoder.value(key.stringValue)
    }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
      try decoder.value(key.stringValue)
    }
    func decode<Property: Decodable>(_ type: Property.Type, forKey key: Key) throws -> Property {
      let column = try decoder.column(of: key.stringValue)
      return try decoder.layout.coding(column, type).read(decoder.row, at: column)
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
      try decoder.valueIfPresent(key.stringValue)
    }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
      try decoder.valueIfPresent(key.stringValue)
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
      try decoder.valueIfPresent(key.stringValue)
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
      try decoder.valueIfPresent(key.stringValue)
    }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
      try decoder.valueIfPresent(key.stringValue)
    }
    func decodeIfPresent<Property: Decodable>(
      _ type: Property.Type, forKey key: Key
    ) throws -> Property? {
      let column = try decoder.column(of: key.stringValue)
      if decoder.row.isNull(at: column) { return nil }
      return try decoder.layout.coding(column, type).read(decoder.row, at: column)
    }

    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> { throw nested(key) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      throw nested(key)
    }
    func superDecoder() throws -> any Decoder { throw decoder.isKeyed }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw nested(key) }

    private func nested(_ key: Key) -> FetchError { decoder.layout.unknownKey(key.stringValue) }
  }
}
