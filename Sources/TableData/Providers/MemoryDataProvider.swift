/// What ``ArrayDataProvider`` and ``SectionDataProvider`` have in common: items in memory, each with its own
/// identity. Not Sendable: use it on one actor, in an app on the main actor.
public class MemoryDataProvider<Item>: EditableDataProvider {
  /// Notified of changes. The reference is weak.
  public weak var observer: (any TableChangesObserver)?
  let store: ContentStore<Section<Item>>

  init(_ store: ContentStore<Section<Item>>) {
    self.store = store
    store.sender = self
  }

  /// The sections, in order.
  public var sections: [SectionInfo] { store.infos }

  /// The item of a row that exists.
  public func item(at indexPath: IndexPath) -> Item {
    store.sections[indexPath.section].items[indexPath.row]
  }

  /// The identity of a row's item.
  public func identityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
    store.identity(try store.item(at: indexPath))
  }

  /// The index path of the item with an identity; nil if there is none. O(n).
  public func indexPath(forIdentity identity: AnyHashable) -> IndexPath? {
    store.indexPath(forIdentity: identity)
  }

  /// The identity of a section, which stays the same if the section is renamed.
  public func identityForSection(_ section: Int) throws -> AnyHashable? {
    try store.requireSection(section)
    return store.sections[section].identity
  }

  /// Deletes, moves or inserts a row.
  public func perform(_ edit: RowEdit<Item>) throws {
    switch edit {
    case .delete(let path): _ = try store.remove(at: path)
    case .move(let path, let target): _ = try store.move(from: path, to: target)
    case .insert(let item, let path): _ = try store.insert([item], at: path)
    }
  }

  package func checkInvariants() throws { try store.checkInvariants() }
}

extension MemoryDataProvider: PreviousRows {
  package var itemType: Any.Type { Item.self }

  package func identityForDeletedRow(at indexPath: IndexPath) -> AnyHashable? {
    store.deletedIdentities[indexPath]
  }
}
