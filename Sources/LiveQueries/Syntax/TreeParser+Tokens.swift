internal import SQLiteStorage

extension TreeParser {
  /// The unquoted word at a position, in capitals; empty if there is another token.
  func word(_ offset: Int = 0) -> String {
    position + offset < words.count ? words[position + offset] : ""
  }

  func symbol(_ offset: Int = 0) -> String {
    guard position + offset < tokens.count, tokens[position + offset].kind == .symbol else {
      return ""
    }
    return lexer.text(tokens[position + offset])
  }

  var kind: SQLToken.Kind? { position < tokens.count ? tokens[position].kind : nil }

  /// Takes some keywords if they are next.
  mutating func take(_ words: String...) -> Bool {
    for (offset, word) in words.enumerated() where self.word(offset) != word { return false }
    position += words.count
    return true
  }

  mutating func takeSymbol(_ text: String) -> Bool {
    guard symbol() == text else { return false }
    position += 1
    return true
  }

  mutating func expect(_ word: String) throws(SelectRefusal) {
    guard take(word) else { throw unexpected }
  }

  mutating func expectSymbol(_ text: String) throws(SelectRefusal) {
    guard takeSymbol(text) else { throw unexpected }
  }

  /// The text of the next token, which is taken.
  mutating func takeText() -> String {
    defer { position += 1 }
    return lexer.text(tokens[position])
  }

  /// The text of some tokens, with what stands between them.
  func text(_ range: Range<Int>) -> String {
    guard let last = range.last else { return "" }
    return String(
      decoding: lexer.utf8[
        tokens[range.lowerBound].range.lowerBound..<tokens[last].range.upperBound],
      as: UTF8.self)
  }

  /// Whether a name can begin at a position.
  ///
  /// - Parameter isAlias: whether it would be an alias without AS, which is no word of a join.
  func isName(_ offset: Int = 0, isAlias: Bool = false) -> Bool {
    guard position + offset < tokens.count else { return false }
    switch tokens[position + offset].kind {
    case .quotedName, .string: return true
    case .word:
      let word = words[position + offset]
      return !SQLKeywords.reserved.contains(word)
        && !(isAlias && (SQLKeywords.joins.contains(word) || word == "INDEXED"))
    default: return false
    }
  }

  mutating func name() throws(SelectRefusal) -> String {
    guard isName() else { throw unexpected }
    return takeText().unquotedName
  }

  var unexpected: SelectRefusal {
    guard position < tokens.count else { return SelectRefusal("the SELECT ends too early") }
    return SelectRefusal("the SELECT is not understood at \(lexer.text(tokens[position]))")
  }
}

/// SQLite's keywords, as far as they matter in a SELECT.
///
/// Source: [keywords](https://www.sqlite.org/lang_keywords.html).
enum SQLKeywords {
  /// Words that are no names without quotes.
  static let reserved: Set = [
    "ADD", "ALL", "ALTER", "AND", "AS", "AUTOINCREMENT", "BETWEEN", "CASE", "CHECK", "COLLATE",
    "COMMIT", "CONSTRAINT", "CREATE", "DEFAULT", "DEFERRABLE", "DELETE", "DISTINCT", "DROP",
    "ELSE", "ESCAPE", "EXCEPT", "EXISTS", "FOREIGN", "FROM", "GROUP", "HAVING", "IN", "INDEX",
    "INSERT", "INTERSECT", "INTO", "IS", "ISNULL", "JOIN", "LIMIT", "NOT", "NOTHING", "NOTNULL",
    "NULL", "ON", "OR", "ORDER", "PRIMARY", "REFERENCES", "RETURNING", "SELECT", "SET", "TABLE",
    "THEN", "TO", "TRANSACTION", "UNION", "UNIQUE", "UPDATE", "USING", "VALUES", "WHEN", "WHERE",
  ]

  /// Words of joins, which are names where no join can be.
  static let joins: Set = ["CROSS", "FULL", "INNER", "LEFT", "NATURAL", "OUTER", "RIGHT"]
}
