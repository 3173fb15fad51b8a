extension CountedTree {
  /// Inserts `element` at `position`, which must be in `0...count`.
  ///
  /// O(log n). Nodes on the path that another version shares are copied, the others change in place.
  @inlinable
  public mutating func insert(_ element: Element, at position: Int) {
    checkGap(at: position)
    guard let sibling = root.insert(element, at: position) else { return }
    root = Node(branch: [root, sibling])
  }

  /// Removes and returns the element at `position`, which must be in `0..<count`.
  ///
  /// O(log n). Nodes on the path that another version shares are copied, the others change in place.
  @discardableResult
  @inlinable
  public mutating func remove(at position: Int) -> Element {
    checkElement(at: position)
    let removed = root.remove(at: position)
    if case .branch(let children) = root.storage, children.count == 1 { root = children[0] }
    return removed
  }

  /// Changes the element at `position`, which must be in `0..<count`. Its weight may change too.
  ///
  /// O(log n). Nodes on the path that another version shares are copied, the others change in place.
  @inlinable
  public mutating func update(at position: Int, _ change: (inout Element) -> Void) {
    checkElement(at: position)
    root.update(at: position, change)
  }
}

extension CountedTree.Node {
  /// Inserts `element` at `position` and, if this node was full, returns its new right sibling.
  @inlinable
  mutating func insert(_ element: Element, at position: Int) -> Self? {
    switch storage {
    case .leaf(var elements):
      storage = .vacated
      if let tail = elements.insert(element, at: position, capacity: Self.leafCapacity) {
        self = Self(leaf: elements)
        return Self(leaf: tail)
      }
      storage = .leaf(elements)
    case .branch(var children):
      storage = .vacated
      // An element between two children is inserted at the end of the left one, which always exists.
      var position = position - 1
      let index = position < 0 ? 0 : Self.child(of: children, holding: &position)
      if let sibling = children[index].insert(element, at: position + 1),
        let tail = children.insert(sibling, at: index + 1, capacity: Self.branchCapacity)
      {
        self = Self(branch: children)
        return Self(branch: tail)
      }
      storage = .branch(children)
    }
    count += 1
    weight += element.weight
    if position == 0 { first = element }
    return nil
  }

  /// Removes and returns the element at `position`. This node may be underfilled afterwards, its
  /// children are not.
  @inlinable
  mutating func remove(at position: Int) -> Element {
    let removed: Element
    switch storage {
    case .leaf(var elements):
      storage = .vacated
      removed = elements.remove(at: position)
      first = elements.first
      storage = .leaf(elements)
    case .branch(var children):
      storage = .vacated
      var position = position
      let index = Self.child(of: children, holding: &position)
      removed = children[index].remove(at: position)
      if children[index].isUnderfilled { Self.refillChild(at: index, of: &children) }
      first = children[0].first
      storage = .branch(children)
    }
    count -= 1
    weight -= removed.weight
    return removed
  }

  /// Changes the element at `position`.
  @inlinable
  mutating func update(at position: Int, _ change: (inout Element) -> Void) {
    switch storage {
    case .leaf(var elements):
      storage = .vacated
      weight -= elements[position].weight
      change(&elements[position])
      weight += elements[position].weight
      first = elements[0]
      storage = .leaf(elements)
    case .branch(var children):
      storage = .vacated
      var position = position
      let index = Self.child(of: children, holding: &position)
      weight -= children[index].weight
      children[index].update(at: position, change)
      weight += children[index].weight
      first = children[0].first
      storage = .branch(children)
    }
  }

  /// Fills the underfilled child at `index` from a neighbour, or merges the two.
  ///
  /// There must be two or more children. O(capacity of a node).
  @inlinable
  static func refillChild(at index: Int, of children: inout ContiguousArray<Self>) {
    let left = max(index - 1, 0)
    var right = children.remove(at: left + 1)
    children[left].absorb(&right)
    if right.count > 0 { children.insert(right, at: left + 1) }
  }

  /// Takes all of its right neighbour if it fits, else as much as makes the two equal.
  @inlinable
  mutating func absorb(_ right: inout Self) {
    switch (storage, right.storage) {
    case (.leaf(var elements), .leaf(var rightElements)):
      (storage, right.storage) = (.vacated, .vacated)
      elements.absorb(&rightElements, capacity: Self.leafCapacity)
      self = Self(leaf: elements)
      right = Self(leaf: rightElements)
    case (.branch(var children), .branch(var rightChildren)):
      (storage, right.storage) = (.vacated, .vacated)
      children.absorb(&rightChildren, capacity: Self.branchCapacity)
      self = Self(branch: children)
      right = Self(branch: rightChildren)
    default:
      preconditionFailure("siblings of different heights")
    }
  }
}

extension ContiguousArray {
  /// Inserts `item` at `index` of a node's content. If the content was full, splits it in half and
  /// returns the upper half.
  @inlinable
  mutating func insert(_ item: Element, at index: Int, capacity: Int) -> Self? {
    guard count == capacity else {
      // Left to itself, the array would double, and half of the node would be wasted for good.
      reserveCapacity(capacity)
      insert(item, at: index)
      return nil
    }
    let middle = capacity / 2
    var tail = Self()
    tail.reserveCapacity(capacity)
    tail.append(contentsOf: self[middle...])
    removeSubrange(middle...)
    if index <= middle {
      insert(item, at: index)
    } else {
      tail.insert(item, at: index - middle)
    }
    return tail
  }

  /// Appends all of `right` if it fits, and empties it; else makes the two equally long.
  @inlinable
  mutating func absorb(_ right: inout Self, capacity: Int) {
    let total = count + right.count
    let target = total <= capacity ? total : total / 2
    if count < target {
      reserveCapacity(capacity)
      let taken = target - count
      append(contentsOf: right[..<taken])
      right.removeFirst(taken)
    } else {
      right.reserveCapacity(capacity)
      right.insert(contentsOf: self[target...], at: 0)
      removeSubrange(target...)
    }
  }
}
