/// A flat list in memory: one section, with or without a title.
///
/// The capitalised first character of the title is the section's title in the index. The observer is notified of each
/// change as inserts, deletes, moves and updates, never as a reload.
///
/// ```swift
/// let names = try ArrayDataProvider(title: "Names", items: ["Ada", "Grace"].map(Name.init))
/// try names.append(Name("Edsger"))
/// try names.move(from: 2, to: 0)
/// ```
///
/// If a change throws, nothing has changed. The codes of `TableDataError` are `.rowOutOfRange`, `.duplicateIdentity`
/// for an item whose identity is already there, and `.changeInProgress` in `contentWillChange`. Not Sendable: use it
/// on one actor, in an app on the main actor.
public final class ArrayDataProvider<Item>: MemoryDataProvider<Item> {
  /// Makes a list of any items.
  ///
  /// - Parameter isUnchanged: whether two items with the same identity look the same. By default they do if they are
  ///   equal or the same object.
  /// - Throws: `TableDataError` with code `.duplicateIdentity`.
  public init(
    title: String? = nil, items: [Item], identity: @escaping (Item) -> AnyHashable,
    isUnchanged: ((Item, Item) -> Bool)? = nil
  ) throws {
    // The section stays the same one for each title.
    let section = Section(id: SectionID(title ?? ""), name: title, items: items)
    super.init(try ContentStore([section], identity: identity, isUnchanged: isUnchanged))
  }

  /// Makes a list of items that have an identity.
  public convenience init(title: String? = nil, items: [Item]) throws where Item: Identifiable {
    try self.init(title: title, items: items) { AnyHashable($0.id) }
  }

  /// Makes a list of view models of several types. Items of different types may have the same `id`.
  public convenience init(
    title: String? = nil, items: [Item]
  ) throws where Item == any ItemViewModel {
    try self.init(title: title, items: items, identity: ItemIdentity.typed)
  }

  /// The title of the section's header; nil for none.
  public var title: String? { store.sections[0].name }

  /// The title of the section's footer; nil for none.
  public var footer: String? { store.sections[0].footer }

  /// The items, in order.
  public var items: [Item] { store.sections[0].items }

  var identity: (Item) -> AnyHashable { store.identity }
}

extension ArrayDataProvider {
  /// Inserts items before a row, or at the end.
  @discardableResult
  public func insert(_ items: [Item], at row: Int) throws -> TableChanges {
    try store.insert(items, at: [0, row])
  }

  /// Inserts an item before a row, or at the end.
  @discardableResult
  public func insert(_ item: Item, at row: Int) throws -> TableChanges {
    try insert([item], at: row)
  }

  /// Inserts an item at the end.
  @discardableResult
  public func append(_ item: Item) throws -> TableChanges { try insert([item], at: items.count) }

  /// Removes an item.
  @discardableResult
  public func remove(at row: Int) throws -> TableChanges { try store.remove(at: [0, row]) }

  /// Replaces an item. With the same identity that is an update, or no change if both look the same; with another
  /// identity it is a delete and an insert. The same object again is an update, because it has changed.
  @discardableResult
  public func replace(at row: Int, with item: Item) throws -> TableChanges {
    try store.replace(at: [0, row], with: item)
  }

  /// Reports that an item has changed in place, because it is an object.
  @discardableResult
  public func update(at row: Int) throws -> TableChanges { try store.update(at: [[0, row]]) }

  /// Changes the title of the section's header. The index title is its capitalised first character.
  @discardableResult
  public func setTitle(_ title: String?) throws -> TableChanges {
    try store.updateTitles(ofSection: 0) { $0.name = title }
  }

  /// Changes the title of the section's footer.
  @discardableResult
  public func setFooter(_ footer: String?) throws -> TableChanges {
    try store.updateTitles(ofSection: 0) { $0.footer = footer }
  }

  /// Moves an item. The second row is the one after the move.
  @discardableResult
  public func move(from row: Int, to newRow: Int) throws -> TableChanges {
    try store.move(from: [0, row], to: [0, newRow])
  }

  /// Replaces all items, which are compared by identity, with the fewest changes. O(n log n).
  @discardableResult
  public func setItems(_ items: [Item]) throws -> TableChanges {
    var section = store.sections[0]
    section.items = items
    return try store.set([section])
  }

  /// Changes a copy of the items in any way, and then sets it, as ``setItems(_:)``. O(n log n).
  ///
  /// ```swift
  /// try names.performBatch { $0.sort() }
  /// ```
  @discardableResult
  public func performBatch(_ edit: (inout [Item]) throws -> Void) throws -> TableChanges {
    var items = items
    try edit(&items)
    return try setItems(items)
  }
}
