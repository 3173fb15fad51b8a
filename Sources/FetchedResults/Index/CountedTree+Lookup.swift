extension CountedTree {
  /// The element at `position`, which must be in `0..<count`. O(log n).
  subscript(position: Int) -> Element {
    @specialized(where Element == Int64)
    get {
      checkElement(at: position)
      return root.element(at: position)
    }
  }

  /// The sum of the weights of all elements before `position`, which must be in `0...count`.
  /// O(log n).
  func weight(before position: Int) -> Int {
    checkGap(at: position)
    return position < count ? root.weight(before: position) : weight
  }

  /// Finds the element in which the running total of weights passes `offset`. O(log n).
  ///
  /// In a list of sections that is the section of the row at `offset`, with the row's index in it.
  /// Elements of weight 0 contain nothing and are never found.
  ///
  /// - Parameter offset: A weight, which must be in `0..<weight`.
  /// - Returns: The element's position, and the part of `offset` that lies inside the element.
  func position(containingWeight offset: Int) -> (position: Int, offsetInElement: Int) {
    precondition(
      offset >= 0 && offset < weight,
      "Weight offset \(offset) is out of range: the tree has a weight of \(weight)")
    return root.position(containingWeight: offset, after: 0)
  }

  /// Counts the leading elements that `precedes` is true for.
  ///
  /// A probe may be a question to a database, so few are made: log2(n) rounded up, and at most one
  /// more for each level of the tree. All but those in the last leaf ask about the first element
  /// of some leaf. Insertions elsewhere do not change which elements these are, so a caller who
  /// remembers their sort keys seldom has to ask.
  ///
  /// - Parameter precedes: A predicate that is true for some elements at the beginning, maybe none
  ///   and maybe all, and false for the rest. What it throws ends the search.
  /// - Returns: The position of the first element that `precedes` is false for, or `count`.
  @specialized(where Element == Int64)
  func partitionPoint(where precedes: (Element) throws -> Bool) rethrows -> Int {
    try leaf(where: precedes).partitionPoint(where: precedes)
  }

  /// Finds the leaf in which, or at whose end, the leading elements end that `precedes` is true for.
  ///
  /// It asks about first elements of leaves only.
  ///
  /// - Parameter precedes: A predicate as for ``partitionPoint(where:)``.
  @specialized(where Element == Int64)
  func leaf(where precedes: (Element) throws -> Bool) rethrows -> Leaf {
    try root.leaf(where: precedes, after: 0, firstPrecedes: false)
  }

  /// A leaf that was looked for.
  struct Leaf {
    /// The position of its first element in the tree.
    let start: Int
    let elements: ContiguousArray<Element>
    /// Whether the first element is known to precede.
    fileprivate let firstPrecedes: Bool

    /// Counts the leading elements of the whole tree that `precedes` is true for.
    @specialized(where Element == Int64)
    func partitionPoint(where precedes: (Element) throws -> Bool) rethrows -> Int {
      var low = firstPrecedes ? 1 : 0
      var high = elements.count
      while low < high {
        let middle = (low + high) / 2
        if try precedes(elements[middle]) { low = middle + 1 } else { high = middle }
      }
      return start + low
    }

    /// The position of an element in the tree; nil where it is not in this leaf.
    ///
    /// It asks about nothing.
    @specialized(where Element == Int64)
    func position(of element: Element) -> Int? where Element: Equatable {
      elements.firstIndex(of: element).map { start + $0 }
    }
  }

  /// Traps unless there is an element at `position`.
  @inline(__always)
  func checkElement(at position: Int) {
    precondition(
      position >= 0 && position < count,
      "Position \(position) is out of range: the tree has a count of \(count)")
  }

  /// Traps unless `position` is that of an element or the end.
  @inline(__always)
  func checkGap(at position: Int) {
    precondition(
      position >= 0 && position <= count,
      "Position \(position) is out of range: the tree has a count of \(count)")
  }
}

// The way down is recursive, not a loop over a `node` variable: a node reached through `self` is
// only borrowed, while a variable would retain and release it, at a cache miss a level.
extension CountedTree.Node {
  fileprivate func element(at position: Int) -> Element {
    switch storage {
    case .leaf(let elements):
      return elements[position]
    case .branch(let children):
      var position = position
      let index = Self.child(of: children, holding: &position)
      return children[index].element(at: position)
    }
  }

  /// The weight of what stands before an element that exists.
  fileprivate func weight(before position: Int) -> Int {
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
  fileprivate func position(
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
  /// `firstPrecedes` says that its first element is known to precede, and need not be asked about.
  fileprivate func leaf(
    where precedes: (Element) throws -> Bool, after start: Int, firstPrecedes: Bool
  ) rethrows -> CountedTree.Leaf {
    switch storage {
    case .leaf(let elements):
      return CountedTree.Leaf(start: start, elements: elements, firstPrecedes: firstPrecedes)
    case .branch(let children):
      // The point lies in, or at the end of, the last child whose first element precedes.
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
