#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The rows of which something is known to have happened, between two states of a list.
///
/// All others are in both states, unchanged and in one order. The fewest changes follow from that
/// alone, however long the list is: a touched row that lies between the same untouched ones as before
/// may stay, and between two of these as many stay as ascend; the others moved.
struct TouchedRows {
  /// Old numbers.
  var deletedSections: [Int] = []
  /// New numbers.
  var insertedSections: [Int] = []
  /// The old places of rows that are gone.
  var deleted: [IndexPath] = []
  /// The new places of rows that came.
  var inserted: [IndexPath] = []
  /// The rows that are in both states and differ, or may have another place.
  var kept: [TableChanges.Update] = []

  /// The fewest changes.
  ///
  /// Complexity: O(k log k) for k touched rows and sections.
  func changes() -> TableChanges {
    var changes = TableChanges(
      deletedSections: deletedSections.sorted(by: >), insertedSections: insertedSections.sorted(),
      deletedRows: deleted, insertedRows: inserted)
    let rows = keptInSections(&changes)
    changes.deletedRows.sort(by: >)
    changes.insertedRows.sort()
    let stays = stays(rows, changes)
    for (row, stays) in zip(rows, stays) {
      if stays {
        changes.updatedRows.append(row)
      } else {
        changes.movedRows.append(TableChanges.Move(from: row.old, to: row.new))
      }
    }
    return changes
  }

  /// The kept rows, by new place. Those that no move can tell, because their section came or went,
  /// are deleted and inserted instead.
  private func keptInSections(_ changes: inout TableChanges) -> [TableChanges.Update] {
    let gone = Set(deletedSections)
    let come = Set(insertedSections)
    var rows: [TableChanges.Update] = []
    for row in kept {
      if gone.contains(row.old.section) || come.contains(row.new.section) {
        changes.deletedRows.append(row.old)
        changes.insertedRows.append(row.new)
      } else {
        rows.append(row)
      }
    }
    rows.sort { $0.new < $1.new }
    return rows
  }

  private func stays(_ rows: [TableChanges.Update], _ changes: TableChanges) -> [Bool] {
    let gone = PlaceSet(deletedSections)
    let come = PlaceSet(insertedSections)
    let oldRows = PlaceSet.bySection(changes.deletedRows + rows.map(\.old))
    let newRows = PlaceSet.bySection(changes.insertedRows + rows.map(\.new))
    var stays = [Bool](repeating: false, count: rows.count)
    // The rows of one gap of one section, which by new place follow one another.
    var run: [Int] = []
    var runPlace = IndexPath()
    func endRun() {
      let chosen = longestIncreasingSubsequence(of: run.map { rows[$0].old.row })
      for (index, isChosen) in zip(run, chosen) { stays[index] = isChosen }
      run.removeAll()
    }
    for (index, row) in rows.enumerated() {
      guard come.place(atGap: gone.gap(of: row.old.section)) == row.new.section,
        let gap = newRows[row.new.section]?.gap(of: row.new.row),
        oldRows[row.old.section]?.gap(of: row.old.row) == gap
      else { continue }
      let place = IndexPath(row: gap, section: row.new.section)
      if place != runPlace { endRun() }
      runPlace = place
      run.append(index)
    }
    endRun()
    return stays
  }
}
