/// Packs values of rows into bytes, as SQLite stores them: rows with the same bytes have the same values, in the same storage
/// classes.
package struct RowPacker: Sendable {
  /// What was packed since ``removeAll()``.
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  package mutating func append(_ row: borrowing RowView, columns: Range<Int>) {
    for column in columns {
      row.withContent(at: column) { content in
        switch content {
        case .null: bytes.append(PackedTag.null.rawValue)
        case .integer(let integer): append(integer)
        case .real(let real):
          bytes.append(PackedTag.real.rawValue)
          append(real.bitPattern, byteCount: 8)
        case .text(let content): append(.text, content)
        case .blob(let content): append(.blob, content)
        }
      }
    }
  }

  private mutating func append(_ integer: Int64) {
    // One bit for the sign.
    let bitCount = integer == 0 ? 0 : 65 - (integer < 0 ? ~integer : integer).leadingZeroBitCount
    let byteCount = (bitCount + 7) / 8
    bytes.append(PackedTag.integer.rawValue | UInt8(byteCount) << PackedTag.bitCount)
    append(UInt64(bitPattern: integer), byteCount: byteCount)
  }

  private mutating func append(_ tag: PackedTag, _ content: UnsafeRawBufferPointer) {
    if content.count < PackedTag.longLength {
      bytes.append(tag.rawValue | UInt8(content.count) << PackedTag.bitCount)
    } else {
      let byteCount = (UInt64.bitWidth - UInt64(content.count).leadingZeroBitCount + 7) / 8
      bytes.append(
        tag.rawValue | UInt8(PackedTag.longLength - 1 + byteCount) << PackedTag.bitCount)
      append(UInt64(content.count), byteCount: byteCount)
    }
    bytes.append(contentsOf: content)
  }

  /// The last bytes of a number, the least significant first.
  private mutating func append(_ number: UInt64, byteCount: Int) {
    var number = number
    for _ in 0..<byteCount {
      bytes.append(UInt8(truncatingIfNeeded: number))
      number >>= 8
    }
  }
}

/// The first byte of a packed value: in the lower bits what it is, in the upper ones how many bytes follow.
enum PackedTag: UInt8 {
  case null
  /// Followed by as many bytes as the upper bits say.
  case integer
  /// Followed by 8 bytes.
  case real
  /// Followed by as many bytes as the upper bits say; from ``longLength`` on, the upper bits say how many bytes of length
  /// follow before.
  case text
  case blob

  static let bitCount = 3
  /// The last 8 numbers of 5 bits stand for lengths of 1 to 8 bytes.
  static let longLength = 24
}

/// A value of a column or of a key, read in place: valid only where it is passed to.
package enum ColumnContent {
  case null
  case integer(Int64)
  case real(Double)
  case text(UnsafeRawBufferPointer)
  case blob(UnsafeRawBufferPointer)
}

extension ColumnContent {
  var storageClass: StorageClass {
    switch self {
    case .null: .null
    case .integer: .integer
    case .real: .real
    case .text: .text
    case .blob: .blob
    }
  }
}

extension Value {
  /// Copies a value.
  package init(_ content: ColumnContent) {
    switch content {
    case .null: self = .null
    case .integer(let integer): self = .integer(integer)
    case .real(let real): self = .real(real)
    case .text(let bytes): self = .text(String(decoding: bytes, as: UTF8.self))
    case .blob(let bytes): self = .blob(Array(bytes))
    }
  }
}
