extension JSONScanner {
  /// Reads a number, with its digits as they are written.
  mutating func number() throws(JSONSyntaxError) -> String {
    let start = position
    _ = skip("-")
    if !skip("0") { try digits() }
    if skip(".") { try digits() }
    if skip("e") || skip("E") {
      if !skip("+") { _ = skip("-") }
      try digits()
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func digits() throws(JSONSyntaxError) {
    let start = position
    while let byte = next, isDigit(byte) { position += 1 }
    if position == start { throw unexpected("a digit") }
  }

  private func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

  /// Reads a string that begins at the next byte.
  mutating func string() throws(JSONSyntaxError) -> String {
    position += 1
    var text = ""
    while true {
      text += try run()
      guard let byte = next else { throw unexpected("'\"' at the end of a string") }
      if skip("\"") { return text }
      guard byte == UInt8(ascii: "\\") else {
        throw error("a control character in a string must be escaped")
      }
      text.unicodeScalars.append(try escape())
    }
  }

  /// Reads up to a quotation mark, an escape or a control character.
  private mutating func run() throws(JSONSyntaxError) -> String {
    let start = position
    while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
      position += 1
    }
    guard let text = String(validating: bytes[start..<position], as: UTF8.self) else {
      position = start
      throw error("the text here is not valid UTF-8")
    }
    return text
  }

  private mutating func escape() throws(JSONSyntaxError) -> Unicode.Scalar {
    position += 1
    guard let byte = next else { throw unexpected("a character to escape") }
    let scalar: Unicode.Scalar
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scalar = UnicodeScalar(byte)
    case UInt8(ascii: "b"): scalar = "\u{8}"
    case UInt8(ascii: "f"): scalar = "\u{C}"
    case UInt8(ascii: "n"): scalar = "\n"
    case UInt8(ascii: "r"): scalar = "\r"
    case UInt8(ascii: "t"): scalar = "\t"
    case UInt8(ascii: "u"): return try unicodeEscape()
    default: throw unexpected("one of \" \\ / b f n r t u after a backslash")
    }
    position += 1
    return scalar
  }

  /// Reads `uXXXX`, or `uD8XX\uDCXX` for a surrogate pair.
  private mutating func unicodeEscape() throws(JSONSyntaxError) -> Unicode.Scalar {
    let start = position
    let first = try hexadecimal()
    if let scalar = Unicode.Scalar(first) { return scalar }
    if 0xD800...0xDBFF ~= first, skip("\\"), next == UInt8(ascii: "u") {
      let second = try hexadecimal()
      if 0xDC00...0xDFFF ~= second,
        let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
      {
        return scalar
      }
    }
    position = start
    throw error("one half of a surrogate pair is missing")
  }

  private mutating func hexadecimal() throws(JSONSyntaxError) -> UInt32 {
    position += 1
    let digits = bytes[position...].prefix(4)
    let isHexadecimal = digits.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    guard digits.count == 4, isHexadecimal,
      let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw unexpected("four hexadecimal digits after \\u") }
    position += 4
    return value
  }
}
