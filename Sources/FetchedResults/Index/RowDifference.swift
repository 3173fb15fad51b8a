/// The rows that differ between two versions of a result.
///
/// A row whose content changed is on both sides. All other rows are equal on both sides and have
/// the same order. The changes of a list depend on nothing else.
struct RowDifference: Sendable {
  /// A row on one side: its key, and its position in the whole order of that version.
  struct KeyPosition: Sendable {
    let key: RowKey
    let position: Int
  }

  /// The rows that were deleted or changed, by old position.
  var old: [KeyPosition] = []
  /// The rows that were inserted or changed, by new position.
  var new: [KeyPosition] = []
  /// The rows on both sides that differ only in what is not shown: their sort key, or the row that their section
  /// depends on.
  var alike: Set<RowKey> = []

  var isEmpty: Bool { old.isEmpty && new.isEmpty }

  /// The positions of `old`, ascending.
  var oldPositions: [Int] { old.map(\.position) }
  /// The positions of `new`, ascending.
  var newPositions: [Int] { new.map(\.position) }
}
