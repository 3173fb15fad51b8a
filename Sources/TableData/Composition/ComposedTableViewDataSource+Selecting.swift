#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ComposedTableViewDataSource {
  /// What a row's item is for its component.
  ///
  /// - Throws: as ``viewModelForRow(at:)``.
  public func itemIdentityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
    let place = try place(of: indexPath)
    return try place.component.itemIdentityForRow(at: place.indexPath)
  }

  /// Where the row of an item is, in the first component that has it; nil when it is nowhere.
  ///
  /// Complexity: O(components), and each is asked.
  ///
  /// - Throws: what a component throws.
  public func indexPath(forItemIdentity identity: AnyHashable) throws -> IndexPath? {
    var sectionsBefore = 0
    for (index, component) in components.enumerated() {
      if let path = try component.indexPath(forItemIdentity: identity) {
        return IndexPath(row: path.row, section: path.section + sectionsBefore)
      }
      sectionsBefore += sectionCounts[index]
    }
    return nil
  }

  /// Tells the row's component that it is selected.
  ///
  /// - Throws: `TableDataError` where there is no such row; what the component throws.
  public func didSelectRow(at indexPath: IndexPath) throws {
    let place = try place(of: indexPath)
    try place.component.didSelectRow(at: place.indexPath)
  }
}
