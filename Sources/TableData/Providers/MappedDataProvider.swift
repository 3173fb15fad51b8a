#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ViewModelDataProvider {
  /// A provider of view models that are made of the items of this one.
  ///
  /// ```swift
  /// let rows = try tracks.map { TrackViewModel($0) }
  /// ```
  ///
  /// - Parameter transform: makes the view model of an item when it is asked for.
  /// - Throws: `TableDataError` of code `.alreadyObserved` if this provider has an observer.
  public func map<ViewModel>(
    _ transform: @escaping (Item) throws -> ViewModel
  ) throws -> MappedDataProvider<Self, ViewModel> {
    try MappedDataProvider(self, transform)
  }
}

/// A provider of another provider's rows with other items: view models made of records, for example.
///
/// ```swift
/// let rows = try tracks.map { TrackViewModel($0) }
/// let source = try TableViewDataSource(dataProvider: rows)
/// ```
///
/// Identities, sections and titles are those of the base. So are the changes, but for updates of rows and
/// sections: a row whose new view model equals the old one, or is the same object, has no event. The view
/// models that were read last, a thousand at least, are kept for that. A row whose view model is not kept is
/// always updated.
///
/// If the base is editable, rows can be deleted and moved. No view model can be inserted, because it does
/// not say of which item it would be made.
///
/// Not Sendable: use it on the actor of its base.
public final class MappedDataProvider<Base: ViewModelDataProvider, Item>: ViewModelDataProvider {
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
  /// - Throws: `TableDataError` of code `.alreadyObserved` if the base has an observer.
  public init(_ base: Base, _ transform: @escaping (Base.Item) throws -> Item) throws {
    self.base = base
    self.transform = transform
    try base.setObserver(self)
  }

  /// The view model of a row, which stays the same object until the row changes. Between *will* and *did*
  /// of the base it is another one.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the base and of the transform.
  public func itemForRow(at indexPath: IndexPath) throws -> Item {
    guard !isChanging else { return try transform(base.itemForRow(at: indexPath)) }
    if let item = recent[indexPath] { return item }
    let item = try older[indexPath] ?? transform(base.itemForRow(at: indexPath))
    if recent.count >= 1_000 {
      older = recent
      recent = [:]
    }
    recent[indexPath] = item
    return item
  }

  // MARK: As the base

  /// The sections of the base.
  public var sections: [SectionInfo] { base.sections }

  /// The number of sections.
  public var numberOfSections: Int { base.numberOfSections }

  /// The number of rows of a section.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func numberOfRows(inSection section: Int) throws -> Int {
    try base.numberOfRows(inSection: section)
  }

  /// The title of a section's header.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func title(forSection section: Int) throws -> String? {
    try base.title(forSection: section)
  }

  /// The identity of a section.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func identityForSection(_ section: Int) throws -> AnyHashable? {
    try base.identityForSection(section)
  }

  /// The titles of the section index.
  public func sectionIndexTitles() -> [String] { base.sectionIndexTitles() }

  /// The first section with an index title.
  ///
  /// - Throws: `TableDataError` of code `.unknownIndexTitle`.
  public func section(forSectionIndexTitle title: String, at position: Int) throws -> Int {
    try base.section(forSectionIndexTitle: title, at: position)
  }

  /// The identity of a row, as the base gives it.
  ///
  /// - Throws: any error of the base.
  public func identityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
    try base.identityForRow(at: indexPath)
  }

  /// The index path of the row with an identity; nil if there is none.
  ///
  /// - Throws: any error of the base.
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    try base.indexPath(forIdentity: identity)
  }

  /// Notifies the base that a row is displayed.
  ///
  /// - Throws: any error of the base.
  public func willDisplayRow(at indexPath: IndexPath) throws {
    try base.willDisplayRow(at: indexPath)
  }

  /// Notifies the base that a row is no longer displayed.
  public func didEndDisplayingRow(withIdentity identity: AnyHashable) {
    base.didEndDisplayingRow(withIdentity: identity)
  }
}

extension MappedDataProvider: TableChangesObserver {
  /// The base calls it.
  public func contentWillChange(of sender: any TableChangesSender) {
    isChanging = true
    observer?.contentWillChange(of: self)
  }

  /// The base calls it.
  public func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    isChanging = false
    let changes = follow(changes)
    observer?.contentDidChange(of: self, by: changes)
  }

  /// The changes without updates of rows whose view models stay the same.
  ///
  /// Complexity: O(k log k) for k events, and the kept view models.
  private func follow(_ changes: TableChanges) -> TableChanges {
    var kept = older.merging(recent) { _, recent in recent }
    (recent, older) = ([:], [:])
    guard changes.reset == nil, !kept.isEmpty else { return changes }
    var changes = changes
    changes.updatedRows.removeAll { update in
      guard let old = kept.removeValue(forKey: update.old),
        // A view model that cannot be made throws its error where it is shown.
        let new = try? transform(base.itemForRow(at: update.new))
      else { return false }
      let isSame = areSame(old, new)
      recent[update.new] = isSame ? old : new
      return isSame
    }
    for move in changes.movedRows { kept[move.from] = nil }
    let map = IndexPathMap(TableUpdates(changes))
    for (path, item) in kept {
      if let path = map.newIndexPath(of: path) { recent[path] = item }
    }
    return changes
  }
}

extension MappedDataProvider: PreviousRows {
  package var itemType: Any.Type { Item.self }

  package func identityForDeletedRow(at indexPath: IndexPath) throws -> AnyHashable? {
    try (base as? any PreviousRows)?.identityForDeletedRow(at: indexPath)
  }
}

extension MappedDataProvider: EditableDataProvider where Base: EditableDataProvider {
  /// Whether the base allows the user to delete the row.
  ///
  /// - Throws: any error of the base.
  public func canEditRow(at indexPath: IndexPath) throws -> Bool {
    try base.canEditRow(at: indexPath)
  }

  /// Whether the base allows the user to move the row.
  ///
  /// - Throws: any error of the base.
  public func canMoveRow(at indexPath: IndexPath) throws -> Bool {
    try base.canMoveRow(at: indexPath)
  }

  /// Deletes the row from the base.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the base.
  public func removeRow(at indexPath: IndexPath) throws {
    try base.removeRow(at: indexPath)
  }

  /// Moves the row in the base.
  ///
  /// - Throws: `TableDataError` if the index path does not exist; any error of the base.
  public func moveRow(
    at indexPath: IndexPath, to newIndexPath: IndexPath
  ) throws {
    try base.moveRow(at: indexPath, to: newIndexPath)
  }

  /// Where the base lets a dragged row go.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the base.
  public func targetIndexPathForMove(
    from indexPath: IndexPath, toProposed proposed: IndexPath
  ) throws -> IndexPath { try base.targetIndexPathForMove(from: indexPath, toProposed: proposed) }

  /// False: a view model does not say of which item it would be made.
  public func canInsertRow(_ item: Item, at indexPath: IndexPath) -> Bool { false }

  /// Throws an error: insert an item into the base.
  ///
  /// - Throws: `TableDataError` of code `.notEditable`.
  public func insertRow(_ item: Item, at indexPath: IndexPath) throws {
    throw TableDataError(
      .notEditable,
      "a \(Item.self) cannot be inserted at \(indexPath): the list has \(Base.Item.self)s",
      nextStep: "Insert a \(Base.Item.self) into the base")
  }
}
