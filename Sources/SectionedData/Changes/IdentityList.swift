/// The identities of the sections and rows of a list, in order.
///
/// ```swift
/// let old = IdentityList([("A", [1, 2]), ("B", [3])])
/// let new = IdentityList([("A", [1, 2, 3])])
/// print(old.difference(to: new) { _, _ in true })  // -[1] -[1,0] +[0,2]
/// ```
///
/// Of several sections, or rows, with the same identity, the first is compared with the first of the other list. The
/// others are deleted and inserted.
package struct IdentityList<SectionID: Hashable, RowID: Hashable> {
  package var sections: [(id: SectionID, rows: [RowID])]

  package init(_ sections: [(id: SectionID, rows: [RowID])]) { self.sections = sections }

  /// The fewest changes from this list to another one. As many sections as possible keep their order; the others are
  /// deleted and inserted. Of the rows that stay in their section, as many unchanged ones as possible get no event,
  /// then as many changed ones as possible are updated instead of moved. If several choices are equally good, only
  /// the number of moves is defined, not which rows move.
  ///
  /// The rows of deleted and inserted sections are listed. Complexity: O(n log n).
  ///
  /// - Parameter isUnchanged: whether the content of a row that is in both states is the same.
  package func difference(
    to new: IdentityList, isUnchanged: (_ old: IndexPath, _ new: IndexPath) throws -> Bool
  ) rethrows -> TableChanges {
    let newNumbers = keptSections(in: new)
    let keptNew = Set(newNumbers.values)
    var rows = ChangedRows()
    rows.deletedSections = sections.indices.filter { newNumbers[$0] == nil }
    rows.insertedSections = new.sections.indices.filter { !keptNew.contains($0) }
    var oldPaths: [RowID: IndexPath] = [:]
    for (id, path) in indexPaths.reversed() {
      if let repeated = oldPaths.updateValue(path, forKey: id) { rows.deleted.append(repeated) }
    }
    for (id, path) in new.indexPaths {
      guard let old = oldPaths.removeValue(forKey: id) else {
        rows.inserted.append(path)
        continue
      }
      rows.kept.append(.init(old: old, new: path))
      if newNumbers[old.section] == path.section, try isUnchanged(old, path) {
        rows.unchanged.insert(path)
      }
    }
    rows.deleted += oldPaths.values
    return rows.changes()
  }

  /// Each row's identity and index path.
  private var indexPaths: [(RowID, IndexPath)] {
    sections.enumerated().flatMap { number, section in
      zip(section.rows, IndexPath.rows(section.rows.count, inSection: number))
    }
  }

  /// The new numbers of the sections that are in both states and keep their order.
  private func keptSections(in new: IdentityList) -> [Int: Int] {
    var oldNumbers = Dictionary(
      sections.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    let common = new.sections.enumerated().compactMap { number, section in
      oldNumbers.removeValue(forKey: section.id).map { ($0, number) }
    }
    let stays = longestIncreasingSubsequence(of: common.map(\.0))
    return Dictionary(uniqueKeysWithValues: zip(common, stays).filter(\.1).map(\.0))
  }
}

extension IdentityList: Sendable where SectionID: Sendable, RowID: Sendable {}
