#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The rows of another provider that a predicate lets through, in the same sections.
///
/// A section that nothing is let through of stays, without rows. What changes in the base is carried
/// over: only the items that came, moved or changed are looked at again.
///
/// ```swift
/// let short = try FilteredDataProvider(tracks) { $0.seconds < 60 }
/// try short.setFilter { $0.title.contains(searchText) }
/// ```
///
/// It takes the base's place for an observer. Where an item cannot be read it has no sections,
/// tells that and the error to its own observer, and is whole again with the base's next change.
///
/// Not Sendable: it belongs where its base belongs.
public final class FilteredDataProvider<Base: ViewModelDataProvider>: ViewModelDataProvider {
  /// What a row holds.
  public typealias Item = Base.Item

  /// Told what changes. It is not kept alive.
  public weak var observer: (any TableChangesObserver)?
  /// Whose rows these are.
  public let base: Base

  var isIncluded: (Item) throws -> Bool
  /// For each section of the base: for each of its rows 1 where it is let through, or 0.
  var rows: [PrefixSums] = []

  /// Makes a filter.
  ///
  /// Complexity: O(n), and all items are read.
  ///
  /// - Parameter isIncluded: whether an item is let through; asked again only when the base says that
  ///   the item has changed.
  /// - Throws: `TableDataError` of code `.alreadyObserved` where the base has an observer; what
  ///   reading an item and `isIncluded` throw.
  public init(_ base: Base, isIncluded: @escaping (Item) throws -> Bool) throws {
    self.base = base
    self.isIncluded = isIncluded
    rows = try allRows()
    try base.beObserved(by: self)
  }

  /// Lets other rows through, and tells which came and went.
  ///
  /// Complexity: O(n), and all items are read.
  ///
  /// - Returns: what was told.
  /// - Throws: what reading an item and `isIncluded` throw: then nothing has changed.
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

  /// What another filter changes: rows come and go, and those that stay keep their order.
  private func changes(to new: [PrefixSums]) -> TableChanges {
    guard new.count == rows.count else {
      return .reset(oldSectionCount: rows.count, newSectionCount: new.count)
    }
    var changes = TableChanges()
    for (section, pair) in zip(rows, new).enumerated() {
      var place = (old: 0, new: 0)
      for isShown in zip(pair.0.counts, pair.1.counts) {
        if isShown == (1, 0) { changes.deletedRows.append([section, place.old]) }
        if isShown == (0, 1) { changes.insertedRows.append([section, place.new]) }
        place.old += isShown.0
        place.new += isShown.1
      }
    }
    changes.deletedRows.reverse()
    return changes
  }

  // MARK: Content

  /// The base's sections, with the number of rows that are let through.
  public var sections: [SectionInfo] {
    zip(base.sections, rows).map { info, rows in
      SectionInfo(name: info.name, indexTitle: info.indexTitle, numberOfRows: rows.total)
    }
  }

  /// The number of sections.
  public var numberOfSections: Int { rows.count }

  /// The number of rows of a section that are let through.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func numberOfRows(inSection section: Int) throws -> Int {
    guard rows.indices.contains(section) else {
      throw TableDataError.sectionOutOfRange(section, count: rows.count)
    }
    return rows[section].total
  }

  /// The title of a section's header, as the base has it.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func title(forSection section: Int) throws -> String? {
    _ = try numberOfRows(inSection: section)
    return try base.title(forSection: section)
  }

  /// The item at a place. O(log n) and what the base needs.
  ///
  /// - Throws: `TableDataError` where there is no such row; what reading the item throws.
  public func itemForRow(atIndexPath indexPath: IndexPath) throws -> Item {
    try base.itemForRow(atIndexPath: baseIndexPath(for: indexPath))
  }

  /// What the row at a place is, for the base.
  ///
  /// - Throws: as ``itemForRow(atIndexPath:)``.
  public func identityForRow(atIndexPath indexPath: IndexPath) throws -> AnyHashable? {
    try base.identityForRow(atIndexPath: baseIndexPath(for: indexPath))
  }

  /// Where the row of an identity is; nil when it is nowhere, or not let through.
  ///
  /// - Throws: what the base throws.
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    try base.indexPath(forIdentity: identity).flatMap(indexPath(forBase:))
  }

  // MARK: Places

  /// Where a row of this list is in the base. O(log n).
  ///
  /// - Throws: `TableDataError` where there is no such row.
  public func baseIndexPath(for indexPath: IndexPath) throws -> IndexPath {
    try indexPath.requirePlace(inSections: rows.count) { rows[$0].total }
    let section = rows[indexPath.section]
    guard let location = section.location(of: indexPath.row) else {
      throw TableDataError.rowOutOfRange(indexPath, count: section.total)
    }
    return IndexPath(row: location.index, section: indexPath.section)
  }

  /// Where a row of the base is in this list; nil where it is not let through, or not there. O(log n).
  public func indexPath(forBase indexPath: IndexPath) -> IndexPath? {
    Self.place(of: indexPath, in: rows)
  }

  static func place(of indexPath: IndexPath, in rows: [PrefixSums]) -> IndexPath? {
    guard indexPath.count == 2, rows.indices.contains(indexPath.section) else { return nil }
    let section = rows[indexPath.section]
    guard 0..<section.count ~= indexPath.row, section[indexPath.row] == 1 else { return nil }
    return IndexPath(row: section.sum(before: indexPath.row), section: indexPath.section)
  }

  // MARK: Reading the base

  func allRows() throws -> [PrefixSums] {
    try (0..<base.numberOfSections).map(allRows(inSection:))
  }

  func allRows(inSection section: Int) throws -> PrefixSums {
    let count = try base.numberOfRows(inSection: section)
    return PrefixSums(
      try (0..<count).map { try isShown(IndexPath(row: $0, section: section)) })
  }

  /// 1 where a row of the base is let through, or 0.
  func isShown(_ indexPath: IndexPath) throws -> Int {
    try isIncluded(base.itemForRow(atIndexPath: indexPath)) ? 1 : 0
  }
}
