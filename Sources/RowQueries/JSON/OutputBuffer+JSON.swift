package import SQLiteStorage

// JSON by RFC 8259, without white space. JSON has no infinite reals and no blobs: reals that are
// not finite become null, blobs become {"base64":"…"}.

extension OutputBuffer {
  /// Appends a JSON object. `members` appends its members, by the methods with this name, which write
  /// the commas.
  package func object(_ members: () throws -> Void) rethrows {
    beginObject()
    try members()
    append("}")
    isAtFirstMember = false
  }

  /// Begins an object whose end the caller appends.
  package func beginObject() {
    append("{")
    isAtFirstMember = true
  }

  /// Appends the name of a member, which needs no escape. The caller appends the value.
  package func member(_ name: StaticString, onNewLine: Bool = false) {
    append(isAtFirstMember ? "" : onNewLine ? ",\n" : ",")
    isAtFirstMember = false
    append("\"")
    append(name)
    append("\":")
  }

  package func member(_ name: StaticString, _ text: String?) {
    member(name)
    append(json: text)
  }

  package func member(_ name: StaticString, _ number: Int) {
    member(name)
    append(Int64(number))
  }

  package func member(_ name: StaticString, _ flag: Bool) {
    member(name)
    append(flag ? "true" : "false")
  }

  package func member(_ name: StaticString, _ texts: [String]) {
    member(name)
    append(array: texts) { append(json: $0) }
  }
}

extension OutputBuffer {
  package func append(json value: Value) throws(OutputError) {
    switch value {
    case .null: append("null")
    case .integer(let integer): append(integer)
    case .real(let real): real.isFinite ? append(real) : append("null")
    case .text(let text): append(json: text)
    case .blob(let bytes):
      append("{\"base64\":\"")
      try append(base64: bytes)
      append("\"}")
    }
  }

  /// Appends a JSON array, each of whose elements `item` appends.
  package func append<Items: Sequence>(
    array items: Items, separator: StaticString = ",", _ item: (Items.Element) throws -> Void
  ) rethrows {
    append("[")
    for (index, element) in items.enumerated() {
      if index > 0 { append(separator) }
      try item(element)
    }
    append("]")
  }

  /// Appends totals as an object, by their names.
  package func append(json totals: [PrintedTotal]) throws(OutputError) {
    try append(totals: totals, value: append(json:))
  }

  /// The same with values as `value` appends them.
  package func append(
    totals: [PrintedTotal], value: (Value) throws(OutputError) -> Void
  ) throws(OutputError) {
    append("{")
    for (index, total) in totals.enumerated() {
      if index > 0 { append(",") }
      append(json: total.name)
      append(":")
      try value(total.value)
    }
    append("}")
  }

  package func append(json text: String?) {
    guard let text else { return append("null") }
    append(UInt8(ascii: "\""))
    text.withUTF8Bytes { bytes in
      var plain = bytes.startIndex
      for index in bytes.indices where needsJSONEscape(bytes[index]) {
        append(bytes: bytes[plain..<index])
        append(jsonEscape: bytes[index])
        plain = index + 1
      }
      append(bytes: bytes[plain...])
    }
    append(UInt8(ascii: "\""))
  }

  private func append(jsonEscape byte: UInt8) {
    append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
    case 0x08: append(UInt8(ascii: "b"))
    case 0x09: append(UInt8(ascii: "t"))
    case 0x0A: append(UInt8(ascii: "n"))
    case 0x0C: append(UInt8(ascii: "f"))
    case 0x0D: append(UInt8(ascii: "r"))
    default:
      append("u00")
      append(hexadecimalDigits[Int(byte >> 4)])
      append(hexadecimalDigits[Int(byte & 0xF)])
    }
  }
}

private let hexadecimalDigits = Array("0123456789abcdef".utf8)

private func needsJSONEscape(_ byte: UInt8) -> Bool {
  byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
}

extension OutputBuffer {
  /// Appends `integer` in decimal, with all digits.
  package func append(_ integer: Int64) {
    if integer < 0 { append(UInt8(ascii: "-")) }
    // The magnitude, as negating `Int64.min` overflows.
    var rest = integer.magnitude
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var first = digits.endIndex
      repeat {
        let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
        first -= 1
        digits.initializeElement(at: first, to: UInt8(ascii: "0") + UInt8(digit))
        rest = quotient
      } while rest > 0
      append(bytes: UnsafeBufferPointer(digits)[first...])
    }
  }

  /// Appends the shortest decimal that is read as the same finite number.
  ///
  /// It always has a point or an exponent, so that no reader takes it for an integer.
  package func append(_ real: Double) {
    append(text: real.description)
  }

  /// Appends `data` in base64 with padding (RFC 4648, section 4), and writes piece by piece: a blob
  /// of a gigabyte must not need 1.3 gigabytes more for its text.
  package func append(base64 data: [UInt8]) throws(OutputError) {
    let chunk = 3 << 14
    for start in stride(from: 0, to: data.count, by: chunk) {
      append(base64Chunk: data[start..<min(start + chunk, data.count)])
      try flushIfNeeded()
    }
  }

  private func append(base64Chunk data: ArraySlice<UInt8>) {
    var start = data.startIndex
    while start < data.endIndex {
      let count = min(3, data.endIndex - start)
      var group: UInt32 = 0
      for offset in 0..<3 {
        group = group << 8 | (offset < count ? UInt32(data[start + offset]) : 0)
      }
      for digit in 0..<4 {
        let index = Int(group >> (18 - 6 * UInt32(digit)) & 0x3F)
        append(digit <= count ? base64Alphabet[index] : UInt8(ascii: "="))
      }
      start += count
    }
  }
}

private let base64Alphabet = Array(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

extension String {
  /// Calls `body` with the string's bytes, without a copy if it is stored as UTF-8.
  ///
  /// A string bridged from Objective-C may be stored otherwise, and is copied.
  package func withUTF8Bytes(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    guard utf8.withContiguousStorageIfAvailable(body) == nil else { return }
    var copy = self
    copy.withUTF8(body)
  }
}
