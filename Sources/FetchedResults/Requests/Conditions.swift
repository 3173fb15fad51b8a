public import SQLiteStorage

/// The columns of a record, for a condition in Swift: see
/// ``FetchRequest/where(_:)-((RecordColumns<Record>)->SQLFragment<Record>)``.
///
/// Sendable: it has no state.
@dynamicMemberLookup
public struct RecordColumns<Record>: Sendable {
  init() {}

  /// The column of a stored property.
  public subscript<Property: ColumnValue>(
    dynamicMember property: any KeyPath<Record, Property> & Sendable
  ) -> ColumnExpression<Record, Property> { ColumnExpression(property: property) }
}

/// The column of a stored property in a condition: see
/// ``FetchRequest/where(_:)-((RecordColumns<Record>)->SQLFragment<Record>)``.
///
/// Not for expressions: for those, write SQL.
///
/// Sendable: a plain value.
public struct ColumnExpression<Record, Property: ColumnValue>: Sendable {
  let property: AnyProperty<Record>
}

extension FetchRequest {
  /// Returns a request for only the records that meet a condition, and all earlier ones.
  ///
  /// ```swift
  /// let long = Track.all.where { $0.genre == genre && $0.milliseconds > 60_000 }
  /// let some = Track.all.where { $0.genre.isIn(genres) || $0.name.hasPrefix("A") }
  /// ```
  ///
  /// The compiler checks the properties and the types. Values are bound. A condition is true or false, as in Swift:
  /// - `==` and `!=` compare with nil too: `$0.genre != "Jazz"` is true of a track without a genre.
  /// - A value is found in any common form that its property reads: a UUID in small letters, a date without its time.
  /// - `<`, `<=`, `>` and `>=` are false if one side is nil. A date is compared in the form that its property writes.
  /// - Text is compared under the collation of the column: under `NOCASE`, "a" and "A" are equal.
  ///
  /// A Boolean property is a condition: `!$0.isDone && $0.due < now`. For everything else, write SQL: ``filter(_:)``.
  ///
  /// A property that has no column is an error at first use, `FetchError` with code `.computedProperty`.
  public func `where`(
    _ condition: (RecordColumns<Record>) -> SQLFragment<Record>
  ) -> FetchRequest { filter(condition(RecordColumns())) }

  /// Returns a request for only the records in which a Boolean property is true: `where { $0.isDone }`.
  @_disfavoredOverload
  public func `where`(
    _ property: (RecordColumns<Record>) -> ColumnExpression<Record, Bool>
  ) -> FetchRequest { filter(property(RecordColumns()).isTrue) }
}

// MARK: - Equality

extension ColumnExpression {
  /// Whether the column has a value; nil for `NULL`.
  public static func == (lhs: ColumnExpression, rhs: Property) -> SQLFragment<Record> {
    .equals(lhs.property, rhs)
  }

  /// Whether the column has another value, or `NULL`.
  public static func != (lhs: ColumnExpression, rhs: Property) -> SQLFragment<Record> {
    !.equals(lhs.property, rhs)
  }

  /// Whether two columns have equal values, or both `NULL`.
  public static func == (lhs: ColumnExpression, rhs: ColumnExpression) -> SQLFragment<Record> {
    "\(lhs.property) IS \(rhs.property)"
  }

  /// Whether two columns have different values. `NULL` differs from every value.
  public static func != (lhs: ColumnExpression, rhs: ColumnExpression) -> SQLFragment<Record> {
    "\(lhs.property) IS NOT \(rhs.property)"
  }

  /// Whether the column has one of some values; nil for `NULL`.
  public func isIn(_ values: some Collection<Property>) -> SQLFragment<Record> {
    SQLFragment(pieces: [.membership(property, values.map(\.columnValue))])
  }
}

// MARK: - Order

extension ColumnExpression where Property: Comparable {
  /// Whether the value of the column is smaller.
  public static func < (lhs: ColumnExpression, rhs: Property) -> SQLFragment<Record> {
    lhs.compared("<", rhs)
  }
  /// Whether the value of the column is at most `rhs`.
  public static func <= (lhs: ColumnExpression, rhs: Property) -> SQLFragment<Record> {
    lhs.compared("<=", rhs)
  }
  /// Whether the value of the column is larger.
  public static func > (lhs: ColumnExpression, rhs: Property) -> SQLFragment<Record> {
    lhs.compared(">", rhs)
  }
  /// Whether the value of the column is at least `rhs`.
  public static func >= (lhs: ColumnExpression, rhs: Property) -> SQLFragment<Record> {
    lhs.compared(">=", rhs)
  }
}

extension ColumnExpression {
  /// Whether the column has a smaller value.
  public static func < <Wrapped: ColumnValue & Comparable>(
    lhs: ColumnExpression, rhs: Wrapped
  ) -> SQLFragment<Record> where Property == Wrapped? { lhs.compared("<", rhs) }
  /// Whether the column has a value that is at most `rhs`.
  public static func <= <Wrapped: ColumnValue & Comparable>(
    lhs: ColumnExpression, rhs: Wrapped
  ) -> SQLFragment<Record> where Property == Wrapped? { lhs.compared("<=", rhs) }
  /// Whether the column has a larger value.
  public static func > <Wrapped: ColumnValue & Comparable>(
    lhs: ColumnExpression, rhs: Wrapped
  ) -> SQLFragment<Record> where Property == Wrapped? { lhs.compared(">", rhs) }
  /// Whether the column has a value that is at least `rhs`.
  public static func >= <Wrapped: ColumnValue & Comparable>(
    lhs: ColumnExpression, rhs: Wrapped
  ) -> SQLFragment<Record> where Property == Wrapped? { lhs.compared(">=", rhs) }
}

extension ColumnExpression {
  /// False in place of NULL, so that its opposite is true.
  fileprivate func compared(_ sign: String, _ value: some ColumnValue) -> SQLFragment<Record> {
    SQLFragment(pieces: [
      .sql("(("), .property(property), .sql(" \(sign) "), .written(property, value.columnValue),
      .sql(") IS TRUE)"),
    ])
  }
}

// MARK: - Text

extension ColumnExpression where Property == String {
  /// Whether the text contains another: see ``SQLFragment/contains(_:_:)``.
  public func contains(_ text: String) -> SQLFragment<Record> { .contains(property, text) }
  /// Whether the text begins with another: see ``SQLFragment/contains(_:_:)``.
  public func hasPrefix(_ text: String) -> SQLFragment<Record> { .hasPrefix(property, text) }
}

extension ColumnExpression where Property == String? {
  /// Whether there is a text that contains another: see ``SQLFragment/contains(_:_:)``.
  public func contains(_ text: String) -> SQLFragment<Record> { .contains(property, text) }
  /// Whether there is a text that begins with another: see ``SQLFragment/contains(_:_:)``.
  public func hasPrefix(_ text: String) -> SQLFragment<Record> { .hasPrefix(property, text) }
}

// MARK: - Booleans

extension ColumnExpression where Property == Bool {
  var isTrue: SQLFragment<Record> { self == true }

  /// Whether a Boolean property is false.
  public static prefix func ! (property: ColumnExpression) -> SQLFragment<Record> {
    !property.isTrue
  }

  /// Whether two Boolean properties are true.
  public static func && (lhs: ColumnExpression, rhs: ColumnExpression) -> SQLFragment<Record> {
    lhs.isTrue && rhs.isTrue
  }

  /// Whether one of two Boolean properties is true, or both.
  public static func || (lhs: ColumnExpression, rhs: ColumnExpression) -> SQLFragment<Record> {
    lhs.isTrue || rhs.isTrue
  }
}

extension SQLFragment {
  /// Whether a condition and a Boolean property are true.
  public static func && (lhs: SQLFragment, rhs: ColumnExpression<Record, Bool>) -> SQLFragment {
    lhs && rhs.isTrue
  }

  /// Whether a Boolean property and a condition are true.
  public static func && (lhs: ColumnExpression<Record, Bool>, rhs: SQLFragment) -> SQLFragment {
    lhs.isTrue && rhs
  }

  /// Whether a condition or a Boolean property is true, or both.
  public static func || (lhs: SQLFragment, rhs: ColumnExpression<Record, Bool>) -> SQLFragment {
    lhs || rhs.isTrue
  }

  /// Whether a Boolean property or a condition is true, or both.
  public static func || (lhs: ColumnExpression<Record, Bool>, rhs: SQLFragment) -> SQLFragment {
    lhs.isTrue || rhs
  }
}

// MARK: - Several conditions

extension SQLFragment {
  /// Whether both conditions are true.
  public static func && (lhs: SQLFragment, rhs: SQLFragment) -> SQLFragment {
    lhs.combined(by: .and, with: rhs)
  }

  /// Whether one of two conditions is true, or both.
  public static func || (lhs: SQLFragment, rhs: SQLFragment) -> SQLFragment {
    lhs.combined(by: .or, with: rhs)
  }

  /// A condition that is already combined in this way gets no parentheses: SQLite and the planner limit how deep they nest.
  private func combined(by combination: Combination, with other: SQLFragment) -> SQLFragment {
    let first = self.combination == combination ? pieces : enclosed
    var result = SQLFragment(pieces: first + [.sql(" \(combination.rawValue) ")] + other.enclosed)
    result.combination = combination
    return result
  }

  /// Whether a condition is not true: false, or `NULL`.
  public static prefix func ! (condition: SQLFragment) -> SQLFragment {
    SQLFragment(pieces: condition.enclosed + [.sql(" IS NOT TRUE")])
  }

  /// The pieces in parentheses. The second is on a line of its own, since the SQL may end in a comment.
  var enclosed: [Piece] { [.sql("(")] + pieces + [.sql("\n)")] }
}
