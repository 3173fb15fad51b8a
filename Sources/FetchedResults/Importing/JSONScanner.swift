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
  /// - Parameter hint: an addition to the message.
  func unexpected(_ expected: String, hint: String = "") -> JSONSyntaxError {
    guard let next else { return error("expected \(expected) but the text ends" + hint) }
    let found =
      0x21...0x7E ~= next
      ? "'\(UnicodeScalar(next))'" : "the byte 0x\(String(next, radix: 16, uppercase: true))"
    return error("expected \(expected) but found \(found)" + hint)
  }

  /// An error at the current place.
  func error(_ message: String) -> JSONSyntaxError {
    let start = bytes[..<position].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    // Start at the first byte of a scalar, not at a continuation byte. The byte order mark is not
    // shown.
    let isMarked = start == 0 && bytes.starts(with: JSONScanner.byteOrderMark)
    let count = bytes[start..<position].count { $0 & 0xC0 != 0x80 } - (isMarked ? 1 : 0)
    return JSONSyntaxError(line: line, column: count + 1, offset: position, message: message)
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
