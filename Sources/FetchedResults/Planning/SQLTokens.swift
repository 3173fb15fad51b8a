internal import LiveQueries
internal import SQLiteStorage

/// The tokens of an SQL fragment: enough to check that it stays within its parentheses, and how a
/// function is called. SQLite itself checks everything else.
struct SQLTokens {
  enum Token: Equatable {
    /// A keyword or identifier, quoted or not, in lower case.
    case word(ExactText)
    case literal(ExactText)
    case number
    case blob
    /// A parameter: nil for `?`, else its name.
    case parameter(ExactText?)
    /// Anything else.
    case symbol(String)
  }

  let tokens: [Token]
  /// Whether a text or a name in quotes has no end.
  let hasOpenQuote: Bool

  init(_ sql: String) {
    let lexer = SQLLexer(sql)
    hasOpenQuote = lexer.contains { token in
      token.kind == .illegal && token.range.upperBound == lexer.utf8.count
        && "'\"`[".utf8.contains(lexer.utf8[token.range.lowerBound])
    }
    tokens = lexer.lazy.filter { !$0.isBlank }.map { token in
      let text = lexer.text(token)
      return switch token.kind {
      case .word: .word(text.sqliteFolded)
      case .quotedName: .word(text.unquotedName.sqliteFolded)
      case .string: .literal(text.unquotedName.exact)
      case .number: .number
      case .blob: .blob
      case .parameter: .parameter(text == "?" ? nil : String(text.dropFirst()).exact)
      case .symbol, .illegal, .space, .comment: .symbol(text)
      }
    }
  }
}

extension SQLTokens {
  /// Whether a parenthesis is opened that is not closed.
  var opensParentheses: Bool {
    tokens.reduce(0) { $0 + ($1 == .open ? 1 : $1 == .close ? -1 : 0) } > 0
  }

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
    let signs: [Token] = [.open, .close, .symbol("+"), .symbol("-")]
    return tokens.filter { !signs.contains($0) } == [.number]
  }

  /// Whether it only compares columns and values. It contains no query, no function, which may be
  /// the application's, and no current time.
  var isComparisonOfColumns: Bool {
    zip(tokens, tokens.dropFirst() + [.close]).allSatisfy { token, next in
      switch token {
      case .word("and"), .word("or"), .word("not"), .word("between"): true
      // Without a list, it reads a table.
      case .word("in"): next == .open
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
  func dependsOnly(on columns: Set<ExactText>) -> Bool {
    zip(tokens, tokens.dropFirst() + [.close]).allSatisfy { token, next in
      guard case .word(let word) = token else { return true }
      return next == .open || columns.contains(word)
    }
  }

  /// A call of a function, at any depth.
  struct Call {
    let function: ExactText
    /// The tokens of each argument, including those of nested calls.
    let arguments: [ArraySlice<Token>]
    /// The number of `?` parameters before the arguments.
    let firstParameter: Int
  }

  func calls(of functions: Set<ExactText>) -> [Call] {
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
  static let open = SQLTokens.Token.symbol("(")
  static let close = SQLTokens.Token.symbol(")")
  static let comma = SQLTokens.Token.symbol(",")
}
