/// Divides an SQL text into tokens, white space and comments included. The ranges of the tokens
/// follow each other without a gap, up to the end of the text.
///
/// It works on bytes, as SQLite does: a `Character` could combine a quote with an accent after it.
///
/// Source: [tokenize.c](https://www.sqlite.org/src/file/src/tokenize.c).
package struct SQLLexer: Sequence, IteratorProtocol {
  package let utf8: [UInt8]
  private var position = 0

  package init(_ sql: String) { utf8 = Array(sql.utf8) }

  /// Returns the next token; nil at the end. Complexity: O(n) for all tokens of n bytes.
  package mutating func next() -> SQLToken? {
    guard position < utf8.count else { return nil }
    let start = position
    let kind = read(utf8[start])
    return SQLToken(kind: kind, range: start..<position)
  }

  package func text(_ token: SQLToken) -> String {
    String(decoding: utf8[token.range], as: UTF8.self)
  }

  // MARK: - Kinds

  private mutating func read(_ first: UInt8) -> SQLToken.Kind {
    switch first {
    case 0x09, 0x0A, 0x0C, 0x0D, UInt8(ascii: " "):
      // A vertical tab is white space only after other white space.
      skip(\.isBlank)
      return .space
    case 0xEF where byte(1) == 0xBB && byte(2) == 0xBF:
      position += 3  // A byte order mark.
      return .space
    case UInt8(ascii: "-") where byte(1) == UInt8(ascii: "-"):
      skip { $0 != UInt8(ascii: "\n") && $0 != 0 }
      return .comment
    case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*") && byte(2) != 0:
      return readBlockComment()
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
      guard readQuoted(by: first) else { return .illegal }
      return first == UInt8(ascii: "'") ? .string : .quotedName
    case UInt8(ascii: "["):
      skip { $0 != UInt8(ascii: "]") && $0 != 0 }
      guard byte(0) == UInt8(ascii: "]") else { return .illegal }
      position += 1
      return .quotedName
    case UInt8(ascii: "?"):
      position += 1
      skip(\.isDigit)
      return .parameter
    case UInt8(ascii: "$"), UInt8(ascii: "@"), UInt8(ascii: ":"), UInt8(ascii: "#"):
      return readNamedParameter()
    case UInt8(ascii: "x"), UInt8(ascii: "X"):
      return byte(1) == UInt8(ascii: "'") ? readBlob() : readWord()
    case UInt8(ascii: ".") where byte(1).isDigit: return readNumber()
    case _ where first.isDigit: return readNumber()
    case _ where first.isSQLNameByte: return readWord()
    default: return readSymbol(first)
    }
  }

  private mutating func readWord() -> SQLToken.Kind {
    skip(\.isSQLNameByte)
    return .word
  }

  private mutating func readBlockComment() -> SQLToken.Kind {
    position += 2
    while byte(0) != 0 {
      if byte(0) == UInt8(ascii: "*"), byte(1) == UInt8(ascii: "/") {
        position += 2
        break
      }
      position += 1
    }
    return .comment
  }

  /// - Returns: whether the quote is closed.
  private mutating func readQuoted(by quote: UInt8) -> Bool {
    position += 1
    while byte(0) != 0 {
      position += 1
      guard utf8[position - 1] == quote else { continue }
      guard byte(0) == quote else { return true }
      position += 1
    }
    return false
  }

  private mutating func readBlob() -> SQLToken.Kind {
    let start = position
    position += 2
    skip(\.isSQLHexDigit)
    guard byte(0) == UInt8(ascii: "'"), (position - start).isMultiple(of: 2) else {
      skip { $0 != UInt8(ascii: "'") && $0 != 0 }
      if byte(0) != 0 { position += 1 }
      return .illegal
    }
    position += 1
    return .blob
  }

  /// Reads a number. Underscores separate digits since SQLite 3.46.
  private mutating func readNumber() -> SQLToken.Kind {
    if byte(0) == UInt8(ascii: "0"), byte(1) | 0x20 == UInt8(ascii: "x"), byte(2).isSQLHexDigit {
      position += 2
      skip { $0.isSQLHexDigit || $0 == UInt8(ascii: "_") }
      // A word may follow at once. SQLite 3.46 refuses that, and what it refuses is not read here.
      return .number
    }
    skipDigits()
    if byte(0) == UInt8(ascii: ".") {
      position += 1
      skipDigits()
    }
    if byte(0) | 0x20 == UInt8(ascii: "e") {
      let isSigned = byte(1) == UInt8(ascii: "+") || byte(1) == UInt8(ascii: "-")
      if byte(isSigned ? 2 : 1).isDigit {
        position += isSigned ? 2 : 1
        skipDigits()
      }
    }
    guard byte(0).isSQLNameByte else { return .number }
    skip(\.isSQLNameByte)
    return .illegal
  }

  private mutating func skipDigits() { skip { $0.isDigit || $0 == UInt8(ascii: "_") } }

  private mutating func readNamedParameter() -> SQLToken.Kind {
    position += 1
    var length = 0
    while byte(0) != 0 {
      if byte(0).isSQLNameByte {
        length += 1
        position += 1
      } else if byte(0) == UInt8(ascii: "("), length > 0 {
        position += 1
        skip { $0 != 0 && $0 != UInt8(ascii: ")") && !$0.isBlank }
        guard byte(0) == UInt8(ascii: ")") else { return .illegal }
        position += 1
        break
      } else if byte(0) == UInt8(ascii: ":"), byte(1) == UInt8(ascii: ":") {
        position += 2
      } else {
        break
      }
    }
    return length > 0 ? .parameter : .illegal
  }

  private mutating func readSymbol(_ first: UInt8) -> SQLToken.Kind {
    let three = [first, byte(1), byte(2)]
    let length =
      three == Array("->>".utf8) ? 3 : SQLLexer.pairs.contains(Array(three.prefix(2))) ? 2 : 1
    position += length
    return length > 1 || SQLLexer.singles.contains(first) ? .symbol : .illegal
  }

  private static let pairs = ["->", "||", "<<", ">>", "<>", "<=", ">=", "==", "!="].map {
    Array($0.utf8)
  }

  private static let singles = Set("()+-*/;,.=<>|&~%".utf8)

  // MARK: - Bytes

  /// The byte `offset` behind the position; 0 behind the end. SQLite reads no further than a 0.
  private func byte(_ offset: Int) -> UInt8 {
    position + offset < utf8.count ? utf8[position + offset] : 0
  }

  private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
    while position < utf8.count, isSkipped(utf8[position]) { position += 1 }
  }
}

/// A piece of an SQL text, as SQLite divides it.
package struct SQLToken: Hashable, Sendable {
  package enum Kind: Sendable {
    case space
    case comment
    /// A keyword, or a name without quotes.
    case word
    /// A name in `"`, `` ` `` or `[`.
    case quotedName
    case string
    case blob
    case number
    /// A parameter, such as `?`, `?1`, `:a`, `@a` or `$a::b(c)`.
    case parameter
    /// An operator, a parenthesis, a comma, a dot or a semicolon.
    case symbol
    /// What SQLite does not accept.
    case illegal
  }

  package let kind: Kind
  /// Its bytes in the UTF-8 text.
  package let range: Range<Int>

  /// Whether it has no meaning.
  package var isBlank: Bool { kind == .space || kind == .comment }
}

extension UInt8 {
  var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

  /// Whether it is white space for SQLite.
  var isBlank: Bool { self == 0x20 || 0x09...0x0D ~= self }

  fileprivate var isSQLHexDigit: Bool {
    isDigit || UInt8(ascii: "a")...UInt8(ascii: "f") ~= self | 0x20
  }

  /// Whether SQLite accepts the byte in a name.
  package var isSQLNameByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
    default: isDigit
    }
  }
}
