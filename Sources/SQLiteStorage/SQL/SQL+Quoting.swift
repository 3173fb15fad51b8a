extension String {
  /// The string as an SQL identifier, whatever characters it contains. All names are written into
  /// SQL with this property.
  public var quotedIdentifier: String { quoted(by: "\"") }

  /// The string as an SQL text literal, for the few places that take no parameter, such as the
  /// arguments of `PRAGMA` and `COLLATE`. Bind values in all other places.
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
