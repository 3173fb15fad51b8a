public import SQLiteStorage

/// The column that a property of a record is stored in.
///
/// ```swift
/// Column("release_year", \Cover.releaseYear)
/// ```
///
/// Sendable: a plain value.
public struct Column<Record, Property: ColumnValue>: Sendable {
  /// The name of the column.
  public let name: String
  /// The property that is stored in the column.
  public let keyPath: any KeyPath<Record, Property> & Sendable

  /// Makes a pair of a column and a property.
  public init(_ name: String, _ keyPath: any KeyPath<Record, Property> & Sendable) {
    self.name = name
    self.keyPath = keyPath
  }
}
