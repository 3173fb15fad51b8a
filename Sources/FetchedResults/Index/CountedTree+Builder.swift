extension CountedTree {
  /// Builds a tree from a stream of elements in order, with all leaves but the last two full: the
  /// smallest tree there is, and many times faster than inserting.
  ///
  /// ```swift
  /// var builder = CountedTree<Int64>.Builder()
  /// while let identity = try cursor.next() { builder.append(identity) }
  /// let tree = builder.finish()
  /// ```
  struct Builder: Sendable {
    private var leaves: ContiguousArray<Node> = []
    private var elements: ContiguousArray<Element> = []

    /// Creates a builder of an empty tree.
    init() {}

    /// Adds `element` behind all others. O(1) amortised.
    mutating func append(_ element: Element) {
      if elements.isEmpty { elements.reserveCapacity(Node.leafCapacity) }
      elements.append(element)
      if elements.count == Node.leafCapacity {
        leaves.append(Node(leaf: elements))
        elements = []
      }
    }

    /// The tree of all elements added. O(number of leaves).
    consuming func finish() -> CountedTree {
      var level = leaves
      if level.isEmpty || !elements.isEmpty { level.append(Node(leaf: elements)) }
      if level.count > 1, level[level.count - 1].isUnderfilled {
        Node.refillChild(at: level.count - 1, of: &level)
      }
      while level.count > 1 { level = Self.parents(of: level) }
      var tree = CountedTree()
      tree.root = level[0]
      return tree
    }

    /// The level above `nodes`: as few branches as can hold them, evenly filled, so that none is
    /// less than half full.
    private static func parents(of nodes: ContiguousArray<Node>) -> ContiguousArray<Node> {
      let count = (nodes.count + Node.branchCapacity - 1) / Node.branchCapacity
      return ContiguousArray(
        (0..<count).lazy.map { index in
          let children = nodes.count * index / count..<nodes.count * (index + 1) / count
          return Node(branch: ContiguousArray(nodes[children]))
        })
    }
  }
}
