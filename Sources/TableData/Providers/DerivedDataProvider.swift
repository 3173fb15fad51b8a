/// A provider that is based on another one, and shows some of its rows, or shows them as other items.
///
/// A conforming type has the `base`, which it observes, two functions that convert index paths, and
/// `follow(_:)`, which turns the changes of the base into its own. By default the rows are those of the base, so it
/// implements only what is different. Identities, display events and edits follow from that: if the base is editable,
/// an empty conformance to ``EditableDataProvider`` is enough. ``FilteredDataProvider``, ``FoldedDataProvider``,
/// ``MappedDataProvider`` and ``PagingDataProvider`` are such providers, and <doc:DataProviders> shows how to write
/// one.
public protocol DerivedDataProvider<Base>: RowDisplayObserver, TableChangesObserver {
  associatedtype Base: ViewModelDataProvider

  /// The provider that this one is based on.
  var base: Base { get }

  /// The index path in the base of a row, or of the end of a section, where a row can be inserted; nil for a row that
  /// is not one of the base. The default is the same index path.
  func baseIndexPath(for indexPath: IndexPath) -> IndexPath?

  /// The index path of a row of the base, or of the end of one of its sections; nil if the row is not shown. The
  /// default is the same index path.
  func indexPath(forBase indexPath: IndexPath) -> IndexPath?

  /// Turns the changes of the base, which the base has already made, into the changes of this list. From now on the
  /// list shows its new content. The default is the same changes.
  ///
  /// - Throws: any error of reading the base. The observer is notified of it, and of a reset: the list must then show
  ///   what it still can.
  func follow(_ changes: TableChanges) throws -> TableChanges
}

extension DerivedDataProvider where Item == Base.Item {
  /// The item of the base.
  public func item(at indexPath: IndexPath) throws -> Item {
    guard let path = baseIndexPath(for: indexPath) else {
      throw TableDataError(.rowOutOfRange, "the base has no row for the row \(indexPath)")
    }
    return try base.itemForRow(at: path)
  }
}

extension DerivedDataProvider {
  /// The same index path.
  public func baseIndexPath(for indexPath: IndexPath) -> IndexPath? { indexPath }

  /// The same index path.
  public func indexPath(forBase indexPath: IndexPath) -> IndexPath? { indexPath }

  /// The same changes.
  public func follow(_ changes: TableChanges) throws -> TableChanges { changes }

  /// The sections of the base.
  public var sections: [SectionInfo] { base.sections }

  /// The identity of the section with this number, as the base gives it.
  public func identityForSection(_ section: Int) throws -> AnyHashable? {
    try TableDataError.requireSection(section, count: sections.count)
    return try base.identityForSection(section)
  }

  /// The identity of a row, as the base gives it.
  public func identityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
    try requireRow(at: indexPath)
    return try baseIndexPath(for: indexPath).flatMap(base.identityForRow(at:))
  }

  /// The index path of the row with an identity; nil if there is none, or if it is not shown.
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    try base.indexPath(forIdentity: identity).flatMap(indexPath(forBase:))
  }

  /// Notifies the base.
  public func willDisplayRow(at indexPath: IndexPath) throws {
    try requireRow(at: indexPath)
    try willDisplayBaseRow(of: indexPath)
  }

  /// Notifies the base.
  public func didEndDisplayingRow(withIdentity identity: AnyHashable) {
    (base as? any RowDisplayObserver)?.didEndDisplayingRow(withIdentity: identity)
  }

  func willDisplayBaseRow(of indexPath: IndexPath) throws {
    guard let path = baseIndexPath(for: indexPath) else { return }
    try (base as? any RowDisplayObserver)?.willDisplayRow(at: path)
  }

  /// The base calls it.
  public func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    let oldCount = sections.count
    do {
      let changes = try follow(changes)
      observer?.contentDidChange(of: self, by: changes)
    } catch {
      let reset = TableChanges.reset(oldSectionCount: oldCount, newSectionCount: sections.count)
      observer?.contentDidChange(of: self, by: reset)
      observer?.content(of: self, didFailWith: error)
    }
  }
}

extension TableChanges {
  /// The fewest changes of a list that shows some rows of another one, in the same sections, when these are the
  /// changes of the other one. O(k log k) for k events.
  ///
  /// - Parameters:
  ///   - old: the old index path in the list of an old one in the other list; nil for a row that was not shown.
  ///   - new: the same for new index paths.
  public func converted(
    old: (IndexPath) -> IndexPath?, new: (IndexPath) -> IndexPath?
  ) -> TableChanges {
    guard reset == nil else { return self }
    var changed = ChangedRows()
    changed.deletedSections = deletedSections
    changed.insertedSections = insertedSections
    changed.updatedSections = updatedSections
    changed.deleted = deletedRows.compactMap(old)
    changed.inserted = insertedRows.compactMap(new)
    let keepers = placesWithKeptContent
    for row in changedRows {
      switch (old(row.old), new(row.new)) {
      case (let from?, let to?):
        changed.kept.append(Update(old: from, new: to))
        if keepers.contains(row.new) { changed.unchanged.insert(to) }
      case (let from?, nil): changed.deleted.append(from)
      case (nil, let to?): changed.inserted.append(to)
      case (nil, nil): break
      }
    }
    var changes = changed.changes()
    changes.updatesTotals = updatesTotals
    return changes
  }
}

// MARK: - Editing

extension EditableDataProvider where Self: DerivedDataProvider, Base: EditableDataProvider {
  /// Where the base lets an edit lead.
  public func destination(of edit: RowEdit<Item>) throws -> IndexPath? {
    try destinationInBase(of: edit)
  }

  /// Makes the edit in the base. A row that is inserted, or moved, before another row of this list is before that row
  /// in the base too.
  public func perform(_ edit: RowEdit<Item>) throws { try performInBase(edit) }

  func performInBase(_ edit: RowEdit<Item>) throws {
    if case .move(let from, let target) = edit, from == target { return try requireRow(at: from) }
    guard let baseEdit = try baseEdit(of: edit) else { throw notEditable(edit) }
    try base.perform(baseEdit)
  }

  func destinationInBase(of edit: RowEdit<Item>) throws -> IndexPath? {
    guard let baseEdit = try baseEdit(of: edit),
      var target = try base.destination(of: baseEdit), target.isRow
    else { return nil }
    guard target != baseEdit.target else { return edit.target }
    // The moved row is among those before its target, and not in the list that it is moved in.
    var isAfter = false
    if case .move(let from, _) = baseEdit {
      isAfter = target.section == from.section && target.row > from.row
    }
    if isAfter { target = target.next }
    // Before the next row that is shown, or at the end of the section.
    let count = try base.numberOfRows(inSection: target.section)
    while target.row <= count {
      if let path = indexPath(forBase: target) {
        return isAfter ? IndexPath(row: path.row - 1, section: path.section) : path
      }
      target = target.next
    }
    return edit.target
  }

  /// The edit that the base makes; nil if it has no such row or place, or items of another type.
  private func baseEdit(of edit: RowEdit<Item>) throws -> RowEdit<Base.Item>? {
    switch edit {
    case .delete(let path):
      try requireRow(at: path)
      return baseIndexPath(for: path).map { .delete($0) }
    case .move(let from, let target):
      try requireRow(at: from)
      guard from != target else { return baseIndexPath(for: from).map { .move($0, to: $0) } }
      let isSameSection = target.first == from.section
      if isSameSection { try requireRow(at: target) }
      // Without the moved row, the rows after it shift by one.
      let isAfter = isSameSection && target.row > from.row
      guard let baseFrom = baseIndexPath(for: from),
        var baseTarget = try basePlace(for: isAfter ? target.next : target)
      else { return nil }
      if baseTarget.section == baseFrom.section, baseTarget.row > baseFrom.row {
        baseTarget = IndexPath(row: baseTarget.row - 1, section: baseTarget.section)
      }
      return .move(baseFrom, to: baseTarget)
    case .insert(let item, let path):
      guard let place = try basePlace(for: path), let item = item as? Base.Item else { return nil }
      return .insert(item, at: place)
    }
  }

  /// The place in the base of a row that is inserted here; nil if rows cannot be inserted here.
  private func basePlace(for indexPath: IndexPath) throws -> IndexPath? {
    guard indexPath.count == 2 else { throw TableDataError.malformedIndexPath(indexPath) }
    if let path = baseIndexPath(for: indexPath) { return path }
    try requireRow(at: indexPath, allowsEnd: true)
    return nil
  }

  func notEditable(_ edit: RowEdit<Item>) -> TableDataError {
    let message =
      switch edit {
      case .delete(let path): "the row \(path) cannot be deleted: the base does not have it"
      case .move(let path, let target): "the row \(path) cannot be moved to \(target)"
      case .insert(let item as Base.Item, let path):
        "\(type(of: item)) cannot be inserted at \(path): the base has no such place"
      case .insert(let item, let path):
        "\(type(of: item)) cannot be inserted at \(path): the items there are \(Base.Item.self)"
      }
    return TableDataError(.notEditable, message)
  }
}

extension IndexPath {
  fileprivate var next: IndexPath { IndexPath(row: row + 1, section: section) }
}
