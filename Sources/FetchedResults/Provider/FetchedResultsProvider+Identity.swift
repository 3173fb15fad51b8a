internal import TableData

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension FetchedResultsProvider {
  /// The identity of the record at a place, as ``identity(at:)``: what a list keeps of a selected
  /// row.
  ///
  /// - Throws: `TableDataError` where there is no such place.
  public func identityForRow(atIndexPath indexPath: IndexPath) throws -> AnyHashable? {
    AnyHashable(try identity(at: indexPath))
  }

  /// The place of the record with an identity, as ``indexPath(forIdentity:)`` of a `RowIdentity`; nil
  /// for anything else.
  ///
  /// - Throws: `DatabaseError`.
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    guard let identity = identity.base as? RowIdentity else { return nil }
    return try indexPath(forIdentity: identity)
  }
}
