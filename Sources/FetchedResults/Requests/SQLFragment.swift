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
    /// - Parameter values: for its `?`.
    case sql(String, values: [Value] = [])
    case property(AnyProperty<Record>)
    /// That a property has a value, in whatever form it is stored.
    case equality(AnyProperty<Record>, Value)
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
    /// Appends SQL with the values for its `?`.
    public mutating func append(_ text: String, _ values: [Value]) {
      pieces.append(.sql(text, values: values))
    }
    /// Appends the column of a stored property.
    public mutating func appendInterpolation(_ property: AnyProperty<Record>) {
      pieces.append(.property(property))
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
  /// A condition: a stored property has a value, in any common form that the property reads. With `"\(\.id) = \(id)"`
  /// only the form is found that the property writes; the row may be of another program, and have a UUID in small letters
  /// or a date without its time.
  ///
  /// ```swift
  /// let request = Track.all.filter(.equals(\.genre, "Jazz"))
  /// ```
  ///
  /// Complexity: that of `IN` with a list of the forms: 3 of a UUID, about 35 of a date, 1 of an integer or a text.
  ///
  /// - Parameter value: nil for `NULL`.
  public static func equals(
    _ property: AnyProperty<Record>, _ value: some ColumnValue
  ) -> SQLFragment {
    var fragment = SQLFragment(sql: "")
    fragment.pieces = [.equality(property, value.columnValue)]
    return fragment
  }

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
