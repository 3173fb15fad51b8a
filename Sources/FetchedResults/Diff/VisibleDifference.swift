internal import TableData

/// The difference between two versions inside their windows.
///
/// A limit or an offset shows a window of the order. Rows that differ may be inside or outside of
/// it. Rows that do not differ enter or leave the window if other rows are inserted or deleted.
/// There are at most as many of them as rows that differ.
struct VisibleDifference {
  /// A row that is deleted, inserted, moved or updated.
  struct Row {
    /// The position in the result of its side.
    let position: Int
    /// The index path in the result of its side.
    let place: (section: Int, row: Int)
    /// The index of the same row in the array of the other side; nil if it is not there.
    var other: Int?
    /// Whether it shows the same on both sides, so that it has no event unless it moves.
    var isAlike = false
  }

  /// The rows of the old result that differ, by old position.
  private(set) var old: [Row]
  /// The rows of the new result that differ, by new position.
  private(set) var new: [Row]

  /// - Parameters:
  ///   - old: the rows of the old result that differ, ascending, paired with `new`.
  ///   - new: the rows of the new result that differ, ascending, paired with `old`.
  init(old: [Row], new: [Row]) {
    self.old = old
    self.new = new
  }

  /// Complexity: O(k log n) for k rows that differ.
  init<Key: RowKey>(
    _ difference: RowDifference<Key>, from oldLayout: ResultsLayout,
    to newLayout: ResultsLayout
  ) {
    let oldPositions = difference.oldPositions
    let newPositions = difference.newPositions
    let oldTaken = PositionSet(oldPositions)
    let newTaken = PositionSet(newPositions)
    // The ranks of the rows that do not differ, in the old window and in the new one.
    let oldRanks = oldTaken.ranks(in: oldLayout.window)
    let newRanks = newTaken.ranks(in: newLayout.window)
    old = VisibleDifference.rows(
      oldPositions, oldTaken, leaving: oldRanks.outside(newRanks), oldLayout)
    new = VisibleDifference.rows(
      newPositions, newTaken, leaving: newRanks.outside(oldRanks), newLayout)
    pair(difference, oldLayout, newLayout)
  }

  private static func rows(
    _ positions: [Int], _ taken: PositionSet, leaving ranks: [Range<Int>], _ layout: ResultsLayout
  ) -> [Row] {
    var visible = positions.filter(layout.window.contains)
    let moved = ranks.joined().map(taken.position(ofRank:))
    if !moved.isEmpty { visible = (visible + moved).sorted() }
    return visible.map { position in
      let position = position - layout.window.lowerBound
      return Row(position: position, place: layout.place(of: position))
    }
  }

  private mutating func pair<Key: RowKey>(
    _ difference: RowDifference<Key>, _ oldLayout: ResultsLayout, _ newLayout: ResultsLayout
  ) {
    var newPositions: [Key: Int] = [:]
    for row in difference.new where newLayout.window.contains(row.position) {
      newPositions[row.key] = row.position - newLayout.window.lowerBound
    }
    guard !newPositions.isEmpty else { return }
    for row in difference.old where oldLayout.window.contains(row.position) {
      guard let newPosition = newPositions[row.key] else { continue }
      let oldPosition = row.position - oldLayout.window.lowerBound
      let oldRow = old.partitionPoint { $0.position < oldPosition }
      let newRow = new.partitionPoint { $0.position < newPosition }
      old[oldRow].other = newRow
      new[newRow].other = oldRow
      new[newRow].isAlike = difference.alike.contains(row.key)
    }
  }
}

extension PositionSet {
  /// The ranks of the remaining rows in a range of positions.
  fileprivate func ranks(in window: Range<Int>) -> Range<Int> {
    let lower = window.lowerBound - count(before: window.lowerBound)
    return lower..<(window.upperBound - count(before: window.upperBound))
  }
}

extension Range<Int> {
  /// The parts that are not in `other`.
  fileprivate func outside(_ other: Range<Int>) -> [Range<Int>] {
    guard overlaps(other) else { return [self] }
    return [
      lowerBound..<Swift.max(lowerBound, other.lowerBound),
      Swift.min(upperBound, other.upperBound)..<upperBound,
    ]
  }
}
