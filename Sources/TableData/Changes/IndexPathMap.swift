#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Where the rows and sections of the old state are in the new one.
///
/// It follows from the events alone; nothing needs to know how long the list is.
struct PlaceMap {
  private let removedSections: PlaceSet
  private let placedSections: PlaceSet
  private let movedSections: [Int: Int]
  private let replacedSections: Set<Int>
  private let removedRows: [Int: PlaceSet]
  private let placedRows: [Int: PlaceSet]
  private let movedRows: [IndexPath: IndexPath]

  /// Reads the events of one batch, which must be legal.
  init(_ updates: TableUpdates) {
    removedSections = PlaceSet(updates.deletedSections + updates.movedSections.map(\.from))
    placedSections = PlaceSet(updates.insertedSections + updates.movedSections.map(\.to))
    movedSections = Dictionary(
      updates.movedSections.map { ($0.from, $0.to) }, uniquingKeysWith: { first, _ in first })
    replacedSections = Set(updates.reloadedSections)
    removedRows = PlaceSet.bySection(updates.deletedRows + updates.movedRows.map(\.from))
    placedRows = PlaceSet.bySection(updates.insertedRows + updates.movedRows.map(\.to))
    movedRows = Dictionary(
      updates.movedRows.map { ($0.from, $0.to) }, uniquingKeysWith: { first, _ in first })
  }

  /// The new number of a section; nil where it is deleted. O(log changes).
  func newSection(of old: Int) -> Int? {
    if let moved = movedSections[old] { return moved }
    guard !removedSections.contains(old) else { return nil }
    return placedSections.place(atGap: removedSections.gap(of: old))
  }

  /// The new place of a row; nil where the row or its section is deleted, or the section reloaded.
  /// O(log changes).
  func newPlace(of old: IndexPath) -> IndexPath? {
    if let moved = movedRows[old] { return moved }
    guard !replacedSections.contains(old.section), let section = newSection(of: old.section)
    else { return nil }
    let removed = removedRows[old.section] ?? PlaceSet()
    guard !removed.contains(old.row) else { return nil }
    let placed = placedRows[section] ?? PlaceSet()
    return IndexPath(row: placed.place(atGap: removed.gap(of: old.row)), section: section)
  }
}

extension PlaceSet {
  /// The rows of each section that has any.
  static func bySection(_ paths: [IndexPath]) -> [Int: PlaceSet] {
    Dictionary(grouping: paths, by: \.section).mapValues { PlaceSet($0.lazy.map(\.row)) }
  }
}
