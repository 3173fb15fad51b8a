import CountedTrees

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A provider of another provider's sections, each of which can be folded. A folded section has no
/// rows.
///
/// Folding deletes the rows of a section, and unfolding inserts them. The changes of the base are
/// applied in folded sections too. The header of a folded section is shown, so updates of sections are
/// passed on.
///
/// ```swift
/// let albums = try FoldedDataProvider(tracksByAlbum)
/// try albums.setFolded(true, section: 2)
/// ```
///
/// A section that is deleted, and inserted again later, is folded as it was before. So are the sections
/// after a reset of the base. It is found by its identity.
///
/// It is the observer of the base.
///
/// Not Sendable: use it on the actor of its base.
public final class FoldedDataProvider<Base: ViewModelDataProvider>: ViewModelDataProvider {
  /// The item of a row.
  public typealias Item = Base.Item

  /// Notified of changes. The reference is weak.
  public weak var observer: (any TableChangesObserver)?
  /// The provider of all rows.
  public let base: Base
  /// Whether inserted sections are folded at first.
  public var foldsNewSections: Bool

  private var folded: [Bool]
  /// The identity of each section; nil if it has none.
  private var identities: [AnyHashable?]
  /// Whether sections that do not exist now are folded.
  private var absent: [AnyHashable: Bool] = [:]

  /// Makes a provider of foldable sections.
  ///
  /// - Parameter isFolded: whether all sections, and those that are inserted later, are folded at
  ///   first.
  /// - Throws: `TableDataError` of code `.alreadyObserved` if the base has an observer.
  public init(_ base: Base, isFolded: Bool = false) throws {
    self.base = base
    foldsNewSections = isFolded
    folded = [Bool](repeating: isFolded, count: base.numberOfSections)
    identities = try (0..<base.numberOfSections).map(base.identityForSection)
    try base.setObserver(self)
  }

  /// Whether a section is folded.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func isFolded(section: Int) throws -> Bool {
    try TableDataError.requireSection(section, count: folded.count)
    return folded[section]
  }

  /// Folds or unfolds a section, which deletes or inserts its rows. O(rows of the section).
  ///
  /// - Returns: the changes; none if the section is already folded or unfolded.
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  @discardableResult
  public func setFolded(_ isFolded: Bool, section: Int) throws -> TableChanges {
    guard try self.isFolded(section: section) != isFolded else { return TableChanges() }
    let paths = (0..<(try base.numberOfRows(inSection: section))).map { row in
      IndexPath(row: row, section: section)
    }
    let changes =
      isFolded ? TableChanges(deletedRows: paths.reversed()) : TableChanges(insertedRows: paths)
    guard !changes.isEmpty else {
      folded[section] = isFolded
      return changes
    }
    observer?.contentWillChange(of: self)
    folded[section] = isFolded
    observer?.contentDidChange(of: self, by: changes)
    return changes
  }

  // MARK: Content

  /// The sections of the base; folded ones have no rows.
  public var sections: [SectionInfo] {
    zip(base.sections, folded).map { info, isFolded in
      guard isFolded else { return info }
      return info.with(numberOfRows: 0)
    }
  }

  /// The number of sections.
  public var numberOfSections: Int { folded.count }

  /// The number of rows of a section; 0 if it is folded.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func numberOfRows(inSection section: Int) throws -> Int {
    try isFolded(section: section) ? 0 : base.numberOfRows(inSection: section)
  }

  /// The title of a section's header, as the base gives it.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func title(forSection section: Int) throws -> String? {
    try base.title(forSection: section)
  }

  /// The identity of a section, as the base gives it.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func identityForSection(_ section: Int) throws -> AnyHashable? {
    try base.identityForSection(section)
  }

  /// The item of a row.
  ///
  /// - Throws: `TableDataError` if the row does not exist, or its section is folded; any error of the
  ///   base.
  public func itemForRow(at indexPath: IndexPath) throws -> Item {
    try requireUnfolded(indexPath)
    return try base.itemForRow(at: indexPath)
  }

  /// The identity of a row, as the base gives it.
  ///
  /// - Throws: as ``itemForRow(at:)``.
  public func identityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
    try requireUnfolded(indexPath)
    return try base.identityForRow(at: indexPath)
  }

  /// The index path of the row with an identity; nil if there is none, or if its section is folded.
  ///
  /// - Throws: any error of the base.
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    // The base may show a section already of which this list is notified later.
    guard let path = try base.indexPath(forIdentity: identity),
      folded.indices.contains(path.section), !folded[path.section]
    else { return nil }
    return path
  }

  /// Notifies the base.
  ///
  /// - Throws: `TableDataError` if the row does not exist, or its section is folded; any error of the base.
  public func willDisplayRow(at indexPath: IndexPath) throws {
    try requireUnfolded(indexPath)
    try base.willDisplayRow(at: indexPath)
  }

  /// Notifies the base.
  public func didEndDisplayingRow(withIdentity identity: AnyHashable) {
    base.didEndDisplayingRow(withIdentity: identity)
  }

  /// Throws if the row is in a folded section. The base checks all other rows.
  private func requireUnfolded(_ indexPath: IndexPath) throws {
    guard indexPath.count == 2, folded.indices.contains(indexPath.section),
      folded[indexPath.section]
    else { return }
    throw TableDataError.rowOutOfRange(indexPath, count: 0)
  }

  /// Checks that there are as many sections as in the base.
  ///
  /// - Throws: ``BrokenInvariant``.
  package func checkInvariants() throws {
    try BrokenInvariant.check(
      identities == (0..<identities.count).map(base.identityForSection),
      "the identities are not those of the sections of the base")
    try BrokenInvariant.check(
      folded.count == base.numberOfSections && identities.count == folded.count,
      "\(folded.count) sections, but the base has \(base.numberOfSections)")
  }
}

extension FoldedDataProvider: TableChangesObserver {
  /// The base calls it.
  public func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    let changes = follow(changes)
    observer?.contentDidChange(of: self, by: changes)
  }

  /// Applies the changes of the base. If they are not legal, the result is a reset.
  ///
  /// Complexity: O(k + inserted and deleted sections × sections) for k events.
  private func follow(_ changes: TableChanges) -> TableChanges {
    let old = folded
    let count = base.numberOfSections
    guard changes.reset == nil, changes.hasSections(old: old.count, new: count) else {
      for section in old.indices.reversed() { removeSection(section) }
      for section in 0..<count { insertSection(section) }
      return .reset(oldSectionCount: old.count, newSectionCount: count)
    }
    for section in changes.deletedSections { removeSection(section) }
    for section in changes.insertedSections { insertSection(section) }
    // A row that is shown has the same index path in the base.
    var shown = TableChanges(
      deletedSections: changes.deletedSections, insertedSections: changes.insertedSections,
      updatedSections: changes.updatedSections,
      deletedRows: changes.deletedRows.filter { !old[$0.section] },
      insertedRows: changes.insertedRows.filter { !folded[$0.section] },
      updatedRows: changes.updatedRows.filter { !folded[$0.new.section] })
    for move in changes.movedRows {
      switch (old[move.from.section], folded[move.to.section]) {
      case (false, false): shown.movedRows.append(move)
      case (false, true): shown.deletedRows.append(move.from)
      case (true, false): shown.insertedRows.append(move.to)
      case (true, true): break
      }
    }
    shown.updatesTotals = changes.updatesTotals
    shown.deletedRows.sort(by: >)
    shown.insertedRows.sort()
    return shown
  }

  private func removeSection(_ section: Int) {
    let isFolded = folded.remove(at: section)
    guard let identity = identities.remove(at: section) else { return }
    absent[identity] = isFolded == foldsNewSections ? nil : isFolded
  }

  private func insertSection(_ section: Int) {
    // A section whose identity cannot be read is folded as any new one.
    let identity = (try? base.identityForSection(section)) ?? nil
    identities.insert(identity, at: section)
    let isFolded = identity.flatMap { absent.removeValue(forKey: $0) }
    folded.insert(isFolded ?? foldsNewSections, at: section)
  }
}

extension FoldedDataProvider: EditableDataProvider where Base: EditableDataProvider {
  /// Whether the base allows the user to delete the row.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the base.
  public func canEditRow(at indexPath: IndexPath) throws -> Bool {
    try requireUnfolded(indexPath)
    return try base.canEditRow(at: indexPath)
  }

  /// Whether the base allows the user to move the row.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the base.
  public func canMoveRow(at indexPath: IndexPath) throws -> Bool {
    try requireUnfolded(indexPath)
    return try base.canMoveRow(at: indexPath)
  }

  /// Deletes the row from the base.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the base.
  public func removeRow(at indexPath: IndexPath) throws {
    try requireUnfolded(indexPath)
    try base.removeRow(at: indexPath)
  }

  /// Moves the row in the base. In a folded section the row becomes the first, and is hidden.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the base.
  public func moveRow(
    at indexPath: IndexPath, to newIndexPath: IndexPath
  ) throws {
    try requireUnfolded(indexPath)
    try base.moveRow(at: indexPath, to: newIndexPath)
  }

  /// Where the base lets a dragged row go.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the base.
  public func targetIndexPathForMove(
    from indexPath: IndexPath, toProposed proposed: IndexPath
  ) throws -> IndexPath {
    try requireUnfolded(indexPath)
    let target = try base.targetIndexPathForMove(from: indexPath, toProposed: proposed)
    guard folded.indices.contains(target.section), folded[target.section] else { return target }
    return IndexPath(row: 0, section: target.section)
  }

  /// Whether the base allows to insert the item.
  public func canInsertRow(_ item: Item, at indexPath: IndexPath) -> Bool {
    base.canInsertRow(item, at: indexPath)
  }

  /// Inserts the row into the base. In a folded section the row becomes the first, and is hidden.
  ///
  /// - Throws: any error of the base.
  public func insertRow(_ item: Item, at indexPath: IndexPath) throws {
    try base.insertRow(item, at: indexPath)
  }
}
