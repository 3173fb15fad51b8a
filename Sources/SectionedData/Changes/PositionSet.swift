import CountedTrees

/// Some positions in a sequence, such as those of deleted rows.
///
/// The elements at other positions keep their order. The *rank* of such an element is the number of others before it.
/// It leads from old to new positions: the old position without the deleted rows gives the rank, the rank with the
/// inserted rows gives the new position.
package struct PositionSet {
  /// The positions, ascending.
  package let positions: [Int]

  /// Makes a set of positions, in any order and without repetition. O(n) if they ascend, else O(n log n).
  package init(_ positions: [Int] = []) {
    // Most changes are of one row.
    self.positions = positions.count < 2 ? positions : positions.sorted()
  }

  package func contains(_ position: Int) -> Bool {
    let index = count(before: position)
    return index < positions.count && positions[index] == position
  }

  /// The number of positions in the set that are before `position`. This and the next ones: O(log n).
  package func count(before position: Int) -> Int { positions.partitionPoint { $0 < position } }

  /// The number of positions before `position` that are not in the set.
  package func rank(of position: Int) -> Int { position - count(before: position) }

  /// The position outside of the set that has `rank` others before it.
  package func position(ofRank rank: Int) -> Int {
    // The position at an index of the set has `positions[index] - index` others before it.
    rank + positions.indices.partitionPoint { positions[$0] - $0 <= rank }
  }
}

/// Some rows of a list: for each section a ``PositionSet``, in one array.
struct RowSet {
  /// Ascending.
  private let rows: [(section: Int, row: Int)]

  /// Makes a set of rows, in any order and without repetition. O(n) if they ascend or descend, else O(n log n). A
  /// malformed index path is left out.
  init(_ paths: [IndexPath]) {
    rows = paths.lazy.filter { $0.count == 2 }.map { ($0.section, $0.row) }
      .sorted { ($0.section, $0.row) < ($1.section, $1.row) }
  }

  /// Whether the row is in the set. This and the next ones: O(log n).
  func contains(_ row: Int, inSection section: Int) -> Bool {
    let index = index(of: row, inSection: section)
    return index < rows.count && rows[index] == (section, row)
  }

  /// The number of rows of the section before `row` that are not in the set.
  func rank(of row: Int, inSection section: Int) -> Int {
    row - (index(of: row, inSection: section) - start(ofSection: section))
  }

  /// The row outside of the set that has `rank` others of its section before it.
  func row(ofRank rank: Int, inSection section: Int) -> Int {
    let range = range(ofSection: section)
    let next = range.partitionPoint { rows[$0].row - ($0 - range.lowerBound) <= rank }
    return rank + next - range.lowerBound
  }

  /// The rows of a section. O(k) for k rows.
  subscript(section: Int) -> PositionSet {
    PositionSet(rows[range(ofSection: section)].map(\.row))
  }

  private func range(ofSection section: Int) -> Range<Int> {
    start(ofSection: section)..<rows.partitionPoint { $0.section <= section }
  }

  /// The number of rows of the set before a row, in all sections.
  private func index(of row: Int, inSection section: Int) -> Int {
    rows.partitionPoint { ($0.section, $0.row) < (section, row) }
  }

  private func start(ofSection section: Int) -> Int {
    rows.partitionPoint { $0.section < section }
  }
}

/// The new positions of old rows and sections. It needs the events of a batch, and not the number of rows.
package struct IndexPathMap {
  private let removedSections: PositionSet
  private let insertedSections: PositionSet
  private let movedSections: [Int: Int]
  private let reloadedSections: Set<Int>
  private let removedRows: RowSet
  private let insertedRows: RowSet
  private let movedRows: [IndexPath: IndexPath]

  /// Reads the events of one batch, which must be legal.
  ///
  /// - Parameters:
  ///   - movedSections: sections that move together with their rows, which changes do not have.
  ///   - reloadedSections: the old numbers of sections whose rows are no longer known.
  package init(
    _ changes: TableChanges, movedSections: [(from: Int, to: Int)] = [],
    reloadedSections: [Int] = []
  ) {
    removedSections = PositionSet(changes.deletedSections + movedSections.map(\.from))
    insertedSections = PositionSet(changes.insertedSections + movedSections.map(\.to))
    self.movedSections = Dictionary(
      movedSections.map { ($0.from, $0.to) }, uniquingKeysWith: { first, _ in first })
    self.reloadedSections = Set(reloadedSections)
    removedRows = RowSet(changes.deletedRows + changes.movedRows.map(\.from))
    insertedRows = RowSet(changes.insertedRows + changes.movedRows.map(\.to))
    movedRows = Dictionary(
      changes.movedRows.map { ($0.from, $0.to) }, uniquingKeysWith: { first, _ in first })
  }

  /// The new number of a section; nil if it is deleted. O(log changes).
  package func newSection(of old: Int) -> Int? {
    if let moved = movedSections[old] { return moved }
    guard !removedSections.contains(old) else { return nil }
    return insertedSections.position(ofRank: removedSections.rank(of: old))
  }

  package func moves(_ old: IndexPath) -> Bool { movedRows[old] != nil }

  /// The new index path of a row that is neither deleted nor moved; nil if it is. O(log changes).
  package func placeKept(by old: IndexPath) -> IndexPath? {
    moves(old) ? nil : newIndexPath(of: old)
  }

  /// The new index path of a row; nil if the row or its section is deleted, or the section reloaded. O(log changes).
  package func newIndexPath(of old: IndexPath) -> IndexPath? {
    if let moved = movedRows[old] { return moved }
    guard old.count == 2, !reloadedSections.contains(old.section),
      let section = newSection(of: old.section),
      !removedRows.contains(old.row, inSection: old.section)
    else { return nil }
    let rank = removedRows.rank(of: old.row, inSection: old.section)
    return IndexPath(
      row: insertedRows.row(ofRank: rank, inSection: section), section: section)
  }
}
