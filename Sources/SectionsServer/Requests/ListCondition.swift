import FetchedResults
import RowQueries
import SQLiteStorage

extension ListParameters {
  /// A condition on one column, or on any.
  struct Condition: Sendable {
    /// Empty for any column.
    let column: String
    let comparison: Comparison
    /// Whether it is true for all other rows, those with NULL included.
    let isNegated: Bool
    let value: String

    /// What it is compared by.
    var texts: [String] { [column, isNegated ? "not" : "", comparison.rawValue, value] }
  }

  enum Comparison: String, Sendable {
    case `is`, eq, ne, lt, le, gt, ge, between, within, contains, begins, null, notnull, matches
  }
}

extension ListParameters.Condition {
  /// Reads `COLUMN:OPERATOR:VALUE`, or `COLUMN:OPERATOR` for an operator without a value.
  init(_ text: String) throws {
    let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    let operators =
      "The operators are is, eq, ne, lt, le, gt, ge, between, within, contains, begins, null, "
      + "notnull and matches; not- before one negates it"
    guard parts.count >= 2 else {
      throw RequestError(
        400, "the condition \(text.prefix(80)) is not COLUMN:OPERATOR:VALUE", nextStep: operators)
    }
    let isNegated = parts[1].hasPrefix("not-")
    let name = isNegated ? parts[1].dropFirst(4) : parts[1]
    guard let comparison = ListParameters.Comparison(rawValue: String(name)) else {
      throw RequestError(
        400, "there is no operator \(String(parts[1].prefix(80)).quotedIfBlank)",
        nextStep: operators)
    }
    column = QueryItems.decoded(parts[0].utf8, plusIsSpace: false)
    guard !column.isEmpty || [.contains, .matches].contains(comparison) else {
      throw RequestError(
        400, "only contains and matches are possible without a column", nextStep: "Name the column")
    }
    self.comparison = comparison
    self.isNegated = isNegated
    value = parts.count > 2 ? String(parts[2]) : ""
    if [.contains, .begins].contains(comparison) { try Self.requirePattern(value) }
    if comparison == .matches { try Self.requireNoNUL(value) }
    guard comparison != .is || exactValue != nil else {
      throw RequestError(
        400, "\(String(value.prefix(80)).quotedIfBlank) is not a value for the operator is",
        nextStep: "Write 12, 'TEXT' (percent-encoded), r1.5, x00FF or n, as the key of a row has it"
      )
    }
    guard ![.between, .within].contains(comparison) || ends != nil else {
      throw RequestError(
        400, "\(comparison.rawValue) has two values",
        nextStep: "Write COLUMN:\(comparison.rawValue):LOWEST:HIGHEST")
    }
  }

  /// Throws unless a text can be looked for in others.
  static func requirePattern(_ text: String) throws {
    // To find a pattern in one text takes as long as both lengths multiplied, and is not interrupted.
    guard text.utf8.count <= longestPattern else {
      throw RequestError(
        400, "the text to look for has more than \(longestPattern) bytes",
        nextStep: "Look for a part of it")
    }
    try requireNoNUL(text)
  }

  /// SQLite reads a pattern only up to that character: it would find other rows.
  private static func requireNoNUL(_ text: String) throws {
    guard !text.utf8.contains(0) else {
      throw RequestError(
        400, "no text can be looked for that has the character NUL",
        nextStep: "Look for what is before or after it, or compare the whole text with eq")
    }
  }

  /// The two values of `between` and `within`, in which `:` and `%` are percent-encoded.
  private var ends: (low: String, high: String)? {
    let parts = value.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let texts = parts.map { QueryItems.decoded($0.utf8, plusIsSpace: false) }
    return (texts[0], texts[1])
  }

  /// The value with its type.
  private var exactValue: Value? {
    let values = IdentityText.identity(value)?.values
    return values?.count == 1 ? values?.first : nil
  }

  /// The condition as SQL, with its values for SQLite and for people. It can stand beside AND and OR.
  ///
  /// A value that reads as a number is compared as a number, unless the column is declared as text. In a
  /// column without a type it is equal to the number and to the text.
  ///
  /// - Parameter index: the full-text index of the source.
  func sql(
    column: String, declaredType: String, index: @autoclosure () throws -> FullTextIndex?
  ) throws -> SQL {
    negated(try positive(column: column, declaredType: declaredType, index: index()))
  }

  private func negated(_ condition: SQL) -> SQL {
    isNegated ? "(\(condition)) IS NOT TRUE" : condition
  }

  private func positive(
    column: String, declaredType: String, index: @autoclosure () throws -> FullTextIndex?
  ) throws -> SQL {
    let name: SQL = "\(identifier: column)"
    let isText = declaredType.isTextType
    func bound(_ text: String) -> Value {
      isText ? .text(text) : Value(jsonNumber: text[...]) ?? .text(text)
    }
    let (low, high) = (bound(ends?.low ?? ""), bound(ends?.high ?? ""))
    let isEither = !isText && Value(jsonNumber: value[...]) != nil
    return switch comparison {
    case .is: "\(name) IS \(exactValue ?? .null)"
    case .eq: isEither ? "\(name) IN (\(bound(value)), \(value))" : "\(name) = \(bound(value))"
    case .ne:
      isEither
        ? "(\(name) IS NOT \(bound(value)) AND \(name) IS NOT \(value))"
        : "\(name) IS NOT \(bound(value))"
    case .lt: "\(name) < \(bound(value))"
    case .le: "\(name) <= \(bound(value))"
    case .gt: "\(name) > \(bound(value))"
    case .ge: "\(name) >= \(bound(value))"
    case .between: "\(name) BETWEEN \(low) AND \(high)"
    case .within: "(\(name) >= \(low) AND \(name) < \(high))"
    case .contains: "\(name) LIKE \(contains: value)"
    case .begins: "\(name) LIKE \(hasPrefix: value)"
    case .null: "\(name) IS NULL"
    case .notnull: "\(name) IS NOT NULL"
    case .matches: try matching(index(), column: column)
    }
  }

  /// The condition that any of the columns contains the text, or that all of them together have the words.
  ///
  /// - Parameter others: the conditions that what the columns refer to contains the text.
  func sql(
    anyOf columns: [String], orAny others: @autoclosure () throws -> [SQL],
    index: @autoclosure () throws -> FullTextIndex?
  ) throws -> SQL {
    guard comparison == .contains else { return negated(try matching(index(), column: nil)) }
    let terms = columns.map { "\(identifier: $0) LIKE \(contains: value)" as SQL } + (try others())
    // Each OR is one level of an expression, and SQLite permits 1,000.
    let groups = stride(from: 0, to: terms.count, by: Self.orLimit).map { start in
      terms[start..<min(start + Self.orLimit, terms.count)].joined(separator: " OR ")
    }
    let any =
      groups.count == 1 ? groups[0] : groups.map { "(\($0))" as SQL }.joined(separator: " OR ")
    return negated(terms.count == 1 ? any : "(\(any))")
  }

  /// The condition that a row has each word of the value. The last one may be the beginning of a word.
  private func matching(_ index: FullTextIndex?, column: String?) throws -> SQL {
    guard let index else {
      throw RequestError(
        400, "the source has no full-text index", nextStep: "Use contains in place of matches")
    }
    // In quotes, a word is no operator of FTS5.
    func quoted(_ word: String) -> String {
      let parts = word.split(separator: "\"", omittingEmptySubsequences: false)
      return "\"\(parts.joined(separator: "\"\""))\""
    }
    let words = value.split(whereSeparator: \.isWhitespace).map { quoted(String($0)) }
    guard !words.isEmpty else {
      throw RequestError(400, "matches has no words", nextStep: "Write :matches:WORDS")
    }
    let all = "\(words.joined(separator: " "))*"
    let query = column.map { "\(quoted($0)) : (\(all))" } ?? all
    let table: SQL = "\(identifier: index.name)"
    return """
      \(identifier: index.contentRowID) IN (SELECT rowid FROM \(table) WHERE \(table) MATCH \(query))
      """
  }

  /// The number of bytes of a text that may be looked for in others.
  static let longestPattern = 256

  /// The number of conditions that are joined by OR without parentheses.
  private static let orLimit = 500
}
