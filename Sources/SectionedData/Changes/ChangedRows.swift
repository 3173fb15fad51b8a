/// The rows that may have changed between two states of a list.
///
/// All other rows are in both states, unchanged and in the same order. The fewest changes follow from that, however
/// long the list is: a row that has the same number of other rows before it as before may stay, and among the rows
/// between two such others, a longest ascending run stays. The rest moved.
package struct ChangedRows {
  /// The deleted sections, as old numbers.
  package var deletedSections: [Int] = []
  /// The inserted sections, as new numbers.
  package var insertedSections: [Int] = []
  /// The sections with new headers or footers, ascending by new number.
  package var updatedSections: [TableChanges.SectionUpdate] = []
  /// The old index paths of deleted rows.
  package var deleted: [IndexPath] = []
  /// The new index paths of inserted rows.
  package var inserted: [IndexPath] = []
  /// The rows that are in both states and have new content, or may have moved.
  package var kept: [TableChanges.Update] = []
  /// The new index paths of the rows of ``kept`` whose content is the same. As many of them as possible stay.
  package var unchanged: Set<IndexPath> = []
  /// Whether all rows of ``kept`` have moved, since as many others as possible stay already. All arrays must be in
  /// the order of ``TableChanges`` then.
  package var keptRowsMove = false

  package init() {}

  /// The fewest changes. O(k log k) for k rows and sections.
  package func changes() -> TableChanges {
    var changes = TableChanges(
      deletedSections: deletedSections.sorted(by: >), insertedSections: insertedSections.sorted(),
      updatedSections: updatedSections, deletedRows: deleted, insertedRows: inserted)
    let kept = keptInSections(&changes)
    if !keptRowsMove || kept.count < self.kept.count {
      changes.deletedRows.sort(by: >)
      changes.insertedRows.sort()
    }
    guard !kept.isEmpty else { return changes }
    guard !keptRowsMove else {
      changes.movedRows = kept.map { TableChanges.Move(from: $0.old, to: $0.new) }
      return changes
    }
    let oldSections = PositionSet(deletedSections)
    let newSections = PositionSet(insertedSections)
    let oldRows = PositionSet.bySection(changes.deletedRows + kept.map(\.old))
    let newRows = PositionSet.bySection(changes.insertedRows + kept.map(\.new))
    func append(_ run: [TableChanges.Update], to changes: inout TableChanges) {
      let isUnchanged = unchanged.isEmpty ? nil : run.map { unchanged.contains($0.new) }
      changes.append(kept: run, isUnchanged: isUnchanged)
    }
    // Rows between the same two other rows as before, in new order.
    var run: [TableChanges.Update] = []
    var runStart = IndexPath()
    for row in kept {
      let (old, new) = (row.old, row.new)
      guard newSections.position(ofRank: oldSections.rank(of: old.section)) == new.section,
        let rank = newRows[new.section]?.rank(of: new.row),
        oldRows[old.section]?.rank(of: old.row) == rank
      else {
        changes.movedRows.append(TableChanges.Move(from: old, to: new))
        continue
      }
      let start = IndexPath(row: rank, section: new.section)
      if start != runStart {
        append(run, to: &changes)
        run.removeAll()
      }
      runStart = start
      run.append(row)
    }
    append(run, to: &changes)
    changes.movedRows.sort { $0.to < $1.to }
    return changes
  }

  /// The kept rows, by new index path. A row cannot move out of a deleted section or into an inserted one, so it is
  /// deleted and inserted instead.
  private func keptInSections(_ changes: inout TableChanges) -> [TableChanges.Update] {
    var rows = kept
    if !deletedSections.isEmpty || !insertedSections.isEmpty {
      let deleted = Set(deletedSections)
      let inserted = Set(insertedSections)
      rows = []
      for row in kept {
        if deleted.contains(row.old.section) || inserted.contains(row.new.section) {
          changes.deletedRows.append(row.old)
          changes.insertedRows.append(row.new)
        } else {
          rows.append(row)
        }
      }
    }
    if !keptRowsMove { rows.sort { $0.new < $1.new } }
    return rows
  }
}

extension TableChanges {
  /// Adds the events of rows that may stay where they are. As many unchanged rows as possible get no event, then as
  /// many changed ones as possible are updated; the others are moved.
  ///
  /// - Parameters:
  ///   - rows: rows of one section, in new order.
  ///   - isUnchanged: for each row whether its content is the same; nil if all have new content.
  mutating func append(kept rows: [Update], isUnchanged: [Bool]? = nil) {
    // One unchanged row outweighs all changed ones.
    let weights = isUnchanged?.map { $0 ? rows.count + 1 : 1 }
    let stays = longestIncreasingSubsequence(of: rows.map(\.old.row), weights: weights)
    for (index, row) in rows.enumerated() {
      if !stays[index] {
        movedRows.append(Move(from: row.old, to: row.new))
      } else if isUnchanged?[index] != true {
        updatedRows.append(row)
      }
    }
  }
}
