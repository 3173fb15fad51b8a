/// One term of a sort order.
///
/// ```swift
/// let newestFirst: [SortTerm<Cover>] = [.by(\.releaseYear, .descending, nulls: .last), .by(\.label)]
/// ```
///
/// Sendable: a plain value.
public struct SortTerm<Record>: Sendable {
  /// The direction of a sort term.
  public enum Direction: Sendable {
    /// Small values first.
    case ascending
    /// Large values first.
    case descending
  }

  /// The position of `NULL`.
  public enum Nulls: Sendable {
    /// Before all values.
    case first
    /// After all values.
    case last
  }

  /// What is compared.
  enum Subject: Sendable {
    case property(AnyProperty<Record>)
    case expression(SQLFragment<Record>)
  }

  let subject: Subject
  let direction: Direction
  let collation: Collation?
  let nulls: Nulls?

  init(_ subject: Subject, _ direction: Direction, _ collation: Collation?, _ nulls: Nulls?) {
    self.subject = subject
    self.direction = direction
    self.collation = collation
    self.nulls = nulls
  }

  /// Sorts by a stored property.
  ///
  /// - Parameters:
  ///   - collation: how text is compared; nil for the collation of the column.
  ///   - nulls: the position of `NULL`; nil for SQLite's rule, by which `NULL` is the smallest
  ///     value.
  public static func by(
    _ property: AnyProperty<Record>, _ direction: Direction = .ascending,
    collation: Collation? = nil, nulls: Nulls? = nil
  ) -> SortTerm {
    SortTerm(.property(property), direction, collation, nulls)
  }

  /// Sorts by an SQL expression, under ``Collation/binary`` unless another collation is given.
  public static func expression(
    _ sql: SQLFragment<Record>, _ direction: Direction = .ascending,
    collation: Collation? = nil, nulls: Nulls? = nil
  ) -> SortTerm {
    SortTerm(.expression(sql), direction, collation, nulls)
  }
}
