extension CountedTree {
  /// The elements in order, from the one at `position`, which must be in `0...count`.
  ///
  /// O(log n) for the first, then O(1) amortised an element, without allocations. The sequence keeps
  /// the version of the tree that it was made from.
  @inlinable
  public func elements(from position: Int = 0) -> Elements {
    checkGap(at: position)
    return Elements(root: root, start: position)
  }

  /// The elements of one version of a tree, in order, from a position to the end.
  public struct Elements: Sequence, Sendable {
    @usableFromInline let root: Node
    @usableFromInline let start: Int

    @inlinable
    init(root: Node, start: Int) {
      self.root = root
      self.start = start
    }

    /// The number of elements left. O(1).
    @inlinable
    public var underestimatedCount: Int { root.count - start }

    /// Creates an iterator. O(log n).
    @inlinable
    public func makeIterator() -> Iterator {
      Iterator(root: root, start: start)
    }
  }
}

extension CountedTree.Elements {
  /// Reads the leaves from left to right. It remembers the path to the leaf that it is in.
  public struct Iterator: IteratorProtocol, Sendable {
    /// The branches on the path, each with the index of the child that is read next.
    @usableFromInline var path:
      ContiguousArray<(children: ContiguousArray<CountedTree.Node>, next: Int)> = []
    @usableFromInline var leaf: ContiguousArray<Element> = []
    @usableFromInline var index = 0

    @inlinable
    init(root: CountedTree.Node, start: Int) {
      guard start < root.count else { return }
      index = start
      descend(from: root)
    }

    /// The next element, or nil at the end. O(1) amortised.
    @inlinable
    public mutating func next() -> Element? {
      if index == leaf.count {
        guard advance() else { return nil }
      }
      defer { index += 1 }
      return leaf[index]
    }

    /// Moves to the start of the next leaf and returns true, or returns false if there is none.
    @inlinable
    public mutating func advance() -> Bool {
      while let branch = path.last {
        guard branch.next < branch.children.count else {
          path.removeLast()
          continue
        }
        path[path.count - 1].next += 1
        index = 0
        descend(from: branch.children[branch.next])
        return true
      }
      return false
    }

    /// Goes down to the leaf that has the element at `index` of `node`. `index` becomes the index in
    /// that leaf.
    @inlinable
    mutating func descend(from node: CountedTree.Node) {
      var node = node
      while true {
        switch node.storage {
        case .leaf(let elements):
          leaf = elements
          return
        case .branch(let children):
          let child = CountedTree.Node.child(of: children, holding: &index)
          path.append((children, child + 1))
          node = children[child]
        }
      }
    }
  }
}

extension CountedTree {
  /// Builds a tree from a stream of elements in order. All leaves but the last two are full, so the
  /// tree is the smallest possible. It is many times faster than inserting.
  ///
  /// ```swift
  /// var builder = CountedTree<Int64>.Builder()
  /// while let key = try cursor.next() { builder.append(key) }
  /// let tree = builder.finish()
  /// ```
  public struct Builder: Sendable {
    @usableFromInline var leaves: ContiguousArray<Node> = []
    @usableFromInline var elements: ContiguousArray<Element> = []

    /// Creates a builder of an empty tree.
    @inlinable
    public init() {}

    /// Adds `element` at the end. O(1) amortised.
    @inlinable
    public mutating func append(_ element: Element) {
      if elements.isEmpty { elements.reserveCapacity(Node.leafCapacity) }
      elements.append(element)
      if elements.count == Node.leafCapacity {
        leaves.append(Node(leaf: elements))
        elements = []
      }
    }

    /// Adds elements at the end. O(number of elements), by copying memory.
    @inlinable
    public mutating func append(contentsOf new: ContiguousArray<Element>) {
      var rest = new[...]
      while !rest.isEmpty {
        if elements.isEmpty { elements.reserveCapacity(Node.leafCapacity) }
        let part = rest.prefix(Node.leafCapacity - elements.count)
        elements += part
        rest = rest.dropFirst(part.count)
        guard elements.count == Node.leafCapacity else { return }
        leaves.append(Node(leaf: elements))
        elements = []
      }
    }

    /// The tree of all added elements. O(number of leaves).
    @inlinable
    public consuming func finish() -> CountedTree {
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

    /// The level above `nodes`: as few branches as possible, evenly filled, so that each is at least
    /// half full.
    @inlinable
    static func parents(of nodes: ContiguousArray<Node>) -> ContiguousArray<Node> {
      let count = (nodes.count + Node.branchCapacity - 1) / Node.branchCapacity
      return ContiguousArray(
        (0..<count).lazy.map { index in
          let children = nodes.count * index / count..<nodes.count * (index + 1) / count
          return Node(branch: ContiguousArray(nodes[children]))
        })
    }
  }
}
