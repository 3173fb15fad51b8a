/// A key that a terminal sends.
enum Key: Equatable {
  case character(Character)
  case up, down, pageUp, pageDown, home, end
  case enter, escape, tab, backTab, backspace
}

/// Parses the keys in the bytes that a terminal sends.
struct KeyReader {
  /// The bytes of a key that is not complete yet.
  private var pending: [UInt8] = []

  /// The keys that are complete with these bytes.
  ///
  /// An escape at the end of the bytes is the escape key: a terminal sends the sequence of a key in
  /// one piece.
  mutating func keys(in bytes: [UInt8]) -> [Key] {
    var rest = (pending + bytes)[...]
    pending = []
    var keys: [Key] = []
    while let first = rest.first {
      let length: Int?
      if first == 0x1B {
        length = KeyReader.sequenceLength(rest)
      } else {
        length = KeyReader.characterLength(first)
      }
      guard let length, length <= rest.count else {
        pending = Array(rest)
        break
      }
      if let key = KeyReader.key(Array(rest.prefix(length))) { keys.append(key) }
      rest = rest.dropFirst(length)
    }
    return keys
  }

  /// The length of a sequence that starts with an escape; nil if it is not complete.
  private static func sequenceLength(_ bytes: ArraySlice<UInt8>) -> Int? {
    let bytes = Array(bytes)
    guard bytes.count > 1 else { return 1 }
    switch bytes[1] {
    case UInt8(ascii: "["):
      // Parameters, then one final byte: ECMA-48, 5.4.
      guard let end = bytes.dropFirst(2).firstIndex(where: { 0x40...0x7E ~= $0 }) else {
        return bytes.count > 32 ? bytes.count : nil
      }
      return end + 1
    case UInt8(ascii: "O"): return 3
    // The escape key, and another key in the same piece.
    default: return 1
    }
  }

  private static func characterLength(_ first: UInt8) -> Int {
    switch first {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 1
    }
  }

  /// The key of a complete sequence; nil if it is not used here.
  private static func key(_ bytes: [UInt8]) -> Key? {
    if bytes.count > 1, bytes[0] == 0x1B { return sequences[Array(bytes.dropFirst(2))] }
    switch bytes[0] {
    case 0x1B: return .escape
    case 0x0D, 0x0A: return .enter
    case 0x09: return .tab
    case 0x7F, 0x08: return .backspace
    case 0x00...0x1F: return nil
    default:
      return String(validating: bytes, as: UTF8.self)?.first.map { .character($0) }
    }
  }

  /// What follows `ESC [` or `ESC O`: the sequences of xterm, and of terminals derived from the
  /// VT220.
  private static let sequences: [[UInt8]: Key] = {
    let names: [(String, Key)] = [
      ("A", .up), ("B", .down), ("H", .home), ("F", .end), ("Z", .backTab), ("1~", .home),
      ("7~", .home), ("4~", .end), ("8~", .end), ("5~", .pageUp), ("6~", .pageDown),
    ]
    return Dictionary(uniqueKeysWithValues: names.map { (Array($0.0.utf8), $0.1) })
  }()
}
