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

  /// A comment after `--`.
  struct Comment {
    let line: Int
    let words: [String]

    var text: String { words.joined(separator: " ") }
  }

  private enum Piece: Equatable {
    case semicolon
    case word(String)
    case other
  }

  private var lexer: SQLLexer
  private var line = 1
  private var start = (position: 0, line: 1)
  private var end = 0

  /// The comments after `--` found so far.
  private(set) var comments: [Comment] = []

  init(_ sql: String) { lexer = SQLLexer(sql) }

  /// Returns the next statement; nil at the end. Complexity: O(n) for all statements of n bytes.
  mutating func nextStatement() -> Statement? {
    var piece = nextPiece()
    while piece == .semicolon { piece = nextPiece() }
    guard piece != nil else { return nil }
    let start = start
    var beginning: [String] = []
    var isBeginning = true
    var isTrigger = false
    var lastTwo: (Piece?, Piece?) = (nil, nil)
    while let current = piece {
      if isBeginning {
        if case .word(let word) = current { beginning.append(word) } else { isBeginning = false }
        isTrigger = SQLScanner.beginsTrigger(beginning)
        if isTrigger || beginning.count == 3 { isBeginning = false }
      }
      if current == .semicolon {
        guard isTrigger, lastTwo != (.semicolon, .word("END")) else { break }
      }
      lastTwo = (lastTwo.1, current)
      piece = nextPiece()
    }
    return Statement(
      line: start.line, keyword: beginning.first ?? "",
      sql: String(decoding: lexer.utf8[start.position..<end], as: UTF8.self))
  }

  private static func beginsTrigger(_ words: [String]) -> Bool {
    switch words {
    case ["CREATE", "TRIGGER"], ["CREATE", "TEMP", "TRIGGER"], ["CREATE", "TEMPORARY", "TRIGGER"]:
      true
    default: false
    }
  }

  /// Returns the next piece that is not white space or a comment; nil at the end.
  private mutating func nextPiece() -> Piece? {
    while let token = lexer.next() {
      start = (token.range.lowerBound, line)
      end = token.range.upperBound
      if token.kind == .comment { note(comment: lexer.text(token)) }
      line += lexer.utf8[token.range].count { $0 == UInt8(ascii: "\n") }
      switch token.kind {
      case .space, .comment: continue
      case .word: return .word(lexer.text(token).uppercased())
      case .symbol where lexer.utf8[start.position] == UInt8(ascii: ";"): return .semicolon
      default: return .other
      }
    }
    return nil
  }

  private mutating func note(comment: String) {
    guard comment.hasPrefix("--") else { return }
    let words = comment.dropFirst(2).split(whereSeparator: \.isWhitespace)
    comments.append(Comment(line: line, words: words.map(String.init)))
  }
}

// MARK: - Names

extension String {
  /// The string as an SQL identifier, whatever characters it contains. All names are written into
  /// SQL with this property.
  package var quotedIdentifier: String { quoted(by: "\"") }

  /// The string as an SQL text literal, for the few places that take no parameter, such as the
  /// arguments of `PRAGMA` and `COLLATE`. Bind values in all other places.
  package var quotedLiteral: String { quoted(by: "'") }

  /// The name or the text that SQL has in quotes, or as it is.
  package var unquotedName: String {
    let bytes = Array(utf8)
    guard bytes.count > 1, let quote = bytes.first else { return self }
    let inner = bytes[1..<(bytes.count - 1)]
    switch quote {
    case UInt8(ascii: "["): return String(decoding: inner, as: UTF8.self)
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
      var name: [UInt8] = []
      var isSecond = false
      for byte in inner {
        isSecond = byte == quote && !isSecond
        if !isSecond { name.append(byte) }
      }
      return String(decoding: name, as: UTF8.self)
    default: return self
    }
  }

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
