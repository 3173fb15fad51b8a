public import SQLiteStorage

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

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

  /// The columns whose values differ between a row of the old content and a row of the new content,
  /// in column order.
  static func changes<Record>(
    from old: any ResultsContent<Record>, at oldIndexPath: IndexPath,
    to new: any ResultsContent<Record>, at newIndexPath: IndexPath
  ) throws -> [ColumnChange] {
    let oldValues = try old.values(at: try old.position(of: oldIndexPath))
    let newValues = try new.values(at: try new.position(of: newIndexPath))
    return zip(new.columnNames, zip(oldValues, newValues)).compactMap { column, values in
      values.0 == values.1
        ? nil : ColumnChange(column: column, old: values.0, new: values.1)
    }
  }
}
