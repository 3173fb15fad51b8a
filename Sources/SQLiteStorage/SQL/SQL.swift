/// A statement in SQL with its values. Interpolated values are bound and never become SQL.
///
/// ```swift
/// try connection.execute("DELETE FROM track WHERE genre IN \(genres) AND rating < \(limit)")
/// let rows = try connection.rows("SELECT * FROM track WHERE name LIKE \(contains: search)")
/// ```
///
/// A collection becomes a list in parentheses with a bound value for each element; nothing is `IN` an empty
/// one. A name is written with `\(identifier:)`. SQL that was composed as text needs
/// ``init(verbatim:_:)``.
///
/// Sendable: a plain value.
public struct SQL: Sendable {
  /// The text, with a `?` for each interpolated value.
  package private(set) var text: String
  /// The values for the `?` of the text, in order.
  package private(set) var values: [Value]
  /// Why an interpolated name is none; thrown when the SQL is used.
  package private(set) var problem: (any Error)?

  /// Makes SQL of text that is used as it is, with the values for its `?` in order.
  ///
  /// Do not compose the text of values that come from outside: they would become SQL.
  public init(verbatim text: String, _ values: [Value] = []) {
    self.text = text
    self.values = values
  }

  /// The values to bind: those that are interpolated, or else those that are given.
  ///
  /// - Throws: `DatabaseError` with code `.invalidArguments` if there are both, or the error of a name.
  package func values(or given: [Value]) throws -> [Value] {
    if let problem { throw problem }
    guard given.isEmpty || values.isEmpty else {
      throw DatabaseError(
        .invalidArguments,
        "the SQL has interpolated values, and values were also passed separately", sql: text,
        nextStep: "Interpolate all values, or write ? for all of them")
    }
    return values.isEmpty ? given : values
  }
}

extension SQL {
  fileprivate mutating func append(_ other: SQL) {
    text += other.text
    values += other.values
    problem = problem ?? other.problem
  }

  /// The text with a name for each `?`, and the values by these names: in SQL that becomes part of several statements, the
  /// numbers of its `?` differ.
  ///
  /// - Parameters:
  ///   - kind: what the names begin with. A `$` follows, which SQLite allows and nobody writes.
  ///   - first: the number in the first name.
  package func named(
    _ kind: String, from first: Int = 0
  ) -> (sql: String, values: [ExactText: Value]) {
    var named: [ExactText: Value] = [:]
    let sql = replacingMarks { number in
      let name = "\(kind)$\(first + number)"
      named[name.exact] = values[number]
      return ":\(name)"
    }
    return (sql, named)
  }

  /// The text with something else for each `?` that has a value, by the number of that.
  fileprivate func replacingMarks(by replacement: (Int) -> String) -> String {
    let lexer = SQLLexer(text)
    var number = 0
    return lexer.reduce(into: "") { sql, token in
      let text = lexer.text(token)
      if text == "?", number < values.count {
        sql += replacement(number)
        number += 1
      } else {
        sql += text
      }
    }
  }
}

extension SQL: CustomStringConvertible {
  /// The SQL with its values in it, as the `sqlite3` tool runs it: for a log, or a file of statements.
  ///
  /// A `?` without a value stays.
  public var description: String {
    values.isEmpty ? text : replacingMarks { values[$0].literal }
  }
}

extension Sequence<SQL> {
  /// Returns the pieces with `separator` between them.
  ///
  /// ```swift
  /// let conditions = words.map { "name LIKE \(contains: $0)" as SQL }
  /// let rows = try connection.rows("SELECT * FROM track WHERE \(conditions.joined(separator: " AND "))")
  /// ```
  ///
  /// Without pieces it is empty, which is no condition.
  public func joined(separator: SQL) -> SQL {
    var result = SQL(verbatim: "")
    for (position, piece) in enumerated() {
      if position > 0 { result.append(separator) }
      result.append(piece)
    }
    return result
  }
}

extension SQL: ExpressibleByStringInterpolation {
  /// Makes SQL of a literal.
  public init(stringLiteral value: String) { self.init(verbatim: value) }

  /// Makes SQL of a literal with values and names.
  public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.sql }

  /// Collects the pieces of a string literal.
  public struct StringInterpolation: BindingInterpolation, Sendable {
    fileprivate var sql = SQL(verbatim: "")

    /// Makes an empty interpolation.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Appends other SQL with its values.
    public mutating func appendInterpolation(_ other: SQL) { sql.append(other) }

    /// Appends the name that a layer above finds, or the error that it has.
    package mutating func append(name: Result<String, any Error>) {
      switch name {
      case .success(let name): sql.text += name.quotedIdentifier
      case .failure(let error): sql.problem = sql.problem ?? error
      }
    }
  }
}

/// A string interpolation that binds values: that of ``SQL``, or of another piece of SQL.
///
/// An enumeration that is not a ``ColumnValue`` cannot be interpolated.
public protocol BindingInterpolation: StringInterpolationProtocol {
  /// Appends other SQL with its values.
  mutating func appendInterpolation(_ other: SQL)
}

extension BindingInterpolation {
  private mutating func append(_ text: String, _ values: [Value]) {
    appendInterpolation(SQL(verbatim: text, values))
  }

  /// Appends SQL unchanged.
  public mutating func appendLiteral(_ literal: String) { append(literal, []) }

  /// Appends a bound value.
  public mutating func appendInterpolation(_ value: some ColumnValue) {
    append("?", [value.columnValue])
  }

  /// Appends a bound value, or `NULL` for nil.
  public mutating func appendInterpolation<Wrapped: ColumnValue>(_ value: Wrapped?) {
    append("?", [value.columnValue])
  }

  /// Appends a list in parentheses with bound values: `(?, ?, ?)`.
  ///
  /// SQLite limits the number of values in a statement, usually to 32,766. A request with more
  /// values throws when it is compiled.
  public mutating func appendInterpolation(_ values: some Collection<some ColumnValue>) {
    append(
      "(" + values.map { _ in "?" }.joined(separator: ", ") + ")", values.map(\.columnValue))
  }

  /// Appends a value that is also a collection, such as bytes. It is bound as one value.
  public mutating func appendInterpolation<Bytes: Collection & ColumnValue>(_ value: Bytes)
  where Bytes.Element: ColumnValue { append("?", [value.columnValue]) }

  /// Appends the quoted name of a table, a column, or anything else.
  public mutating func appendInterpolation(identifier name: String) {
    append(name.quotedIdentifier, [])
  }

  /// Appends a pattern for `LIKE` matching any text that contains `text`: its `%` and `_` have no
  /// special meaning. As always for `LIKE`, the case of ASCII letters is ignored.
  public mutating func appendInterpolation(contains text: String) {
    append("?" + String.likeEscape, [.text("%\(text.likeLiteral)%")])
  }

  /// Appends a `LIKE` pattern that matches any text beginning with `text`, as ``appendInterpolation(contains:)``.
  public mutating func appendInterpolation(hasPrefix text: String) {
    append("?" + String.likeEscape, [.text("\(text.likeLiteral)%")])
  }

  /// Not available: an enumeration is bound only if it says how it is stored.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: "declare the enumeration as a ColumnValue: enum Kind: Int, ColumnValue { … }"
  )
  public mutating func appendInterpolation<T: RawRepresentable>(_ value: T) {}

  /// Not available, as for a single value.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: "declare the enumeration as a ColumnValue: enum Kind: Int, ColumnValue { … }"
  )
  public mutating func appendInterpolation<T: RawRepresentable>(_ values: [T]) {}
}

extension String {
  /// The text as a part of a pattern for `LIKE`.
  fileprivate var likeLiteral: String {
    var literal = ""
    for character in unicodeScalars {
      if "%_\\".unicodeScalars.contains(character) { literal += "\\" }
      literal.unicodeScalars.append(character)
    }
    return literal
  }

  /// What follows a pattern for `LIKE`.
  fileprivate static var likeEscape: String { " ESCAPE '\\'" }
}
