import CountedTrees

/// Several data sources as one: the sections of the first component, then those of the second, and so on.
///
/// ```swift
/// let list = try ComposedTableViewDataSource([form, covers, recent])
/// table.dataSource = list
/// ```
///
/// There may be no component, or one, and a component may be a composed data source too. The component of a section
/// is found in O(log n) steps for n components.
///
/// It is the observer of its components, so a component can be in it only once, at any depth. Their changes are
/// offset by the number of sections before them, and inside ``performBatch(_:)`` they become one batch. Inserting
/// and removing components are changes too. Not Sendable: use it where its components are used.
public final class ComposedTableViewDataSource: ComposableTableViewDataSource {
  /// Notified of changes. The reference is weak.
  public weak var observer: (any TableChangesObserver)?
  /// The components, in order.
  public internal(set) var components: [any ComposableTableViewDataSource] = []
  /// Called when the last row is displayed. It may change the content.
  public var onLastRow: (() throws -> Void)?

  /// The index of each component in ``components``.
  var indices: [ObjectIdentifier: Int] = [:]
  var sectionCounts = PrefixSums()
  var batch: Batch?
  /// Closed while the observer is in `contentWillChange` because the components change.
  let gate = ChangeGate()

  /// Composes components. O(components).
  ///
  /// - Throws: `TableDataError` with code `.duplicateComponent` if a component is there twice, and with code
  ///   `.alreadyObserved` if one has an observer, because it is in another list or on a screen. Then no component is
  ///   observed.
  public init(_ components: [any ComposableTableViewDataSource] = []) throws {
    do {
      for component in components {
        try observe(component)
        self.components.append(component)
      }
    } catch {
      for component in self.components { component.observer = nil }
      throw error
    }
    sectionCounts = PrefixSums(components.lazy.map(\.numberOfSections))
    updateIndices(from: 0)
  }

  /// The number of sections of all components.
  public var numberOfSections: Int { sectionCounts.weight }

  /// The number of rows of a section. O(log components).
  public func numberOfRows(inSection section: Int) throws -> Int {
    let (component, section) = try resolve(section: section)
    return try component.numberOfRows(inSection: section)
  }

  /// A section of its component. Its identity combines the component with the identity in it.
  public func section(_ section: Int) throws -> TableSection {
    let (component, section) = try resolve(section: section)
    var result = try component.section(section)
    result.identity = result.identity.map {
      ComponentIdentity.of($0, in: ObjectIdentifier(component))
    }
    return result
  }

  /// A row of its component. Its identity combines the component with the identity in it. O(log components).
  public func row(at indexPath: IndexPath) throws -> TableRow {
    let (component, path) = try resolve(indexPath)
    var row = try component.row(at: path)
    row.add(ObjectIdentifier(component))
    if let onLastRow, try isLastRow(at: indexPath) { row.addReaction(toDisplay: onLastRow) }
    return row
  }

  /// The index path of a row; nil if there is none. For an identity from this list, only its component is searched. For
  /// the identity of an item, the first component that has it: O(components).
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    if let identity = identity.base as? ComponentIdentity {
      guard let index = indices[identity.component] else { return nil }
      return try components[index].indexPath(forIdentity: identity.id)?
        .offset(by: sectionCounts.weight(before: index))
    }
    var sectionsBefore = 0
    for (component, sectionCount) in zip(components, sectionCounts.elements()) {
      if let path = try component.indexPath(forIdentity: identity) {
        return path.offset(by: sectionsBefore)
      }
      sectionsBefore += sectionCount
    }
    return nil
  }

  /// The identity that a row's item has in its component, if an identity is that of a row in a composed list; else
  /// the same identity. A row that moves to another component keeps it.
  package static func itemIdentity(of identity: AnyHashable) -> AnyHashable {
    (identity.base as? ComponentIdentity).map { itemIdentity(of: $0.id) } ?? identity
  }

  /// The component of a section, and the section's number there. O(log components).
  func resolve(
    section: Int
  ) throws -> (component: any ComposableTableViewDataSource, section: Int) {
    try TableDataError.requireSection(section, count: numberOfSections)
    let (index, section) = sectionCounts.position(containingWeight: section)
    return (components[index], section)
  }

  /// The component of a row, or of the end of a section, and the index path there. O(log components), and it reads
  /// the component's number of rows. The errors have the index path in the whole list.
  func resolve(
    _ indexPath: IndexPath, allowsEnd: Bool = false
  ) throws -> (component: any ComposableTableViewDataSource, indexPath: IndexPath) {
    var place: (component: any ComposableTableViewDataSource, indexPath: IndexPath)?
    try indexPath.requireRow(inSections: numberOfSections, allowsEnd: allowsEnd) {
      let (component, section) = try resolve(section: $0)
      place = (component, IndexPath(row: indexPath.row, section: section))
      return try component.numberOfRows(inSection: section)
    }
    guard let place else { throw TableDataError.malformedIndexPath(indexPath) }
    return place
  }

  /// The sections of a component in this list; nil if the list does not have the component. O(log components).
  public func sections(of component: any ComposableTableViewDataSource) -> Range<Int>? {
    guard let index = indices[ObjectIdentifier(component)] else { return nil }
    let start = sectionCounts.weight(before: index)
    return start..<start + sectionCounts[index]
  }

  /// The index path in this list of a row of a component; nil if the list does not have the component. It does not
  /// check that the row exists. O(log components).
  public func indexPath(
    of indexPath: IndexPath, in component: any ComposableTableViewDataSource
  ) -> IndexPath? {
    guard indexPath.isRow, let sections = sections(of: component) else { return nil }
    return indexPath.offset(by: sections.lowerBound)
  }
}
