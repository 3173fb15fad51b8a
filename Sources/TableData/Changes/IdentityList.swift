#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A list reduced to who is where: an identity for each section and each row.
///
/// ```swift
/// let old = IdentityList([("A", [1, 2]), ("B", [3])])
/// let new = IdentityList([("A", [1, 2, 3])])
/// print(old.difference(to: new) { _, _ in true })  // -[1] -[1,0] +[0,2]
/// ```
///
/// No two sections and no two rows have one identity; of those that do only the first counts.
public struct IdentityList<SectionID: Hashable, RowID: Hashable>: Hashable {
  /// A section and its rows.
  public struct Section: Hashable {
    /// What the section is, wherever it is.
    public var id: SectionID
    /// What the rows are, in order.
    public var rows: [RowID]

    /// Makes a section.
    public init(id: SectionID, rows: [RowID]) {
      self.id = id
      self.rows = rows
    }
  }

  /// The sections, in order.
  public var sections: [Section]

  /// Makes a list of sections.
  public init(_ sections: [(id: SectionID, rows: [RowID])]) {
    self.sections = sections.map { Section(id: $0.id, rows: $0.rows) }
  }
}

extension IdentityList: Sendable where SectionID: Sendable, RowID: Sendable {}
extension IdentityList.Section: Sendable where SectionID: Sendable, RowID: Sendable {}

extension IdentityList {
  /// The fewest changes that make one list of another.
  ///
  /// It reads both lists as a whole. Sections that stay keep their order: as many as possible, the
  /// others are deleted and inserted. Of the rows that stay in their section as many unchanged ones
  /// as possible have no event, and then as many changed ones as possible are updated, not moved.
  /// Which of several equally good rows moves is not defined, only how many do.
  ///
  /// Rows of deleted and inserted sections are listed.
  ///
  /// Complexity: O(n log n).
  ///
  /// - Parameters:
  ///   - new: the new state.
  ///   - isUnchanged: whether the content of a row that is in both states is the same; called with
  ///     its old and its new place.
  public func difference(
    to new: IdentityList, isUnchanged: (_ old: IndexPath, _ new: IndexPath) throws -> Bool
  ) rethrows -> TableChanges {
    let newNumbers = keptSections(in: new)
    let keptNew = Set(newNumbers.values)
    var changes = TableChanges()
    changes.deletedSections = sections.indices.reversed().filter { newNumbers[$0] == nil }
    changes.insertedSections = new.sections.indices.filter { !keptNew.contains($0) }

    let oldPlaces = places
    var survivors: Set<IndexPath> = []
    for (number, section) in new.sections.enumerated() {
      var candidates: [Candidate] = []
      for (row, id) in section.rows.enumerated() {
        let place = IndexPath(row: row, section: number)
        guard keptNew.contains(number), let old = oldPlaces[id],
          let newNumber = newNumbers[old.section]
        else {
          changes.insertedRows.append(place)
          continue
        }
        survivors.insert(old)
        if newNumber == number {
          candidates.append(
            Candidate(old: old, new: place, isUnchanged: try isUnchanged(old, place)))
        } else {
          changes.movedRows.append(.init(from: old, to: place))
        }
      }
      let staying = Candidate.staying(of: candidates)
      for (candidate, stays) in zip(candidates, staying) {
        if !stays {
          changes.movedRows.append(.init(from: candidate.old, to: candidate.new))
        } else if !candidate.isUnchanged {
          changes.updatedRows.append(.init(old: candidate.old, new: candidate.new))
        }
      }
    }
    changes.movedRows.sort { $0.to < $1.to }
    changes.deletedRows = oldPlaces.values.filter { !survivors.contains($0) }.sorted(by: >)
    return changes
  }

  /// Where each row is.
  private var places: [RowID: IndexPath] {
    var places: [RowID: IndexPath] = [:]
    for (number, section) in sections.enumerated() {
      for (row, id) in section.rows.enumerated() where places[id] == nil {
        places[id] = IndexPath(row: row, section: number)
      }
    }
    return places
  }

  /// The new numbers of the old sections that are there and in the same order in both states.
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

/// A row that is in the same section before and after.
private struct Candidate {
  let old: IndexPath
  let new: IndexPath
  let isUnchanged: Bool

  /// Those that need not move, of candidates in new order.
  static func staying(of candidates: [Candidate]) -> [Bool] {
    // One unchanged row outweighs all changed ones.
    longestIncreasingSubsequence(
      of: candidates.map(\.old.row),
      weights: candidates.map { $0.isUnchanged ? candidates.count + 1 : 1 })
  }
}
