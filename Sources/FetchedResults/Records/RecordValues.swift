internal import SQLiteStorage

/// Reads the values to store of records of one type, one column after another.
///
/// Not Sendable: records share the encoder.
final class RecordValues<Record: Sendable> {
  private enum Reader {
    /// Values are read where the properties are stored.
    case listed([StoredProperty<Record>])
    /// The record is encoded, and the values are then at these positions.
    case coded(RecordEncoding<Record>, RowEncoder, positions: [Int])
    case none
  }

  private let reader: Reader
  /// Whether the encoder is in use: for a record whose encoding inserts another one.
  private var isEncoding = false

  /// - Parameter positions: the positions of the columns in ``RecordDescription/writtenColumns``.
  /// - Throws: `FetchError` of code `.notWritable` if the record cannot be encoded.
  init(_ description: RecordDescription<Record>, positions: [Int]) throws {
    switch description.mapping {
    case .listed(let properties): reader = .listed(positions.map { properties[$0] })
    case .coded(let columns):
      let (encoding, encoded) = try columns.writing
      reader = .coded(
        encoding, RowEncoder(columns.layout), positions: positions.map { encoded[$0] })
    case .unknown(let error): throw error
    case .named: reader = .none
    }
  }

  /// The values of one record.
  struct Bound: ~Copyable {
    fileprivate let record: UnsafePointer<Record>
    fileprivate let properties: [StoredProperty<Record>]
    fileprivate let encoder: RowEncoder?
    fileprivate let positions: [Int]

    /// The value of a column; a key that is not encoded is `NULL`, as a nil is.
    func value(at column: Int) throws -> Value {
      if let encoder { return encoder.values[positions[column]] ?? .null }
      return properties[column].read(record)
    }

    /// Binds the value of a column to a parameter, the first of which is number 1.
    func bind(_ column: Int, to statement: Statement, at parameter: Int) throws {
      try statement.bind(try value(at: column), at: parameter)
    }
  }

  /// Calls `body` with the values of a record, which are valid during the call.
  ///
  /// - Throws: what encoding the record throws.
  func withValues<Result>(
    of record: Record, _ body: (borrowing Bound) throws -> Result
  ) throws -> Result {
    try withUnsafePointer(to: record) { pointer in
      switch reader {
      case .listed(let properties):
        return try body(
          Bound(record: pointer, properties: properties, encoder: nil, positions: []))
      case .coded(let encoding, let shared, let positions):
        let encoder = isEncoding ? RowEncoder(shared.layout) : shared
        let wasEncoding = isEncoding
        isEncoding = true
        defer { isEncoding = wasEncoding }
        encoder.clear()
        try encoding.encode(record, to: encoder)
        return try body(
          Bound(record: pointer, properties: [], encoder: encoder, positions: positions))
      case .none:
        return try body(Bound(record: pointer, properties: [], encoder: nil, positions: []))
      }
    }
  }
}

// MARK: - Encoding

/// Encodes records of a type. A cast of each record to `Encodable` would take longer than encoding it.
///
/// Sendable: without stored properties. A class, because a closure over a type would not be Sendable.
class RecordEncoding<Record>: @unchecked Sendable {
  func encode(_ record: Record, to encoder: RowEncoder) throws {}

  /// The encoding of a type; nil if the type is not `Encodable`.
  static func make(_ type: Record.Type) -> RecordEncoding<Record>? {
    guard let type = type as? any Encodable.Type else { return nil }
    return ofEncodable(type) as? RecordEncoding<Record>
  }

  private static func ofEncodable<Encoded: Encodable>(_: Encoded.Type) -> AnyObject {
    EncodableEncoding<Encoded>()
  }
}

private final class EncodableEncoding<Record: Encodable>: RecordEncoding<Record>,
  @unchecked Sendable
{
  override func encode(_ record: Record, to encoder: RowEncoder) throws {
    try record.encode(to: encoder)
  }
}
