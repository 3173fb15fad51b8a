/// Reads the values of a JSON text (RFC 8259) in order.
///
/// Foundation's decoder reports neither the place of a value in the text nor the digits of a
/// number.
struct JSONScanner {
  /// The maximum depth of nested arrays and objects: reading is recursive.
  static let depthLimit = 512

  let bytes: [UInt8]
  var position = 0
  /// The line of `position`. Only white space contains line breaks; strings cannot.
  private(set) var line = 1

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    // The byte order mark is not part of the text; RFC 8259 allows a reader to skip it.
    if bytes.starts(with: JSONScanner.byteOrderMark) { position = 3 }
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The next byte; nil at the end.
  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Advances to the next byte that is not white space.
  mutating func skipSpace() {
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\n"): line += 1
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
      default: return
      }
      position += 1
    }
  }

  /// Skips a byte if it is next. Returns whether it was.
  mutating func skip(_ byte: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: byte) else { return false }
    position += 1
    return true
  }

  /// The error for an unexpected byte.
  ///
  /// - Parameter nextStep: what to do; nil for correcting the text there.
  func unexpected(_ expected: String, nextStep: String? = nil) -> JSONSyntaxError {
    guard let next else { return error("expected \(expected) but the text ends", nextStep) }
    let found =
      0x21...0x7E ~= next
      ? "'\(UnicodeScalar(next))'" : "the byte 0x\(String(next, radix: 16, uppercase: true))"
    return error("expected \(expected) but found \(found)", nextStep)
  }

  /// An error at the current place.
  func error(_ message: String, _ nextStep: String? = nil) -> JSONSyntaxError {
    let start = bytes[..<position].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    // Start at the first byte of a scalar, not at a continuation byte. The byte order mark is not
    // shown.
    let isMarked = start == 0 && bytes.starts(with: JSONScanner.byteOrderMark)
    let count = bytes[start..<position].count { $0 & 0xC0 != 0x80 } - (isMarked ? 1 : 0)
    return JSONSyntaxError(
      line: line, column: count + 1, offset: position, message: message,
      nextStep: nextStep ?? "Correct the text there, and read it again")
  }
}

extension JSONScanner {
  /// Reads a value that begins at the next byte.
  ///
  /// - Parameter depth: the number of enclosing arrays and objects.
  mutating func value(depth: Int = 0) throws(JSONSyntaxError) -> JSONValue {
    guard let next else { throw unexpected("a value") }
    switch next {
    case UInt8(ascii: "{"): return .object(try members(depth: depth + 1))
    case UInt8(ascii: "["): return .array(try elements(depth: depth + 1))
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    default: throw unexpected("a value")
    }
  }

  private mutating func literal(
    _ text: String, _ value: JSONValue
  ) throws(JSONSyntaxError) -> JSONValue {
    guard bytes[position...].starts(with: text.utf8) else { throw unexpected(text) }
    position += text.utf8.count
    return value
  }

  private mutating func elements(depth: Int) throws(JSONSyntaxError) -> [JSONValue] {
    try open(depth)
    var elements: [JSONValue] = []
    skipSpace()
    if skip("]") { return elements }
    while true {
      skipSpace()
      elements.append(try value(depth: depth))
      skipSpace()
      if skip("]") { return elements }
      guard skip(",") else { throw unexpected("',' or ']'") }
    }
  }

  private mutating func members(depth: Int) throws(JSONSyntaxError) -> [JSONValue.Member] {
    try open(depth)
    var members: [JSONValue.Member] = []
    skipSpace()
    if skip("}") { return members }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw unexpected("a name in double quotes") }
      let name = try string()
      skipSpace()
      guard skip(":") else { throw unexpected("':'") }
      skipSpace()
      members.append(JSONValue.Member(name: name, value: try value(depth: depth)))
      skipSpace()
      if skip("}") { return members }
      guard skip(",") else { throw unexpected("',' or '}'") }
    }
  }

  private mutating func open(_ depth: Int) throws(JSONSyntaxError) {
    guard depth <= JSONScanner.depthLimit else {
      throw error("arrays and objects are nested deeper than \(JSONScanner.depthLimit)")
    }
    position += 1
  }
}

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

/// A JSON value. Numbers are stored as text, so that no digit is lost.
enum JSONValue: Equatable {
  struct Member: Equatable {
    let name: String
    let value: JSONValue
  }

  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([Member])

  /// The value in the form for error messages.
  var summary: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(let text): "the number \(text.prefix(40))"
    case .string(let text): "the text \"\(text.prefix(40))\""
    case .array: "an array"
    case .object: "an object"
    }
  }
}
