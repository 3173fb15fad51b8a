import CountedTrees

extension TableChanges {
  /// The changes of a part of a list, in the coordinates of the whole list.
  ///
  /// A reset concerns the part only. It becomes deletes of all its old sections and inserts of all its new ones, in
  /// the ``compacted`` form, because their rows are not known here. Complexity: O(k) for k events.
  ///
  /// - Parameters:
  ///   - old: the number of sections before the part, in the old state.
  ///   - new: the same in the new state.
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
    changes.updatesTotals = updatesTotals
    changes.updatedSections = updatedSections.map {
      SectionUpdate(old: $0.old + old, new: $0.new + new)
    }
    changes.deletedRows = deletedRows.map { $0.offset(by: old) }
    changes.insertedRows = insertedRows.map { $0.offset(by: new) }
    changes.movedRows = movedRows.map {
      Move(
        from: $0.from.offset(by: old), to: $0.to.offset(by: new), keepsContent: $0.keepsContent)
    }
    changes.updatedRows = updatedRows.map {
      Update(old: $0.old.offset(by: old), new: $0.new.offset(by: new))
    }
    return changes
  }

  /// The changes of several parts of a list, as one batch.
  ///
  /// ```swift
  /// let batch = TableChanges.combined([form.changes, covers.changes.offset(old: 1, new: 1)])
  /// ```
  ///
  /// The parts must not share an old or a new section; ``offset(old:new:)`` converts each to the coordinates of the
  /// whole list. They may be in any order. A part's reset becomes section events, as in ``offset(old:new:)``.
  /// Complexity: O(k log k) for k events, O(k) if the parts are in the order of their sections.
  public static func combined(_ parts: some Sequence<TableChanges>) -> TableChanges {
    var changes = TableChanges()
    for part in parts {
      // Makes section events of a reset.
      let part = part.offset(old: 0, new: 0)
      changes.deletedSections += part.deletedSections
      changes.insertedSections += part.insertedSections
      changes.updatesTotals = changes.updatesTotals || part.updatesTotals
      changes.updatedSections += part.updatedSections
      changes.deletedRows += part.deletedRows
      changes.insertedRows += part.insertedRows
      changes.movedRows += part.movedRows
      changes.updatedRows += part.updatedRows
    }
    // Each part is a sorted run, and the sort is linear on those.
    changes.deletedSections.sort(by: >)
    changes.insertedSections.sort()
    changes.updatedSections.sort { $0.new < $1.new }
    changes.deletedRows.sort(by: >)
    changes.insertedRows.sort()
    changes.movedRows.sort { $0.to < $1.to }
    changes.updatedRows.sort { $0.new < $1.new }
    return changes
  }

  /// These changes and the next ones, which start at the state where these end, as one batch.
  ///
  /// A row that is inserted and then deleted has no event. A row that moves away and back is updated, or has no event
  /// if the moves keep its content. A row that is deleted and then inserted is deleted and inserted, because the changes
  /// do not say that it is the same row. The result is in the ``compacted`` form, unless these changes or the next ones are
  /// empty: then it is the others as they are. Complexity: O(k log k) for k events.
  public func followed(by next: TableChanges) -> TableChanges {
    if isEmpty { return next }
    if next.isEmpty { return self }
    if reset != nil || next.reset != nil || !isWellFormed || !next.isWellFormed {
      return resetFollowed(by: next)
    }
    let back = IndexPathMap(inverted)
    let forth = IndexPathMap(next)
    var rows = ChangedRows()
    rows.deletedSections = deletedSections + next.deletedSections.compactMap(back.newSection(of:))
    rows.insertedSections =
      next.insertedSections + insertedSections.compactMap(forth.newSection(of:))

    rows.updatedSections = updatedSections(followedBy: next, back, forth)

    // The rows of these changes.
    rows.deleted = deletedRows
    rows.inserted = insertedRows.compactMap(forth.newIndexPath(of:))
    let keepers = placesWithKeptContent
    let nextKeepers = next.placesWithKeptContent
    let nextChanged = Set(next.changedRows.map(\.old))
    for row in changedRows {
      guard let new = forth.newIndexPath(of: row.new) else {
        rows.deleted.append(row.old)
        continue
      }
      rows.kept.append(Update(old: row.old, new: new))
      if keepers.contains(row.new), !nextChanged.contains(row.new) || nextKeepers.contains(new) {
        rows.unchanged.insert(new)
      }
    }
    // The rows of the next changes alone.
    let changed = Set(insertedRows + changedRows.map(\.new))
    rows.deleted += next.deletedRows.filter { !changed.contains($0) }
      .compactMap(back.newIndexPath(of:))
    rows.inserted += next.insertedRows
    for row in next.changedRows where !changed.contains(row.old) {
      if let old = back.newIndexPath(of: row.old) {
        rows.kept.append(Update(old: old, new: row.new))
        if nextKeepers.contains(row.new) { rows.unchanged.insert(row.new) }
      } else {
        // Its section was inserted by these changes, which do not list the section's rows.
        rows.inserted.append(row.new)
      }
    }
    var changes = rows.changes().compacted
    changes.updatesTotals = updatesTotals || next.updatesTotals
    return changes
  }

  /// Makes one move of the delete at its one end and the insert at its other, if both are there: the row went from one
  /// component of a list to another. A row cannot move out of a deleted section or into an inserted one.
  package mutating func join(_ move: Move) {
    guard let deleted = deletedRows.firstIndex(of: move.from),
      let inserted = insertedRows.firstIndex(of: move.to),
      !deletedSections.contains(move.from.section), !insertedSections.contains(move.to.section)
    else { return }
    deletedRows.remove(at: deleted)
    insertedRows.remove(at: inserted)
    movedRows.insert(move, at: movedRows.partitionPoint { $0.to < move.to })
  }

  /// The sections that are updated by these changes or by the next ones, and stay in both.
  private func updatedSections(
    followedBy next: TableChanges, _ back: IndexPathMap, _ forth: IndexPathMap
  ) -> [SectionUpdate] {
    let updates =
      updatedSections.compactMap { update in
        forth.newSection(of: update.new).map { SectionUpdate(old: update.old, new: $0) }
      }
      + next.updatedSections.compactMap { update in
        back.newSection(of: update.old).map { SectionUpdate(old: $0, new: update.new) }
      }
    return Set(updates).sorted { $0.new < $1.new }
  }

  package var changedRows: [Update] {
    movedRows.map { Update(old: $0.from, new: $0.to) } + updatedRows
  }

  /// The new index paths of moved rows whose content is the same.
  package var placesWithKeptContent: Set<IndexPath> {
    Set(movedRows.lazy.filter(\.keepsContent).map(\.to))
  }

  /// The old index path of a row of the new state; nil if it was inserted, or after a reset.
  package func oldIndexPath(of new: IndexPath) -> IndexPath? {
    reset == nil ? IndexPathMap(inverted).newIndexPath(of: new) : nil
  }

  private var inverted: TableChanges {
    TableChanges(
      deletedSections: insertedSections, insertedSections: deletedSections,
      updatedSections: updatedSections.map { SectionUpdate(old: $0.new, new: $0.old) },
      deletedRows: insertedRows, insertedRows: deletedRows,
      movedRows: movedRows.map {
        Move(from: $0.to, to: $0.from, keepsContent: $0.keepsContent)
      },
      updatedRows: updatedRows.map { Update(old: $0.new, new: $0.old) })
  }

  private func resetFollowed(by next: TableChanges) -> TableChanges {
    let oldSectionCount =
      reset?.oldSectionCount ?? (next.reset?.oldSectionCount ?? 0) - sectionGrowth
    let newSectionCount =
      next.reset?.newSectionCount ?? (reset?.newSectionCount ?? 0) + next.sectionGrowth
    // Only faulty lists delete more sections than they have.
    return .reset(
      oldSectionCount: max(0, oldSectionCount), newSectionCount: max(0, newSectionCount))
  }

  package var sectionGrowth: Int { insertedSections.count - deletedSections.count }
}
