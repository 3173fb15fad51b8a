#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TableChanges {
  /// The same changes as up to three batches, each legal by itself, one applied after the other.
  ///
  /// For a view that gets mixed batches wrong, or that cannot reload and move at once:
  ///
  /// 1. deletes of rows and sections, in old coordinates;
  /// 2. inserts of sections and rows, in new coordinates, and moves: *to* in new coordinates, *from*
  ///    in those after the first batch;
  /// 3. updates, of which both places are new ones.
  ///
  /// ```swift
  /// for batch in changes.staged { view.perform(batch) }
  /// ```
  ///
  /// Between two batches the content is neither the old nor the new one, which no provider holds: a
  /// view that asks for it has to be answered from a copy that takes part in the batches. A batch
  /// without events is left out; a reset is the only batch.
  ///
  /// Complexity: O(k log k) for k events.
  public var staged: [TableChanges] {
    guard reset == nil else { return [self] }
    var deletes = TableChanges()
    deletes.deletedSections = deletedSections
    deletes.deletedRows = deletedRows

    let goneSections = PlaceSet(deletedSections)
    let goneRows = PlaceSet.bySection(deletedRows)
    var arrivals = TableChanges()
    arrivals.insertedSections = insertedSections
    arrivals.insertedRows = insertedRows
    arrivals.movedRows = movedRows.map { move in
      let row = goneRows[move.from.section]?.gap(of: move.from.row) ?? move.from.row
      let from = IndexPath(row: row, section: goneSections.gap(of: move.from.section))
      return Move(from: from, to: move.to)
    }

    var updates = TableChanges()
    updates.updatedRows = updatedRows.map { Update(old: $0.new, new: $0.new) }
    return [deletes, arrivals, updates].filter { !$0.isEmpty }
  }
}
