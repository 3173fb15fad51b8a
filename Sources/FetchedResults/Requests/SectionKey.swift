public import SQLiteStorage

/// The key that divides a result into sections: rows with equal keys are in one section.
///
/// ```swift
/// let byYear = SectionKey<Cover>.property(\.releaseYear, .descending)
/// let byInitial = SectionKey<Cover>.expression("upper(substr(\(\.label), 1, 1))")
/// ```
///
/// Keys are compared under the collation given for the key. A stored property without one uses that of the request's
/// first sort term if it sorts by the property, else that of the column. Under `NOCASE`, "a" and "A" are one section.
/// `NULL`, the empty string and a space are three different keys.
///
/// Sendable: a plain value.
public struct SectionKey<Record>: Sendable {
  enum Kind: Sendable {
    /// Divided and sorted by SQL.
    case sql(SortTerm<Record>, order: SortTerm<Record>?)
    /// A property; the description decides whether it is stored or computed.
    case property(AnyProperty<Record>, key: @Sendable (Record) -> Value)
  }

  let kind: Kind
  /// The name of the section with a value; nil if the value is of another type than the name is for.
  private(set) var title: (@Sendable (Value) -> String?)?

  private init(kind: Kind) { self.kind = kind }

  /// Divides by a stored property, with its own sort direction.
  ///
  /// - Parameters:
  ///   - collation: how text is compared; nil for the collation of the column.
  ///   - nulls: the position of the section of `NULL`; nil for SQLite's rule.
  public static func property(
    _ property: AnyProperty<Record>, _ direction: SortTerm<Record>.Direction,
    collation: Collation? = nil, nulls: SortTerm<Record>.Nulls? = nil
  ) -> SectionKey {
    SectionKey(kind: .sql(.by(property, direction, collation: collation, nulls: nulls), order: nil))
  }

  /// Divides by a property.
  ///
  /// SQL divides and sorts by a stored property. A computed property is evaluated in Swift for each
  /// row during the fetch, and the request's own order must keep the rows of a section together.
  public static func property<Key: ColumnValue>(
    _ keyPath: any KeyPath<Record, Key> & Sendable
  ) -> SectionKey {
    SectionKey(kind: .property(keyPath) { $0[keyPath: keyPath].columnValue })
  }

  /// Divides by an SQL expression.
  ///
  /// - Parameter order: how the sections are sorted, if not by their key, for example by the number of a month. Rows
  ///   with equal keys must be together in this order.
  public static func expression(
    _ sql: SQLFragment<Record>, _ direction: SortTerm<Record>.Direction = .ascending,
    collation: Collation? = nil, nulls: SortTerm<Record>.Nulls? = nil,
    order: SortTerm<Record>? = nil
  ) -> SectionKey {
    SectionKey(
      kind: .sql(
        .expression(sql, direction, collation: collation, nulls: nulls), order: order))
  }

  /// The same key with names for the sections, for an enumeration or a date:
  ///
  /// ```swift
  /// let byPriority = SectionKey<Todo>.property(\.priority, .descending)
  ///   .titled { (priority: Priority) in priority.label }
  /// ```
  ///
  /// The name is the title of the header, and its first character the title in the section index. The
  /// sections stay in the order of their keys.
  ///
  /// - Parameter title: makes the name from the value of the key. A value that is not a `Key` is shown as text. To name
  ///   the section of `NULL`, make `Key` optional.
  public func titled<Key: ColumnValue>(
    _ title: @escaping @Sendable (Key) -> String
  ) -> SectionKey {
    var titled = self
    titled.title = { value in
      let row = Row(columnNames: ColumnNames(["section"]), values: [value])
      return (try? row.decode(Key.self, at: 0)).map(title)
    }
    return titled
  }
}
