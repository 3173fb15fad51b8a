#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension FilteredDataProvider: TableChangesObserver {
  /// Called by the base.
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

  /// Carries the base's changes over. Changes that cannot be true, or begin where a failure has left
  /// nothing known, are a reset.
  ///
  /// Complexity: O(sections + k log n) for k events, and k items are read.
  private func follow(_ changes: TableChanges) throws -> TableChanges {
    let old = rows
    let counts = try (0..<base.numberOfSections).map(base.numberOfRows(inSection:))
    guard changes.reset == nil, changes.areLegal(from: old.map(\.count), to: counts) else {
      rows = try allRows()
      return .reset(oldSectionCount: old.count, newSectionCount: rows.count)
    }
    let new = try nextRows(changes)
    rows = new

    var touched = TouchedRows()
    touched.deletedSections = changes.deletedSections
    touched.insertedSections = changes.insertedSections
    touched.deleted = changes.deletedRows.compactMap { Self.place(of: $0, in: old) }
    touched.inserted = changes.insertedRows.compactMap { Self.place(of: $0, in: new) }
    let changed =
      changes.movedRows.map { TableChanges.Update(old: $0.from, new: $0.to) }
      + changes.updatedRows
    for row in changed {
      switch (Self.place(of: row.old, in: old), Self.place(of: row.new, in: new)) {
      case (let from?, let to?): touched.kept.append(TableChanges.Update(old: from, new: to))
      case (let from?, nil): touched.deleted.append(from)
      case (nil, let to?): touched.inserted.append(to)
      case (nil, nil): break
      }
    }
    return touched.changes()
  }

  /// For each row of the base whether it is let through, after the changes.
  private func nextRows(_ changes: TableChanges) throws -> [PrefixSums] {
    var rows = rows
    for path in (changes.deletedRows + changes.movedRows.map(\.from)).sorted(by: >) {
      rows[path.section].remove(at: path.row)
    }
    for section in changes.deletedSections { rows.remove(at: section) }
    for section in changes.insertedSections { rows.insert(PrefixSums(), at: section) }
    for path in (changes.insertedRows + changes.movedRows.map(\.to)).sorted() {
      rows[path.section].insert(try isShown(path), at: path.row)
    }
    // Their rows may not be listed.
    for section in changes.insertedSections where rows[section].count == 0 {
      rows[section] = try allRows(inSection: section)
    }
    for row in changes.updatedRows { rows[row.new.section][row.new.row] = try isShown(row.new) }
    return rows
  }
}

extension FilteredDataProvider: EditableDataProvider where Base: EditableDataProvider {
  /// Whether the base lets the row be deleted.
  ///
  /// - Throws: what the base throws.
  public func canEditRow(atIndexPath indexPath: IndexPath) throws -> Bool {
    try base.canEditRow(atIndexPath: baseIndexPath(for: indexPath))
  }

  /// Whether the base lets the row be moved.
  ///
  /// - Throws: what the base throws.
  public func canMoveRow(atIndexPath indexPath: IndexPath) throws -> Bool {
    try base.canMoveRow(atIndexPath: baseIndexPath(for: indexPath))
  }

  /// Deletes the row from the base.
  ///
  /// - Throws: `TableDataError` where there is no such row; what the base throws.
  public func removeRow(atIndexPath indexPath: IndexPath) throws {
    try base.removeRow(atIndexPath: baseIndexPath(for: indexPath))
  }

  /// Moves the row in the base: before the row that then follows it here, or to the end of the
  /// section.
  ///
  /// - Throws: `TableDataError` where there is no such place; what the base throws.
  public func moveRow(
    atIndexPath indexPath: IndexPath, toIndexPath newIndexPath: IndexPath
  ) throws {
    let from = try baseIndexPath(for: indexPath)
    guard from != (try? baseIndexPath(for: newIndexPath)) else { return }
    let isSameSection = newIndexPath.count == 2 && newIndexPath.section == from.section
    // Without the row itself, what is behind it is one place further up.
    let isBehind = isSameSection && newIndexPath.row > indexPath.row
    let next = isBehind ? newIndexPath.behind : newIndexPath
    var target = try baseGap(for: next)
    if isSameSection, target.row > from.row { target[1] -= 1 }
    try base.moveRow(atIndexPath: from, toIndexPath: target)
  }

  /// Inserts the row into the base: before the row that then follows it here, or at the end of the
  /// section. Where the filter does not let it through, it is not to be seen here.
  ///
  /// - Throws: `TableDataError` where there is no such place; what the base throws.
  public func insertRow(_ item: Item, atIndexPath indexPath: IndexPath) throws {
    try base.insertRow(item, atIndexPath: baseGap(for: indexPath))
  }

  /// Where in the base a row is put that is to come before a row of this list, or at its end.
  private func baseGap(for indexPath: IndexPath) throws -> IndexPath {
    guard indexPath.count == 2, rows.indices.contains(indexPath.section),
      indexPath.row == rows[indexPath.section].total
    else { return try baseIndexPath(for: indexPath) }
    return IndexPath(row: rows[indexPath.section].count, section: indexPath.section)
  }
}

extension IndexPath {
  /// The place of the next row.
  fileprivate var behind: IndexPath { IndexPath(row: row + 1, section: section) }
}
