/// The rows that differ between two versions of a result: what they had that is gone, and what they
/// have that is new.
///
/// A row whose content changed is on both sides. All other rows are the same on both sides and stand
/// in the same order: this is all that the changes of a list depend on.
struct RowDifference<Key: RowKey>: Sendable {
  /// A row on one side: its identity, and its position in that version's whole order.
  struct Row: Sendable {
    let key: Key
    let position: Int
  }

  /// The rows as they were, by position.
  var old: [Row] = []
  /// The rows as they are, by position.
  var new: [Row] = []
  /// Those on both sides of which nothing differs but what they are sorted by, which is not shown.
  var alike: Set<Key> = []

  var isEmpty: Bool { old.isEmpty && new.isEmpty }

  // A key path of a generic type would be made anew each time, which costs more than all the rest.

  /// The positions of `old`, ascending.
  var oldPositions: [Int] { old.map { $0.position } }
  /// The positions of `new`, ascending.
  var newPositions: [Int] { new.map { $0.position } }
}

extension CountedTree where Element: RowKey {
  /// Where some rows are, ascending; those that are not there are left out.
  ///
  /// Complexity: O(n).
  @specialized(where Element == Int64)
  func places(of keys: Set<Element>) -> [RowDifference<Element>.Row] {
    var places: [RowDifference<Element>.Row] = []
    places.reserveCapacity(keys.count)
    var position = 0
    for key in elements() {
      if keys.contains(key) { places.append(RowDifference.Row(key: key, position: position)) }
      position += 1
    }
    return places
  }
}

/// Some positions in an order, ascending: for counting around them.
///
/// What is left when the rows at the positions are taken out has *ranks*: 0, 1, 2 and so on.
struct Positions {
  private let positions: [Int]

  init(_ positions: [Int]) { self.positions = positions }

  /// How many of the positions come before `position`.
  ///
  /// Complexity: O(log positions).
  func count(before position: Int) -> Int {
    positions.partitioningIndex { $0 >= position }
  }

  /// The position of the row that has `rank` among the rows left.
  ///
  /// Complexity: O(log positions).
  func position(ofRank rank: Int) -> Int {
    // The i-th taken position has `positions[i] - i` left rows before it.
    rank + partitioningIndex { index in positions[index] - index > rank }
  }

  private func partitioningIndex(where belongsAfter: (Int) -> Bool) -> Int {
    positions.indices.partitioningIndex(where: belongsAfter)
  }
}

extension RandomAccessCollection {
  /// The number of leading elements that `belongsAfter` is false for; it must be true for the rest.
  ///
  /// Complexity: O(log n).
  func partitioningIndex(where belongsAfter: (Element) -> Bool) -> Int {
    var lower = 0
    var upper = count
    while lower < upper {
      let middle = (lower + upper) / 2
      if belongsAfter(self[index(startIndex, offsetBy: middle)]) {
        upper = middle
      } else {
        lower = middle + 1
      }
    }
    return lower
  }
}
