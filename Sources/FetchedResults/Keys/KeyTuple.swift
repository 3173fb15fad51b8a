package import SQLiteStorage

/// A few values packed into one array: the sort key of a row, or a key of several columns.
///
/// Text is stored as the bytes in the file, so text that is not valid UTF-8 is preserved. A real
/// that is a whole number is packed as the equal integer, as SQLite compares them, so equal tuples
/// have equal bytes. An exact tuple keeps such a real: it is a copy of the values, not a key. NaN, which a
/// property in Swift can have, is packed as `NULL`, as SQLite stores it.
package struct KeyTuple: Hashable, Sendable {
  /// For each value a tag, then 8 bytes of number, or 8 bytes of length and the bytes.
  private(set) var bytes: [UInt8] = []

  private enum Tag {
    static let null: UInt8 = 0
    static let integer: UInt8 = 1
    static let real: UInt8 = 2
    static let text: UInt8 = 3
    static let blob: UInt8 = 4
  }

  /// Packs the values of some columns of a row.
  ///
  /// - Parameter isExact: whether a real that is a whole number stays a real, as it is stored.
  package init(packing row: borrowing RowView, columns: Range<Int>, isExact: Bool = false) {
    // Enough for most tuples, so that the array does not grow while it is filled.
    bytes.reserveCapacity(32 * columns.count)
    for column in columns {
      switch row.storageClass(at: column) {
      case .null: bytes.append(Tag.null)
      case .integer: append(row.int64(at: column))
      case .real where isExact: appendExactly(row.double(at: column))
      case .real: append(row.double(at: column))
      case .text: row.withBytes(at: column) { append(Tag.text, $0) }
      case .blob: row.withBytes(at: column) { append(Tag.blob, $0) }
      }
    }
  }

  /// Packs values.
  ///
  /// - Parameter isExact: whether a real that is a whole number stays a real.
  init(_ values: some Sequence<Value>, isExact: Bool = false) {
    for value in values {
      switch value {
      case .null: bytes.append(Tag.null)
      case .integer(let value): append(value)
      case .real(let value) where isExact && !value.isNaN: appendExactly(value)
      case .real(let value): append(value)
      case .text(var value): value.withUTF8 { append(Tag.text, UnsafeRawBufferPointer($0)) }
      case .blob(let value): value.withUnsafeBytes { append(Tag.blob, $0) }
      }
    }
  }

  /// Packs a rowid.
  init(rowID: Int64) {
    bytes.reserveCapacity(9)
    append(rowID)
  }

  /// The tuple with these bytes; nil if no tuple has them.
  init?(packed bytes: [UInt8]) {
    var rest = bytes[...]
    while let tag = rest.popFirst() {
      if tag == Tag.null { continue }
      guard rest.count >= 8 else { return nil }
      let number = rest.prefix(8).withUnsafeBytes { $0.loadUnaligned(as: Int64.self) }
      rest = rest.dropFirst(8)
      if tag == Tag.integer || tag == Tag.real { continue }
      guard tag == Tag.text || tag == Tag.blob, 0...Int64(rest.count) ~= number else { return nil }
      rest = rest.dropFirst(Int(number))
    }
    self.bytes = bytes
  }

  /// The key that is equal for equal values: what an exact tuple would be if it were not.
  var canonical: KeyTuple {
    let hasWholeReal = contains { content in
      if case .real(let value) = content { Int64(exactly: value) != nil } else { false }
    }
    return hasWholeReal ? mappingTexts(Array.init) : self
  }

  /// The tuple with its texts transformed, and not exact.
  func mappingTexts(_ transform: (UnsafeRawBufferPointer) -> [UInt8]) -> KeyTuple {
    withReader { reader in
      var mapped = KeyTuple([])
      while let content = reader.next() {
        if case .text(let bytes) = content {
          transform(bytes).withUnsafeBytes { mapped.append(Tag.text, $0) }
        } else {
          mapped.append(content)
        }
      }
      return mapped
    }
  }

  private mutating func append(_ content: ColumnContent) {
    switch content {
    case .null: bytes.append(Tag.null)
    case .integer(let value): append(value)
    case .real(let value): append(value)
    case .text(let content): append(Tag.text, content)
    case .blob(let content): append(Tag.blob, content)
    }
  }

  private mutating func append(_ value: Int64) {
    bytes.append(Tag.integer)
    withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
  }

  private mutating func append(_ value: Double) {
    if value.isNaN {
      bytes.append(Tag.null)
    } else if let integer = Int64(exactly: value) {
      append(integer)
    } else {
      appendExactly(value)
    }
  }

  private mutating func appendExactly(_ value: Double) {
    bytes.append(Tag.real)
    withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
  }

  private mutating func append(_ tag: UInt8, _ content: UnsafeRawBufferPointer) {
    bytes.append(tag)
    withUnsafeBytes(of: Int64(content.count)) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: content)
  }
}

extension KeyTuple {
  /// Reads the values of a tuple one after the other.
  struct Reader: IteratorProtocol {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    fileprivate init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    @inline(__always)
    mutating func next() -> ColumnContent? {
      guard offset < bytes.count else { return nil }
      let tag = bytes[offset]
      offset += 1
      if tag == Tag.null { return .null }
      let number = bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self)
      offset += 8
      switch tag {
      case Tag.integer: return .integer(number)
      case Tag.real: return .real(Double(bitPattern: UInt64(bitPattern: number)))
      default:
        let content = UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + Int(number))])
        offset += Int(number)
        return tag == Tag.text ? .text(content) : .blob(content)
      }
    }
  }

  /// Runs `body` with a reader that is valid only inside it.
  func withReader<Result>(_ body: (inout Reader) throws -> Result) rethrows -> Result {
    try bytes.withUnsafeBytes { bytes in
      var reader = Reader(bytes)
      return try body(&reader)
    }
  }

  /// The tuple of the values at some indices, in that order.
  func selecting(_ indices: [Int]) -> KeyTuple {
    withReader { reader in
      var contents: [ColumnContent] = []
      while let content = reader.next() { contents.append(content) }
      var selected = KeyTuple([])
      for index in indices { selected.append(contents[index]) }
      return selected
    }
  }

  package var values: [Value] {
    withReader { reader in
      var values: [Value] = []
      while let content = reader.next() { values.append(Value(content)) }
      return values
    }
  }

  /// The same tuple in no more memory than it needs, to be stored for long.
  var trimmed: KeyTuple {
    var trimmed = KeyTuple([])
    trimmed.bytes.reserveCapacity(bytes.count)
    trimmed.bytes += bytes
    return trimmed
  }

  /// The only value, if it is an integer; nil for all other tuples.
  var onlyInteger: Int64? {
    guard bytes.count == 9, bytes[0] == Tag.integer else { return nil }
    return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 1, as: Int64.self) }
  }

  var hasNull: Bool { contains { if case .null = $0 { true } else { false } } }

  var hasLoneSurrogate: Bool {
    contains { content in
      guard case .text(let bytes) = content else { return false }
      // SQLite writes a half as three bytes, which no valid UTF-8 has.
      return zip(bytes, bytes.dropFirst()).contains { $0 == 0xED && $1 >= 0xA0 }
    }
  }

  private func contains(_ isWanted: (ColumnContent) -> Bool) -> Bool {
    withReader { reader in
      while let content = reader.next() {
        if isWanted(content) { return true }
      }
      return false
    }
  }
}
