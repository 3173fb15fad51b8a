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
/// There may be no component, or one, and a component may be composed itself. Which component a
/// section belongs to is found in O(log n) steps for n components.
///
/// A component's changes come up with the number of sections before it; what changes in several of
/// them inside of ``performBatch(_:)`` comes as one batch. Adding and removing components is a change
/// like any other. The list takes the components' place for an observer, so the same component cannot
/// be in it twice, at whatever depth.
///
/// Not Sendable: it belongs where its components belong.
public final class ComposedTableViewDataSource: ComposableTableViewDataSource {
  /// Told what changes. It is not kept alive.
  public weak var observer: (any TableChangesObserver)?
  /// The components, in order.
  public internal(set) var components: [any ComposableTableViewDataSource] = []

  /// Where each component is in ``components``.
  var indices: [ObjectIdentifier: Int] = [:]
  /// The number of sections of each component.
  var sectionCounts = PrefixSums()
  /// What has been told since a batch began; nil outside of one.
  var batch: ComposedBatch?
  private var cachedIndex: ComposedIndex?

  /// Puts components together.
  ///
  /// Complexity: O(components).
  ///
  /// - Throws: `TableDataError` of code `.duplicateComponent` where one is there twice, of code
  ///   `.alreadyObserved` where one has an observer: it is part of another list, or the only source
  ///   of a screen. Then no component is taken.
  public init(_ components: [any ComposableTableViewDataSource] = []) throws {
    do {
      for component in components {
        try adopt(component)
        self.components.append(component)
      }
    } catch {
      for component in self.components { component.observer = nil }
      throw error
    }
    sectionCounts = PrefixSums(components.lazy.map(\.numberOfSections))
    number(from: 0)
  }

  // MARK: Rows

  /// The number of sections of all components.
  public var numberOfSections: Int { sectionCounts.total }

  /// The number of rows of a section.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func numberOfRows(inSection section: Int) throws -> Int {
    let place = try place(ofSection: section)
    return try place.component.numberOfRows(inSection: place.section)
  }

  /// What a row shows.
  ///
  /// - Throws: `TableDataError` where there is no such row; what the component throws.
  public func viewModelForRow(at indexPath: IndexPath) throws -> Any {
    let place = try place(of: indexPath)
    return try place.component.viewModelForRow(at: place.indexPath)
  }

  /// What a row is: its component and what it is there.
  ///
  /// - Throws: as ``viewModelForRow(at:)``.
  public func identityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
    let place = try place(of: indexPath)
    return try place.component.identityForRow(at: place.indexPath).map { id in
      ComposedIdentity(component: ObjectIdentifier(place.component), id: id)
    }
  }

  /// Where the row of an identity is; nil when it is nowhere. Only its component is asked.
  ///
  /// - Throws: what the component throws.
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    guard let identity = identity.base as? ComposedIdentity,
      let index = indices[identity.component],
      let path = try components[index].indexPath(forIdentity: identity.id)
    else { return nil }
    return IndexPath(row: path.row, section: path.section + sectionCounts.sum(before: index))
  }

  /// A cell that shows the row, made by its component.
  ///
  /// - Throws: `TableDataError` where there is no such row; what the component throws.
  public func tableView(
    _ tableView: TableView, cellForRowAt indexPath: IndexPath
  ) throws -> TableViewCell {
    let place = try place(of: indexPath)
    return try place.component.tableView(tableView, cellForRowAt: place.indexPath)
  }

  // MARK: Headers, footers, index

  /// The title of a section's header.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func titleForHeader(inSection section: Int) throws -> String? {
    let place = try place(ofSection: section)
    return try place.component.titleForHeader(inSection: place.section)
  }

  /// The title of a section's footer.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func titleForFooter(inSection section: Int) throws -> String? {
    let place = try place(ofSection: section)
    return try place.component.titleForFooter(inSection: place.section)
  }

  /// The components' titles of the index, each once, where it is first.
  public func sectionIndexTitles() -> [String] { index().titles }

  /// The first section of a title in the index, in the whole list.
  ///
  /// - Parameter position: the title's position in ``sectionIndexTitles()``.
  /// - Throws: `TableDataError` of code `.unknownIndexTitle`; what the component throws.
  public func section(forSectionIndexTitle title: String, at position: Int) throws -> Int {
    let entry = try index().entry(forTitle: title)
    let section = try components[entry.component]
      .section(forSectionIndexTitle: title, at: entry.position)
    return section + sectionCounts.sum(before: entry.component)
  }

  private func index() -> ComposedIndex {
    if let cachedIndex { return cachedIndex }
    let index = ComposedIndex(components)
    cachedIndex = index
    return index
  }

  func forgetIndex() { cachedIndex = nil }
}

/// The titles of the index of a composed list, and the component that each of them leads to.
struct ComposedIndex {
  /// Where a title comes from.
  struct Entry {
    let component: Int
    /// The title's position in the component's own index.
    let position: Int
  }

  /// The titles without repetition, in the order of the components.
  private(set) var titles: [String] = []
  private var entries: [String: Entry] = [:]

  /// Collects the titles of the components. O(titles).
  init(_ components: [any ComposableTableViewDataSource]) {
    for (number, component) in components.enumerated() {
      for (position, title) in component.sectionIndexTitles().enumerated()
      where entries[title] == nil {
        entries[title] = Entry(component: number, position: position)
        titles.append(title)
      }
    }
  }

  /// Where a title comes from. Its position does not matter: no title is there twice.
  ///
  /// - Throws: `TableDataError` of code `.unknownIndexTitle`.
  func entry(forTitle title: String) throws -> Entry {
    guard let entry = entries[title] else {
      throw TableDataError.unknownIndexTitle(title, titles: titles)
    }
    return entry
  }
}

/// What a row of a composed list is: rows of two components may have the same identity there.
struct ComposedIdentity: Hashable {
  let component: ObjectIdentifier
  /// What the row is in its component.
  let id: AnyHashable
}
