#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The sections of another provider, each of which can be folded: then it shows its header and no
/// rows.
///
/// Folding and unfolding are told as deletes and inserts of the rows. What changes in the base is
/// carried over, also below a header that is folded.
///
/// ```swift
/// let albums = try FoldedDataProvider(tracksByAlbum)
/// try albums.setFolded(true, section: 2)
/// ```
///
/// It takes the base's place for an observer. A reset of the base unfolds all sections.
///
/// Not Sendable: it belongs where its base belongs.
public final class FoldedDataProvider<Base: ViewModelDataProvider>: ViewModelDataProvider {
  /// What a row holds.
  public typealias Item = Base.Item

  /// Told what changes. It is not kept alive.
  public weak var observer: (any TableChangesObserver)?
  /// Whose sections these are.
  public let base: Base
  /// Whether sections that come are folded at first.
  public var foldsNewSections: Bool

  private var folded: [Bool]

  /// Makes a view on a provider's sections.
  ///
  /// - Parameter isFolded: whether all sections, and those that come, are folded at first.
  /// - Throws: `TableDataError` of code `.alreadyObserved` where the base has an observer.
  public init(_ base: Base, isFolded: Bool = false) throws {
    self.base = base
    foldsNewSections = isFolded
    folded = [Bool](repeating: isFolded, count: base.numberOfSections)
    try base.beObserved(by: self)
  }

  /// Whether a section is folded.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func isFolded(section: Int) throws -> Bool {
    guard folded.indices.contains(section) else {
      throw TableDataError.sectionOutOfRange(section, count: folded.count)
    }
    return folded[section]
  }

  /// Folds or unfolds a section, and tells that its rows went or came. O(rows of the section).
  ///
  /// - Returns: what was told; nothing where the section already was so.
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  @discardableResult
  public func setFolded(_ isFolded: Bool, section: Int) throws -> TableChanges {
    guard try self.isFolded(section: section) != isFolded else { return TableChanges() }
    let places = (0..<(try base.numberOfRows(inSection: section))).map { row in
      IndexPath(row: row, section: section)
    }
    let changes =
      isFolded ? TableChanges(deletedRows: places.reversed()) : TableChanges(insertedRows: places)
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

  /// The base's sections, those that are folded without rows.
  public var sections: [SectionInfo] {
    zip(base.sections, folded).map { info, isFolded in
      guard isFolded else { return info }
      return SectionInfo(name: info.name, indexTitle: info.indexTitle, numberOfRows: 0)
    }
  }

  /// The number of sections.
  public var numberOfSections: Int { folded.count }

  /// The number of rows of a section: none where it is folded.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func numberOfRows(inSection section: Int) throws -> Int {
    try isFolded(section: section) ? 0 : base.numberOfRows(inSection: section)
  }

  /// The title of a section's header, as the base has it.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func title(forSection section: Int) throws -> String? {
    try base.title(forSection: section)
  }

  /// The item at a place.
  ///
  /// - Throws: `TableDataError` where there is no such row, or none is shown; what the base throws.
  public func itemForRow(atIndexPath indexPath: IndexPath) throws -> Item {
    try requireShown(indexPath)
    return try base.itemForRow(atIndexPath: indexPath)
  }

  /// What the row at a place is, for the base.
  ///
  /// - Throws: as ``itemForRow(atIndexPath:)``.
  public func identityForRow(atIndexPath indexPath: IndexPath) throws -> AnyHashable? {
    try requireShown(indexPath)
    return try base.identityForRow(atIndexPath: indexPath)
  }

  /// Where the row of an identity is; nil when it is nowhere, or its section folded.
  ///
  /// - Throws: what the base throws.
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    guard let path = try base.indexPath(forIdentity: identity), !folded[path.section] else {
      return nil
    }
    return path
  }

  /// Refuses a row of a folded section; the base knows all others.
  private func requireShown(_ indexPath: IndexPath) throws {
    guard indexPath.count == 2, folded.indices.contains(indexPath.section),
      folded[indexPath.section]
    else { return }
    throw TableDataError.rowOutOfRange(indexPath, count: 0)
  }
}

extension FoldedDataProvider: TableChangesObserver {
  /// Called by the base.
  public func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    let changes = follow(changes)
    observer?.contentDidChange(of: self, by: changes)
  }

  /// Carries the base's changes over. Changes that cannot be true are a reset.
  ///
  /// Complexity: O(k + sections that came and went × sections).
  private func follow(_ changes: TableChanges) -> TableChanges {
    let old = folded
    let count = base.numberOfSections
    guard changes.reset == nil, changes.hasSections(old: old.count, new: count) else {
      folded = [Bool](repeating: false, count: count)
      return .reset(oldSectionCount: old.count, newSectionCount: count)
    }
    for section in changes.deletedSections { folded.remove(at: section) }
    for section in changes.insertedSections { folded.insert(foldsNewSections, at: section) }
    // The places of rows that are shown are those of the base.
    var shown = TableChanges(
      deletedSections: changes.deletedSections, insertedSections: changes.insertedSections,
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
    shown.deletedRows.sort(by: >)
    shown.insertedRows.sort()
    return shown
  }
}

extension FoldedDataProvider: EditableDataProvider where Base: EditableDataProvider {
  /// Whether the base lets the row be deleted.
  ///
  /// - Throws: `TableDataError` where no such row is shown; what the base throws.
  public func canEditRow(atIndexPath indexPath: IndexPath) throws -> Bool {
    try requireShown(indexPath)
    return try base.canEditRow(atIndexPath: indexPath)
  }

  /// Whether the base lets the row be moved.
  ///
  /// - Throws: `TableDataError` where no such row is shown; what the base throws.
  public func canMoveRow(atIndexPath indexPath: IndexPath) throws -> Bool {
    try requireShown(indexPath)
    return try base.canMoveRow(atIndexPath: indexPath)
  }

  /// Deletes the row from the base.
  ///
  /// - Throws: `TableDataError` where no such row is shown; what the base throws.
  public func removeRow(atIndexPath indexPath: IndexPath) throws {
    try requireShown(indexPath)
    try base.removeRow(atIndexPath: indexPath)
  }

  /// Moves the row in the base. Into a folded section, where it is then hidden, it goes as the first.
  ///
  /// - Throws: `TableDataError` where no such row is shown; what the base throws.
  public func moveRow(
    atIndexPath indexPath: IndexPath, toIndexPath newIndexPath: IndexPath
  ) throws {
    try requireShown(indexPath)
    try base.moveRow(atIndexPath: indexPath, toIndexPath: newIndexPath)
  }

  /// Inserts the row into the base. Into a folded section, where it is then hidden, it goes as the
  /// first.
  ///
  /// - Throws: what the base throws.
  public func insertRow(_ item: Item, atIndexPath indexPath: IndexPath) throws {
    try base.insertRow(item, atIndexPath: indexPath)
  }
}
