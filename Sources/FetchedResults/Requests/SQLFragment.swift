public import SQLiteStorage

/// A piece of SQL about records: a condition or an expression.
///
/// Columns can be written by their property, and values by interpolation, which binds them: no
/// value ever becomes SQL.
///
/// ```swift
/// let long: SQLFragment<Track> = "\(\.milliseconds) > \(60_000)"
/// ```
///
/// Sendable: a plain value.
public struct SQLFragment<Record>: Sendable {
  enum Piece: Sendable {
    case sql(String)
    case property(AnyProperty<Record>)
    case value(Value)
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
  }

  /// A fragment of plain SQL.
  public init(stringLiteral value: String) { self.init(sql: value) }

  /// A fragment with columns and values.
  public init(stringInterpolation: StringInterpolation) {
    pieces = stringInterpolation.pieces
  }
}
