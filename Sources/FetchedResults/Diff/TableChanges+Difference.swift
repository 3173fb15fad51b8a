internal import CountedTrees
internal import SectionedData

extension TableChanges {
  /// The fewest changes that turn the old result into the new one, inside their windows.
  ///
  /// A row that stays and shows the same, since only its sort key differs, has no event. As many of
  /// these rows as possible stay. `ChangedRows` decides which. A section without rows that differ can
  /// also have moved; then its rows are deleted and inserted.
  ///
  /// Complexity: O(k log n) for k rows that differ or are in such a section.
  ///
  /// - Parameters:
  ///   - visible: the rows that differ.
  ///   - comparator: compares section keys: equal keys are one section.
  ///   - movesTotals: whether the totals of the new layout were made from those of the old one. Then
  ///     only sections with rows that differ can have new ones.
  init(
    _ visible: VisibleDifference, comparator: TextComparator, from oldLayout: ResultsLayout,
    to newLayout: ResultsLayout, movesTotals: Bool = false
  ) {
    let sections = SectionMatch(visible, comparator, from: oldLayout, to: newLayout)
    var rows = ChangedRows()
    rows.keptRowsMove = visible.pairsMove
    rows.deletedSections = sections.deleted
    rows.insertedSections = sections.inserted
    let hasTotals = newLayout.totals != nil || oldLayout.totals != nil
    rows.updatedSections = TableChanges.updatedSections(
      among: movesTotals || !hasTotals ? visible : nil, sections, from: oldLayout, to: newLayout)
    rows.deleted.reserveCapacity(visible.old.count)
    rows.inserted.reserveCapacity(visible.new.count)
    // Descending, as the changes have them.
    for row in visible.old.reversed() where row.other == nil {
      rows.deleted.append(IndexPath(row.place))
    }
    for row in visible.new {
      let new = IndexPath(row.place)
      guard let other = row.other else {
        rows.inserted.append(new)
        continue
      }
      rows.kept.append(Update(old: IndexPath(visible.old[other].place), new: new))
      if row.isAlike { rows.unchanged.insert(new) }
    }
    for section in sections.moved {
      rows.replaceOtherRows(of: section, visible, from: oldLayout, to: newLayout)
    }
    self = rows.changes()
    if visible.movesKeepContent {
      movedRows = movedRows.map { Move(from: $0.from, to: $0.to, keepsContent: true) }
    }
    updatesTotals = oldLayout.totals?.whole.values != newLayout.totals?.whole.values
  }

  /// The sections that stay and have another header: new totals, or a new spelling of the name. Keys that
  /// are spelled differently can be equal, and the name is that of the first row.
  ///
  /// - Parameter visible: the rows in whose sections to look; nil for all sections.
  private static func updatedSections(
    among visible: VisibleDifference?, _ sections: SectionMatch, from oldLayout: ResultsLayout,
    to newLayout: ResultsLayout
  ) -> [SectionUpdate] {
    let numbers: [Int]
    if let visible {
      var old = visible.oldSections
      // The row that names the first section may be before the window.
      if oldLayout.sectionCount > 0, oldLayout.window.lowerBound > 0, old.first != 0 {
        old.append(0)
      }
      var all = visible.newSections + old.compactMap(sections.newSection(for:))
      if newLayout.sectionCount > 0, newLayout.window.lowerBound > 0 { all.append(0) }
      numbers = all.sorted().withoutRepetition
    } else {
      numbers = Array(0..<newLayout.sectionCount)
    }
    return sections.kept(among: numbers).filter { old, new in
      oldLayout.section(at: old).key != newLayout.section(at: new).key
        || oldLayout.totals(ofSection: old) != newLayout.totals(ofSection: new)
    }.map { SectionUpdate(old: $0.old, new: $0.new) }
  }

  /// The same changes, with updates of some rows of the old result that are not deleted.
  ///
  /// Complexity: O(changes) for each batch of rows.
  func updating(_ rows: [IndexPath]) -> TableChanges {
    guard !rows.isEmpty, reset == nil else { return self }
    var changes = self
    let mapping = IndexPathMap(self)
    let updated = Set(updatedRows.lazy.map(\.old))
    for row in rows where !updated.contains(row) {
      if mapping.moves(row) {
        changes.movedRows = changes.movedRows.map {
          $0.from == row ? Move(from: $0.from, to: $0.to) : $0
        }
      } else if let new = mapping.newIndexPath(of: row) {
        changes.updatedRows.append(Update(old: row, new: new))
      }
    }
    changes.updatedRows.sort { $0.new < $1.new }
    return changes
  }

  static func reset(from old: ResultsLayout, to new: ResultsLayout) -> TableChanges {
    .reset(oldSectionCount: old.sectionCount, newSectionCount: new.sectionCount)
  }

  /// All old sections are deleted with their rows, and all new ones are inserted.
  static func replacement(
    of old: ResultsLayout, by new: ResultsLayout
  ) -> TableChanges {
    TableChanges(
      deletedSections: (0..<old.sectionCount).reversed(),
      insertedSections: Array(0..<new.sectionCount), deletedRows: old.indexPaths.reversed(),
      insertedRows: new.indexPaths)
  }
}

extension VisibleDifference {
  /// The sections of the old rows, ascending.
  fileprivate var oldSections: [Int] { old.map(\.place.section).withoutRepetition }
  /// The sections of the new rows, ascending.
  fileprivate var newSections: [Int] { new.map(\.place.section).withoutRepetition }
}

extension [Int] {
  /// The numbers without those that are equal to the one before.
  fileprivate var withoutRepetition: [Int] {
    var numbers: [Int] = []
    for number in self where number != numbers.last { numbers.append(number) }
    return numbers
  }
}

extension ResultsLayout {
  fileprivate var indexPaths: [IndexPath] {
    (0..<sectionCount).flatMap { section in
      (0..<rows(inSection: section).count).map { IndexPath(row: $0, section: section) }
    }
  }
}

extension IndexPath {
  init(_ place: (section: Int, row: Int)) { self.init(row: place.row, section: place.section) }
}

extension ChangedRows {
  /// Deletes and inserts the rows of a section that has moved, except for those that differ.
  fileprivate mutating func replaceOtherRows(
    of section: (old: Int, new: Int), _ visible: VisibleDifference, from oldLayout: ResultsLayout,
    to newLayout: ResultsLayout
  ) {
    deleted += IndexPath.otherRows(than: visible.old, inSection: section.old, oldLayout)
    inserted += IndexPath.otherRows(than: visible.new, inSection: section.new, newLayout)
    if keptRowsMove {
      deleted.sort(by: >)
      inserted.sort()
    }
  }
}

extension IndexPath {
  fileprivate static func otherRows(
    than rows: [VisibleDifference.VisibleRow], inSection section: Int, _ layout: ResultsLayout
  ) -> [IndexPath] {
    let start = rows.partitionPoint { $0.place.section < section }
    let differing = Set(
      rows[start...].lazy.prefix { $0.place.section == section }.map(\.place.row))
    return (0..<layout.rows(inSection: section).count)
      .filter { !differing.contains($0) }.map { IndexPath(row: $0, section: section) }
  }
}
