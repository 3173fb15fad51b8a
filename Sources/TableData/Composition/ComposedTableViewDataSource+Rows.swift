#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ComposedTableViewDataSource {
  /// A component, and one of its sections.
  struct SectionPlace {
    let component: any ComposableTableViewDataSource
    /// The section in the component.
    let section: Int
  }

  /// A component, and a row of it.
  struct RowPlace {
    let component: any ComposableTableViewDataSource
    /// The row in the component.
    let indexPath: IndexPath
  }

  /// O(log components).
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  func place(ofSection section: Int) throws -> SectionPlace {
    guard let location = sectionCounts.location(of: section) else {
      throw TableDataError.sectionOutOfRange(section, count: numberOfSections)
    }
    return SectionPlace(component: components[location.index], section: location.rest)
  }

  /// O(log components), and the component is asked for its number of rows.
  ///
  /// - Parameter isGap: whether the end of a section is a place too.
  /// - Throws: `TableDataError` with the place in the whole list.
  func place(of indexPath: IndexPath, isGap: Bool = false) throws -> RowPlace {
    guard indexPath.count == 2 else { throw TableDataError.malformedIndexPath(indexPath) }
    guard let location = sectionCounts.location(of: indexPath.section) else {
      throw TableDataError.sectionOutOfRange(indexPath, count: numberOfSections)
    }
    let component = components[location.index]
    try indexPath.requirePlace(inSections: numberOfSections, isGap: isGap) { _ in
      try component.numberOfRows(inSection: location.rest)
    }
    return RowPlace(
      component: component, indexPath: IndexPath(row: indexPath.row, section: location.rest))
  }

  /// The sections that a component has in this list; nil for one that is not in it.
  ///
  /// Complexity: O(log components).
  public func sections(of component: any ComposableTableViewDataSource) -> Range<Int>? {
    guard let index = indices[ObjectIdentifier(component)] else { return nil }
    let start = sectionCounts.sum(before: index)
    return start..<start + sectionCounts[index]
  }

  /// The place in this list of a row of a component; nil where the component is not in it. Whether it
  /// has such a row is not looked at.
  ///
  /// Complexity: O(log components).
  public func indexPath(
    of indexPath: IndexPath, in component: any ComposableTableViewDataSource
  ) -> IndexPath? {
    guard indexPath.count == 2, let sections = sections(of: component) else { return nil }
    return IndexPath(row: indexPath.row, section: sections.lowerBound + indexPath.section)
  }
}

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
