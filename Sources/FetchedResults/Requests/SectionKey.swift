public import SQLiteStorage

/// What divides a result into sections: rows with equal keys are in one section.
///
/// ```swift
/// let byYear = SectionKey<Cover>.property(\.releaseYear, .descending)
/// let byInitial = SectionKey<Cover>.expression("upper(substr(\(\.label), 1, 1))")
/// ```
///
/// Keys are compared under the collation of the order: under `NOCASE`, "a" and "A" are one section.
/// `NULL`, the empty string and a space are three different keys.
///
/// Sendable: a plain value.
public struct SectionKey<Record>: Sendable {
  enum Kind: Sendable {
    /// Sectioned and sorted in SQL.
    case sql(SortTerm<Record>, order: SortTerm<Record>?)
    /// A property, stored or computed; the description tells which.
    case property(AnyProperty<Record>, key: @Sendable (Record) -> Value)
  }

  let kind: Kind

  /// By a stored property, in a direction of its own.
  ///
  /// - Parameters:
  ///   - collation: how text is compared; nil for the way the column declares.
  ///   - nulls: where the section of `NULL` stands; nil for SQLite's way.
  public static func property(
    _ property: AnyProperty<Record>, _ direction: SortTerm<Record>.Direction,
    collation: Collation? = nil, nulls: SortTerm<Record>.Nulls? = nil
  ) -> SectionKey {
    SectionKey(kind: .sql(.by(property, direction, collation: collation, nulls: nulls), order: nil))
  }

  /// By a property.
  ///
  /// A stored property is sectioned and sorted in SQL. A computed one is evaluated in Swift for
  /// every row while the result is fetched, and the request's own order must keep rows of one
  /// section together.
  public static func property<Key: ColumnValue>(
    _ keyPath: any KeyPath<Record, Key> & Sendable
  ) -> SectionKey {
    SectionKey(kind: .property(keyPath) { $0[keyPath: keyPath].columnValue })
  }

  /// By an SQL expression.
  ///
  /// - Parameter order: what the sections are sorted by, where that is not their name: a month's
  ///   number, say. Rows with equal keys must be together in this order.
  public static func expression(
    _ sql: SQLFragment<Record>, _ direction: SortTerm<Record>.Direction = .ascending,
    collation: Collation? = nil, nulls: SortTerm<Record>.Nulls? = nil,
    order: SortTerm<Record>? = nil
  ) -> SectionKey {
    SectionKey(
      kind: .sql(
        .expression(sql, direction, collation: collation, nulls: nulls), order: order))
  }
}
