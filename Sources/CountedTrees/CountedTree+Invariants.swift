internal import Basics

extension CountedTree {
  /// Checks that all leaves have the same depth, that all nodes are filled within bounds, and that all
  /// cached counts and weights are correct. O(n).
  ///
  /// - Throws: `BrokenInvariant`.
  public func checkInvariants() throws {
    _ = try Self.checkedHeight(of: root, isRoot: true)
  }

  /// The number of levels from `node` down. It checks all of them.
  private static func checkedHeight(of node: Node, isRoot: Bool) throws -> Int {
    switch node.storage {
    case .leaf(let elements):
      let minimum = isRoot ? 0 : Node.leafCapacity / 2
      try check(elements.count, isIn: minimum...Node.leafCapacity, "elements of a leaf")
      try check(
        elements.map(\.weight).min() ?? 0, isIn: 0...Int.max, "weight of an element")
      try check(Node(leaf: elements), against: node)
      return 1
    case .branch(let children):
      let minimum = isRoot ? 2 : Node.branchCapacity / 2
      try check(children.count, isIn: minimum...Node.branchCapacity, "children of a branch")
      let heights = try children.map { try checkedHeight(of: $0, isRoot: false) }
      try BrokenInvariant.check(
        Set(heights).count == 1, "leaves of one tree at different depths: \(heights)")
      try check(Node(branch: children), against: node)
      return heights[0] + 1
    }
  }

  private static func check(_ value: Int, isIn range: ClosedRange<Int>, _ name: String) throws {
    try BrokenInvariant.check(range.contains(value), "\(name): \(value), not in \(range)")
  }

  private static func check(_ recomputed: Node, against node: Node) throws {
    try BrokenInvariant.check(
      (recomputed.count, recomputed.weight) == (node.count, node.weight)
        && recomputed.first.map({ "\($0)" }) == node.first.map({ "\($0)" }),
      """
      cached count \(node.count), weight \(node.weight) and first element \
      \(node.first.map { "\($0)" } ?? "none"), but the content has \(recomputed.count), \
      \(recomputed.weight) and \(recomputed.first.map { "\($0)" } ?? "none")
      """)
  }
}
