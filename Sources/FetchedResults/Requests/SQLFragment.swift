public import SQLiteStorage

/// A piece of SQL: a condition or an expression about records.
///
/// Columns can be written as properties. Interpolated values are bound and never become SQL.
///
/// ```swift
/// let long: SQLFragment<Track> = "\(\.milliseconds) > \(60_000)"
/// let some: SQLFragment<Track> = "\(\.genre) IN \(["Jazz", "Rock"])"
/// ```
///
/// A collection becomes a list in parentheses with one bound value for each element. An empty
/// collection becomes `()`: no value is `IN` it, and every value is `NOT IN` it. A nil element is
/// `NULL`, with the meaning it has in SQL: no value is equal to it, so `NOT IN` a list that
/// contains it is never true.
///
/// Sendable: a plain value.
public struct SQLFragment<Record>: Sendable {
  enum Piece: Sendable {
    case sql(String)
    case property(AnyProperty<Record>)
    case value(Value)
    case list([Value])
  }

  var pieces: [Piece]
  /// The values for the `?` of the SQL.
  var arguments: [Value] = []

  /// Makes a fragment of plain SQL, with the values for its `?` in order.
  public init(sql: String, arguments: [Value] = []) {
    pieces = [.sql(sql)]
    self.arguments = arguments
  }
}

extension SQLFragment: ExpressibleByStringInterpolation {
  /// Collects the pieces of a string literal.
  public struct StringInterpolation: BindingInterpolation, Sendable {
    var pieces: [Piece] = []

    /// Makes an empty interpolation.
    public init(literalCapacity: Int, interpolationCount: Int) {}
    /// Appends SQL unchanged.
    public mutating func appendLiteral(_ literal: String) { pieces.append(.sql(literal)) }
    /// Appends the column of a stored property.
    public mutating func appendInterpolation(_ property: AnyProperty<Record>) {
      pieces.append(.property(property))
    }
    /// Appends a bound value.
    public mutating func appendInterpolation(_ value: some ColumnValue) {
      pieces.append(.value(value.columnValue))
    }
    /// Appends a bound value, or `NULL` for nil.
    public mutating func appendInterpolation<Wrapped: ColumnValue>(_ value: Wrapped?) {
      pieces.append(.value(value.columnValue))
    }
    /// Appends a list in parentheses with bound values: `(?, ?, ?)`.
    ///
    /// SQLite limits the number of values in a statement, usually to 32,766. A request with more
    /// values throws when it is compiled.
    public mutating func appendInterpolation(_ values: some Collection<some ColumnValue>) {
      pieces.append(.list(values.map(\.columnValue)))
    }
    /// Appends the quoted name of a column, or of anything else.
    public mutating func appendInterpolation(identifier name: String) {
      pieces.append(.sql(name.quotedIdentifier))
    }
    /// Appends a pattern for `LIKE` matching any text that contains `text`: its `%` and `_` have no
    /// special meaning. As always for `LIKE`, the case of ASCII letters is ignored.
    public mutating func appendInterpolation(contains text: String) {
      pieces += [.value(.text("%\(text.likeLiteral)%")), .sql(String.likeEscape)]
    }
    /// Appends a `LIKE` pattern that matches any text beginning with `text`: see ``appendInterpolation(contains:)``.
    public mutating func appendInterpolation(hasPrefix text: String) {
      pieces += [.value(.text("\(text.likeLiteral)%")), .sql(String.likeEscape)]
    }
    /// Appends a value that is also a collection, such as bytes. It is bound as one value.
    public mutating func appendInterpolation<Bytes: Collection & ColumnValue>(_ value: Bytes)
    where Bytes.Element: ColumnValue {
      pieces.append(.value(value.columnValue))
    }
  }

  /// Makes a fragment of plain SQL.
  public init(stringLiteral value: String) { self.init(sql: value) }

  /// Makes a fragment with columns and values.
  public init(stringInterpolation: StringInterpolation) {
    pieces = stringInterpolation.pieces
  }
}

extension SQLFragment {
  /// A condition: a stored property contains `text`. Its `%` and `_` have no special meaning, and the case of ASCII
  /// letters is ignored, as always for `LIKE`.
  ///
  /// ```swift
  /// let request = Track.all.filter(.contains(\.name, search))
  /// ```
  public static func contains(_ property: AnyProperty<Record>, _ text: String) -> SQLFragment {
    "\(property) LIKE \(contains: text)"
  }

  /// A condition: a stored property begins with `text`: see ``contains(_:_:)``.
  public static func hasPrefix(_ property: AnyProperty<Record>, _ text: String) -> SQLFragment {
    "\(property) LIKE \(hasPrefix: text)"
  }
}

// MARK: - Names in statements

extension SQL.StringInterpolation {
  /// Appends the column of a stored property: `"UPDATE track SET \(\Track.name) = \(name)"`.
  ///
  /// If the property has no column, the statement throws `FetchError` with code `.computedProperty`.
  public mutating func appendInterpolation<Record: FetchableRecord>(
    _ property: AnyProperty<Record>
  ) {
    append(
      name: Result {
        guard let column = Record.recordDescription.column(of: property, in: []) else {
          throw FetchError(
            .computedProperty, "\(property.name) is not stored in a column of \(Record.self)",
            nextStep: "Use a stored property")
        }
        return column
      })
  }

  /// Appends the table of a record: `"DELETE FROM \(Track.self)"`.
  ///
  /// If the record is computed by a SELECT, the statement throws `FetchError` with code `.noSuchTable`.
  public mutating func appendInterpolation<Record: FetchableRecord>(_ type: Record.Type) {
    append(
      name: Result {
        guard case .table(let name) = Record.recordDescription.source else {
          throw FetchError(
            .noSuchTable, "a \(type) is computed by a SELECT, not stored in a table",
            nextStep: "Name the tables of the SELECT")
        }
        return name
      })
  }
}
