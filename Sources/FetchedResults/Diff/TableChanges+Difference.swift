internal import TableData

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension TableChanges {
  /// The fewest changes that turn the old result into the new one.
  ///
  /// The rows that do not differ have the same order on both sides, with gaps between them. A row
  /// that differs can stay if it is in the same gap of the same section as before. In each gap, a
  /// longest increasing subsequence of such rows stays; all others have moved. A row that stays and
  /// shows the same, since only its sort key differs, has no event. As many of these rows as
  /// possible stay.
  ///
  /// Complexity: O(k log n) for k rows that differ.
  ///
  /// - Parameters:
  ///   - difference: the rows that differ.
  ///   - comparator: compares section keys: equal keys are one section.
  init<Key: RowKey>(
    _ difference: RowDifference<Key>, comparator: TextComparator,
    from oldLayout: ResultsLayout, to newLayout: ResultsLayout
  ) {
    self.init(
      VisibleDifference(difference, from: oldLayout, to: newLayout), comparator: comparator,
      from: oldLayout, to: newLayout)
  }

  /// The fewest changes that turn the old result into the new one, inside their windows.
  ///
  /// Complexity: O(k log n) for k rows that differ.
  init(
    _ visible: VisibleDifference, comparator: TextComparator, from oldLayout: ResultsLayout,
    to newLayout: ResultsLayout
  ) {
    self.init()
    let sections = SectionMatch(visible, comparator, from: oldLayout, to: newLayout)
    deletedSections = sections.deleted.reversed()
    insertedSections = sections.inserted
    let deleted = Set(sections.deleted)
    let inserted = Set(sections.inserted)
    func isPair(_ old: VisibleDifference.Row, _ new: VisibleDifference.Row) -> Bool {
      !deleted.contains(old.place.section) && !inserted.contains(new.place.section)
    }
    for row in visible.old.reversed() {
      if let other = row.other, isPair(row, visible.new[other]) { continue }
      deletedRows.append(IndexPath(row.place))
    }
    let stays = TableChanges.stays(visible, sections)
    for (index, row) in visible.new.enumerated() {
      guard let other = row.other, isPair(visible.old[other], row) else {
        insertedRows.append(IndexPath(row.place))
        continue
      }
      let from = IndexPath(visible.old[other].place)
      let to = IndexPath(row.place)
      if stays[index] {
        if !row.isAlike { updatedRows.append(Update(old: from, new: to)) }
      } else {
        movedRows.append(Move(from: from, to: to))
      }
    }
  }

  /// For each row of the new side whether it keeps its order among the rows that do not move.
  private static func stays(_ visible: VisibleDifference, _ sections: SectionMatch) -> [Bool] {
    var stays = [Bool](repeating: false, count: visible.new.count)
    // The rows of the new side that may stay, collected for one gap of one section at a time.
    var run: [(new: Int, old: Int)] = []
    var runGap = 0
    var runSection = 0
    func endRun() {
      // A row that shows the same has more weight than all others together.
      let weights = run.map { visible.new[$0.new].isAlike ? run.count + 1 : 1 }
      let chosen = longestIncreasingSubsequence(of: run.map(\.old), weights: weights)
      for (row, isChosen) in zip(run, chosen) { stays[row.new] = isChosen }
      run.removeAll()
    }
    for (index, row) in visible.new.enumerated() {
      guard let other = row.other else { continue }
      let old = visible.old[other]
      // The number of rows before a position that do not differ: the position minus the number that
      // do.
      let gap = row.position - index
      guard old.position - other == gap,
        sections.newSection(for: old.place.section) == row.place.section
      else { continue }
      if runGap != gap || runSection != row.place.section { endRun() }
      (runGap, runSection) = (gap, row.place.section)
      run.append((index, other))
    }
    endRun()
    return stays
  }
}

extension IndexPath {
  init(_ place: (section: Int, row: Int)) { self.init(row: place.row, section: place.section) }
}
