extension CountedTree {
  /// A subtree together with its totals: what a branch stores for each of its children.
  ///
  /// Every node but the root is at least half full, and all leaves are equally deep.
  struct Node: Sendable {
    /// The content of a node. Both cases are one pointer wide.
    enum Storage: Sendable {
      /// The elements themselves, in order.
      case leaf(ContiguousArray<Element>)

      /// Two or more subtrees of one height, in order.
      case branch(ContiguousArray<Node>)

      /// What a node holds while its array is taken out to be changed: a second reference would
      /// make the array copy itself.
      static var vacated: Storage { .leaf([]) }
    }

    /// The elements or children of this node.
    var storage: Storage

    /// The number of elements in this subtree.
    var count: Int

    /// The sum of the weights of all elements in this subtree.
    var weight: Int

    /// The first element of this subtree; nil if it is empty. A search asks for many of them, and to go
    /// down to each leaf would be a cache miss a level.
    var first: Element?

    /// Creates a leaf. O(number of elements).
    init(leaf elements: ContiguousArray<Element>) {
      storage = .leaf(elements)
      count = elements.count
      weight = elements.reduce(0) { $0 + $1.weight }
      first = elements.first
    }

    /// Creates a branch. O(number of children).
    init(branch children: ContiguousArray<Node>) {
      storage = .branch(children)
      count = children.reduce(0) { $0 + $1.count }
      weight = children.reduce(0) { $0 + $1.weight }
      first = children.first?.first
    }
  }
}

extension CountedTree.Node {
  /// The most elements a leaf holds: two kilobytes of them, so that shifting half a leaf costs
  /// about as much as finding it, and at least enough to keep the tree flat.
  static var leafCapacity: Int { max(16, 2048 / MemoryLayout<Element>.stride) }

  /// The most children a branch holds. Copying a shared branch retains every child, each a cache
  /// miss, which is why this is far below a leaf's capacity.
  static var branchCapacity: Int { 16 }

  /// Whether this node holds less than half of what it could: too little for any but the root.
  var isUnderfilled: Bool {
    switch storage {
    case .leaf(let elements): elements.count < Self.leafCapacity / 2
    case .branch(let children): children.count < Self.branchCapacity / 2
    }
  }

  /// Which of `children` holds the element at `position`; `position` becomes the position in that
  /// child. O(capacity of a branch).
  @inline(__always)
  static func child(of children: ContiguousArray<Self>, holding position: inout Int) -> Int {
    var index = 0
    while position >= children[index].count {
      position -= children[index].count
      index += 1
    }
    return index
  }
}
