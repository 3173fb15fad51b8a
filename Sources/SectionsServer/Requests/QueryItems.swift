/// The parameters of a URL, in order, as a form encodes them.
struct QueryItems: Sendable {
  private(set) var items: [(name: String, value: String)] = []

  /// Reads the text after the `?` of a URL.
  init(_ query: String) {
    items = query.utf8.split(separator: UInt8(ascii: "&")).map { item in
      let parts = item.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      return (Self.decoded(parts[0]), parts.count > 1 ? Self.decoded(parts[1]) : "")
    }
  }

  /// The values of a parameter that may be repeated.
  func values(_ name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }

  /// The value of a parameter; nil if it is absent.
  func value(_ name: String) -> String? { items.first { $0.name == name }?.value }

  /// The number that a parameter gives; nil if it is absent.
  func number(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw RequestError(
        400, "\(name) must be a number from \(range.lowerBound) to \(range.upperBound)",
        nextStep: "Change the parameter \(name)")
    }
    return number
  }

  /// The text of the items.
  func text() -> String {
    items.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
  }

  mutating func removeAll(where condition: ((name: String, value: String)) -> Bool) {
    items.removeAll(where: condition)
  }

  mutating func append(_ name: String, _ value: String) { items.append((name, value)) }

  /// Sets a parameter, or removes it if `value` is nil.
  mutating func set(_ name: String, to value: String?) {
    items.removeAll { $0.name == name }
    if let value { items.append((name, value)) }
  }
}

extension QueryItems {
  /// A text as a URL has it in a parameter.
  static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      bytes +=
        byte.isUnreserved
        ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The text of percent-encoded bytes, in which `+` is a space. What is not valid stays as it is.
  static func decoded(_ text: some Sequence<UInt8>, plusIsSpace: Bool = true) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let high = hexadecimal(rest[rest.startIndex]),
        let low = hexadecimal(rest[rest.startIndex + 1])
      {
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte == UInt8(ascii: "+") && plusIsSpace ? UInt8(ascii: " ") : byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
  }
}

extension UInt8 {
  /// Whether it stands for itself everywhere in a URL: a letter, a digit, - . _ or ~.
  ///
  /// Source: [RFC 3986, section 2.3](https://www.rfc-editor.org/rfc/rfc3986#section-2.3).
  package var isUnreserved: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~".utf8.contains(self)
    }
  }
}
