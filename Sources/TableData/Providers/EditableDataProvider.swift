#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A provider whose rows can be deleted, moved and inserted by whoever sees the list.
///
/// What is done here comes back to the observer as changes, like all others and once.
///
/// ```swift
/// if let list = provider as? any EditableDataProvider { try list.removeRow(atIndexPath: path) }
/// ```
public protocol EditableDataProvider<Item>: ViewModelDataProvider {
  /// Whether the row may be deleted. The default is true.
  ///
  /// - Throws: as ``ViewModelDataProvider/itemForRow(atIndexPath:)``.
  func canEditRow(atIndexPath indexPath: IndexPath) throws -> Bool

  /// Whether the row may be moved. The default is true.
  ///
  /// - Throws: as ``ViewModelDataProvider/itemForRow(atIndexPath:)``.
  func canMoveRow(atIndexPath indexPath: IndexPath) throws -> Bool

  /// Deletes a row.
  ///
  /// - Throws: `TableDataError` where there is no such row; what writing throws.
  func removeRow(atIndexPath indexPath: IndexPath) throws

  /// Moves a row.
  ///
  /// - Parameter newIndexPath: its place afterwards.
  /// - Throws: `TableDataError` where there is no such place; what writing throws.
  func moveRow(atIndexPath indexPath: IndexPath, toIndexPath newIndexPath: IndexPath) throws

  /// Inserts a row.
  ///
  /// - Parameter indexPath: its place afterwards.
  /// - Throws: `TableDataError` where there is no such place; what writing throws.
  func insertRow(_ item: Item, atIndexPath indexPath: IndexPath) throws
}

extension EditableDataProvider {
  /// True for each row.
  public func canEditRow(atIndexPath indexPath: IndexPath) throws -> Bool { true }
  /// True for each row.
  public func canMoveRow(atIndexPath indexPath: IndexPath) throws -> Bool { true }
}
