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

extension PositionSet {
  /// The rows of each section that has any, without malformed index paths.
  static func bySection(_ paths: [IndexPath]) -> [Int: PositionSet] {
    Dictionary(grouping: paths.lazy.filter { $0.count == 2 }, by: \.section)
      .mapValues { PositionSet($0.map(\.row)) }
  }
}

/// The new positions of old rows and sections. It needs the events of a batch, and not the number of rows.
package struct IndexPathMap {
  private let removedSections: PositionSet
  private let insertedSections: PositionSet
  private let movedSections: [Int: Int]
  private let reloadedSections: Set<Int>
  private let removedRows: [Int: PositionSet]
  private let insertedRows: [Int: PositionSet]
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
    removedRows = PositionSet.bySection(changes.deletedRows + changes.movedRows.map(\.from))
    insertedRows = PositionSet.bySection(changes.insertedRows + changes.movedRows.map(\.to))
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
      let section = newSection(of: old.section)
    else { return nil }
    let removed = removedRows[old.section] ?? PositionSet()
    guard !removed.contains(old.row) else { return nil }
    let inserted = insertedRows[section] ?? PositionSet()
    return IndexPath(row: inserted.position(ofRank: removed.rank(of: old.row)), section: section)
  }
}
