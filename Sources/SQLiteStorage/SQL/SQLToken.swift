/// A piece of an SQL text, as SQLite divides it.
package struct SQLToken: Hashable, Sendable {
  /// What a token is.
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
