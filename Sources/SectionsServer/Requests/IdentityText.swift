import FetchedResults
import SQLiteStorage

/// The identity of a row as text: `12`, `'text'`, `12,'a'`. It can be read again.
enum IdentityText {
  static func text(_ identity: RowIdentity) -> String {
    if let number = identity.int64 { return String(number) }
    let values = identity.values
    // Text that is not valid UTF-8 would be the same as another one.
    guard RowIdentity(values) == identity else { return "p" + identity.bytes.hexadecimal }
    return values.map(text).joined(separator: ",")
  }

  private static func text(_ value: Value) -> String {
    switch value {
    case .null: "n"
    case .integer(let integer): String(integer)
    case .real(let real): "r\(real)"
    // Percent-encoded, so that it has no comma and no quote.
    case .text(let text): "'\(QueryItems.encoded(text))'"
    case .blob(let bytes): "x" + bytes.hexadecimal
    }
  }

  private static func bytes(_ digits: Substring) -> [UInt8]? {
    let digits = Array(digits)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = UInt8(String(digits[index...(index + 1)]), radix: 16) else { return nil }
      bytes.append(byte)
    }
    return bytes
  }

  /// The identity that a text stands for; nil if it is not the text of one.
  static func identity(_ text: String) -> RowIdentity? {
    if text.first == "p" { return bytes(text.dropFirst()).flatMap(RowIdentity.init(bytes:)) }
    var values: [Value] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let value = value(part) else { return nil }
      values.append(value)
    }
    return RowIdentity(values)
  }

  private static func value(_ text: Substring) -> Value? {
    switch text.first {
    case "n": return text == "n" ? .null : nil
    case "r": return Double(text.dropFirst()).map { .real($0) }
    case "'":
      guard text.count >= 2, text.last == "'" else { return nil }
      return .text(QueryItems.decoded(text.dropFirst().dropLast().utf8, plusIsSpace: false))
    case "x": return bytes(text.dropFirst()).map { .blob($0) }
    default: return Int64(text).map { .integer($0) }
    }
  }
}
