#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import TableData

extension IdentityList {
  /// The fewest changes that make one list of another: the plain answer that the clever ones must
  /// not exceed.
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
      for (index, candidate) in candidates.enumerated() {
        if !staying.contains(index) {
          changes.movedRows.append(.init(from: candidate.old, to: candidate.new))
        } else if !candidate.isUnchanged {
          changes.updatedRows.append(.init(old: candidate.old, new: candidate.new))
        }
      }
    }
    changes.movedRows.sort { $0.to < $1.to }
    changes.deletedRows = places.values.filter { !survivors.contains($0) }.sorted(by: >)
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
    let kept = heaviestIncreasingSubsequence(common.map { (place: $0.old, weight: 1) })
    return Dictionary(
      common.enumerated().filter { kept.contains($0.offset) }.map { ($1.old, $1.new) },
      uniquingKeysWith: { first, _ in first })
  }
}

/// A row that is in the same section before and after.
private struct Candidate {
  let old: IndexPath
  let new: IndexPath
  let isUnchanged: Bool

  /// Those that need not move, of candidates in new order.
  static func staying(of candidates: [Candidate]) -> Set<Int> {
    // One unchanged row outweighs all changed ones.
    heaviestIncreasingSubsequence(
      candidates.map { (place: $0.old.row, weight: $0.isUnchanged ? candidates.count + 1 : 1) })
  }
}

/// The indices of a subsequence of ascending places that has the greatest weight.
///
/// The classic one, with a Fenwick tree over the places for the best that ends below one.
/// O(n log n).
private func heaviestIncreasingSubsequence(_ elements: [(place: Int, weight: Int)]) -> Set<Int> {
  struct Best {
    var weight = 0
    var last: Int?
  }
  let sorted = elements.map(\.place).sorted()
  let ranks = Dictionary(
    sorted.enumerated().map { ($1, $0 + 1) }, uniquingKeysWith: { first, _ in first })
  var tree = [Best](repeating: Best(), count: elements.count + 1)
  var previous: [Int?] = []
  var best = Best()
  for (index, element) in elements.enumerated() {
    let rank = ranks[element.place] ?? 0
    var below = Best()
    var position = rank - 1
    while position > 0 {
      if tree[position].weight > below.weight { below = tree[position] }
      position &= position - 1
    }
    previous.append(below.last)
    let here = Best(weight: below.weight + element.weight, last: index)
    if here.weight > best.weight { best = here }
    position = rank
    while position < tree.count {
      if here.weight > tree[position].weight { tree[position] = here }
      position += position & -position
    }
  }
  var chosen: Set<Int> = []
  var next = best.last
  while let index = next {
    chosen.insert(index)
    next = previous[index]
  }
  return chosen
}
