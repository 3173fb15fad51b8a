public import SQLiteStorage

/// A piece of SQL that knows its record: a condition or an expression.
///
/// It is written like an `SQL`: interpolated values are bound and never become SQL, and an interpolated property
/// becomes its column. Here the type of the record may be left out.
///
/// ```swift
/// let long: SQLFragment<Track> = "\(\.milliseconds) > \(60_000)"
/// let some: SQLFragment<Track> = "\(\.genre) IN \(["Jazz", "Rock"])"
/// ```
///
/// Simple conditions can be written in Swift: see
/// ``FetchRequest/where(_:)-((RecordColumns<Record>)->SQLFragment<Record>)``.
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
    /// The name of something else, or why it has none.
    case name(Result<String, any Error>)
    /// That a property has one of some values, in whatever form they are stored.
    case membership(AnyProperty<Record>, [Value])
    /// A value that a property is compared with by order, in the form in which records write it.
    case written(AnyProperty<Record>, Value)
  }

  /// What is between the conditions that it consists of.
  enum Combination: String { case and = "AND", or = "OR" }

  var pieces: [Piece]
  /// Nil if it is not made of others by `&&` or `||`.
  var combination: Combination?

  init(pieces: [Piece]) { self.pieces = pieces }

  /// Makes a fragment of text that is used as it is, with the values for its `?` in order.
  ///
  /// Do not compose the text of values that come from outside: they would become SQL.
  public init(verbatim text: String, _ values: [Value] = []) {
    self.init(pieces: [.sql(text, values: values)])
  }

  /// The SQL as messages show it.
  var text: String {
    pieces.map { piece in
      switch piece {
      case .sql(let text, _): text
      case .property(let property): property.name
      case .name(let name): (try? name.get()) ?? "?"
      case .membership(let property, let values):
        "\(property.name) IN (\(values.map(\.shortDescription).joined(separator: ", ")))"
      case .written: "?"
      }
    }.joined()
  }
}

extension SQLFragment: ExpressibleByStringInterpolation {
  /// Collects the pieces of a string literal.
  public struct StringInterpolation: BindingInterpolation, Sendable {
    var pieces: [Piece] = []

    /// Makes an empty interpolation.
    public init(literalCapacity: Int, interpolationCount: Int) {}
    /// Appends SQL with its values.
    public mutating func appendInterpolation(_ other: SQL) {
      pieces.append(.sql(other.text, values: other.values))
      if let problem = other.problem { pieces.append(.name(.failure(problem))) }
    }
    /// Appends the column of a stored property.
    public mutating func appendInterpolation(_ property: AnyProperty<Record>) {
      pieces.append(.property(property))
    }
    /// Appends the column of a stored property of another record.
    public mutating func appendInterpolation<Other: FetchableRecord>(
      _ property: AnyProperty<Other>
    ) { pieces.append(.name(Other.column(of: property))) }
    /// Appends the table of a record.
    public mutating func appendInterpolation<Other: FetchableRecord>(_ type: Other.Type) {
      pieces.append(.name(Other.table))
    }
    /// Appends another fragment; in parentheses if it was made by `&&` or `||`.
    public mutating func appendInterpolation(_ other: SQLFragment) {
      pieces += other.combination == nil ? other.pieces : other.enclosed
    }
  }

  /// Makes a fragment of a literal.
  public init(stringLiteral value: String) { self.init(verbatim: value) }

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
  /// Complexity: that of `IN` with a list of the forms: 4 of a UUID, about 40 of a date, 1 of an integer or a text.
  ///
  /// - Parameter value: nil for `NULL`.
  public static func equals(
    _ property: AnyProperty<Record>, _ value: some ColumnValue
  ) -> SQLFragment {
    SQLFragment(pieces: [.membership(property, [value.columnValue])])
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
    append(name: Record.column(of: property))
  }

  /// Appends the table of a record: `"DELETE FROM \(Track.self)"`.
  ///
  /// If the record is computed by a SELECT, the statement throws `FetchError` with code `.noSuchTable`.
  public mutating func appendInterpolation<Record: FetchableRecord>(_ type: Record.Type) {
    append(name: Record.table)
  }
}

extension FetchableRecord {
  /// The column of a property, or the error that it has none.
  static func column(of property: AnyProperty<Self>) -> Result<String, any Error> {
    Result {
      guard let column = recordDescription.column(of: property, in: []) else {
        throw FetchError(
          .computedProperty, "\(property.name) is not stored in a column of \(Self.self)",
          nextStep: "Use a stored property")
      }
      return column
    }
  }

  /// The table of the records, or the error that they are not stored in one.
  fileprivate static var table: Result<String, any Error> {
    Result {
      guard case .table(let name) = recordDescription.source else {
        throw FetchError(
          .noSuchTable, "a \(Self.self) is computed by a SELECT, not stored in a table",
          nextStep: "Name the tables of the SELECT")
      }
      return name
    }
  }
}
