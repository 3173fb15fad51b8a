public import SQLiteStorage

/// A column of a record whose value has changed.
///
/// Sendable: a plain value.
public struct ColumnChange: Hashable, Sendable {
  /// The name of the column.
  public let column: String
  /// The value before the change.
  public let old: Value
  /// The value after the change.
  public let new: Value
}
