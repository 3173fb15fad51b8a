import FetchedResults
import RowQueries
import SQLiteStorage

/// The list that a URL names. Equal parameters are one list, which all of its clients share.
struct ListParameters: Sendable {
  /// The name of a table, a view, or the source of the command line; nil for the first one.
  var source: String?
  /// The SELECT that is the source, if the client has typed one.
  var sql: String?
  var by: String?
  var sort: [String]
  var conditions: [Condition]
  var columns: [String]
  /// The totals, each a function and a column.
  var totals: [[String]]

  /// A condition on one column, or on any.
  struct Condition: Sendable {
    /// Empty for any column.
    let column: String
    let comparison: Comparison
    let value: String
  }

  enum Comparison: String, Sendable {
    case `is`, eq, ne, lt, le, gt, ge, contains, begins, null, notnull, matches
  }

  init(_ items: QueryItems) throws {
    source = items.value("source")
    sql = items.value("sql")
    guard sql == nil || source == nil else {
      throw RequestError(
        400, "there are a source and sql", nextStep: "Give one of the parameters source and sql")
    }
    by = items.value("by").flatMap { $0.isEmpty ? nil : $0 }
    sort = items.values("sort").filter { !$0.isEmpty }
    columns = items.values("columns").filter { !$0.isEmpty }
    totals = try items.values("total").map(Self.total)
    conditions = try items.values("where").map(Condition.init)
    guard sort.count <= 16, totals.count <= 16, conditions.count <= 32 else {
      throw RequestError(
        400, "there are more than 16 sort terms or totals, or 32 conditions",
        nextStep: "Use fewer of them")
    }
    guard Set(totals.map { $0.map { Array($0.utf8) } }).count == totals.count else {
      throw RequestError(400, "a total is named twice", nextStep: "Name each total once")
    }
    guard Set(columns.map { Array($0.utf8) }).count == columns.count else {
      throw RequestError(400, "a column is named twice", nextStep: "Name each column once")
    }
  }
}

extension ListParameters {
  /// Reads `FUNCTION:COLUMN`.
  private static func total(_ text: String) throws -> [String] {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2, TotalOption(parts[0], ofColumn: parts[1]) != nil else {
      throw RequestError(
        400, "the total \(String(text.prefix(80)).quotedIfBlank) is not FUNCTION:COLUMN",
        nextStep: "The functions are sum, avg, min, max and count")
    }
    return parts
  }
}

// SQLite distinguishes texts that are equal as Swift's strings, so their bytes are compared.
extension ListParameters: Hashable {
  private var bytes: [[[UInt8]]] {
    let conditions = conditions.flatMap { [$0.column, $0.comparison.rawValue, $0.value] }
    return
      ([source, sql, by].map { text in text.map { [$0] } ?? [] } + [
        sort, columns, totals.flatMap(\.self), conditions,
      ])
      .map { texts in texts.map { Array($0.utf8) } }
  }

  static func == (one: Self, other: Self) -> Bool { one.bytes == other.bytes }

  func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension ListParameters.Condition {
  /// Reads `COLUMN:OPERATOR:VALUE`, or `COLUMN:OPERATOR` for an operator without a value.
  init(_ text: String) throws {
    let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    let operators =
      "The operators are is, eq, ne, lt, le, gt, ge, contains, begins, null, notnull and matches"
    guard parts.count >= 2 else {
      throw RequestError(
        400, "the condition \(text.prefix(80)) is not COLUMN:OPERATOR:VALUE", nextStep: operators)
    }
    guard let comparison = ListParameters.Comparison(rawValue: String(parts[1])) else {
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
    value = parts.count > 2 ? String(parts[2]) : ""
    // To find a pattern in one text takes as long as both lengths multiplied, and is not interrupted.
    guard value.utf8.count <= Self.longestPattern || ![.contains, .begins].contains(comparison)
    else {
      throw RequestError(
        400, "the text to look for has more than \(Self.longestPattern) bytes",
        nextStep: "Look for a part of it")
    }
    // SQLite reads a pattern only up to that character: it would find other rows.
    guard !value.utf8.contains(0) || ![.contains, .begins, .matches].contains(comparison) else {
      throw RequestError(
        400, "no text can be looked for that has the character NUL",
        nextStep: "Look for what is before or after it, or compare the whole text with eq")
    }
    guard comparison != .is || exactValue != nil else {
      throw RequestError(
        400, "\(String(value.prefix(80)).quotedIfBlank) is not a value for the operator is",
        nextStep: "Write 12, 'TEXT' (percent-encoded), r1.5, x00FF or n, as the key of a row has it"
      )
    }
  }

  /// The value with its type.
  private var exactValue: Value? {
    let values = IdentityText.identity(value)?.values
    return values?.count == 1 ? values?.first : nil
  }

  /// The condition as SQL with bound values.
  ///
  /// A value that reads as a number is compared as a number, unless the column is declared as text. In a
  /// column without a type it is equal to the number and to the text.
  ///
  /// - Parameter index: the full-text index of the source.
  func fragment(
    column: String, declaredType: String, index: @autoclosure () throws -> FullTextIndex?
  ) throws -> SQLFragment<Row> {
    let name = column.quotedIdentifier
    let number = Value(jsonNumber: value[...])
    let type = declaredType.uppercased()
    let isText = ["CHAR", "CLOB", "TEXT"].contains { type.contains($0) }
    let bound = isText ? .text(value) : number ?? .text(value)
    func compared(_ sign: String) -> SQLFragment<Row> {
      SQLFragment(verbatim: "\(name) \(sign) ?", [bound])
    }
    let isEither = number != nil && !isText
    switch comparison {
    case .is:
      return SQLFragment(verbatim: "\(name) IS ?", [exactValue ?? .null])
    case .eq:
      guard isEither else { return compared("=") }
      return SQLFragment(verbatim: "\(name) IN (?, ?)", [bound, .text(value)])
    case .ne:
      guard isEither else { return compared("IS NOT") }
      return SQLFragment(
        verbatim: "(\(name) IS NOT ? AND \(name) IS NOT ?)", [bound, .text(value)])
    case .lt: return compared("<")
    case .le: return compared("<=")
    case .gt: return compared(">")
    case .ge: return compared(">=")
    case .contains: return Self.like(name, "%\(value.likeLiteral)%")
    case .begins: return Self.like(name, "\(value.likeLiteral)%")
    case .null: return SQLFragment(verbatim: "\(name) IS NULL")
    case .notnull: return SQLFragment(verbatim: "\(name) IS NOT NULL")
    case .matches: return try matching(index(), column: column)
    }
  }

  /// The condition that any of the columns contains the text, or that all of them together have the words.
  func fragment(
    anyOf columns: [String], index: @autoclosure () throws -> FullTextIndex?
  ) throws -> SQLFragment<Row> {
    guard comparison == .contains else { return try matching(index(), column: nil) }
    let pattern = Value.text("%\(value.likeLiteral)%")
    let terms = columns.map { "\($0.quotedIdentifier) LIKE ?\(String.likeEscape)" }
    // Each OR is one level of an expression, and SQLite permits 1,000.
    let groups = stride(from: 0, to: terms.count, by: Self.orLimit).map { start in
      terms[start..<min(start + Self.orLimit, terms.count)]
        .joined(separator: " OR ")
    }
    return SQLFragment(
      verbatim: groups.count == 1 ? groups[0] : groups.map { "(\($0))" }.joined(separator: " OR "),
      terms.map { _ in pattern })
  }

  /// The condition that a row has each word of the value. The last one may be the beginning of a word.
  private func matching(_ index: FullTextIndex?, column: String?) throws -> SQLFragment<Row> {
    guard let index else {
      throw RequestError(
        400, "the source has no full-text index", nextStep: "Use contains in place of matches")
    }
    // In quotes, a word is no operator of FTS5.
    let words = value.split(whereSeparator: \.isWhitespace).map { String($0).quotedIdentifier }
    guard !words.isEmpty else {
      throw RequestError(400, "matches has no words", nextStep: "Write :matches:WORDS")
    }
    let all = "\(words.joined(separator: " "))*"
    let table = index.name.quotedIdentifier
    return SQLFragment(
      verbatim:
        "\(index.contentRowID.quotedIdentifier) IN (SELECT rowid FROM \(table) WHERE \(table) MATCH ?)",
      [.text(column.map { "\($0.quotedIdentifier) : (\(all))" } ?? all)])
  }

  /// The number of bytes of a text that may be looked for in others.
  static let longestPattern = 256

  /// The number of conditions that are joined by OR without parentheses.
  private static let orLimit = 500

  private static func like(_ name: String, _ pattern: String) -> SQLFragment<Row> {
    SQLFragment(verbatim: "\(name) LIKE ?\(String.likeEscape)", [.text(pattern)])
  }
}
