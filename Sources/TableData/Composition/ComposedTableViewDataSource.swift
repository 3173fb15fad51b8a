import CountedTrees

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Several data sources as one: the sections of the first component, then those of the second, and so
/// on.
///
/// ```swift
/// let list = try ComposedTableViewDataSource([form, covers, recent])
/// table.dataSource = list
/// ```
///
/// There may be no component, or one, and a component may be a composed data source too. The component
/// of a section is found in O(log n) steps for n components.
///
/// The changes of a component are offset by the number of sections before it. The changes of several
/// components inside of ``performBatch(_:)`` become one batch. Inserting and removing components are
/// changes too. The composed data source is the observer of its components, so a component can be in
/// it only once, at any depth.
///
/// Not Sendable: use it where its components are used.
public final class ComposedTableViewDataSource: ComposableTableViewDataSource {
  /// Notified of changes. The reference is weak.
  public weak var observer: (any TableChangesObserver)?
  /// The components, in order.
  public internal(set) var components: [any ComposableTableViewDataSource] = []
  /// Called when the last row is displayed. It may change the content.
  public var onLastRow: () throws -> Void = {}

  /// The index of each component in ``components``.
  var indices: [ObjectIdentifier: Int] = [:]
  /// The number of sections of each component.
  var sectionCounts = PrefixSums()
  /// The components of the rows that are displayed. They may have been removed since.
  var displayed: [AnyHashable: any ComposableTableViewDataSource] = [:]
  /// The current batch; nil if there is none.
  var batch: Batch?
  private var cachedTitles: IndexTitles?

  /// Composes components.
  ///
  /// Complexity: O(components).
  ///
  /// - Throws: `TableDataError` of code `.duplicateComponent` if a component is there twice, and of code
  ///   `.alreadyObserved` if one has an observer, because it is in another list or on a screen. Then no
  ///   component is observed.
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

  // MARK: Rows

  /// The number of sections of all components.
  public var numberOfSections: Int { sectionCounts.weight }

  /// The number of rows of a section.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func numberOfRows(inSection section: Int) throws -> Int {
    let (component, section) = try resolve(section: section)
    return try component.numberOfRows(inSection: section)
  }

  /// The view model of a row.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the component.
  public func viewModelForRow(at indexPath: IndexPath) throws -> Any {
    let (component, indexPath) = try resolve(indexPath)
    return try component.viewModelForRow(at: indexPath)
  }

  /// The identity of a row: its component, and its identity there.
  ///
  /// - Throws: as ``viewModelForRow(at:)``.
  public func identityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
    let (component, indexPath) = try resolve(indexPath)
    return try component.identityForRow(at: indexPath).map { id in
      RowID(component: ObjectIdentifier(component), id: id)
    }
  }

  /// The index path of the row with an identity; nil if there is none. Only its component is asked.
  ///
  /// - Throws: any error of the component.
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    guard let identity = identity.base as? RowID,
      let index = indices[identity.component],
      let path = try components[index].indexPath(forIdentity: identity.id)
    else { return nil }
    return path.offset(by: sectionCounts.weight(before: index))
  }

  /// The identity that a row's item has in its component, if an identity is that of a row in a composed list;
  /// else the same identity. A row that moves to another component keeps it.
  package static func itemIdentity(of identity: AnyHashable) -> AnyHashable {
    (identity.base as? RowID).map { itemIdentity(of: $0.id) } ?? identity
  }

  /// The identity of a row or a section in the composed list: two components may each have one with the
  /// same identity.
  struct RowID: Hashable {
    let component: ObjectIdentifier
    /// The identity in the component.
    let id: AnyHashable
  }

  /// A cell that shows the row. Its component makes it.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the component.
  public func tableView(
    _ tableView: TableView, cellForRowAt indexPath: IndexPath
  ) throws -> TableViewCell {
    let (component, indexPath) = try resolve(indexPath)
    return try component.tableView(tableView, cellForRowAt: indexPath)
  }

  // MARK: Headers, footers, index

  /// The title of a section's header.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func titleForHeader(inSection section: Int) throws -> String? {
    let (component, section) = try resolve(section: section)
    return try component.titleForHeader(inSection: section)
  }

  /// The title of a section's footer.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func titleForFooter(inSection section: Int) throws -> String? {
    let (component, section) = try resolve(section: section)
    return try component.titleForFooter(inSection: section)
  }

  /// The view of a section's header, as its component makes it.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`; any error of the component.
  public func tableView(
    _ tableView: TableView, viewForHeaderInSection section: Int
  ) throws -> TableViewCell? {
    let (component, section) = try resolve(section: section)
    return try component.tableView(tableView, viewForHeaderInSection: section)
  }

  /// The view of a section's footer, as its component makes it.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`; any error of the component.
  public func tableView(
    _ tableView: TableView, viewForFooterInSection section: Int
  ) throws -> TableViewCell? {
    let (component, section) = try resolve(section: section)
    return try component.tableView(tableView, viewForFooterInSection: section)
  }

  /// What the view of a section's header shows.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`; any error of the component.
  public func viewModelForHeader(inSection section: Int) throws -> Any? {
    let (component, section) = try resolve(section: section)
    return try component.viewModelForHeader(inSection: section)
  }

  /// What the view of a section's footer shows.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`; any error of the component.
  public func viewModelForFooter(inSection section: Int) throws -> Any? {
    let (component, section) = try resolve(section: section)
    return try component.viewModelForFooter(inSection: section)
  }

  /// The identity of a section: its component, and its identity there.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`; any error of the component.
  public func identityForSection(_ section: Int) throws -> AnyHashable? {
    let (component, section) = try resolve(section: section)
    return try component.identityForSection(section).map { id in
      RowID(component: ObjectIdentifier(component), id: id)
    }
  }

  /// The index titles of all components, without repetition. A title that several components have is
  /// at the position of the first.
  public func sectionIndexTitles() -> [String] { indexTitles().titles }

  /// The first section with an index title, in the whole list.
  ///
  /// - Parameter position: the title's position in ``sectionIndexTitles()``.
  /// - Throws: `TableDataError` of code `.unknownIndexTitle`; any error of the component.
  public func section(forSectionIndexTitle title: String, at position: Int) throws -> Int {
    let (titles, sources) = indexTitles()
    guard let source = sources[title] else {
      throw TableDataError.unknownIndexTitle(title, titles: titles)
    }
    let section = try components[source.component]
      .section(forSectionIndexTitle: title, at: source.position)
    return section + sectionCounts.weight(before: source.component)
  }

  /// The index titles of all components. `sources` gives for each title its first component, and its
  /// position in the index of that component.
  private typealias IndexTitles = (
    titles: [String], sources: [String: (component: Int, position: Int)]
  )

  private func indexTitles() -> IndexTitles {
    if let cachedTitles { return cachedTitles }
    var all: IndexTitles = ([], [:])
    for (number, component) in components.enumerated() {
      for (position, title) in component.sectionIndexTitles().enumerated()
      where all.sources[title] == nil {
        all.sources[title] = (number, position)
        all.titles.append(title)
      }
    }
    cachedTitles = all
    return all
  }

  func clearIndexTitles() { cachedTitles = nil }
}
