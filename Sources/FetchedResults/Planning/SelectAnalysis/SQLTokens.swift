internal import SQLiteStorage

/// The tokens of an SQL text: enough to check that a fragment stays within its parentheses, and how
/// a function is called. SQLite itself checks everything else.
///
/// Source: [tokenize.c](https://www.sqlite.org/src/file/src/tokenize.c), which works on bytes too.
/// A `Character` could combine a quote or a parenthesis with an accent that follows it.
struct SQLTokens {
  enum Token: Equatable {
    /// A keyword or identifier, quoted or not, in lower case.
    case word(String)
    /// A string literal.
    case literal(String)
    case number
    /// A parameter: nil for `?`, else its name.
    case parameter(String?)
    /// Any other character.
    case symbol(UInt8)
  }

  let tokens: [Token]
  /// The range of each token in ``utf8``.
  let ranges: [Range<Int>]
  /// The bytes of the SQL.
  let utf8: [UInt8]

  init(_ sql: String) {
    utf8 = Array(sql.utf8)
    var scanner = Scanner(rest: utf8[...])
    var tokens: [Token] = []
    var ranges: [Range<Int>] = []
    while let (token, start) = scanner.next() {
      tokens.append(token)
      ranges.append(start..<scanner.rest.startIndex)
    }
    self.tokens = tokens
    self.ranges = ranges
  }
}

extension SQLTokens {
  /// Whether a parenthesis is closed that was not opened.
  var leavesParentheses: Bool {
    var depth = 0
    for token in tokens where depth >= 0 {
      if token == .open { depth += 1 } else if token == .close { depth -= 1 }
    }
    return depth < 0
  }

  /// Whether it is only a number, which `ORDER BY` would interpret as a column of the result.
  var isNumber: Bool {
    let signs: [Token] = [.open, .close, .symbol(UInt8(ascii: "+")), .symbol(UInt8(ascii: "-"))]
    return tokens.filter { !signs.contains($0) } == [.number]
  }

  /// Whether it only compares columns and values. It contains no query, no function, which may be
  /// the application's, and no current time.
  var isComparisonOfColumns: Bool {
    zip(tokens, tokens.dropFirst() + [.close]).allSatisfy { token, next in
      switch token {
      case .word("and"), .word("or"), .word("not"), .word("in"), .word("between"): true
      case .word("select"), .word("values"), .word("match"), .word("regexp"): false
      case .word(let word): next != .open && !word.hasPrefix("current_")
      default: true
      }
    }
  }

  /// Whether it only contains given columns, values and functions of them. Unknown syntax, such as
  /// `CASE`, counts as something else.
  ///
  /// - Parameter columns: their names in lower case.
  func dependsOnly(on columns: Set<String>) -> Bool {
    zip(tokens, tokens.dropFirst() + [.close]).allSatisfy { token, next in
      guard case .word(let word) = token else { return true }
      return next == .open || columns.contains(word)
    }
  }

  /// A call of a function, at any depth.
  struct Call {
    let function: String
    /// The tokens of each argument, including those of nested calls.
    let arguments: [ArraySlice<Token>]
    /// The number of `?` parameters before the arguments.
    let firstParameter: Int
  }

  /// All calls of one of `functions`.
  func calls(of functions: Set<String>) -> [Call] {
    var calls: [Call] = []
    var parameterCount = 0
    for (index, token) in tokens.enumerated() {
      if token == .parameter(nil) { parameterCount += 1 }
      guard case .word(let word) = token, functions.contains(word),
        tokens[(index + 1)...].first == .open
      else { continue }
      calls.append(
        Call(
          function: word, arguments: arguments(from: index + 2), firstParameter: parameterCount))
    }
    return calls
  }

  private func arguments(from start: Int) -> [ArraySlice<Token>] {
    var arguments: [ArraySlice<Token>] = []
    var depth = 0
    var begin = start
    for index in tokens[start...].indices {
      switch tokens[index] {
      case .open: depth += 1
      case .close where depth > 0: depth -= 1
      case .close:
        return begin == index && arguments.isEmpty ? [] : arguments + [tokens[begin..<index]]
      case .comma where depth == 0:
        arguments.append(tokens[begin..<index])
        begin = index + 1
      default: break
      }
    }
    return arguments
  }
}

extension SQLTokens.Token {
  static let open = SQLTokens.Token.symbol(UInt8(ascii: "("))
  static let close = SQLTokens.Token.symbol(UInt8(ascii: ")"))
  static let comma = SQLTokens.Token.symbol(UInt8(ascii: ","))
}

/// Removes tokens one by one from the beginning of an SQL text.
private struct Scanner {
  var rest: ArraySlice<UInt8>

  /// The next token, and its start.
  mutating func next() -> (SQLTokens.Token, start: Int)? {
    skipSpaceAndComments()
    let start = rest.startIndex
    return rest.first.map { (token(beginningWith: $0), start) }
  }

  private mutating func token(beginningWith first: UInt8) -> SQLTokens.Token {
    switch first {
    case UInt8(ascii: "'"): return .literal(quoted(until: first))
    case UInt8(ascii: "\""), UInt8(ascii: "`"): return .word(quoted(until: first).lowercased())
    case UInt8(ascii: "["): return .word(quoted(until: UInt8(ascii: "]")).lowercased())
    case UInt8(ascii: "?"):
      rest.removeFirst()
      let number = take { $0.isDigit }
      return .parameter(number.isEmpty ? nil : number)
    case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"), UInt8(ascii: "#"):
      rest.removeFirst()
      return .parameter(parameterName())
    case _ where first.isDigit:
      _ = take { $0.isIdentifier || $0 == UInt8(ascii: ".") }
      return .number
    case _ where first.isIdentifier: return .word(take { $0.isIdentifier }.lowercased())
    default:
      rest.removeFirst()
      return .symbol(first)
    }
  }

  private mutating func skipSpaceAndComments() {
    while let first = rest.first {
      if rest.starts(with: "--".utf8) {
        rest = rest.drop { $0 != UInt8(ascii: "\n") }
      } else if rest.starts(with: "/*".utf8) {
        rest = rest.dropFirst(2)
        while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest.removeFirst() }
        rest = rest.dropFirst(2)
      } else if first == UInt8(ascii: " ") || (9...13).contains(first) {
        rest.removeFirst()
      } else {
        return
      }
    }
  }

  /// The text in quotes. Two quotes in it stand for one, except for brackets.
  private mutating func quoted(until end: UInt8) -> String {
    rest.removeFirst()
    var text: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == end {
        guard end != UInt8(ascii: "]"), rest.first == end else { break }
        rest.removeFirst()
      }
      text.append(byte)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// A Tcl variable name: `$a::b(c)`, including the parentheses.
  private mutating func parameterName() -> String {
    var name = take { $0.isIdentifier }
    while rest.starts(with: "::".utf8) {
      rest = rest.dropFirst(2)
      name += "::" + take { $0.isIdentifier }
    }
    guard !name.isEmpty, rest.first == UInt8(ascii: "(") else { return name }
    name += take { $0 != UInt8(ascii: ")") && $0 != UInt8(ascii: " ") && !(9...13).contains($0) }
    if rest.first == UInt8(ascii: ")") {
      rest.removeFirst()
      name += ")"
    }
    return name
  }

  private mutating func take(while isTaken: (UInt8) -> Bool) -> String {
    let taken = rest.prefix(while: isTaken)
    rest = rest.dropFirst(taken.count)
    return String(decoding: taken, as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

  /// Whether SQLite accepts the byte in an identifier.
  fileprivate var isIdentifier: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
    default: isDigit
    }
  }
}
