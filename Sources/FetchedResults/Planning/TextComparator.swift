internal import SQLiteStorage

/// Compares text as SQLite does under a collation, given its bytes in UTF-8.
enum TextComparator: Sendable {
  case binary
  /// BINARY in a file that stores text as UTF-16: SQLite compares the bytes in UTF-16.
  case binaryUTF16(isBigEndian: Bool)
  case nocase
  case rtrim
  case custom(@Sendable (String, String) -> Int)

  /// Whether equal texts have the same bytes.
  var isBinary: Bool {
    switch self {
    case .binary, .binaryUTF16: true
    case .nocase, .rtrim, .custom: false
    }
  }

  /// Whether the collation is the application's.
  var isCustom: Bool { if case .custom = self { true } else { false } }

  /// Negative, 0 or positive, if the first text sorts before, with or after the second.
  func compare(_ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer) -> Int {
    switch self {
    case .binary: lhs.compare(to: rhs)
    case .binaryUTF16(let isBigEndian):
      TextComparator.utf16Bytes(lhs, isBigEndian).withUnsafeBytes { lhs in
        TextComparator.utf16Bytes(rhs, isBigEndian).withUnsafeBytes { lhs.compare(to: $0) }
      }
    case .nocase: TextComparator.compareFolded(lhs, rhs)
    case .rtrim: lhs.withoutTrailingSpaces.compare(to: rhs.withoutTrailingSpaces)
    case .custom(let compare):
      compare(String(decoding: lhs, as: UTF8.self), String(decoding: rhs, as: UTF8.self))
    }
  }

  private static func compareFolded(
    _ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer
  ) -> Int {
    for (left, right) in zip(lhs, rhs) {
      let difference = Int(left.folded) - Int(right.folded)
      if difference != 0 { return difference }
      if left == 0 { break }  // SQLite stops here and compares the lengths.
    }
    return lhs.count - rhs.count
  }

  private static func utf16Bytes(
    _ bytes: UnsafeRawBufferPointer, _ isBigEndian: Bool
  ) -> [UInt16] {
    String(decoding: bytes, as: UTF8.self).utf16
      .map { isBigEndian ? $0.bigEndian : $0.littleEndian }
  }
}

extension TextComparator {
  /// Whether it is known to be the same order as `other`. Two custom collations may always differ.
  func isSame(as other: TextComparator) -> Bool {
    switch (self, other) {
    case (.binary, .binary), (.nocase, .nocase), (.rtrim, .rtrim): true
    case (.binaryUTF16(let isBigEndian), .binaryUTF16(let other)): isBigEndian == other
    default: false
    }
  }

  /// Whether another value can be equal to the single value of `key`: 1.0 to 1, and `a` to `A` under some
  /// collations.
  func hasSpellings(of key: KeyTuple) -> Bool {
    key.withReader { reader in
      switch (reader.next(), self) {
      case (nil, _), (.null, _), (.blob, _), (.text, .binary): false
      case (.integer, _), (.real, _), (.text, _): true
      }
    }
  }

  /// A tuple that is equal for two tuples if and only if the comparator treats their values as
  /// equal. A custom collation cannot be queried for that: under it, only identical texts are equal
  /// here.
  func normalized(_ tuple: KeyTuple) -> KeyTuple {
    switch self {
    case .binary, .binaryUTF16, .custom: tuple.canonical
    case .nocase:
      tuple.mappingTexts { text in
        let compared = text.prefix { $0 != 0 }
        return compared.map(\.folded) + [UInt8](repeating: 0, count: text.count - compared.count)
      }
    case .rtrim: tuple.mappingTexts { Array($0.withoutTrailingSpaces) }
    }
  }
}

extension UInt8 {
  /// The byte with an ASCII capital folded.
  fileprivate var folded: UInt8 {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self
  }
}

extension UnsafeRawBufferPointer {
  /// Negative, 0 or positive: compares the bytes, then the lengths if one is a prefix of the other.
  func compare(to other: UnsafeRawBufferPointer) -> Int {
    let common = Swift.min(count, other.count)
    var offset = 0
    // Eight bytes at a time: sort keys often have the same beginning.
    while offset + 8 <= common {
      let left = loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let right = other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      if left != right { return left.bigEndian < right.bigEndian ? -1 : 1 }
      offset += 8
    }
    while offset < common {
      if self[offset] != other[offset] { return Int(self[offset]) - Int(other[offset]) }
      offset += 1
    }
    return count - other.count
  }

  fileprivate var withoutTrailingSpaces: UnsafeRawBufferPointer {
    let spaces = reversed().prefix { $0 == UInt8(ascii: " ") }.count
    return UnsafeRawBufferPointer(rebasing: dropLast(spaces))
  }
}
