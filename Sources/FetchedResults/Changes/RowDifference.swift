internal import TableData

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
