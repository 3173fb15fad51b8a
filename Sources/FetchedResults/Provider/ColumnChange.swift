public import SQLiteStorage

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A column of a record that has another value than before.
///
/// Sendable: a plain value.
public struct ColumnChange: Hashable, Sendable {
  /// The column.
  public let column: String
  /// What it was.
  public let old: Value
  /// What it is.
  public let new: Value

  /// The columns in which a row of one content differs from a row of another one, in their order.
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
