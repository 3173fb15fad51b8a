#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Sections of items in memory.
///
/// Each change is told to the observer as what it is, never as a reload.
///
/// ```swift
/// let food = try SectionDataProvider(sections: [
///   Section(name: "Fruit", items: fruit), Section(name: "Vegetables", items: vegetables),
/// ])
/// try food.move(from: [0, 2], to: [1, 0])  // the tomato
/// try food.insertSection(Section(name: "Nuts", items: nuts), at: 1)
/// ```
///
/// No two items have one identity, in whatever sections they are: an item that is already there is
/// refused. Sections may be empty, and several may have one name.
///
/// Not Sendable: it belongs to whoever made it, the main actor in an app.
public final class SectionDataProvider<Item>: ViewModelDataProvider {
  /// Told what changes. It is not kept alive.
  public weak var observer: (any TableChangesObserver)?
  private let store: ContentStore<Section<Item>>

  /// Makes sections of any items.
  ///
  /// - Parameters:
  ///   - identity: what an item is, wherever it goes.
  ///   - isUnchanged: whether two items of one identity look the same. By default they do when they
  ///     are equal or the same object, and not where neither can be said.
  /// - Throws: `TableDataError` of code `.duplicateIdentity`.
  public init(
    sections: [Section<Item>], identity: @escaping (Item) -> AnyHashable,
    isUnchanged: ((Item, Item) -> Bool)? = nil
  ) throws {
    store = try ContentStore(
      sections, traits: ItemTraits(identity: identity, isUnchanged: isUnchanged))
  }

  /// Makes sections of items that have an identity.
  ///
  /// - Throws: `TableDataError` of code `.duplicateIdentity`.
  public convenience init(sections: [Section<Item>]) throws where Item: Identifiable {
    try self.init(sections: sections) { AnyHashable($0.id) }
  }

  /// Makes sections of view models of several types. Items of different types are different, whatever
  /// their identities are.
  ///
  /// - Throws: `TableDataError` of code `.duplicateIdentity`.
  public convenience init(
    sections: [Section<Item>]
  ) throws where Item == any ItemViewModel {
    try self.init(sections: sections, identity: ItemIdentity.typed)
  }

  /// The sections with their items, in order.
  public var content: [Section<Item>] { store.sections }

  /// The sections, in order.
  public var sections: [SectionInfo] { store.sections.map(\.info) }

  /// The number of sections.
  public var numberOfSections: Int { store.sections.count }

  /// The number of rows of a section.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func numberOfRows(inSection section: Int) throws -> Int {
    try store.requireSection(section)
    return store.sections[section].items.count
  }

  /// The title of a section's header: its name.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func title(forSection section: Int) throws -> String? {
    try store.requireSection(section)
    return store.sections[section].name
  }

  /// The item at a place.
  ///
  /// - Throws: `TableDataError` where there is no such row.
  public func itemForRow(atIndexPath indexPath: IndexPath) throws -> Item {
    try store.item(at: indexPath)
  }

  /// What the item at a place is, wherever it goes.
  ///
  /// - Throws: `TableDataError` where there is no such row.
  public func identityForRow(atIndexPath indexPath: IndexPath) throws -> AnyHashable? {
    store.traits.identity(try store.item(at: indexPath))
  }

  /// Where the item of an identity is; nil when it is in none of the sections. O(n).
  public func indexPath(forIdentity identity: AnyHashable) -> IndexPath? {
    store.indexPath(forIdentity: identity)
  }
}

// All of these throw `TableDataError`, and have then changed nothing: `.sectionOutOfRange`,
// `.rowOutOfRange` and `.malformedIndexPath` where there is no such place, `.duplicateIdentity` for an
// item that is already there, `.changeInProgress` when called by the observer in `contentWillChange`.
extension SectionDataProvider {
  // MARK: Rows

  /// Inserts items before a row, or at the end of its section.
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func insert(_ items: [Item], at indexPath: IndexPath) throws -> TableChanges {
    try store.insert(items, at: indexPath, for: self)
  }

  /// Inserts an item before a row, or at the end of its section.
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func insert(_ item: Item, at indexPath: IndexPath) throws -> TableChanges {
    try insert([item], at: indexPath)
  }

  /// Removes an item. Its section stays when it was the last one.
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func remove(at indexPath: IndexPath) throws -> TableChanges {
    try store.remove(at: indexPath, for: self)
  }

  /// Replaces an item. One of the same identity is an update, or nothing where it looks the same;
  /// another one is a delete and an insert.
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func replace(at indexPath: IndexPath, with item: Item) throws -> TableChanges {
    try store.replace(at: indexPath, with: item, for: self)
  }

  /// Moves an item to a place that it has afterwards, in this or another section.
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func move(from indexPath: IndexPath, to newIndexPath: IndexPath) throws -> TableChanges {
    try store.move(from: indexPath, to: newIndexPath, for: self)
  }

  // MARK: Sections

  /// Inserts a section with its items before another one, or at the end.
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func insertSection(_ section: Section<Item>, at number: Int) throws -> TableChanges {
    try store.insert(section, at: number, for: self)
  }

  /// Removes a section with its items.
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func removeSection(at number: Int) throws -> TableChanges {
    try store.removeSection(at: number, for: self)
  }

  /// Moves a section with its items to a number that it has afterwards. Told as a delete and an
  /// insert: changes know no moved sections.
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func moveSection(from number: Int, to newNumber: Int) throws -> TableChanges {
    try store.moveSection(from: number, to: newNumber, for: self)
  }

  // MARK: Everything

  /// Replaces all sections. Told are the fewest changes that lead from the old to the new ones:
  /// items are recognised by identity, sections by name and index title, and among equal ones by
  /// their order.
  ///
  /// Complexity: O(n log n).
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func setSections(_ sections: [Section<Item>]) throws -> TableChanges {
    try store.set(sections, for: self)
  }

  /// Changes the sections and their items in any way, as one batch of the fewest changes, as
  /// ``setSections(_:)`` tells them.
  ///
  /// ```swift
  /// try food.performBatch { sections in
  ///   sections[0].name = "Fresh fruit"
  ///   sections[1].items.removeAll { $0.isGone }
  /// }
  /// ```
  ///
  /// Complexity: O(n log n).
  ///
  /// - Parameter edit: changes a copy, so that the provider still has its old content meanwhile.
  /// - Returns: what was told.
  /// - Throws: `TableDataError`; what `edit` throws. Then nothing has changed.
  @discardableResult
  public func performBatch(
    _ edit: (inout [Section<Item>]) throws -> Void
  ) throws -> TableChanges {
    var sections = content
    try edit(&sections)
    return try setSections(sections)
  }
}

extension SectionDataProvider: EditableDataProvider {
  /// Removes the item at a place.
  ///
  /// - Throws: `TableDataError`.
  public func removeRow(atIndexPath indexPath: IndexPath) throws { try remove(at: indexPath) }

  /// Moves the item at a place to the one that it has afterwards.
  ///
  /// - Throws: `TableDataError`.
  public func moveRow(
    atIndexPath indexPath: IndexPath, toIndexPath newIndexPath: IndexPath
  ) throws { try move(from: indexPath, to: newIndexPath) }

  /// Inserts an item at the place that it has afterwards.
  ///
  /// - Throws: `TableDataError`.
  public func insertRow(_ item: Item, atIndexPath indexPath: IndexPath) throws {
    try insert(item, at: indexPath)
  }
}
