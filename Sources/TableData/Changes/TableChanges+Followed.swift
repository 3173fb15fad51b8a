#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TableChanges {
  /// These changes and the next ones, which begin where these end, as one batch.
  ///
  /// ```swift
  /// let both = first.followed(by: second)
  /// ```
  ///
  /// What comes and goes again is not told. A row that moved away and back has an update; one that
  /// was deleted and inserted again is deleted and inserted, because nothing here says that it is
  /// the same. The result is in the ``compacted`` form.
  ///
  /// Complexity: O(k log k) for k events.
  public func followed(by next: TableChanges) -> TableChanges {
    if isEmpty { return next }
    if next.isEmpty { return self }
    if reset != nil || next.reset != nil { return resetFollowed(by: next) }
    let back = PlaceMap(TableUpdates(inverted))
    let forth = PlaceMap(TableUpdates(next))
    var rows = TouchedRows()
    rows.deletedSections = deletedSections + next.deletedSections.compactMap(back.newSection(of:))
    rows.insertedSections =
      next.insertedSections + insertedSections.compactMap(forth.newSection(of:))

    // What these touched, wherever it goes next.
    rows.deleted = deletedRows
    rows.inserted = insertedRows.compactMap(forth.newPlace(of:))
    for row in changedRows {
      if let new = forth.newPlace(of: row.new) {
        rows.kept.append(Update(old: row.old, new: new))
      } else {
        rows.deleted.append(row.old)
      }
    }
    // What only the next ones touch, wherever it was before.
    let touched = Set(insertedRows + changedRows.map(\.new))
    rows.deleted += next.deletedRows.filter { !touched.contains($0) }
      .compactMap(back.newPlace(of:))
    rows.inserted += next.insertedRows
    for row in next.changedRows where !touched.contains(row.old) {
      if let old = back.newPlace(of: row.old) {
        rows.kept.append(Update(old: old, new: row.new))
      } else {
        // It came with a section whose rows these do not list.
        rows.inserted.append(row.new)
      }
    }
    return rows.changes().compacted
  }

  /// The moved and the updated rows.
  private var changedRows: [Update] {
    movedRows.map { Update(old: $0.from, new: $0.to) } + updatedRows
  }

  /// What leads back from the new state to the old one.
  private var inverted: TableChanges {
    TableChanges(
      deletedSections: insertedSections, insertedSections: deletedSections,
      deletedRows: insertedRows, insertedRows: deletedRows,
      movedRows: movedRows.map { Move(from: $0.to, to: $0.from) },
      updatedRows: updatedRows.map { Update(old: $0.new, new: $0.old) })
  }

  private func resetFollowed(by next: TableChanges) -> TableChanges {
    let oldSectionCount =
      reset?.oldSectionCount ?? (next.reset?.oldSectionCount ?? 0) - sectionGrowth
    let newSectionCount =
      next.reset?.newSectionCount ?? (reset?.newSectionCount ?? 0) + next.sectionGrowth
    return .reset(oldSectionCount: oldSectionCount, newSectionCount: newSectionCount)
  }

  private var sectionGrowth: Int { insertedSections.count - deletedSections.count }
}
