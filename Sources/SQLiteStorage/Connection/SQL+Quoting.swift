extension String {
  /// The string as an SQL identifier, whatever characters it holds: the one place where names
  /// become SQL.
  public var quotedIdentifier: String { quoted(by: "\"") }

  /// The string as an SQL text literal. Values are bound, not written into SQL; this is for the
  /// few places that take no parameter, such as `PRAGMA` and `COLLATE` arguments.
  public var quotedLiteral: String { quoted(by: "'") }

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
