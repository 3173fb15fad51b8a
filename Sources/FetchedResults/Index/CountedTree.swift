/// What a ``CountedTree`` can hold: a value that knows how much it contributes to the running total.
protocol CountedElement: Sendable {
  /// The element's share of the tree's total weight; never negative.
  var weight: Int { get }
}

/// A row of an integer-keyed table: it weighs one, so positions and weights are the same thing.
extension Int64: CountedElement {
  @inline(__always)
  var weight: Int { 1 }
}

/// A sequence in a fixed order that finds, inserts and removes by position in O(log n), and whose
/// old versions stay valid after a change.
///
/// It is a counted (order-statistic) B-tree. The index of a fetched-results controller is two of
/// them: the identities of all rows in result order, each of weight 1, and the sections, each of
/// the weight of its rows. The same prefix sums then answer both "which row is at this position?"
/// and "which section does this row stand in?".
///
/// ```swift
/// var new = old                       // O(1): both share every node
/// new.insert(42, at: 1_000)           // copies the path to one leaf
/// old.count == new.count - 1          // the old version is as it was
/// ```
///
/// A node is a Swift array, so sharing, copying on the first write and writing in place while
/// nobody else looks are the array's own. That keeps one allocation a node and makes the tree
/// `Sendable` without a promise the compiler could not check.
///
/// Callers do not know the type of the elements when they are compiled. `@specialized` gives
/// integers, which most keys are, code of their own all the same, several times as fast.
///
/// A position out of range is a programmer's error and traps.
struct CountedTree<Element: CountedElement>: Sendable {
  /// The one node without a parent; an empty leaf if the tree is empty.
  var root: Node

  /// Creates an empty tree.
  init() {
    root = Node(leaf: [])
  }

  /// The number of elements. O(1).
  var count: Int { root.count }

  /// The sum of all elements' weights. O(1).
  var weight: Int { root.weight }

  /// Whether there is no element. O(1).
  var isEmpty: Bool { count == 0 }
}
