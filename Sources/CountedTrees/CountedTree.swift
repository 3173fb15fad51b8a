/// An element of a ``CountedTree``: a value that has a share of the tree's total weight.
public protocol CountedElement: Sendable {
  /// The element's share of the total weight; never negative.
  var weight: Int { get }
}

/// A row of a table with integer keys. It weighs one, so weights and positions are the same.
extension Int64: CountedElement {
  /// One.
  @inlinable @inline(__always)
  public var weight: Int { 1 }
}

/// A count of rows or sections. It weighs what it counts.
extension Int: CountedElement {
  /// The count itself.
  @inlinable @inline(__always)
  public var weight: Int { self }
}

/// The sizes of the parts of a list: the rows of each section, or the sections of each component.
///
/// It converts a position in a part to a position in the whole list and back, in O(log n).
public typealias PrefixSums = CountedTree<Int>

/// A sequence that finds, inserts and removes elements by position in O(log n). A copy is free, and
/// keeps its content when the original changes.
///
/// It is a counted (order-statistic) B-tree. The index of a fetched result consists of two: the keys
/// of all rows in result order, each of weight 1, and the sections, each of the weight of its rows.
/// Prefix sums of the weights answer "Which row is at this position?" and "Which section has this
/// row?".
///
/// ```swift
/// var new = old                       // O(1): both share all nodes
/// new.insert(42, at: 1_000)           // copies the path to one leaf
/// old.count == new.count - 1          // the old version is unchanged
/// ```
///
/// A node is a Swift array, which shares its storage and copies it on write. So there is one allocation
/// a node, and the compiler checks that the tree is `Sendable`.
///
/// It is `public` and `@inlinable`, so that other modules compile it for the elements they know, which is
/// several times as fast. `package` would not do: the compiler keeps the bodies of `@inlinable package`
/// functions to their module.
///
/// A position out of range is a programming error and traps.
public struct CountedTree<Element: CountedElement>: Sendable {
  /// The node without a parent; an empty leaf if the tree is empty.
  @usableFromInline var root: Node

  /// Creates an empty tree.
  @inlinable
  public init() {
    root = Node(leaf: [])
  }

  /// Creates a tree of elements in order. O(n).
  @inlinable
  public init(_ elements: some Sequence<Element>) {
    var builder = Builder()
    for element in elements { builder.append(element) }
    self = builder.finish()
  }

  /// The number of elements. O(1).
  @inlinable
  public var count: Int { root.count }

  /// The sum of the weights of all elements. O(1).
  @inlinable
  public var weight: Int { root.weight }

  /// Whether the tree has no elements. O(1).
  @inlinable
  public var isEmpty: Bool { count == 0 }
}

extension CountedTree {
  /// A subtree with its totals: what a branch stores for each of its children.
  ///
  /// Each node but the root is at least half full, and all leaves have the same depth.
  @usableFromInline struct Node: Sendable {
    /// The content of a node. Both cases are one pointer wide.
    @usableFromInline enum Storage: Sendable {
      /// The elements, in order.
      case leaf(ContiguousArray<Element>)

      /// Two or more subtrees of the same height, in order.
      case branch(ContiguousArray<Node>)

      /// What a node holds while its array is taken out and changed: with a second reference, the
      /// array would copy itself.
      @inlinable
      static var vacated: Storage { .leaf([]) }
    }

    /// The elements or children of this node.
    @usableFromInline var storage: Storage

    /// The number of elements in this subtree.
    @usableFromInline var count: Int

    /// The sum of the weights of all elements in this subtree.
    @usableFromInline var weight: Int

    /// The first element of this subtree; nil if the subtree is empty. A search reads many of them. To
    /// go down to the leaf for each would be a cache miss a level.
    @usableFromInline var first: Element?

    /// Creates a leaf. O(number of elements).
    @inlinable
    init(leaf elements: ContiguousArray<Element>) {
      storage = .leaf(elements)
      count = elements.count
      weight = elements.reduce(0) { $0 + $1.weight }
      first = elements.first
    }

    /// Creates a branch. O(number of children).
    @inlinable
    init(branch children: ContiguousArray<Node>) {
      storage = .branch(children)
      count = children.reduce(0) { $0 + $1.count }
      weight = children.reduce(0) { $0 + $1.weight }
      first = children.first?.first
    }
  }
}

extension CountedTree.Node {
  /// The most elements that a leaf holds: two kilobytes of them, so that shifting half a leaf costs
  /// about as much as finding it, and never so few that the tree becomes deep.
  @inlinable
  static var leafCapacity: Int { max(16, 2048 / MemoryLayout<Element>.stride) }

  /// The most children that a branch holds. It is far below a leaf's capacity, because copying a shared
  /// branch retains all children, and each may be a cache miss.
  @inlinable
  static var branchCapacity: Int { 16 }

  /// Whether this node is less than half full, which only the root may be.
  @inlinable
  var isUnderfilled: Bool {
    switch storage {
    case .leaf(let elements): elements.count < Self.leafCapacity / 2
    case .branch(let children): children.count < Self.branchCapacity / 2
    }
  }

  /// The index of the child that has the element at `position`. `position` becomes the position in
  /// that child. O(capacity of a branch).
  @inlinable @inline(__always)
  static func child(
    of children: ContiguousArray<Self>, holding position: inout Int
  ) -> Int {
    var index = 0
    while position >= children[index].count {
      position -= children[index].count
      index += 1
    }
    return index
  }
}
