internal import LiveQueries
public import SQLiteStorage

/// The totals of a section or of a whole list, each found by what was requested.
///
/// ```swift
/// let request = Track.all.totals(.count, .sum(\.milliseconds), .average("\(\.bytes) / 1024.0"))
/// // …
/// let totals = try provider.totals(at: 0)
/// print(try totals.count, try totals.sum(\.milliseconds) ?? 0)
/// print(try totals[.average("\(\.bytes) / 1024.0")])
/// ```
///
/// A total that the request does not compute throws, and one of a property has the property's type. What is found by an
/// SQL expression has the same SQL and the same values as in the request.
///
/// Two are equal if their values are. Sendable: a plain value.
public struct SectionTotals<Record>: Sendable {
  /// The values, in the order of ``FetchRequest/totals(_:)-(SectionTotal<Record>...)``.
  public let values: [Value]
  /// What each of them is.
  private let totals: [SectionTotal<Record>]

  init(_ values: [Value], of totals: [SectionTotal<Record>]) {
    self.values = values
    self.totals = totals
  }

  /// The value of a total, as SQLite computes it.
  ///
  /// Complexity: O(totals of the request).
  ///
  /// - Throws: `FetchError` with code `.unknownTotal` if the request does not compute it.
  public subscript(total: SectionTotal<Record>) -> Value {
    get throws {
      for (known, value) in zip(totals, values) where known.isSame(as: total) { return value }
      throw FetchError(
        .unknownTotal, "the request does not compute \(total.name)",
        nextStep: totals.isEmpty
          ? "Request it with totals(_:)"
          : "It computes \(totals.map(\.name).joined(separator: ", "))")
    }
  }

  /// The value of a total as a type: `try totals.decode(.sum("\(\.bytes) / 1024"), as: Int.self)`.
  ///
  /// - Throws: `FetchError` with code `.unknownTotal`; `DatabaseError` with code `.typeMismatch` if the value is of
  ///   another type.
  public func decode<T: ColumnValue>(
    _ total: SectionTotal<Record>, as type: T.Type = T.self
  ) throws -> T {
    let row = Row(columnNames: ColumnNames([total.name]), values: [try self[total]])
    return try row.decode(at: 0)
  }
}

extension SectionTotals {
  /// The number of rows.
  ///
  /// - Throws: the same as ``decode(_:as:)``.
  public var count: Int {
    get throws { try decode(.count) }
  }

  /// The number of rows in which a stored property is not `NULL`.
  ///
  /// - Throws: the same as ``decode(_:as:)``.
  public func count(_ property: AnyProperty<Record>) throws -> Int { try decode(.count(property)) }

  /// The sum of a stored property; nil if there are no rows.
  ///
  /// - Throws: the same as ``decode(_:as:)``.
  public func sum<Number: ColumnValue & Numeric>(
    _ property: any KeyPath<Record, Number> & Sendable
  ) throws -> Number? { try decode(.sum(property)) }

  /// The sum of a stored property; nil if it is `NULL` in all rows.
  ///
  /// - Throws: the same as ``decode(_:as:)``.
  public func sum<Number: ColumnValue & Numeric>(
    _ property: any KeyPath<Record, Number?> & Sendable
  ) throws -> Number? { try decode(.sum(property)) }

  /// The average of a stored property; nil if it is `NULL` in all rows, or there are none.
  ///
  /// - Throws: the same as ``decode(_:as:)``.
  public func average(_ property: AnyProperty<Record>) throws -> Double? {
    try decode(.average(property))
  }

  /// The smallest value of a stored property; nil if there are no rows.
  ///
  /// - Throws: the same as ``decode(_:as:)``.
  public func min<Property: ColumnValue>(
    _ property: any KeyPath<Record, Property> & Sendable
  ) throws -> Property? { try decode(.min(property)) }

  /// The smallest value of a stored property; nil if it is `NULL` in all rows.
  ///
  /// - Throws: the same as ``decode(_:as:)``.
  public func min<Property: ColumnValue>(
    _ property: any KeyPath<Record, Property?> & Sendable
  ) throws -> Property? { try decode(.min(property)) }

  /// The largest value of a stored property; nil if there are no rows.
  ///
  /// - Throws: the same as ``decode(_:as:)``.
  public func max<Property: ColumnValue>(
    _ property: any KeyPath<Record, Property> & Sendable
  ) throws -> Property? { try decode(.max(property)) }

  /// The largest value of a stored property; nil if it is `NULL` in all rows.
  ///
  /// - Throws: the same as ``decode(_:as:)``.
  public func max<Property: ColumnValue>(
    _ property: any KeyPath<Record, Property?> & Sendable
  ) throws -> Property? { try decode(.max(property)) }
}

extension SectionTotals: Hashable {
  /// Whether the values are equal.
  public static func == (lhs: SectionTotals, rhs: SectionTotals) -> Bool {
    lhs.values == rhs.values
  }
  /// Hashes the values.
  public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

extension SectionTotal {
  /// The total as messages show it, such as `sum(milliseconds)`.
  fileprivate var name: String {
    let name = function.rawValue
    return switch argument {
    case nil: name
    case .property(let property): "\(name)(\(property.name))"
    case .expression(let sql): "\(name)(\(sql.text))"
    }
  }

  fileprivate func isSame(as other: SectionTotal) -> Bool {
    guard function == other.function else { return false }
    return switch (argument, other.argument) {
    case (nil, nil): true
    case (.property(let property), .property(let other)): property == other
    case (.expression(let sql), .expression(let other)): sql.isSame(as: other)
    default: false
    }
  }
}

extension SQLFragment {
  fileprivate func isSame(as other: SQLFragment) -> Bool {
    hasShape(of: other) && pieces.map(\.values) == other.pieces.map(\.values)
  }
}

extension SQLFragment.Piece {
  fileprivate var values: [Value] {
    switch self {
    case .sql(_, let values), .membership(_, let values): values
    case .written(_, let value): [value]
    case .property, .name: []
    }
  }
}
