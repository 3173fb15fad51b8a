#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TableChanges {
  /// The changes of a part of a list, in the coordinates of the whole list.
  ///
  /// ```swift
  /// // The second component, whose sections began at 3 and begin at 4 now:
  /// let changes = component.changes.offset(old: 3, new: 4)
  /// ```
  ///
  /// A reset concerns the part only. It becomes deletes of all its old and inserts of all its new
  /// sections, in the ``compacted`` form: what rows they have is not known here.
  ///
  /// Complexity: O(k) for k events.
  ///
  /// - Parameters:
  ///   - old: the number of sections before the part in the old state.
  ///   - new: the number of sections before the part in the new state.
  public func offset(old: Int, new: Int) -> TableChanges {
    var changes = TableChanges()
    if let reset {
      changes.deletedSections = (0..<reset.oldSectionCount).reversed().map { $0 + old }
      changes.insertedSections = (0..<reset.newSectionCount).map { $0 + new }
      return changes
    }
    if old == 0, new == 0 { return self }
    changes.deletedSections = deletedSections.map { $0 + old }
    changes.insertedSections = insertedSections.map { $0 + new }
    changes.deletedRows = deletedRows.map { $0.offset(by: old) }
    changes.insertedRows = insertedRows.map { $0.offset(by: new) }
    changes.movedRows = movedRows.map {
      Move(from: $0.from.offset(by: old), to: $0.to.offset(by: new))
    }
    changes.updatedRows = updatedRows.map {
      Update(old: $0.old.offset(by: old), new: $0.new.offset(by: new))
    }
    return changes
  }

  /// The changes of several parts of a list as one batch.
  ///
  /// ```swift
  /// let batch = TableChanges.combined([
  ///   form.changes,
  ///   covers.changes.offset(old: 1, new: 1),
  /// ])
  /// ```
  ///
  /// The parts have no section in common, neither an old nor a new one; ``offset(old:new:)`` has
  /// given them the coordinates of the whole list. They may come in any order: the events of a kind
  /// are put in theirs. A part's reset becomes section events, as there.
  ///
  /// Complexity: O(k log k) for k events, O(k) where the parts come in the order of their sections.
  public static func combined(_ parts: some Sequence<TableChanges>) -> TableChanges {
    var changes = TableChanges()
    for part in parts {
      let part = part.offset(old: 0, new: 0)
      changes.deletedSections += part.deletedSections
      changes.insertedSections += part.insertedSections
      changes.deletedRows += part.deletedRows
      changes.insertedRows += part.insertedRows
      changes.movedRows += part.movedRows
      changes.updatedRows += part.updatedRows
    }
    // The sort is linear on the runs that the parts are.
    changes.deletedSections.sort(by: >)
    changes.insertedSections.sort()
    changes.deletedRows.sort(by: >)
    changes.insertedRows.sort()
    changes.movedRows.sort { $0.to < $1.to }
    changes.updatedRows.sort { $0.new < $1.new }
    return changes
  }
}

extension IndexPath {
  /// The path with its section shifted.
  fileprivate func offset(by sections: Int) -> IndexPath {
    IndexPath(row: row, section: section + sections)
  }
}

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

extension TableChanges {
  /// The changes without a move that the view shows already, because the user has made it there.
  ///
  /// Told among others its places are other ones, and what the view shows is neither the old nor the
  /// new state: then everything has to be read anew.
  func without(shownMove move: Move, sectionCount: Int) -> TableChanges {
    if self == TableChanges(movedRows: [move]) { return TableChanges() }
    return .reset(oldSectionCount: sectionCount, newSectionCount: sectionCount)
  }
}
