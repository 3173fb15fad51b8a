/// The identities of the sections and rows of a list, in order.
///
/// ```swift
/// let old = IdentityList([("A", [1, 2]), ("B", [3])])
/// let new = IdentityList([("A", [1, 2, 3])])
/// print(old.difference(to: new) { _, _ in true })  // -[1] -[1,0] +[0,2]
/// ```
///
/// No two sections and no two rows may have the same identity.
public struct IdentityList<SectionID: Hashable, RowID: Hashable> {
  /// The sections with their rows, in order.
  public var sections: [(id: SectionID, rows: [RowID])]

  /// Makes a list of sections.
  public init(_ sections: [(id: SectionID, rows: [RowID])]) { self.sections = sections }

  /// The fewest changes from this list to another one. As many sections as possible keep their order; the others are
  /// deleted and inserted. Of the rows that stay in their section, as many unchanged ones as possible get no event,
  /// then as many changed ones as possible are updated instead of moved. If several choices are equally good, only
  /// the number of moves is defined, not which rows move.
  ///
  /// The rows of deleted and inserted sections are listed. Complexity: O(n log n).
  ///
  /// - Parameter isUnchanged: whether the content of a row that is in both states is the same.
  public func difference(
    to new: IdentityList, isUnchanged: (_ old: IndexPath, _ new: IndexPath) throws -> Bool
  ) rethrows -> TableChanges {
    let newNumbers = keptSections(in: new)
    let keptNew = Set(newNumbers.values)
    var changes = TableChanges()
    changes.deletedSections = sections.indices.reversed().filter { newNumbers[$0] == nil }
    changes.insertedSections = new.sections.indices.filter { !keptNew.contains($0) }

    let oldPaths = indexPaths
    var survivors: Set<IndexPath> = []
    for (number, section) in new.sections.enumerated() {
      var kept: [TableChanges.Update] = []
      for (row, id) in section.rows.enumerated() {
        let path = IndexPath(row: row, section: number)
        guard keptNew.contains(number), let old = oldPaths[id],
          let newNumber = newNumbers[old.section]
        else {
          changes.insertedRows.append(path)
          continue
        }
        survivors.insert(old)
        if newNumber == number {
          kept.append(.init(old: old, new: path))
        } else {
          changes.movedRows.append(.init(from: old, to: path))
        }
      }
      changes.append(kept: kept, isUnchanged: try kept.map { try isUnchanged($0.old, $0.new) })
    }
    changes.movedRows.sort { $0.to < $1.to }
    changes.deletedRows = oldPaths.values.filter { !survivors.contains($0) }.sorted(by: >)
    return changes
  }

  private var indexPaths: [RowID: IndexPath] {
    var paths: [RowID: IndexPath] = [:]
    for (number, section) in sections.enumerated() {
      for (row, id) in section.rows.enumerated() where paths[id] == nil {
        paths[id] = IndexPath(row: row, section: number)
      }
    }
    return paths
  }

  /// The new numbers of the sections that are in both states and keep their order.
  private func keptSections(in new: IdentityList) -> [Int: Int] {
    let oldNumbers = Dictionary(
      sections.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    let common = new.sections.enumerated().compactMap { number, section in
      oldNumbers[section.id].map { (old: $0, new: number) }
    }
    let stays = longestIncreasingSubsequence(of: common.map(\.old))
    return Dictionary(
      zip(common, stays).filter { $0.1 }.map { ($0.0.old, $0.0.new) },
      uniquingKeysWith: { first, _ in first })
  }
}

extension IdentityList: Sendable where SectionID: Sendable, RowID: Sendable {}
