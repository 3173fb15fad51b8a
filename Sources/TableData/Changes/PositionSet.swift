import CountedTrees

/// Some positions in a sequence, such as those of deleted rows.
///
/// The elements at other positions keep their order. The *rank* of such an element is the number of
/// others before it. It leads from old to new positions: the old position without the deleted rows
/// gives the rank, the rank with the inserted rows gives the new position.
package struct PositionSet {
  /// The positions, ascending.
  package let positions: [Int]

  /// Makes a set of positions, in any order and without repetition. O(n) if they ascend, else
  /// O(n log n).
  package init(_ positions: [Int] = []) {
    // Most changes are of one row.
    self.positions = positions.count < 2 ? positions : positions.sorted()
  }

  /// Whether a position is in the set. O(log n).
  package func contains(_ position: Int) -> Bool {
    let index = count(before: position)
    return index < positions.count && positions[index] == position
  }

  /// The number of positions in the set that are before `position`. O(log n).
  package func count(before position: Int) -> Int {
    positions.partitionPoint { $0 < position }
  }

  /// The number of positions before `position` that are not in the set. O(log n).
  package func rank(of position: Int) -> Int {
    position - count(before: position)
  }

  /// The position outside of the set that has `rank` others before it. O(log n).
  package func position(ofRank rank: Int) -> Int {
    // The position at an index of the set has `positions[index] - index` others before it.
    rank + positions.indices.partitionPoint { positions[$0] - $0 <= rank }
  }
}
