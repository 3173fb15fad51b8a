internal import SQLiteStorage

/// Reads the values to store of records of one type, one column after another.
///
/// It is not generic: code of another module is not specialised for the record, and would ask the
/// runtime for types at each step.
///
/// Not Sendable: records share the encoder.
final class RecordValues {
  /// Read values where the properties are stored; empty if records are encoded.
  private let readers: [@Sendable (UnsafeRawPointer) -> Value]
  /// Encodes the record at an address; nil if values are read.
  private let encode: ((UnsafeRawPointer, RowEncoder) throws -> Void)?
  private let encoder: RowEncoder?
  /// The positions of the values in the encoder.
  private let positions: [Int]
  /// How the values are stored; empty if all are as their types write them.
  private let storage: [ColumnStorage?]
  /// Whether the encoder is in use: for a record whose encoding inserts another one.
  private var isEncoding = false

  /// - Parameter positions: the positions of the columns in ``RecordDescription/writtenColumns``.
  /// - Throws: `FetchError` with code `.notWritable` if the record cannot be encoded.
  init<Record>(_ description: RecordDescription<Record>, positions: [Int]) throws {
    let storage = description.storage
    self.storage = storage.isEmpty ? [] : positions.map { storage[$0] }
    switch description.mapping {
    case .coded(let columns):
      let (encoding, encoded) = try columns.writing
      encode = { record, encoder in
        try encoding.encode(record.assumingMemoryBound(to: Record.self).pointee, to: encoder)
      }
      encoder = RowEncoder(columns.layout)
      self.positions = positions.map { encoded[$0] }
      readers = []
      return
    case .listed(let properties): readers = positions.map { properties[$0].read }
    case .unknown(let error): throw error
    case .named: readers = []
    }
    encode = nil
    encoder = nil
    self.positions = []
  }

  struct Bound {
    fileprivate let record: UnsafeRawPointer
    fileprivate let values: RecordValues
    fileprivate let encoder: RowEncoder?

    /// The value of a column; a key that is not encoded is `NULL`, as a nil is.
    func value(at column: Int) -> Value {
      if !values.storage.isEmpty, let storage = values.storage[column] {
        return storage.stored(ownValue(at: column))
      }
      return ownValue(at: column)
    }

    @inline(__always)
    private func ownValue(at column: Int) -> Value {
      if let encoder { return encoder.values[values.positions[column]] ?? .null }
      return values.readers[column](record)
    }
  }

  /// Calls `body` with the values of the record at an address, which are valid during the call.
  func withValues<Result>(
    of record: UnsafeRawPointer, _ body: (Bound) throws -> Result
  ) throws -> Result {
    guard let encode, let shared = encoder else {
      return try body(Bound(record: record, values: self, encoder: nil))
    }
    let encoder = isEncoding ? RowEncoder(shared.layout) : shared
    let wasEncoding = isEncoding
    isEncoding = true
    defer { isEncoding = wasEncoding }
    encoder.clear()
    try encode(record, encoder)
    return try body(Bound(record: record, values: self, encoder: encoder))
  }
}

/// Calls `body` with the address of a value, which is valid during the call.
///
/// The compiler converts no `UnsafePointer` on Linux when `make check-apple` turns Objective-C on.
func withAddress<Record, Result>(
  of record: Record, _ body: (UnsafeRawPointer) throws -> Result
) rethrows -> Result {
  try withUnsafeBytes(of: record) { bytes in
    guard let address = bytes.baseAddress else {
      preconditionFailure("a value in memory has an address")
    }
    return try body(address)
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
