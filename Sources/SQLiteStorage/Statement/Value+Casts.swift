internal import CSQLite

/// Conversions between storage classes, for the views of copied rows.
///
/// Source: [CAST expressions](https://www.sqlite.org/lang_expr.html#castexpr).
extension Value {
  /// The value as an integer: of text the digits at its beginning, of a real its whole part.
  var castInteger: Int64 {
    switch self {
    case .null: return 0
    case .integer(let value): return value
    case .real(let value): return Value.integer(clamping: value)
    case .text, .blob:
      let number = Value.numberPrefix(castBytes)
      let digits = number.prefix { $0 != UInt8(ascii: ".") && $0 | 0x20 != UInt8(ascii: "e") }
      let text = String(decoding: digits, as: UTF8.self)
      if let integer = Int64(text) { return integer }
      return Value.integer(clamping: Double(text) ?? 0)
    }
  }

  /// The value as a real: of text the number at its beginning.
  var castReal: Double {
    switch self {
    case .null: 0
    case .integer(let value): Double(value)
    case .real(let value): value
    case .text, .blob:
      Double(String(decoding: Value.numberPrefix(castBytes), as: UTF8.self)) ?? 0
    }
  }

  /// The bytes of text and blobs, and numbers as text. A real has up to 15 digits, as in SQLite.
  var castBytes: [UInt8] {
    switch self {
    case .null: []
    case .integer(let value): Array("\(value)".utf8)
    case .real(let value): Value.text(of: value)
    case .text(let text): Array(text.utf8)
    case .blob(let bytes): bytes
    }
  }

  private static func text(of real: Double) -> [UInt8] {
    let text = withVaList([real]) { sqlite3_vmprintf("%!.15g", $0) }
    defer { sqlite3_free(text) }
    return text.map { Array(String(cString: $0).utf8) } ?? []
  }

  private static func integer(clamping real: Double) -> Int64 {
    Int64(exactly: real.rounded(.towardZero)) ?? (real > 0 ? .max : real < 0 ? .min : 0)
  }

  /// The longest number at the beginning, after blanks.
  private static func numberPrefix(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    let rest = bytes.drop(while: \.isBlank)
    var end = rest.startIndex
    func skip(_ isSkipped: (UInt8) -> Bool) -> Int {
      let start = end
      while end < rest.endIndex, isSkipped(rest[end]) { end += 1 }
      return end - start
    }
    let isSign = { (byte: UInt8) in byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") }
    if let first = rest.first, isSign(first) { end += 1 }
    var digitCount = skip(\.isDigit)
    if end < rest.endIndex, rest[end] == UInt8(ascii: ".") {
      end += 1
      digitCount += skip(\.isDigit)
    }
    guard digitCount > 0 else { return [] }
    let mantissa = end
    if end < rest.endIndex, rest[end] | 0x20 == UInt8(ascii: "e") {
      end += 1
      if end < rest.endIndex, isSign(rest[end]) { end += 1 }
      if skip(\.isDigit) == 0 { end = mantissa }
    }
    return rest[..<end]
  }
}

extension Double {
  /// The shortest decimal that is read as the same number, or `Inf` or `-Inf`, as SQLite prints them.
  package var displayText: String { isInfinite ? (self < 0 ? "-Inf" : "Inf") : description }
}
