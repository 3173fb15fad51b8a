public import SQLiteStorage

/// Which column a property of a record is stored in.
///
/// ```swift
/// Column("release_year", \Cover.releaseYear)
/// ```
///
/// Sendable: a plain value.
public struct Column<Record, Property: ColumnValue>: Sendable {
  /// The column's name.
  public let name: String
  /// The property it is stored in.
  public let keyPath: any KeyPath<Record, Property> & Sendable

  /// Pairs a column with a property.
  public init(_ name: String, _ keyPath: any KeyPath<Record, Property> & Sendable) {
    self.name = name
    self.keyPath = keyPath
  }
}
