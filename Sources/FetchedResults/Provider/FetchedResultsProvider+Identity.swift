internal import TableData

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension FetchedResultsProvider {
  /// The identity of the record at an index path, as ``identity(at:)``. A list uses it to remember
  /// the selected row.
  ///
  /// - Throws: `TableDataError` if there is no such row.
  public func identityForRow(atIndexPath indexPath: IndexPath) throws -> AnyHashable? {
    AnyHashable(try identity(at: indexPath))
  }

  /// The index path of the record with an identity, as ``indexPath(forIdentity:)`` of a
  /// `RowIdentity`; nil if the identity has another type.
  ///
  /// - Throws: `DatabaseError`.
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    guard let identity = identity.base as? RowIdentity else { return nil }
    return try indexPath(forIdentity: identity)
  }
}
