/// The rows that may have changed between two states of a list.
///
/// All other rows are *untouched*: they are in both states, unchanged and in the same order. The fewest changes follow
/// from that, however long the list is. A row that has the same number of untouched rows before it as before did not
/// cross any, and among the rows between two untouched ones, a longest ascending run stays. A row that crossed untouched
/// ones moved. Only if such rows are unchanged too, it can be fewer changes that the untouched rows move instead:
/// ``CrossingRows`` decides.
package struct ChangedRows {
  /// The deleted sections, as old numbers.
  package var deletedSections: [Int] = []
  /// The inserted sections, as new numbers.
  package var insertedSections: [Int] = []
  /// The sections with new headers or footers, ascending by new number.
  package var updatedSections: [TableChanges.SectionUpdate] = []
  package var deleted: [IndexPath] = []
  package var inserted: [IndexPath] = []
  /// The rows that are in both states and have new content, or may have moved.
  package var kept: [TableChanges.Update] = []
  /// The new index paths of the rows of ``kept`` whose content is the same. As many of them as possible stay.
  package var unchanged: Set<IndexPath> = []
  /// Whether all rows of ``kept`` have moved with their content, since as many others as possible stay already. All
  /// arrays must be in the order of ``TableChanges`` then.
  package var keptRowsMove = false

  package init() {}

  /// The fewest changes. O(k log k) for k rows and sections.
  package func changes() -> TableChanges {
    if let changes = changesOfOneRow() { return changes }
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
      changes.movedRows = kept.map {
        TableChanges.Move(from: $0.old, to: $0.new, keepsContent: true)
      }
      return changes
    }
    let oldSections = PositionSet(deletedSections)
    let newSections = PositionSet(insertedSections)
    let oldRows = RowSet(changes.deletedRows + kept.map(\.old))
    let newRows = RowSet(changes.insertedRows + kept.map(\.new))
    // Those of one section after the other.
    var rows: [KeptRow] = []
    func appendSection(to changes: inout TableChanges) {
      guard let first = rows.first?.update else { return }
      // If only one row crossed others, none of them moves instead.
      if !unchanged.isEmpty, rows.contains(where: { $0.hasCrossed && $0.isUnchanged }),
        rows.lazy.filter(\.hasCrossed).count > 1
      {
        CrossingRows(rows, oldRows[first.old.section], newRows[first.new.section])
          .append(to: &changes)
      } else {
        changes.append(keptBetweenUntouched: rows)
      }
      rows.removeAll(keepingCapacity: true)
    }
    for row in kept {
      let (old, new) = (row.old, row.new)
      guard newSections.position(ofRank: oldSections.rank(of: old.section)) == new.section,
        old.count == 2, new.count == 2
      else {
        changes.movedRows.append(
          TableChanges.Move(from: old, to: new, keepsContent: unchanged.contains(new)))
        continue
      }
      if rows.last.map({ $0.update.new.section != new.section }) == true {
        appendSection(to: &changes)
      }
      rows.append(
        KeptRow(
          update: row, oldRank: oldRows.rank(of: old.row, inSection: old.section),
          newRank: newRows.rank(of: new.row, inSection: new.section),
          isUnchanged: !unchanged.isEmpty && unchanged.contains(new)))
    }
    appendSection(to: &changes)
    changes.movedRows.sort { $0.to < $1.to }
    return changes
  }

  /// The changes if one row is kept and no other has changed, as in most batches: the row crossed others exactly if it
  /// is at another index path.
  private func changesOfOneRow() -> TableChanges? {
    guard kept.count == 1, deleted.isEmpty, inserted.isEmpty, deletedSections.isEmpty,
      insertedSections.isEmpty
    else { return nil }
    let row = kept[0]
    let isUnchanged = !unchanged.isEmpty && unchanged.contains(row.new)
    var changes = TableChanges(updatedSections: updatedSections)
    if row.old != row.new || keptRowsMove {
      changes.movedRows = [
        TableChanges.Move(
          from: row.old, to: row.new, keepsContent: keptRowsMove || isUnchanged)
      ]
    } else if !isUnchanged {
      changes.updatedRows = [row]
    }
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

/// A row that is in both states, in the same section.
struct KeptRow {
  let update: TableChanges.Update
  /// The number of untouched rows before it in its section, in the old state.
  let oldRank: Int
  /// The same in the new state.
  let newRank: Int
  /// Whether its content is the same.
  let isUnchanged: Bool

  /// Whether it crossed an untouched row.
  var hasCrossed: Bool { oldRank != newRank }
}

extension TableChanges {
  /// Adds the events of the kept rows of a section, in new order, when all untouched rows stay. So those that crossed
  /// one have moved.
  fileprivate mutating func append(keptBetweenUntouched rows: [KeptRow]) {
    // Rows between the same two untouched rows as before, in new order.
    var run: [KeptRow] = []
    for row in rows {
      guard !row.hasCrossed else {
        append(row, stays: false)
        continue
      }
      if let last = run.last, last.newRank != row.newRank {
        append(run: run)
        run.removeAll(keepingCapacity: true)
      }
      run.append(row)
    }
    append(run: run)
  }

  /// Adds the events of rows that are between the same two untouched rows as before. As many unchanged rows as
  /// possible get no event, then as many changed ones as possible are updated; the others are moved.
  private mutating func append(run rows: [KeptRow]) {
    let numbers = rows.map(\.update.old.row)
    let stays: [Bool]
    if rows.contains(where: \.isUnchanged) {
      // One unchanged row outweighs all changed ones.
      stays = longestIncreasingSubsequence(
        of: numbers, weights: rows.map { $0.isUnchanged ? rows.count + 1 : 1 })
    } else {
      stays = longestIncreasingSubsequence(of: numbers)
    }
    for (row, stays) in zip(rows, stays) { append(row, stays: stays) }
  }

  mutating func append(_ row: KeptRow, stays: Bool) {
    if !stays {
      movedRows.append(
        Move(from: row.update.old, to: row.update.new, keepsContent: row.isUnchanged))
    } else if !row.isUnchanged {
      updatedRows.append(row.update)
    }
  }
}
