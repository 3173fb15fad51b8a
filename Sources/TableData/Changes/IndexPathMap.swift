#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The new positions of old rows and sections.
///
/// It needs the events of a batch, and not the number of rows.
struct IndexPathMap {
  private let removedSections: PositionSet
  private let insertedSections: PositionSet
  private let movedSections: [Int: Int]
  private let reloadedSections: Set<Int>
  private let removedRows: [Int: PositionSet]
  private let insertedRows: [Int: PositionSet]
  private let movedRows: [IndexPath: IndexPath]

  /// Reads the events of one batch, which must be legal.
  init(_ updates: TableUpdates) {
    removedSections = PositionSet(updates.deletedSections + updates.movedSections.map(\.from))
    insertedSections = PositionSet(updates.insertedSections + updates.movedSections.map(\.to))
    movedSections = Dictionary(
      updates.movedSections.map { ($0.from, $0.to) }, uniquingKeysWith: { first, _ in first })
    reloadedSections = Set(updates.reloadedSections)
    removedRows = PositionSet.bySection(updates.deletedRows + updates.movedRows.map(\.from))
    insertedRows = PositionSet.bySection(updates.insertedRows + updates.movedRows.map(\.to))
    movedRows = Dictionary(
      updates.movedRows.map { ($0.from, $0.to) }, uniquingKeysWith: { first, _ in first })
  }

  /// The new number of a section; nil if it is deleted. O(log changes).
  func newSection(of old: Int) -> Int? {
    if let moved = movedSections[old] { return moved }
    guard !removedSections.contains(old) else { return nil }
    return insertedSections.position(ofRank: removedSections.rank(of: old))
  }

  /// The new index path of a row; nil if the row or its section is deleted, or the section reloaded.
  /// O(log changes).
  func newIndexPath(of old: IndexPath) -> IndexPath? {
    if let moved = movedRows[old] { return moved }
    guard !reloadedSections.contains(old.section), let section = newSection(of: old.section)
    else { return nil }
    let removed = removedRows[old.section] ?? PositionSet()
    guard !removed.contains(old.row) else { return nil }
    let inserted = insertedRows[section] ?? PositionSet()
    return IndexPath(row: inserted.position(ofRank: removed.rank(of: old.row)), section: section)
  }
}

extension PositionSet {
  /// The rows of each section that has any.
  static func bySection(_ paths: [IndexPath]) -> [Int: PositionSet] {
    Dictionary(grouping: paths, by: \.section).mapValues { PositionSet($0.map(\.row)) }
  }
}
