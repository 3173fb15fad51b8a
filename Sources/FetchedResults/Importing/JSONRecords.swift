/// The records of a JSON text: the elements of an array, which should be objects.
///
/// ```swift
/// let records = try JSONRecords(bytes)
/// for record in records { print(record.number, record.line) }
/// ```
///
/// The whole text is checked first, so that no record of a truncated text is used. The
/// memory contains the text, the current record, and the place of each record: 24 bytes a record.
///
/// Sendable: a plain value.
public struct JSONRecords: Sendable {
  /// The place of a record in the text.
  private struct Extent {
    let start: Int
    let end: Int
    let line: Int
  }

  private let bytes: [UInt8]
  private let extents: [Extent]

  /// Checks a text.
  ///
  /// Complexity: O(bytes).
  ///
  /// - Parameter bytes: UTF-8, with or without a byte order mark.
  /// - Throws: if the text is not JSON, or not an array.
  public init(_ bytes: some Sequence<UInt8>) throws(JSONSyntaxError) {
    self.bytes = Array(bytes)
    var scanner = JSONScanner(self.bytes)
    var extents: [Extent] = []
    scanner.skipSpace()
    guard scanner.skip("[") else {
      // Many tools write such files.
      let isObject = scanner.next == UInt8(ascii: "{")
      let hint = isObject ? "; one object per line (NDJSON) is not read" : ""
      throw scanner.unexpected("'[' at the start of an array of records", hint: hint)
    }
    scanner.skipSpace()
    var isOpen = !scanner.skip("]")
    while isOpen {
      scanner.skipSpace()
      let (start, line) = (scanner.position, scanner.line)
      _ = try scanner.value(depth: 1)
      extents.append(Extent(start: start, end: scanner.position, line: line))
      scanner.skipSpace()
      isOpen = scanner.skip(",")
      guard isOpen || scanner.skip("]") else { throw scanner.unexpected("',' or ']'") }
    }
    scanner.skipSpace()
    guard scanner.next == nil else { throw scanner.unexpected("the end of the text") }
    self.extents = extents
  }
}

extension JSONRecords: RandomAccessCollection {
  /// The index of the first record, 0.
  public var startIndex: Int { 0 }
  /// The number of records.
  public var endIndex: Int { extents.count }

  /// The record at an index, which must be less than the number of records.
  public subscript(index: Int) -> JSONRecord {
    let extent = extents[index]
    return JSONRecord(
      number: index + 1, line: extent.line, bytes: bytes[extent.start..<extent.end])
  }
}
