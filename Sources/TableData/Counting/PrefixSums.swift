/// A sequence of counts that knows the sum of those before each of them, and where a sum falls.
///
/// The sections of a component, the rows that a filter lets through: whoever puts parts together
/// translates between a place in a part and one in the whole, and the parts grow and shrink. A B-tree
/// with the number and the sum of the counts in each node does all of that in O(log n). A copy
/// shares its nodes until they change, so the old state costs nothing to keep.
struct PrefixSums: Sendable {
  /// Where a sum falls.
  struct Location: Hashable {
    /// The index of the count.
    let index: Int
    /// How much of the sum is left for it: less than the count.
    let rest: Int
    /// How many counts and nodes were compared to find it.
    let steps: Int
  }

  fileprivate static let capacity = 32

  fileprivate struct Node: Sendable {
    /// The counts of a leaf.
    var counts: [Int] = []
    /// The parts of an inner node.
    var children: [Node] = []
    /// The number of counts.
    var number = 0
    var sum = 0

    init(counts: [Int]) {
      self.counts = counts
      number = counts.count
      sum = counts.reduce(0, +)
    }

    init(children: [Node]) {
      self.children = children
      number = children.reduce(0) { $0 + $1.number }
      sum = children.reduce(0) { $0 + $1.sum }
    }
  }

  private var root: Node

  /// Collects counts, which are not negative. O(n).
  init(_ counts: some Sequence<Int> = []) {
    var level = Array(counts).chunks(of: Self.capacity).map { Node(counts: Array($0)) }
    while level.count > 1 {
      level = level.chunks(of: Self.capacity).map { Node(children: Array($0)) }
    }
    root = level.first ?? Node(counts: [])
  }

  /// The number of counts.
  var count: Int { root.number }

  /// The sum of all counts.
  var total: Int { root.sum }

  /// The count at an index, which must be there; a new value must not be negative. O(log n).
  subscript(index: Int) -> Int {
    get {
      var node = root
      var index = index
      while !node.children.isEmpty { node = node.children[node.child(at: &index)] }
      return node.counts[index]
    }
    set { root.set(newValue, at: index) }
  }

  /// All counts, in order. O(n).
  var counts: [Int] {
    func counts(of node: Node) -> [Int] { node.counts + node.children.flatMap(counts(of:)) }
    return counts(of: root)
  }

  /// The sum of the counts before an index, which may be the end. O(log n).
  func sum(before index: Int) -> Int {
    guard index < count else { return total }
    var sum = 0
    var node = root
    var index = index
    while !node.children.isEmpty {
      let child = node.child(at: &index)
      sum += node.children[..<child].reduce(0) { $0 + $1.sum }
      node = node.children[child]
    }
    return sum + node.counts[..<index].reduce(0, +)
  }

  /// The count in which a sum falls, that is the last one before which the sum is not more; nil where
  /// the sum is outside of `0..<total`. O(log n).
  func location(of sum: Int) -> Location? {
    guard 0..<total ~= sum else { return nil }
    var (index, rest, steps) = (0, sum, 0)
    var node = root
    descent: while !node.children.isEmpty {
      for child in node.children {
        steps += 1
        if rest < child.sum {
          node = child
          continue descent
        }
        rest -= child.sum
        index += child.number
      }
    }
    for count in node.counts {
      steps += 1
      if rest < count { break }
      rest -= count
      index += 1
    }
    return Location(index: index, rest: rest, steps: steps)
  }

  /// Puts a count, which is not negative, before an index or at the end. O(log n).
  mutating func insert(_ count: Int, at index: Int) {
    guard let sibling = root.insert(count, at: index) else { return }
    root = Node(children: [root, sibling])
  }

  /// Takes the count at an index away, which must be there. O(log n).
  @discardableResult
  mutating func remove(at index: Int) -> Int {
    let removed = root.remove(at: index)
    while root.children.count == 1 { root = root.children[0] }
    return removed
  }
}

extension PrefixSums.Node {
  /// The child that has the count at an index, which becomes the index in that child.
  fileprivate func child(at index: inout Int) -> Int {
    var child = 0
    while child + 1 < children.count, index >= children[child].number {
      index -= children[child].number
      child += 1
    }
    return child
  }

  fileprivate mutating func set(_ count: Int, at index: Int) {
    var index = index
    if children.isEmpty {
      sum += count - counts[index]
      counts[index] = count
    } else {
      let child = child(at: &index)
      sum -= children[child].sum
      children[child].set(count, at: index)
      sum += children[child].sum
    }
  }

  /// - Returns: the second half of a node that became too full.
  fileprivate mutating func insert(_ count: Int, at index: Int) -> Self? {
    var index = index
    if children.isEmpty {
      counts.insert(count, at: index)
    } else {
      let child = child(at: &index)
      if let sibling = children[child].insert(count, at: index) {
        children.insert(sibling, at: child + 1)
      }
    }
    number += 1
    sum += count
    let half = PrefixSums.capacity / 2
    if counts.count > PrefixSums.capacity {
      let sibling = Self(counts: Array(counts[half...]))
      self = Self(counts: Array(counts[..<half]))
      return sibling
    }
    if children.count > PrefixSums.capacity {
      let sibling = Self(children: Array(children[half...]))
      self = Self(children: Array(children[..<half]))
      return sibling
    }
    return nil
  }

  // Nodes that become small are left so until they are empty: the tree is never deeper than it was
  // when it was largest.
  fileprivate mutating func remove(at index: Int) -> Int {
    var index = index
    let removed: Int
    if children.isEmpty {
      removed = counts.remove(at: index)
    } else {
      let child = child(at: &index)
      removed = children[child].remove(at: index)
      if children[child].number == 0 { children.remove(at: child) }
    }
    number -= 1
    sum -= removed
    return removed
  }
}

extension Array {
  fileprivate func chunks(of size: Int) -> [ArraySlice<Element>] {
    stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
  }
}
