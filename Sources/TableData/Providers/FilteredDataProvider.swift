import CountedTrees

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A provider of another provider's rows, without those that a predicate rejects.
///
/// The sections are the same; a section without accepted rows stays, and is empty. Titles and totals are
/// those of the base, for all of its rows, and so are the updates of sections. When the base
/// changes, only inserted, moved and updated items are read again.
///
/// ```swift
/// let short = try FilteredDataProvider(tracks) { $0.seconds < 60 }
/// try short.setFilter { $0.title.contains(searchText) }
/// ```
///
/// It is the observer of the base. If an item cannot be read, the provider has no sections, and
/// notifies its own observer of that and of the error. It recovers with the next change of the base.
///
/// Not Sendable: use it on the actor of its base.
public final class FilteredDataProvider<Base: ViewModelDataProvider>: ViewModelDataProvider {
  /// The item of a row.
  public typealias Item = Base.Item

  /// Notified of changes. The reference is weak.
  public weak var observer: (any TableChangesObserver)?
  /// The provider of all rows.
  public let base: Base

  private var isIncluded: (Item) throws -> Bool
  /// For each section of the base, and for each of its rows: 1 if the row is accepted, else 0.
  private var rows: [PrefixSums] = []

  /// Makes a filter.
  ///
  /// Complexity: O(n). All items are read.
  ///
  /// - Parameter isIncluded: whether an item is accepted. It is called again only if the base says that
  ///   the item has changed.
  /// - Throws: `TableDataError` of code `.alreadyObserved` if the base has an observer; any error of
  ///   reading an item and of `isIncluded`.
  public init(_ base: Base, isIncluded: @escaping (Item) throws -> Bool) throws {
    self.base = base
    self.isIncluded = isIncluded
    rows = try allRows()
    try base.setObserver(self)
  }

  /// Sets another filter, and notifies the observer of the rows that appear and disappear.
  ///
  /// Complexity: O(n). All items are read.
  ///
  /// - Returns: the changes.
  /// - Throws: any error of reading an item and of `isIncluded`. Then nothing has changed.
  @discardableResult
  public func setFilter(_ isIncluded: @escaping (Item) throws -> Bool) throws -> TableChanges {
    let oldFilter = self.isIncluded
    self.isIncluded = isIncluded
    let new: [PrefixSums]
    do {
      new = try allRows()
    } catch {
      self.isIncluded = oldFilter
      throw error
    }
    let changes = changes(to: new)
    guard !changes.isEmpty else { return changes }
    observer?.contentWillChange(of: self)
    rows = new
    observer?.contentDidChange(of: self, by: changes)
    return changes
  }

  /// The changes of another filter. Rows that stay keep their order.
  private func changes(to new: [PrefixSums]) -> TableChanges {
    guard new.count == rows.count else {
      return .reset(oldSectionCount: rows.count, newSectionCount: new.count)
    }
    var changes = TableChanges()
    for (section, pair) in zip(rows, new).enumerated() {
      var row = (old: 0, new: 0)
      for isShown in zip(pair.0.elements(), pair.1.elements()) {
        if isShown == (1, 0) { changes.deletedRows.append([section, row.old]) }
        if isShown == (0, 1) { changes.insertedRows.append([section, row.new]) }
        row.old += isShown.0
        row.new += isShown.1
      }
    }
    changes.deletedRows.reverse()
    return changes
  }

  // MARK: Content

  /// The sections of the base, with the numbers of accepted rows.
  public var sections: [SectionInfo] {
    zip(base.sections, rows).map { info, rows in
      info.with(numberOfRows: rows.weight)
    }
  }

  /// The number of sections.
  public var numberOfSections: Int { rows.count }

  /// The number of accepted rows of a section.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func numberOfRows(inSection section: Int) throws -> Int {
    try TableDataError.requireSection(section, count: rows.count)
    return rows[section].weight
  }

  /// The title of a section's header, as the base gives it.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func title(forSection section: Int) throws -> String? {
    _ = try numberOfRows(inSection: section)
    return try base.title(forSection: section)
  }

  /// The identity of a section, as the base gives it.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func identityForSection(_ section: Int) throws -> AnyHashable? {
    _ = try numberOfRows(inSection: section)
    return try base.identityForSection(section)
  }

  /// The item of a row. O(log n), and the time that the base needs.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of reading the item.
  public func itemForRow(at indexPath: IndexPath) throws -> Item {
    try base.itemForRow(at: baseIndexPath(for: indexPath))
  }

  /// The identity of a row, as the base gives it.
  ///
  /// - Throws: as ``itemForRow(at:)``.
  public func identityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
    try base.identityForRow(at: baseIndexPath(for: indexPath))
  }

  /// The index path of the row with an identity; nil if there is none, or if it is not accepted.
  ///
  /// - Throws: any error of the base.
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    try base.indexPath(forIdentity: identity).flatMap(indexPath(forBase:))
  }

  /// Notifies the base.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the base.
  public func willDisplayRow(at indexPath: IndexPath) throws {
    try base.willDisplayRow(at: baseIndexPath(for: indexPath))
  }

  /// Notifies the base.
  public func didEndDisplayingRow(withIdentity identity: AnyHashable) {
    base.didEndDisplayingRow(withIdentity: identity)
  }

  // MARK: Index paths

  /// The index path in the base of a row of this list. O(log n).
  ///
  /// - Throws: `TableDataError` if the row does not exist.
  public func baseIndexPath(for indexPath: IndexPath) throws -> IndexPath {
    try indexPath.requireRow(inSections: rows.count) { rows[$0].weight }
    let row = rows[indexPath.section].position(containingWeight: indexPath.row).position
    return IndexPath(row: row, section: indexPath.section)
  }

  /// The index path in this list of a row of the base; nil if it is not accepted, or does not exist.
  /// O(log n).
  public func indexPath(forBase indexPath: IndexPath) -> IndexPath? {
    Self.indexPath(forBase: indexPath, in: rows)
  }

  private static func indexPath(
    forBase indexPath: IndexPath, in rows: [PrefixSums]
  ) -> IndexPath? {
    guard indexPath.count == 2, rows.indices.contains(indexPath.section) else { return nil }
    let section = rows[indexPath.section]
    guard 0..<section.count ~= indexPath.row, section[indexPath.row] == 1 else { return nil }
    return IndexPath(row: section.weight(before: indexPath.row), section: indexPath.section)
  }

  // MARK: Reading the base

  private func allRows() throws -> [PrefixSums] {
    try (0..<base.numberOfSections).map(allRows(inSection:))
  }

  private func allRows(inSection section: Int) throws -> PrefixSums {
    let count = try base.numberOfRows(inSection: section)
    return PrefixSums(
      try (0..<count).map { try isShown(IndexPath(row: $0, section: section)) })
  }

  /// 1 if a row of the base is accepted, else 0.
  private func isShown(_ indexPath: IndexPath) throws -> Int {
    try isIncluded(base.itemForRow(at: indexPath)) ? 1 : 0
  }

  /// Checks that exactly the accepted rows of the base are shown. O(n), and all items are read.
  ///
  /// - Throws: ``BrokenInvariant``; any error of reading an item and of the filter.
  package func checkInvariants() throws {
    let expected = try allRows().map { Array($0.elements()) }
    for section in rows { try section.checkInvariants() }
    let shown = rows.map { Array($0.elements()) }
    try BrokenInvariant.check(
      shown == expected, "shown rows of the base: \(shown), accepted rows: \(expected)")
  }
}

// MARK: - Changes of the base

extension FilteredDataProvider: TableChangesObserver {
  /// The base calls it.
  public func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    let oldCount = rows.count
    do {
      let changes = try follow(changes)
      observer?.contentDidChange(of: self, by: changes)
    } catch {
      rows = []
      observer?.contentDidChange(
        of: self, by: .reset(oldSectionCount: oldCount, newSectionCount: 0))
      observer?.content(of: self, didFailWith: error)
    }
  }

  /// Applies the changes of the base. If they are not legal, or follow a failure, the result is a
  /// reset.
  ///
  /// Complexity: O(sections + k log n) for k events; k items are read.
  private func follow(_ changes: TableChanges) throws -> TableChanges {
    let old = rows
    let counts = try (0..<base.numberOfSections).map(base.numberOfRows(inSection:))
    guard changes.reset == nil, changes.areLegal(from: old.map(\.count), to: counts) else {
      rows = try allRows()
      return .reset(oldSectionCount: old.count, newSectionCount: rows.count)
    }
    let new = try rows(after: changes)
    rows = new

    var changed = ChangedRows()
    changed.deletedSections = changes.deletedSections
    changed.insertedSections = changes.insertedSections
    changed.updatedSections = changes.updatedSections
    changed.deleted = changes.deletedRows.compactMap { Self.indexPath(forBase: $0, in: old) }
    changed.inserted = changes.insertedRows.compactMap { Self.indexPath(forBase: $0, in: new) }
    for row in changes.changedRows {
      let from = Self.indexPath(forBase: row.old, in: old)
      switch (from, Self.indexPath(forBase: row.new, in: new)) {
      case (let from?, let to?): changed.kept.append(TableChanges.Update(old: from, new: to))
      case (let from?, nil): changed.deleted.append(from)
      case (nil, let to?): changed.inserted.append(to)
      case (nil, nil): break
      }
    }
    var shown = changed.changes()
    shown.updatesTotals = changes.updatesTotals
    return shown
  }

  /// The accepted rows after the changes of the base.
  private func rows(after changes: TableChanges) throws -> [PrefixSums] {
    var rows = rows
    for path in (changes.deletedRows + changes.movedRows.map(\.from)).sorted(by: >) {
      rows[path.section].remove(at: path.row)
    }
    for section in changes.deletedSections { rows.remove(at: section) }
    for section in changes.insertedSections { rows.insert(PrefixSums(), at: section) }
    for path in (changes.insertedRows + changes.movedRows.map(\.to)).sorted() {
      rows[path.section].insert(try isShown(path), at: path.row)
    }
    // The changes may not list the rows of these sections.
    for section in changes.insertedSections where rows[section].count == 0 {
      rows[section] = try allRows(inSection: section)
    }
    for path in changes.updatedRows.map(\.new) {
      let isShown = try isShown(path)
      rows[path.section].update(at: path.row) { $0 = isShown }
    }
    return rows
  }
}

// MARK: - Editing

extension FilteredDataProvider: EditableDataProvider where Base: EditableDataProvider {
  /// Whether the base allows the user to delete the row.
  ///
  /// - Throws: any error of the base.
  public func canEditRow(at indexPath: IndexPath) throws -> Bool {
    try base.canEditRow(at: baseIndexPath(for: indexPath))
  }

  /// Whether the base allows the user to move the row.
  ///
  /// - Throws: any error of the base.
  public func canMoveRow(at indexPath: IndexPath) throws -> Bool {
    try base.canMoveRow(at: baseIndexPath(for: indexPath))
  }

  /// Deletes the row from the base.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the base.
  public func removeRow(at indexPath: IndexPath) throws {
    try base.removeRow(at: baseIndexPath(for: indexPath))
  }

  /// Moves the row in the base, to the position before the row that is next in this list, or to the end
  /// of the section.
  ///
  /// - Throws: `TableDataError` if the index path does not exist; any error of the base.
  public func moveRow(
    at indexPath: IndexPath, to newIndexPath: IndexPath
  ) throws {
    let from = try baseIndexPath(for: indexPath)
    guard from != (try? baseIndexPath(for: newIndexPath)) else { return }
    try base.moveRow(
      at: from, to: baseTarget(ofMoveFrom: indexPath, to: newIndexPath))
  }

  /// Where the base lets a dragged row go: beside the rows of this list that are there.
  ///
  /// - Throws: `TableDataError` if an index path does not exist; any error of the base.
  public func targetIndexPathForMove(
    from indexPath: IndexPath, toProposed proposed: IndexPath
  ) throws -> IndexPath {
    let from = try baseIndexPath(for: indexPath)
    let target = try baseTarget(ofMoveFrom: indexPath, to: proposed)
    let allowed = try base.targetIndexPathForMove(from: from, toProposed: target)
    guard allowed != target, rows.indices.contains(allowed.section) else { return proposed }
    let section = rows[allowed.section]
    // The moved row is among those before it here, and not in the list that it is moved in.
    let isAfter = allowed.section == from.section && allowed.row > from.row
    let end = min(max(0, allowed.row + (isAfter ? 1 : 0)), section.count)
    return IndexPath(row: section.weight(before: end) - (isAfter ? 1 : 0), section: allowed.section)
  }

  /// The index path in the base of a row that is moved in this list.
  private func baseTarget(
    ofMoveFrom indexPath: IndexPath, to newIndexPath: IndexPath
  ) throws -> IndexPath {
    let from = try baseIndexPath(for: indexPath)
    let isSameSection = newIndexPath.count == 2 && newIndexPath.section == from.section
    // Without the moved row, the rows after it shift by one.
    let isAfter = isSameSection && newIndexPath.row > indexPath.row
    var target = try baseInsertionPath(for: isAfter ? newIndexPath.next : newIndexPath)
    if isSameSection, target.row > from.row { target[1] -= 1 }
    return target
  }

  /// Whether the base allows to insert the item. The base checks the index path when it is inserted.
  public func canInsertRow(_ item: Item, at indexPath: IndexPath) -> Bool {
    base.canInsertRow(item, at: indexPath)
  }

  /// Inserts the row into the base, at the position before the row that is next in this list, or at the
  /// end of the section. If the filter does not accept the row, it is not in this list.
  ///
  /// - Throws: `TableDataError` if the index path does not exist; any error of the base.
  public func insertRow(_ item: Item, at indexPath: IndexPath) throws {
    try base.insertRow(item, at: baseInsertionPath(for: indexPath))
  }

  /// The index path in the base for a row that is inserted before a row of this list, or at the end.
  private func baseInsertionPath(for indexPath: IndexPath) throws -> IndexPath {
    guard indexPath.count == 2, rows.indices.contains(indexPath.section),
      indexPath.row == rows[indexPath.section].weight
    else { return try baseIndexPath(for: indexPath) }
    return IndexPath(row: rows[indexPath.section].count, section: indexPath.section)
  }
}

extension IndexPath {
  /// The index path of the next row.
  fileprivate var next: IndexPath { IndexPath(row: row + 1, section: section) }
}
