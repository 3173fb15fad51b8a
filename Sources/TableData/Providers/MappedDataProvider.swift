extension ViewModelDataProvider {
  /// A provider of view models. Each is made of an item of this provider when it is asked for.
  ///
  /// - Throws: `TableDataError` with code `.alreadyObserved` if this provider has an observer.
  public func map<ViewModel>(
    _ transform: @escaping (Item) throws -> ViewModel
  ) throws -> MappedDataProvider<Self, ViewModel> { try MappedDataProvider(self, transform) }
}

/// A provider of another provider's rows with other items: view models made of records, for example.
///
/// ```swift
/// let rows = try tracks.map { TrackViewModel($0) }
/// let source = try TableViewDataSource(dataProvider: rows)
/// ```
///
/// Identities, sections and titles are those of the base. So are the changes, except for updates of rows:
/// a row whose new view model equals the old one, or is the same object, has no event. The view models that were read
/// last, one to two thousand, are kept for that. A row whose view model is not kept is always updated.
///
/// If the base is editable, rows can be deleted and moved. No view model can be inserted: it does not say which
/// item it is made of. Not Sendable: use it on the actor of its base.
public final class MappedDataProvider<Base: ViewModelDataProvider, Item>: DerivedDataProvider {
  /// Notified of changes. The reference is weak.
  public weak var observer: (any TableChangesObserver)?
  /// The provider of the items.
  public let base: Base

  private let transform: (Base.Item) throws -> Item
  /// The view models that were read last, and those that were read before them.
  private var recent: [IndexPath: Item] = [:]
  private var older: [IndexPath: Item] = [:]
  /// Whether the base may show its new rows already, while the kept view models are of the old ones.
  private var isChanging = false

  /// Makes a provider of view models, as ``ViewModelDataProvider/map(_:)`` does.
  ///
  /// - Throws: `TableDataError` with code `.alreadyObserved` if the base has an observer.
  public init(_ base: Base, _ transform: @escaping (Base.Item) throws -> Item) throws {
    self.base = base
    self.transform = transform
    try base.setObserver(self)
  }

  /// That of the base.
  public var numberOfSections: Int { base.numberOfSections }

  /// That of the base.
  public func numberOfRows(inSection section: Int) throws -> Int {
    try base.numberOfRows(inSection: section)
  }

  /// The view model of a row, which stays the same object until the row changes. Between *will* and *did* of the base
  /// it is another one.
  public func item(at indexPath: IndexPath) throws -> Item {
    guard !isChanging else { return try transform(base.itemForRow(at: indexPath)) }
    if let item = recent[indexPath] { return item }
    let item = try older.removeValue(forKey: indexPath) ?? transform(base.itemForRow(at: indexPath))
    if recent.count >= 1_000 { (recent, older) = ([:], recent) }
    recent[indexPath] = item
    return item
  }

  /// The base calls it.
  public func contentWillChange(of sender: any TableChangesSender) {
    isChanging = true
    observer?.contentWillChange(of: self)
  }

  /// The changes without updates of rows whose view models stay the same. O(k log k) for k events, and the kept view
  /// models.
  public func follow(_ changes: TableChanges) -> TableChanges {
    let count = base.numberOfSections
    var changes = changes.wellFormed(
      old: changes.reset?.oldSectionCount ?? count - changes.sectionGrowth, new: count)
    isChanging = false
    guard changes.reset == nil else {
      (recent, older) = ([:], [:])
      return changes
    }
    let map = IndexPathMap(changes)
    (recent, older) = (kept(of: recent, map), kept(of: older, map))
    changes.updatedRows.removeAll { isSame($0.new) }
    return changes
  }

  /// View models by the new index paths of their rows. A row that moved may have new content.
  private func kept(of items: [IndexPath: Item], _ map: IndexPathMap) -> [IndexPath: Item] {
    let items = items.compactMap { old, item in
      map.placeKept(by: old).map { ($0, item) }
    }
    return Dictionary(items, uniquingKeysWith: { first, _ in first })
  }

  /// Whether the new view model of a row is the same as the kept one, whose place it takes if not.
  private func isSame(_ path: IndexPath) -> Bool {
    guard let old = recent[path] ?? older[path] else { return false }
    // A view model that cannot be made throws its error where it is shown.
    let new = try? transform(base.itemForRow(at: path))
    if let new, areSame(old, new) { return true }
    if recent.removeValue(forKey: path) != nil { recent[path] = new } else { older[path] = new }
    return false
  }
}

extension MappedDataProvider: PreviousRows {
  package var itemType: Any.Type { Item.self }

  package func identityForDeletedRow(at indexPath: IndexPath) throws -> AnyHashable? {
    try (base as? any PreviousRows)?.identityForDeletedRow(at: indexPath)
  }
}

extension MappedDataProvider: EditableDataProvider where Base: EditableDataProvider {
  /// Where the base lets an edit lead. No view model can be inserted.
  public func destination(of edit: RowEdit<Item>) throws -> IndexPath? {
    if case .insert = edit { return nil }
    return try destinationInBase(of: edit)
  }

  /// Deletes or moves the row in the base.
  ///
  /// - Throws: `TableDataError` with code `.notEditable` for an insert: insert an item into the base.
  public func perform(_ edit: RowEdit<Item>) throws {
    if case .insert = edit { throw notEditable(edit) }
    try performInBase(edit)
  }
}
