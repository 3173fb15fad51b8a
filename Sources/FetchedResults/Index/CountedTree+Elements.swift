extension CountedTree {
  /// The elements in order, from the one at `position`, which must be in `0...count`.
  ///
  /// O(log n) to begin, then O(1) amortised an element, with no allocation on the way. The
  /// sequence keeps the version it was taken from: later changes do not show.
  func elements(from position: Int = 0) -> Elements {
    checkGap(at: position)
    return Elements(root: root, start: position)
  }

  /// The elements of one version of a tree, in order, from some position to the end.
  struct Elements: Sequence, Sendable {
    fileprivate let root: Node
    fileprivate let start: Int

    /// The number of elements to come. O(1).
    var underestimatedCount: Int { root.count - start }

    /// Creates an iterator. O(log n).
    func makeIterator() -> Iterator {
      Iterator(root: root, start: start)
    }
  }
}

extension CountedTree.Elements {
  /// Walks the leaves from left to right, remembering the way down to the one it is in.
  struct Iterator: IteratorProtocol, Sendable {
    private typealias Node = CountedTree.Node

    /// A branch on the way down, and which of its children comes next.
    private struct Step: Sendable {
      let children: ContiguousArray<Node>
      var next: Int
    }

    private var path: ContiguousArray<Step> = []
    private var leaf: ContiguousArray<Element> = []
    private var index = 0

    fileprivate init(root: CountedTree.Node, start: Int) {
      guard start < root.count else { return }
      index = start
      descend(from: root)
    }

    /// The next element, or nil at the end. O(1) amortised.
    mutating func next() -> Element? {
      if index == leaf.count {
        guard advance() else { return nil }
      }
      defer { index += 1 }
      return leaf[index]
    }

    /// Moves to the start of the next leaf and returns true, or returns false if there is none.
    private mutating func advance() -> Bool {
      while let step = path.last {
        guard step.next < step.children.count else {
          path.removeLast()
          continue
        }
        path[path.count - 1].next += 1
        index = 0
        descend(from: step.children[step.next])
        return true
      }
      return false
    }

    /// Goes down to the leaf that holds the position `index` of `node`, and to its place in there.
    private mutating func descend(from node: Node) {
      var node = node
      while true {
        switch node.storage {
        case .leaf(let elements):
          leaf = elements
          return
        case .branch(let children):
          let child = Node.child(of: children, holding: &index)
          path.append(Step(children: children, next: child + 1))
          node = children[child]
        }
      }
    }
  }
}
