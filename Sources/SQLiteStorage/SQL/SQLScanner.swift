/// Splits a script into statements without preparing them: a statement can be prepared only after
/// those before it have run.
///
/// It recognizes the same syntax as SQLite's `sqlite3_complete`: comments, quotes, and that a
/// trigger ends only with a semicolon after `; END`. If a split were wrong, preparing the piece
/// would fail, so wrong SQL cannot run.
///
/// Source: [complete.c](https://www.sqlite.org/src/file/src/complete.c).
struct SQLScanner {
  struct Statement {
    /// The line at which the statement begins, from 1.
    let line: Int
    /// The first word, in capitals.
    let keyword: String
    /// The text, from the first word to the semicolon.
    let sql: String
  }

  /// A comment for the migrator: `-- migrate:…`.
  struct Directive {
    let line: Int
    let text: String
  }

  private enum Token: Equatable {
    case semicolon
    case word(String)
    case other
  }

  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var tokenStart = (position: 0, line: 1)

  /// The directives found so far.
  private(set) var directives: [Directive] = []

  init(_ sql: String) { bytes = Array(sql.utf8) }

  /// Returns the next statement; nil at the end. Complexity: O(n) for all statements of n bytes.
  mutating func nextStatement() -> Statement? {
    var token = nextToken()
    while token == .semicolon { token = nextToken() }
    guard token != nil else { return nil }
    let start = tokenStart
    var beginning: [String] = []
    var isBeginning = true
    var isTrigger = false
    var lastTwo: (Token?, Token?) = (nil, nil)
    while let current = token {
      if isBeginning {
        if case .word(let word) = current { beginning.append(word) } else { isBeginning = false }
        isTrigger = SQLScanner.beginsTrigger(beginning)
        if isTrigger || beginning.count == 3 { isBeginning = false }
      }
      if current == .semicolon {
        guard isTrigger, lastTwo != (.semicolon, .word("END")) else { break }
      }
      lastTwo = (lastTwo.1, current)
      token = nextToken()
    }
    return Statement(
      line: start.line, keyword: beginning.first ?? "",
      sql: String(decoding: bytes[start.position..<position], as: UTF8.self))
  }

  private static func beginsTrigger(_ words: [String]) -> Bool {
    switch words {
    case ["CREATE", "TRIGGER"], ["CREATE", "TEMP", "TRIGGER"], ["CREATE", "TEMPORARY", "TRIGGER"]:
      true
    default: false
    }
  }

  /// Returns the next token that is not white space or a comment; nil at the end.
  private mutating func nextToken() -> Token? {
    while position < bytes.count {
      tokenStart = (position, line)
      switch (bytes[position], byte(after: 1)) {
      case (UInt8(ascii: " "), _), (0x09, _), (0x0A, _), (0x0C, _), (0x0D, _): advance()
      case (0xEF, 0xBB) where position == 0 && byte(after: 2) == 0xBF: position += 3  // A BOM.
      case (UInt8(ascii: "-"), UInt8(ascii: "-")): skipLineComment()
      case (UInt8(ascii: "/"), UInt8(ascii: "*")):
        position += 2
        skip(past: UInt8(ascii: "*"), UInt8(ascii: "/"))
      case (UInt8(ascii: "'"), _), (UInt8(ascii: "\""), _), (UInt8(ascii: "`"), _):
        // A doubled quote ends one literal and begins the next, with the same result.
        let quote = bytes[position]
        position += 1
        skip(past: quote)
        return .other
      case (UInt8(ascii: "["), _):
        position += 1
        skip(past: UInt8(ascii: "]"))
        return .other
      case (UInt8(ascii: ";"), _):
        position += 1
        return .semicolon
      case (let first, _) where SQLScanner.isWordByte(first): return .word(readWord())
      default:
        advance()
        return .other
      }
    }
    return nil
  }

  private mutating func readWord() -> String {
    let start = position
    while position < bytes.count, SQLScanner.isWordByte(bytes[position]) { position += 1 }
    // Only ASCII words are keywords; changing the case of others does no harm.
    return String(decoding: bytes[start..<position], as: UTF8.self).uppercased()
  }

  private mutating func skipLineComment() {
    let start = position
    while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
    let comment = String(decoding: bytes[(start + 2)..<position], as: UTF8.self)
    let words = comment.split(whereSeparator: \.isWhitespace)
    if words.first?.hasPrefix("migrate:") == true {
      directives.append(Directive(line: line, text: words.joined(separator: " ")))
    }
  }

  /// Moves behind the next `first`, or behind `first` and `second` together if there is a second;
  /// to the end if there is none.
  private mutating func skip(past first: UInt8, _ second: UInt8? = nil) {
    while position < bytes.count {
      let isFound =
        bytes[position] == first && second.map { byte(after: 1) == $0 } ?? true
      advance()
      if isFound {
        if second != nil { position += 1 }
        return
      }
    }
  }

  private mutating func advance() {
    if bytes[position] == UInt8(ascii: "\n") { line += 1 }
    position += 1
  }

  private func byte(after count: Int) -> UInt8? {
    position + count < bytes.count ? bytes[position + count] : nil
  }

  /// Whether the byte is part of a word for SQLite.
  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }
}

// MARK: - Names

extension String {
  /// The string with ASCII letters in lower case, as SQLite compares identifiers.
  package var sqliteFolded: String {
    // Only ASCII bytes change, and to ASCII, so the result is valid UTF-8.
    String(
      decoding: utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 },
      as: UTF8.self)
  }

  /// The string as an SQL identifier, whatever characters it contains. All names are written into
  /// SQL with this property.
  package var quotedIdentifier: String { quoted(by: "\"") }

  /// The string as an SQL text literal, for the few places that take no parameter, such as the
  /// arguments of `PRAGMA` and `COLLATE`. Bind values in all other places.
  package var quotedLiteral: String { quoted(by: "'") }

  private func quoted(by quote: Character) -> String {
    var text = String(quote)
    for character in unicodeScalars {
      if Character(character) == quote { text.append(quote) }
      text.unicodeScalars.append(character)
    }
    text.append(quote)
    return text
  }
}
