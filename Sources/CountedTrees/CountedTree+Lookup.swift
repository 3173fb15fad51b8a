extension CountedTree {
  /// The element at `position`, which must be in `0..<count`. O(log n).
  @inlinable
  public subscript(position: Int) -> Element {
    get {
      checkElement(at: position)
      return root.element(at: position)
    }
  }

  /// The sum of the weights of all elements before `position`, which must be in `0...count`.
  /// O(log n).
  @inlinable
  public func weight(before position: Int) -> Int {
    checkGap(at: position)
    return position < count ? root.weight(before: position) : weight
  }

  /// Finds the element in which the running total of the weights exceeds `offset`. O(log n).
  ///
  /// In a tree of sections that is the section of the row at `offset`, with the row's index in it.
  /// Elements of weight 0 are never found.
  ///
  /// - Parameter offset: A weight, which must be in `0..<weight`.
  /// - Returns: The element's position, and the part of `offset` that is inside the element.
  @inlinable
  public func position(containingWeight offset: Int) -> (position: Int, offsetInElement: Int) {
    precondition(
      offset >= 0 && offset < weight,
      "Weight offset \(offset) is out of range: the tree has a weight of \(weight)")
    return root.position(containingWeight: offset, after: 0)
  }

  /// The position of the first element that `precedes` is false for; `count` if there is none.
  ///
  /// `precedes` may read from a database, so it is called seldom: log2(n) times, rounded up, and at
  /// most once more for each level of the tree. All calls but those for the last leaf concern the
  /// first element of a leaf. Changes elsewhere do not change which elements these are, so a caller
  /// that caches their sort keys seldom has to read.
  ///
  /// - Parameter precedes: true for some elements at the start, and false for all after them. An error
  ///   that it throws ends the search.
  @inlinable
  public func partitionPoint(where precedes: (Element) throws -> Bool) rethrows -> Int {
    try leaf(where: precedes).partitionPoint(where: precedes)
  }

  /// Finds the leaf that has the partition point inside or at its end.
  ///
  /// It calls `precedes` for first elements of leaves only.
  ///
  /// - Parameter precedes: as for ``partitionPoint(where:)``.
  @inlinable
  public func leaf(where precedes: (Element) throws -> Bool) rethrows -> Leaf {
    try root.leaf(where: precedes, after: 0, firstPrecedes: false)
  }

  /// A leaf that a search has found.
  public struct Leaf {
    /// The position of its first element in the tree.
    @usableFromInline let start: Int
    @usableFromInline let elements: ContiguousArray<Element>
    /// Whether `precedes` is known to be true for the first element.
    @usableFromInline let firstPrecedes: Bool

    @inlinable
    init(start: Int, elements: ContiguousArray<Element>, firstPrecedes: Bool) {
      self.start = start
      self.elements = elements
      self.firstPrecedes = firstPrecedes
    }

    /// The partition point, as a position in the tree.
    @inlinable
    public func partitionPoint(where precedes: (Element) throws -> Bool) rethrows -> Int {
      let candidates = elements[(firstPrecedes ? 1 : 0)...]
      return start + (try candidates.partitionPoint(where: precedes))
    }

    /// The position in the tree of an element of this leaf; nil if it is not in the leaf.
    @inlinable
    public func position(of element: Element) -> Int? where Element: Equatable {
      elements.firstIndex(of: element).map { start + $0 }
    }
  }

  /// Traps unless `position` is the position of an element.
  @inline(__always)
  @inlinable
  func checkElement(at position: Int) {
    precondition(
      position >= 0 && position < count,
      "Position \(position) is out of range: the tree has a count of \(count)")
  }

  /// Traps unless `position` is the position of an element, or the end.
  @inline(__always)
  @inlinable
  func checkGap(at position: Int) {
    precondition(
      position >= 0 && position <= count,
      "Position \(position) is out of range: the tree has a count of \(count)")
  }
}

// These descend by recursion, not by a loop over a `node` variable: a node that is reached through
// `self` is only borrowed, but a variable would retain and release it, at a cache miss a level.
extension CountedTree.Node {
  @inlinable
  func element(at position: Int) -> Element {
    switch storage {
    case .leaf(let elements):
      return elements[position]
    case .branch(let children):
      var position = position
      let index = Self.child(of: children, holding: &position)
      return children[index].element(at: position)
    }
  }

  /// The weight of the elements before an existing one.
  @inlinable
  func weight(before position: Int) -> Int {
    switch storage {
    case .leaf(let elements):
      return elements[..<position].reduce(0) { $0 + $1.weight }
    case .branch(let children):
      var position = position
      let index = Self.child(of: children, holding: &position)
      let preceding = children[..<index].reduce(0) { $0 + $1.weight }
      return preceding + children[index].weight(before: position)
    }
  }

  /// The search in this subtree, which begins at the position `start` of the tree.
  @inlinable
  func position(
    containingWeight offset: Int, after start: Int
  ) -> (position: Int, offsetInElement: Int) {
    var offset = offset
    var position = start
    var index = 0
    switch storage {
    case .leaf(let elements):
      while offset >= elements[index].weight {
        offset -= elements[index].weight
        index += 1
      }
      return (position + index, offset)
    case .branch(let children):
      while offset >= children[index].weight {
        offset -= children[index].weight
        position += children[index].count
        index += 1
      }
      return children[index].position(containingWeight: offset, after: position)
    }
  }

  /// The search in this subtree, which begins at the position `start` of the tree.
  ///
  /// `firstPrecedes`: `precedes` is known to be true for the first element, and is not called for it.
  @inlinable
  func leaf(
    where precedes: (Element) throws -> Bool, after start: Int, firstPrecedes: Bool
  ) rethrows -> CountedTree.Leaf {
    switch storage {
    case .leaf(let elements):
      return CountedTree.Leaf(start: start, elements: elements, firstPrecedes: firstPrecedes)
    case .branch(let children):
      // The point is in, or at the end of, the last child whose first element precedes.
      var low = 0
      var high = children.count
      while high - low > 1 {
        let middle = (low + high) / 2
        guard let first = children[middle].first else {
          preconditionFailure("only the root can be empty, and it has no parent")
        }
        if try precedes(first) { low = middle } else { high = middle }
      }
      return try children[low].leaf(
        where: precedes,
        after: children[..<low].reduce(start) { $0 + $1.count },
        firstPrecedes: firstPrecedes || low > 0)
    }
  }
}

extension RandomAccessCollection where Index == Int {
  /// The index of the first element that `belongsBefore` is false for; the end if there is none.
  ///
  /// Complexity: O(log n).
  ///
  /// - Parameter belongsBefore: true for some elements at the start, and false for all after them.
  @inlinable
  public func partitionPoint(
    where belongsBefore: (Element) throws -> Bool
  ) rethrows -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = low + (high - low) / 2
      if try belongsBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
