import SQLiteStorage

// JSON by RFC 8259, without white space. JSON has no infinite reals and no blobs: reals that are
// not finite become null, blobs become {"base64":"…"}.

extension OutputBuffer {
  /// Appends `value` as JSON.
  func append(json value: Value) throws(OutputError) {
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

  /// Appends `text` as a JSON string, or `null`.
  func append(json text: String?) {
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
