import CountedTrees

/// The rows of a section in which unchanged rows crossed untouched ones. It looks as if the untouched rows had moved
/// instead, which can be fewer changes.
///
/// The untouched rows between two neighbouring places of kept rows, old or new, stay or move together. So a heaviest
/// ascending choice of the kept rows and of these runs stays, and the number of untouched rows in the list does not
/// matter.
struct CrossingRows {
  /// A kept row, or a run of untouched ones.
  private struct Item {
    let old: Int
    let new: Int
    let weight: StayWeight
    let content: Content
  }

  private enum Content {
    case row(KeptRow)
    case untouched(ranks: Range<Int>)
  }

  /// What it is worth that a row stays. First there are as few events as possible, then as few moves. If that is equal,
  /// the untouched rows stay.
  private struct StayWeight: AdditiveArithmetic, Comparable {
    var withoutEvent = 0
    var staying = 0
    var untouched = 0

    static let zero = StayWeight()

    static func + (lhs: Self, rhs: Self) -> Self {
      StayWeight(
        withoutEvent: lhs.withoutEvent + rhs.withoutEvent, staying: lhs.staying + rhs.staying,
        untouched: lhs.untouched + rhs.untouched)
    }

    static func - (lhs: Self, rhs: Self) -> Self {
      StayWeight(
        withoutEvent: lhs.withoutEvent - rhs.withoutEvent, staying: lhs.staying - rhs.staying,
        untouched: lhs.untouched - rhs.untouched)
    }

    static func < (lhs: Self, rhs: Self) -> Bool {
      (lhs.withoutEvent, lhs.staying, lhs.untouched)
        < (rhs.withoutEvent, rhs.staying, rhs.untouched)
    }
  }

  private let items: [Item]
  private let oldTaken: PositionSet
  private let newTaken: PositionSet
  private let sections: (old: Int, new: Int)

  /// O(k log k) for k rows that are deleted, inserted or kept.
  ///
  /// - Parameters:
  ///   - rows: the kept rows, in new order; not empty.
  ///   - oldTaken: the old places of the rows of the section that are not untouched.
  ///   - newTaken: the same in the new state.
  init(_ rows: [KeptRow], _ oldTaken: PositionSet, _ newTaken: PositionSet) {
    self.oldTaken = oldTaken
    self.newTaken = newTaken
    sections = rows.first.map { ($0.update.old.section, $0.update.new.section) } ?? (0, 0)
    let borders = Set(rows.flatMap { [$0.oldRank, $0.newRank] }).sorted()
    let kept = rows.map { row in
      Item(
        old: row.update.old.row, new: row.update.new.row,
        weight: StayWeight(withoutEvent: row.isUnchanged ? 1 : 0, staying: 1), content: .row(row))
    }
    // Those before the first border, and after the last one, stay in any case.
    let untouched = zip(borders, borders.dropFirst()).map { start, end in
      let count = end - start
      return Item(
        old: oldTaken.position(ofRank: start), new: newTaken.position(ofRank: start),
        weight: StayWeight(withoutEvent: count, staying: count, untouched: count),
        content: .untouched(ranks: start..<end))
    }
    items = (kept + untouched).sorted { $0.new < $1.new }
  }

  /// Adds the events. At most as many untouched rows move as there are kept rows.
  func append(to changes: inout TableChanges) {
    let stays = longestIncreasingSubsequence(of: items.map(\.old), weights: items.map(\.weight))
    for (item, stays) in zip(items, stays) {
      switch item.content {
      case .row(let row): changes.append(row, stays: stays)
      case .untouched(let ranks):
        guard !stays else { continue }
        changes.movedRows += ranks.map { rank in
          TableChanges.Move(
            from: IndexPath(row: oldTaken.position(ofRank: rank), section: sections.old),
            to: IndexPath(row: newTaken.position(ofRank: rank), section: sections.new),
            keepsContent: true)
        }
      }
    }
  }
}
