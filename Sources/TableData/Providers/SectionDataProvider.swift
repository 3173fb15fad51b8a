/// Sections of items in memory.
///
/// The observer is notified of each change as inserts, deletes, moves and updates, never as a reload.
///
/// ```swift
/// let food = try SectionDataProvider(sections: [
///   Section(name: "Fruit", items: fruit), Section(name: "Vegetables", items: vegetables),
/// ])
/// try food.move(from: [0, 2], to: [1, 0])  // the tomato
/// try food.insertSection(Section(name: "Nuts", items: nuts), at: 1)
/// ```
///
/// Sections may be empty, and several may have the same name. If a change throws, nothing has changed. The codes of
/// `TableDataError` are `.sectionOutOfRange`, `.rowOutOfRange`, `.malformedIndexPath`, `.duplicateIdentity` for an
/// item whose identity is already there, in any section, and `.changeInProgress` in `contentWillChange`. Not
/// Sendable: use it on one actor, in an app on the main actor.
public final class SectionDataProvider<Item>: MemoryDataProvider<Item> {
  /// Makes sections of any items.
  ///
  /// - Parameter isUnchanged: whether two items with the same identity look the same. By default they do if they are
  ///   equal or the same object.
  /// - Throws: `TableDataError` with code `.duplicateIdentity`.
  public init(
    sections: [Section<Item>], identity: @escaping (Item) -> AnyHashable,
    isUnchanged: ((Item, Item) -> Bool)? = nil
  ) throws { super.init(try ContentStore(sections, identity: identity, isUnchanged: isUnchanged)) }

  /// Makes sections of items that have an identity.
  public convenience init(sections: [Section<Item>]) throws where Item: Identifiable {
    try self.init(sections: sections) { AnyHashable($0.id) }
  }

  /// Makes sections of view models of several types. Items of different types may have the same `id`.
  public convenience init(
    sections: [Section<Item>]
  ) throws where Item == any ItemViewModel {
    try self.init(sections: sections, identity: ItemIdentity.typed)
  }

  /// The sections with their items, in order.
  public var content: [Section<Item>] { store.sections }
}

extension SectionDataProvider {
  /// Inserts items before a row, or at the end of its section.
  @discardableResult
  public func insert(_ items: [Item], at indexPath: IndexPath) throws -> TableChanges {
    try store.insert(items, at: indexPath)
  }

  /// Inserts an item before a row, or at the end of its section.
  @discardableResult
  public func insert(_ item: Item, at indexPath: IndexPath) throws -> TableChanges {
    try insert([item], at: indexPath)
  }

  /// Removes an item. The section stays if it is empty afterwards.
  @discardableResult
  public func remove(at indexPath: IndexPath) throws -> TableChanges {
    try store.remove(at: indexPath)
  }

  /// Replaces an item. With the same identity that is an update, or no change if both look the same; with another
  /// identity it is a delete and an insert. The same object again is an update, because it has changed.
  @discardableResult
  public func replace(at indexPath: IndexPath, with item: Item) throws -> TableChanges {
    try store.replace(at: indexPath, with: item)
  }

  /// Reports that an item has changed in place, because it is an object.
  @discardableResult
  public func update(at indexPath: IndexPath) throws -> TableChanges {
    try store.update(at: [indexPath])
  }

  /// Moves an item inside its section or to another one. The second index path is the one after the move.
  @discardableResult
  public func move(from indexPath: IndexPath, to newIndexPath: IndexPath) throws -> TableChanges {
    try store.move(from: indexPath, to: newIndexPath)
  }

  /// Renames a section, which stays the same one: its rows have no event. If the index title is the default one, it
  /// follows the name.
  @discardableResult
  public func setTitle(_ title: String?, ofSection number: Int) throws -> TableChanges {
    try store.updateTitles(ofSection: number) { $0.name = title }
  }

  /// Changes the title of a section's footer.
  @discardableResult
  public func setFooter(_ footer: String?, ofSection number: Int) throws -> TableChanges {
    try store.updateTitles(ofSection: number) { $0.footer = footer }
  }

  /// Inserts a section with its items before another one, or at the end.
  @discardableResult
  public func insertSection(_ section: Section<Item>, at number: Int) throws -> TableChanges {
    try store.insert(section, at: number)
  }

  /// Removes a section with its items.
  @discardableResult
  public func removeSection(at number: Int) throws -> TableChanges {
    try store.removeSection(at: number)
  }

  /// Moves a section with its items; the second number is the one after the move. The changes are a delete and an
  /// insert, because ``TableChanges`` has no moved sections.
  @discardableResult
  public func moveSection(from number: Int, to newNumber: Int) throws -> TableChanges {
    try store.moveSection(from: number, to: newNumber)
  }

  /// Replaces all sections. The changes are the fewest that lead from the old to the new sections. Items are compared
  /// by identity, sections by their `id`, and sections with the same `id` by their order. A section that stays and
  /// has other titles is updated. O(n log n).
  @discardableResult
  public func setSections(_ sections: [Section<Item>]) throws -> TableChanges {
    try store.set(sections)
  }

  /// Changes a copy of the sections in any way, and then sets it, as ``setSections(_:)``. O(n log n).
  ///
  /// ```swift
  /// try food.performBatch { $0[0].name = "Fresh fruit" }
  /// ```
  @discardableResult
  public func performBatch(
    _ edit: (inout [Section<Item>]) throws -> Void
  ) throws -> TableChanges {
    var sections = content
    try edit(&sections)
    return try setSections(sections)
  }
}
