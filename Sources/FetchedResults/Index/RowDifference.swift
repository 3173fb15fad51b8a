internal import CountedTrees
internal import SectionedData

/// The rows that differ between two versions of a result.
///
/// A row whose content changed is on both sides. All other rows are equal on both sides and have
/// the same order. The changes of a list depend on nothing else.
struct RowDifference<Key: RowKey>: Sendable {
  /// A row on one side: its key, and its position in the whole order of that version.
  struct KeyPosition: Sendable {
    let key: Key
    let position: Int
  }

  /// The rows that were deleted or changed, by old position.
  var old: [KeyPosition] = []
  /// The rows that were inserted or changed, by new position.
  var new: [KeyPosition] = []
  /// The rows on both sides that differ only in their sort key, which is not shown.
  var alike: Set<Key> = []

  var isEmpty: Bool { old.isEmpty && new.isEmpty }

  // Closures, since a key path of a generic type is created at each use, which costs more than the
  // rest.

  /// The positions of `old`, ascending.
  var oldPositions: [Int] { old.map { $0.position } }
  /// The positions of `new`, ascending.
  var newPositions: [Int] { new.map { $0.position } }
}

extension CountedTree where Element: RowKey {
  /// The positions of some rows, ascending. Keys that are not in the tree are left out.
  ///
  /// Complexity: O(n).
  @specialized(where Element == Int64)
  func places(of keys: Set<Element>) -> [RowDifference<Element>.KeyPosition] {
    var places: [RowDifference<Element>.KeyPosition] = []
    places.reserveCapacity(keys.count)
    var position = 0
    for key in elements() {
      if keys.contains(key) {
        places.append(RowDifference.KeyPosition(key: key, position: position))
      }
      position += 1
    }
    return places
  }
}
