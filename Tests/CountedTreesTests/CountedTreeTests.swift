import TableDataTesting
import Testing

@testable import CountedTrees

struct CountedTreeTests {
  typealias Rows = CountedTree<Int64>
  typealias Sections = CountedTree<WideSection>

  // MARK: Building

  @Test func anEmptyTreeHoldsNothing() throws {
    for tree in [Rows(), Rows.Builder().finish()] {
      #expect(tree.isEmpty)
      #expect(tree.count == 0)
      #expect(tree.weight == 0)
      #expect(tree.weight(before: 0) == 0)
      #expect(tree.partitionPoint { _ in true } == 0)
      #expect(Array(tree.elements()) == [])
      try tree.checkInvariants()
    }
  }

  @Test func oneElementIsFoundByPositionAndByWeight() throws {
    var tree = Sections()
    tree.insert(WideSection(id: 7, rows: 3), at: 0)
    #expect(!tree.isEmpty)
    #expect(tree[0].id == 7)
    #expect(tree.weight == 3)
    #expect(tree.weight(before: 1) == 3)
    #expect(tree.position(containingWeight: 2) == (position: 0, offsetInElement: 2))
    try tree.checkInvariants()
    #expect(tree.remove(at: 0).id == 7)
    #expect(tree.isEmpty)
    try tree.checkInvariants()
  }

  @Test(arguments: sizesAroundCapacities)
  func aBuiltTreeHoldsWhatWasAppended(size: Int) throws {
    let sections = (0..<size).map { WideSection(id: $0, rows: $0 % 4) }
    let tree = built(from: sections)
    try tree.checkInvariants()
    #expect(tree.count == size)
    #expect(tree.weight == sections.reduce(0) { $0 + $1.rows })
    #expect(Array(tree.elements()) == sections)
    #expect((0..<size).allSatisfy { tree[$0] == sections[$0] })
  }

  @Test(arguments: sizesAroundCapacities)
  func insertingInAnyOrderGivesTheSameAsBuilding(size: Int) throws {
    let expected = (0..<size).map { WideSection(id: $0, rows: 1) }
    var generator = SeededGenerator(seed: UInt64(size))
    let ascending = Array(0..<size)
    for order in [ascending, ascending.reversed(), ascending.shuffled(using: &generator)] {
      var tree = Sections()
      for id in order {
        let place = tree.partitionPoint { $0.id < id }
        tree.insert(WideSection(id: id, rows: 1), at: place)
      }
      try tree.checkInvariants()
      #expect(Array(tree.elements()) == expected)
    }
  }

  @Test func builtRowsTakeAtMostNineBytesEach() {
    let count = 100_000
    let tree = built(from: (0..<count).map(Int64.init))
    var bytes = 0
    visitNodes(of: tree) { storage in
      switch storage {
      case .leaf(let elements): bytes += elements.capacity * MemoryLayout<Int64>.stride
      case .branch(let children): bytes += children.capacity * MemoryLayout<Rows.Node>.stride
      }
      bytes += 48  // The array's header and the allocator's.
    }
    #expect(Double(bytes) / Double(count) <= 9)
  }

  @Test func noLeafGrowsBeyondItsCapacity() {
    let old = built(from: (0..<10_000).map(Int64.init))
    var new = old
    for position in stride(from: 0, to: old.count, by: 50) {
      new.remove(at: position)
      let between = new
      new.update(at: position) { $0 = -1 }  // Leaves a copy of the leaf with no room to spare.
      new.insert(-1, at: position)
      #expect(between.count == new.count - 1)
    }
    visitNodes(of: new) { storage in
      guard case .leaf(let elements) = storage else { return }
      #expect(elements.capacity <= Rows.Node.leafCapacity + 8, "An allocator rounds up a little")
    }
  }

  // MARK: Removing

  @Test(arguments: sizesAroundCapacities)
  func removingAllInAnyOrderEmptiesTheTree(size: Int) throws {
    let full = built(from: (0..<size).map { WideSection(id: $0, rows: 2) })
    for pick: (Int) -> Int in [{ _ in 0 }, { $0 - 1 }, { $0 / 2 }, { $0 * 2 / 3 }] {
      var tree = full
      var model = Array(0..<size)
      while !tree.isEmpty {
        let position = pick(tree.count)
        #expect(tree.remove(at: position).id == model.remove(at: position))
        if tree.count % 16 == 0 { try tree.checkInvariants() }
      }
      #expect(tree.weight == 0)
      #expect(height(of: tree) == 1)
      #expect(full.count == size)
    }
  }

  // MARK: Weights

  @Test func elementsWithoutWeightAreNeverFoundByWeight() {
    let weights = [0, 0, 2, 0, 1, 0, 0, 3, 0]
    let tree = built(from: weights.map { WideSection(id: 0, rows: $0) })
    let found = (0..<6).map { tree.position(containingWeight: $0) }
    #expect(found.map(\.position) == [2, 2, 4, 7, 7, 7])
    #expect(found.map(\.offsetInElement) == [0, 1, 0, 0, 1, 2])
  }

  @Test func updatingAnElementMovesTheWeightOfAllThatFollow() throws {
    var tree = built(from: (0..<1_000).map { WideSection(id: $0, rows: 1) })
    let old = tree
    tree.update(at: 600) { $0.rows = 11 }
    tree.update(at: 3) { $0 = WideSection(id: -3, rows: 0) }
    try tree.checkInvariants()
    #expect(tree.weight == 1_009)
    #expect(tree.weight(before: 600) == 599)
    #expect(tree.weight(before: 601) == 610)
    #expect(tree.position(containingWeight: 609) == (position: 600, offsetInElement: 10))
    #expect(tree[3].id == -3)
    #expect(old.weight == 1_000)
    #expect(old[3].id == 3)
  }

  // MARK: Iterating

  @Test func elementsCanBeReadFromAnyPosition() {
    let ids = (0..<1_000).map { $0 }
    let tree = built(from: ids.map { WideSection(id: $0, rows: 0) })
    for start in 0...1_000 {
      var iterator = tree.elements(from: start).makeIterator()
      for id in ids[start...].prefix(20) { #expect(iterator.next()?.id == id) }
    }
    #expect(tree.elements(from: 123).map(\.id) == Array(ids[123...]))
    #expect(tree.elements(from: 123).underestimatedCount == 877)
  }

  @Test func anIteratorStaysAtTheEnd() {
    var iterator = built(from: [Int64(1)]).elements().makeIterator()
    #expect(iterator.next() == 1)
    #expect(iterator.next() == nil)
    #expect(iterator.next() == nil)
  }

  @Test func elementsKeepTheVersionTheyWereTakenFrom() {
    var tree = built(from: (0..<600).map(Int64.init))
    let elements = tree.elements(from: 300)
    for _ in 0..<600 { tree.remove(at: 0) }
    #expect(Array(elements) == (300..<600).map(Int64.init))
  }

  // MARK: Searching

  @Test(arguments: sizesAroundCapacities + [1_000, 5_000])
  func partitionPointProbesAboutTheLogarithmOfTheCount(size: Int) throws {
    let fresh = built(from: (0..<size).map { WideSection(id: $0, rows: 0) })
    var worn = fresh
    // Leaves of very different fill, the worst for a search that halves the children of a branch.
    for id in 0..<size / 2 where worn.count > 0 { worn.remove(at: id % worn.count) }
    for tree in [fresh, worn] {
      let bits = Int.bitWidth - max(tree.count - 1, 0).leadingZeroBitCount
      for target in 0...tree.count {
        var probed: [Int] = []
        let limit = target < tree.count ? tree[target].id : Int.max
        let point = tree.partitionPoint {
          probed.append($0.id)
          return $0.id < limit
        }
        #expect(point == target)
        #expect(probed.count <= bits + height(of: tree))
        #expect(Set(probed).count == probed.count, "No element is asked about twice")
      }
    }
  }

  @Test func partitionPointPassesOnWhatThePredicateThrows() {
    struct Interrupted: Error {}
    let tree = built(from: (0..<1_000).map(Int64.init))
    var probes = 0
    #expect(throws: Interrupted.self) {
      try tree.partitionPoint { _ in
        probes += 1
        if probes == 5 { throw Interrupted() }
        return true
      }
    }
    #expect(probes == 5)
  }

  // MARK: Sharing

  @Test func aChangedCopySharesAllButThePathToOneLeaf() {
    let old = built(from: (0..<100_000).map(Int64.init))
    var new = old
    #expect(nodeAddresses(of: new) == nodeAddresses(of: old))
    new.insert(-1, at: 50_000)
    new.remove(at: 50_001)
    new.update(at: 50_000) { $0 = 50_000 }
    let copied = nodeAddresses(of: new).subtracting(nodeAddresses(of: old))
    #expect(
      copied.count < 2 * height(of: old),
      "The leaf was full, so it was split as well, and maybe what holds it; the root was not")
    #expect(old[50_000] == 50_000 && new[50_000] == 50_000)
  }

  @Test func anUnsharedTreeChangesInPlace() {
    var tree = built(from: (0..<100_000).map(Int64.init))
    tree.remove(at: 50_000)
    let before = nodeAddresses(of: tree)
    tree.insert(-1, at: 50_000)
    tree.update(at: 50_000) { $0 = 50_000 }
    tree.remove(at: 50_000)
    #expect(nodeAddresses(of: tree) == before)
  }

  // MARK: Against an array

  @Test(arguments: UInt64(1)...6)
  func rowsBehaveLikeAnArray(seed: UInt64) throws {
    try compareWithArray(seed: seed, sizeLimit: 3_000) { Int64.random(in: 0..<50, using: &$0) }
  }

  @Test(arguments: UInt64(1)...6)
  func sectionsBehaveLikeAnArray(seed: UInt64) throws {
    try compareWithArray(seed: seed, sizeLimit: 1_500) {
      WideSection(id: Int.random(in: 0..<50, using: &$0), rows: Int.random(in: 0..<4, using: &$0))
    }
  }

  // MARK: Misuse

  @Test func aPositionOutOfRangeTrapsAndNamesPositionAndCount() async throws {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var builder = CountedTree<Int64>.Builder()
        for row in 0..<5 { builder.append(Int64(row)) }
        _ = builder.finish()[12]
      })
    #if DEBUG  // An optimised build traps without a word.
      let message = String(decoding: result.standardErrorContent, as: UTF8.self)
      #expect(message.contains("Position 12 is out of range: the tree has a count of 5"))
    #endif
  }

  @Test func aWeightOutOfRangeTraps() async {
    await #expect(processExitsWith: .failure) {
      _ = CountedTree<Int64>().position(containingWeight: 0)
    }
  }
}

/// A section so wide that a leaf holds only sixteen, and few of them make a tree of three levels.
struct WideSection: CountedElement, Equatable {
  let id: Int
  var rows: Int
  private let padding = SIMD16<Int64>()

  /// Creates a section with a number of rows.
  init(id: Int, rows: Int) {
    self.id = id
    self.rows = rows
  }

  var weight: Int { rows }
}

/// Tree sizes at which a level of `CountedTree<WideSection>` is just full, or one off.
private let sizesAroundCapacities: [Int] = {
  let leaf = CountedTree<WideSection>.Node.leafCapacity
  let branch = CountedTree<WideSection>.Node.branchCapacity
  let full = [0, 1, leaf / 2, leaf, 2 * leaf, leaf * branch, leaf * branch + leaf]
  return Set(full.flatMap { [$0 - 1, $0, $0 + 1] }).filter { $0 >= 0 }.sorted()
}()

private func built<Element>(from elements: some Sequence<Element>) -> CountedTree<Element> {
  var builder = CountedTree<Element>.Builder()
  for element in elements { builder.append(element) }
  return builder.finish()
}

private func height<Element>(of tree: CountedTree<Element>) -> Int {
  var height = 1
  var node = tree.root
  while case .branch(let children) = node.storage {
    node = children[0]
    height += 1
  }
  return height
}

private func visitNodes<Element>(
  of tree: CountedTree<Element>, _ visit: (CountedTree<Element>.Node.Storage) -> Void
) {
  var pending = [tree.root]
  while let node = pending.popLast() {
    visit(node.storage)
    if case .branch(let children) = node.storage { pending += children }
  }
}

/// Where the arrays of all nodes lie in memory: two trees share a node if they share its address.
private func nodeAddresses<Element>(of tree: CountedTree<Element>) -> Set<UnsafeRawPointer?> {
  var addresses: Set<UnsafeRawPointer?> = []
  visitNodes(of: tree) { storage in
    switch storage {
    case .leaf(let elements):
      elements.withUnsafeBufferPointer { _ = addresses.insert(UnsafeRawPointer($0.baseAddress)) }
    case .branch(let children):
      children.withUnsafeBufferPointer { _ = addresses.insert(UnsafeRawPointer($0.baseAddress)) }
    }
  }
  return addresses
}

/// Does the same random changes to a tree and to an array, and expects the same of both.
///
/// Every version kept on the way is compared again at the end: no change may have shown in it.
private func compareWithArray<Element: CountedElement & Equatable>(
  seed: UInt64, sizeLimit: Int, makeElement: (inout SeededGenerator) -> Element
) throws {
  var generator = SeededGenerator(seed: seed)
  var model = (0..<Int.random(in: 0...sizeLimit, using: &generator)).map { _ in
    makeElement(&generator)
  }
  var tree = built(from: model)
  var versions = [(tree: tree, model: model)]

  for _ in 0..<SeededGenerator.scaled(60) {
    // A run of like changes near one place fills or drains whole leaves, as no even mix would.
    let spot = Int.random(in: 0...model.count, using: &generator)
    let grows = model.count < sizeLimit && Bool.random(using: &generator)
    for _ in 0..<Int.random(in: 1...sizeLimit / 5, using: &generator) {
      let place = min(model.count, spot + Int.random(in: 0...8, using: &generator))
      switch Int.random(in: 0..<10, using: &generator) {
      case 0 where place < model.count:
        let element = makeElement(&generator)
        tree.update(at: place) { $0 = element }
        model[place] = element
      case 1...(grows ? 8 : 2):
        let element = makeElement(&generator)
        tree.insert(element, at: place)
        model.insert(element, at: place)
      case _ where place < model.count:
        #expect(tree.remove(at: place) == model.remove(at: place), "seed \(seed)")
      default:
        break
      }
    }
    try expectEqual(tree, model, seed: seed, using: &generator)
    if versions.count == 40 { versions.remove(at: 20) }
    versions.append((tree, model))
    if Int.random(in: 0..<8, using: &generator) == 0 {
      (tree, model) = try #require(versions.randomElement(using: &generator))
    }
  }
  for version in versions {
    try expectEqual(version.tree, version.model, seed: seed, using: &generator)
  }
}

private func expectEqual<Element: CountedElement & Equatable>(
  _ tree: CountedTree<Element>, _ model: [Element], seed: UInt64,
  using generator: inout SeededGenerator
) throws {
  #expect(throws: Never.self, "seed \(seed)") { try tree.checkInvariants() }
  try #require(Array(tree.elements()) == model, "seed \(seed)")
  let prefixSums = model.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.weight) }
  #expect(tree.weight == prefixSums.last, "seed \(seed)")
  for _ in 0..<20 {
    let position = Int.random(in: 0...model.count, using: &generator)
    #expect(tree.weight(before: position) == prefixSums[position], "seed \(seed)")
    #expect(Array(tree.elements(from: position).prefix(9)) == Array(model[position...].prefix(9)))
    guard position < model.count else { continue }
    #expect(tree[position] == model[position], "seed \(seed)")
    for offset in 0..<model[position].weight {
      let found = tree.position(containingWeight: prefixSums[position] + offset)
      #expect(found == (position: position, offsetInElement: offset), "seed \(seed)")
    }
  }
}
