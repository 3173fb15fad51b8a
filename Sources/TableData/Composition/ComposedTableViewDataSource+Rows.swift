import CountedTrees

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ComposedTableViewDataSource {
  /// The component of a section, and the section's number there. O(log components).
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  func resolve(
    section: Int
  ) throws -> (component: any ComposableTableViewDataSource, section: Int) {
    guard 0..<numberOfSections ~= section else {
      throw TableDataError.sectionOutOfRange(section, count: numberOfSections)
    }
    let (index, section) = sectionCounts.position(containingWeight: section)
    return (components[index], section)
  }

  /// The component of a row, and the row's index path there. O(log components), and it reads the
  /// component's number of rows.
  ///
  /// - Parameter allowsEnd: whether the end of a section is allowed too.
  /// - Throws: `TableDataError` with the index path in the whole list.
  func resolve(
    _ indexPath: IndexPath, allowsEnd: Bool = false
  ) throws -> (component: any ComposableTableViewDataSource, indexPath: IndexPath) {
    try indexPath.requireRow(
      inSections: numberOfSections, allowsEnd: allowsEnd, rowCount: numberOfRows(inSection:))
    let (component, section) = try resolve(section: indexPath.section)
    return (component, IndexPath(row: indexPath.row, section: section))
  }

  /// The sections of a component in this list; nil if the list does not have the component.
  ///
  /// Complexity: O(log components).
  public func sections(of component: any ComposableTableViewDataSource) -> Range<Int>? {
    guard let index = indices[ObjectIdentifier(component)] else { return nil }
    let start = sectionCounts.weight(before: index)
    return start..<start + sectionCounts[index]
  }

  /// The index path in this list of a row of a component; nil if the list does not have the component.
  /// It does not check that the row exists.
  ///
  /// Complexity: O(log components).
  public func indexPath(
    of indexPath: IndexPath, in component: any ComposableTableViewDataSource
  ) -> IndexPath? {
    guard indexPath.count == 2, let sections = sections(of: component) else { return nil }
    return IndexPath(row: indexPath.row, section: sections.lowerBound + indexPath.section)
  }

  // MARK: Selection

  /// The identity of a row's item, as its component gives it.
  ///
  /// - Throws: as ``viewModelForRow(at:)``.
  public func itemIdentityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
    let (component, indexPath) = try resolve(indexPath)
    return try component.itemIdentityForRow(at: indexPath)
  }

  /// The index path of the row with an item, in the first component that has it; nil if none has.
  ///
  /// Complexity: O(components), and each is asked.
  ///
  /// - Throws: any error of a component.
  public func indexPath(forItemIdentity identity: AnyHashable) throws -> IndexPath? {
    var sectionsBefore = 0
    for (component, sectionCount) in zip(components, sectionCounts.elements()) {
      if let path = try component.indexPath(forItemIdentity: identity) {
        return IndexPath(row: path.row, section: path.section + sectionsBefore)
      }
      sectionsBefore += sectionCount
    }
    return nil
  }

  /// Notifies the row's component that the user selected the row.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the component.
  public func didSelectRow(at indexPath: IndexPath) throws {
    let (component, indexPath) = try resolve(indexPath)
    try component.didSelectRow(at: indexPath)
  }
}
