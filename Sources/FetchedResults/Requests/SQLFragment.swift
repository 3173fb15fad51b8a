public import SQLiteStorage

/// A piece of SQL about records: a condition or an expression.
///
/// Columns can be written by their property, and values by interpolation, which binds them: no
/// value ever becomes SQL.
///
/// ```swift
/// let long: SQLFragment<Track> = "\(\.milliseconds) > \(60_000)"
/// let some: SQLFragment<Track> = "\(\.genre) IN \(["Jazz", "Rock"])"
/// ```
///
/// A collection becomes a list in parentheses, with one bound value for each element. An empty one
/// becomes `()`: nothing is `IN` it, and everything is `NOT IN` it. A nil in it is `NULL`, with SQL's
/// own meaning: no value is equal to it, so `NOT IN` a list that contains it is never true.
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
  /// The values of the `?` in the SQL.
  var arguments: [Value] = []

  /// A fragment of plain SQL, with the values of its `?` in order.
  public init(sql: String, arguments: [Value] = []) {
    pieces = [.sql(sql)]
    self.arguments = arguments
  }
}

extension SQLFragment: ExpressibleByStringInterpolation {
  /// Collects the pieces of a string literal.
  public struct StringInterpolation: StringInterpolationProtocol, Sendable {
    var pieces: [Piece] = []

    /// Begins with nothing.
    public init(literalCapacity: Int, interpolationCount: Int) {}
    /// Adds SQL as it is.
    public mutating func appendLiteral(_ literal: String) { pieces.append(.sql(literal)) }
    /// Adds the column of a stored property.
    public mutating func appendInterpolation(_ property: AnyProperty<Record>) {
      pieces.append(.property(property))
    }
    /// Adds a value, which is bound.
    public mutating func appendInterpolation(_ value: some ColumnValue) {
      pieces.append(.value(value.columnValue))
    }
    /// Adds a value or `NULL`, which is bound. Without this one the compiler would warn of a
    /// debug description, which it is not.
    public mutating func appendInterpolation<Wrapped: ColumnValue>(_ value: Wrapped?) {
      pieces.append(.value(value.columnValue))
    }
    /// Adds a list in parentheses, whose values are bound: `(?, ?, ?)`.
    ///
    /// SQLite limits how many values a statement takes, usually to 32,766. A request that has more
    /// throws when it is compiled.
    public mutating func appendInterpolation(_ values: some Collection<some ColumnValue>) {
      pieces.append(.list(values.map(\.columnValue)))
    }
    /// Adds a value that is a collection as well, as bytes are. It is bound as one value.
    public mutating func appendInterpolation<Bytes: Collection & ColumnValue>(_ value: Bytes)
    where Bytes.Element: ColumnValue {
      pieces.append(.value(value.columnValue))
    }
  }

  /// A fragment of plain SQL.
  public init(stringLiteral value: String) { self.init(sql: value) }

  /// A fragment with columns and values.
  public init(stringInterpolation: StringInterpolation) {
    pieces = stringInterpolation.pieces
  }
}
