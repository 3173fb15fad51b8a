internal import TableData

/// What differs between two versions as far as their windows show it.
///
/// A limit or an offset shows a window of the order. Rows that differ are shown or not; and rows
/// that do not differ come into the window or leave it when others do, at most as many as differ.
struct VisibleDifference {
  /// A row that leaves its place, comes to one, or both.
  struct Row {
    /// The position in the result.
    let position: Int
    /// The section and the row in it.
    let place: (section: Int, row: Int)
    /// The index of the same row on the other side, where it is there.
    var other: Int?
    /// Whether it shows the same on both sides, so that it has no event unless it moves.
    var isAlike = false
  }

  /// The rows at their places in the old result, ascending.
  private(set) var old: [Row]
  /// The rows at their places in the new result, ascending.
  private(set) var new: [Row]

  /// - Parameters:
  ///   - old: what differs of the old result, ascending, paired with `new`.
  ///   - new: what differs of the new result, ascending, paired with `old`.
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
    // The rows that do not differ, by rank: those the old window shows, and those the new one does.
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
  /// The ranks of the rows left in a range of positions.
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
