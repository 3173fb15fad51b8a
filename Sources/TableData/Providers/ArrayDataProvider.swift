#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A flat list in memory: one section, with or without a title.
///
/// The title's first letter is the section's title in the index. Each change is told to the observer
/// as what it is, an insert or a move, never as a reload.
///
/// ```swift
/// let names = try ArrayDataProvider(title: "Names", items: ["Ada", "Grace"].map(Name.init))
/// try names.append(Name("Edsger"))
/// try names.move(from: 2, to: 0)
/// ```
///
/// No two items have one identity: an item that is already there is refused.
///
/// Not Sendable: it belongs to whoever made it, the main actor in an app.
public final class ArrayDataProvider<Item>: ViewModelDataProvider {
  /// Told what changes. It is not kept alive.
  public weak var observer: (any TableChangesObserver)?
  /// The title of the section's header; nil for none.
  public let title: String?
  private let store: ContentStore<Section<Item>>

  /// Makes a list of any items.
  ///
  /// - Parameters:
  ///   - identity: what an item is, wherever it goes.
  ///   - isUnchanged: whether two items of one identity look the same. By default they do when they
  ///     are equal or the same object, and not where neither can be said.
  /// - Throws: `TableDataError` of code `.duplicateIdentity`.
  public init(
    title: String? = nil, items: [Item], identity: @escaping (Item) -> AnyHashable,
    isUnchanged: ((Item, Item) -> Bool)? = nil
  ) throws {
    self.title = title
    store = try ContentStore(
      [Section(name: title, items: items)],
      traits: ItemTraits(identity: identity, isUnchanged: isUnchanged))
  }

  /// Makes a list of items that have an identity.
  ///
  /// - Throws: `TableDataError` of code `.duplicateIdentity`.
  public convenience init(title: String? = nil, items: [Item]) throws where Item: Identifiable {
    try self.init(title: title, items: items) { AnyHashable($0.id) }
  }

  /// Makes a list of view models of several types. Items of different types are different, whatever
  /// their identities are.
  ///
  /// - Throws: `TableDataError` of code `.duplicateIdentity`.
  public convenience init(
    title: String? = nil, items: [Item]
  ) throws where Item == any ItemViewModel {
    try self.init(title: title, items: items, identity: ItemIdentity.typed)
  }

  /// The items, in order.
  public var items: [Item] { store.sections[0].items }

  /// The one section, which is there without items too.
  public var sections: [SectionInfo] { [store.sections[0].info] }

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

  /// Where the item of an identity is; nil when it is not in the list. O(n).
  public func indexPath(forIdentity identity: AnyHashable) -> IndexPath? {
    store.indexPath(forIdentity: identity)
  }
}

// All of these throw `TableDataError`, and have then changed nothing: `.rowOutOfRange` where there is
// no such row, `.duplicateIdentity` for an item that is already there, `.changeInProgress` when called
// by the observer in `contentWillChange`.
extension ArrayDataProvider {
  /// Inserts items before a row, or at the end.
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func insert(_ items: [Item], at row: Int) throws -> TableChanges {
    try store.insert(items, at: [0, row], for: self)
  }

  /// Inserts an item before a row, or at the end.
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func insert(_ item: Item, at row: Int) throws -> TableChanges {
    try insert([item], at: row)
  }

  /// Puts an item at the end.
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func append(_ item: Item) throws -> TableChanges {
    try insert([item], at: items.count)
  }

  /// Removes an item.
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func remove(at row: Int) throws -> TableChanges {
    try store.remove(at: [0, row], for: self)
  }

  /// Replaces an item. One of the same identity is an update, or nothing where it looks the same;
  /// another one is a delete and an insert.
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func replace(at row: Int, with item: Item) throws -> TableChanges {
    try store.replace(at: [0, row], with: item, for: self)
  }

  /// Moves an item to a row that it has afterwards.
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func move(from row: Int, to newRow: Int) throws -> TableChanges {
    try store.move(from: [0, row], to: [0, newRow], for: self)
  }

  /// Replaces all items. Told are the fewest changes that lead from the old to the new ones, by
  /// identity.
  ///
  /// Complexity: O(n log n).
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func setItems(_ items: [Item]) throws -> TableChanges {
    try store.set([Section(name: title, items: items)], for: self)
  }

  /// Changes the items in any way, as one batch: the fewest changes that lead from the old to the
  /// new ones, by identity.
  ///
  /// ```swift
  /// try names.performBatch { $0.sort() }
  /// ```
  ///
  /// Complexity: O(n log n).
  ///
  /// - Parameter edit: changes a copy, so that the list still has its old items meanwhile.
  /// - Returns: what was told.
  /// - Throws: `TableDataError`; what `edit` throws. Then nothing has changed.
  @discardableResult
  public func performBatch(_ edit: (inout [Item]) throws -> Void) throws -> TableChanges {
    var items = items
    try edit(&items)
    return try setItems(items)
  }
}

extension ArrayDataProvider: EditableDataProvider {
  /// Removes the item at a place.
  ///
  /// - Throws: `TableDataError`.
  public func removeRow(atIndexPath indexPath: IndexPath) throws {
    _ = try store.remove(at: indexPath, for: self)
  }

  /// Moves the item at a place to the one that it has afterwards.
  ///
  /// - Throws: `TableDataError`.
  public func moveRow(
    atIndexPath indexPath: IndexPath, toIndexPath newIndexPath: IndexPath
  ) throws {
    _ = try store.move(from: indexPath, to: newIndexPath, for: self)
  }

  /// Inserts an item at the place that it has afterwards.
  ///
  /// - Throws: `TableDataError`.
  public func insertRow(_ item: Item, atIndexPath indexPath: IndexPath) throws {
    _ = try store.insert([item], at: indexPath, for: self)
  }
}
