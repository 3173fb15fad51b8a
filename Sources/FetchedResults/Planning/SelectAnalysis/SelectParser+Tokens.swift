extension SelectParser {
  var peek: SQLTokens.Token? { token(rest.lowerBound) }

  func token(_ index: Int) -> SQLTokens.Token? {
    rest.contains(index) ? sql.tokens[index] : nil
  }

  func keyword(at index: Int) -> String? {
    rest.contains(index) ? sql.keyword(at: index) : nil
  }

  func isKeyword(_ word: String) -> Bool { keyword(at: rest.lowerBound) == word }

  mutating func takeKeyword(_ word: String) -> Bool {
    guard isKeyword(word) else { return false }
    rest.removeFirst()
    return true
  }

  mutating func take(_ token: SQLTokens.Token) -> Bool {
    guard peek == token else { return false }
    rest.removeFirst()
    return true
  }

  mutating func identifier() throws -> String {
    guard let name = sql.identifier(at: rest.lowerBound), !rest.isEmpty else { throw unreadable }
    rest.removeFirst()
    return name
  }

  /// Reads up to one of some keywords outside of parentheses, or up to a comma if `join` is one of
  /// them.
  mutating func expression(until words: Set<String>) throws -> Range<Int> {
    let start = rest.lowerBound
    var depth = 0
    while let token = peek {
      if depth == 0, let word = keyword(at: rest.lowerBound), words.contains(word) { break }
      if depth == 0, token == .comma, words.contains("join") { break }
      if isKeyword("select") { throw refusal("has a SELECT in an expression") }
      if token == .open { depth += 1 } else if token == .close { depth -= 1 }
      guard depth >= 0 else { throw unreadable }
      rest.removeFirst()
    }
    guard depth == 0, start < rest.lowerBound else { throw unreadable }
    return start..<rest.lowerBound
  }

  /// The position of the parenthesis that closes the one read last.
  func closing() throws -> Int {
    var depth = 1
    for index in rest {
      if sql.tokens[index] == .open { depth += 1 }
      if sql.tokens[index] == .close { depth -= 1 }
      if depth == 0 { return index }
    }
    throw unreadable
  }

  func text(_ range: Range<Int>) -> String { sql.text(range) }
}
