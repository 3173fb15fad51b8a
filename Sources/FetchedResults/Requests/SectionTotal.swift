internal import LiveQueries

/// A value computed from all rows of a section, and from all rows of the list: their number, a sum,
/// an average, the smallest or the largest value.
///
/// ```swift
/// let request = Track.all.sorted(by: \.name)
///   .totals(.count, .sum(\.milliseconds), .average("\(\.bytes) / 1024.0"))
/// let provider = try FetchedResultsProvider(
///   database: database, request: request, sectionedBy: \.genre)
/// try provider.performFetch()
/// print(try provider.totals(at: 0).sum(\.milliseconds) ?? 0)
/// ```
///
/// ``SectionTotals`` has the values.
///
/// The values are those of SQLite's aggregates: the sum of no rows is `NULL`, an average is REAL,
/// `NULL` is not counted, and the smallest and largest text are found under the collation of the
/// column.
///
/// Sendable: a plain value.
public struct SectionTotal<Record>: Sendable {
  let function: TotalFunction
  /// What is counted, added or compared; nil for the rows themselves.
  let argument: SortTerm<Record>.Subject?

  private init(_ function: TotalFunction, _ argument: SortTerm<Record>.Subject?) {
    self.function = function
    self.argument = argument
  }

  /// The number of rows.
  public static var count: SectionTotal { SectionTotal(.count, nil) }

  /// The number of rows in which a stored property is not `NULL`.
  public static func count(_ property: AnyProperty<Record>) -> SectionTotal {
    SectionTotal(.count, .property(property))
  }

  /// The number of rows in which an SQL expression is not `NULL`.
  public static func count(_ expression: SQLFragment<Record>) -> SectionTotal {
    SectionTotal(.count, .expression(expression))
  }

  /// The sum of a stored property. INTEGER if all values are, else REAL; `NULL` if all are `NULL`.
  public static func sum(_ property: AnyProperty<Record>) -> SectionTotal {
    SectionTotal(.sum, .property(property))
  }

  /// The sum of an SQL expression, as ``sum(_:)-(AnyProperty<Record>)``.
  public static func sum(_ expression: SQLFragment<Record>) -> SectionTotal {
    SectionTotal(.sum, .expression(expression))
  }

  /// The average of a stored property over the rows in which it is not `NULL`: REAL, or `NULL`.
  public static func average(_ property: AnyProperty<Record>) -> SectionTotal {
    SectionTotal(.average, .property(property))
  }

  /// The average of an SQL expression, as ``average(_:)-(AnyProperty<Record>)``.
  public static func average(_ expression: SQLFragment<Record>) -> SectionTotal {
    SectionTotal(.average, .expression(expression))
  }

  /// The smallest value of a stored property that is not `NULL`.
  public static func min(_ property: AnyProperty<Record>) -> SectionTotal {
    SectionTotal(.minimum, .property(property))
  }

  /// The smallest value of an SQL expression, as ``min(_:)-(AnyProperty<Record>)``.
  public static func min(_ expression: SQLFragment<Record>) -> SectionTotal {
    SectionTotal(.minimum, .expression(expression))
  }

  /// The largest value of a stored property.
  public static func max(_ property: AnyProperty<Record>) -> SectionTotal {
    SectionTotal(.maximum, .property(property))
  }

  /// The largest value of an SQL expression.
  public static func max(_ expression: SQLFragment<Record>) -> SectionTotal {
    SectionTotal(.maximum, .expression(expression))
  }
}

extension FetchRequest {
  /// Returns a request that also computes these totals, after all earlier ones, for each section and
  /// for the whole list.
  ///
  /// They are exact in each version. A changed row adjusts them by its old and its new value, without
  /// reading the rest of its section, unless values are not INTEGER, or the smallest or largest value
  /// is deleted. Then that total of that section is read again.
  ///
  /// If a sum of integers is too large for an integer, the fetch or the update throws `FetchError` of
  /// code `.totalOverflow`.
  ///
  /// With a limit or an offset they are the totals of the rows shown, and are read again whenever a
  /// row changes.
  public func totals(_ totals: SectionTotal<Record>...) -> FetchRequest {
    self.totals(totals)
  }

  /// Returns a request that also computes these totals, as ``totals(_:)-(SectionTotal<Record>...)``.
  public func totals(_ totals: [SectionTotal<Record>]) -> FetchRequest {
    var request = self
    request.totals += totals
    return request
  }
}
