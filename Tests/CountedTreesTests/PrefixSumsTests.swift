import Synchronization
import TableDataTesting
import Testing

@testable import CountedTrees

/// The sizes of parts in a ``CountedTree``.
struct PrefixSumsTests {
  @Test func anEmptySequenceHasNothing() {
    let sums = PrefixSums()
    #expect(sums.count == 0)
    #expect(sums.weight == 0)
    #expect(sums.weight(before: 0) == 0)
  }

  @Test func partsOfSizeZeroAreSkipped() {
    let sums = PrefixSums([0, 2, 0, 0, 3, 0])
    let found = (0..<5).map { sums.position(containingWeight: $0) }
    #expect(found.map(\.position) == [1, 1, 4, 4, 4])
    #expect(found.map(\.offsetInElement) == [0, 1, 0, 1, 2])
  }

  @Test func removedRowsAreNotCountedInRanges() {
    var sums = PrefixSums(repeatElement(1, count: 11))
    func count(in range: Range<Int>) -> Int {
      sums.weight(before: range.upperBound) - sums.weight(before: range.lowerBound)
    }
    #expect(count(in: 0..<11) == 11)
    for number in [0, 3, 10] { sums.update(at: number) { $0 = 0 } }
    #expect(count(in: 0..<11) == 8)
    #expect(count(in: 1..<4) == 2)
    #expect(count(in: 10..<11) == 0)
    #expect(count(in: 4..<4) == 0)
  }

  @Test(arguments: SeededGenerator.seeds(20))
  func aTreeIsWhatAnArrayIs(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    // More than a leaf holds.
    var counts = (0..<Int.random(in: 0...900, using: &generator)).map { _ in
      Int.random(in: 0...3, using: &generator)
    }
    var sums = PrefixSums(counts)
    for _ in 0..<400 {
      let count = Int.random(in: 0...3, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0, 1:
        let index = Int.random(in: 0...counts.count, using: &generator)
        counts.insert(count, at: index)
        sums.insert(count, at: index)
      case 2 where !counts.isEmpty:
        let index = Int.random(in: counts.indices, using: &generator)
        #expect(sums.remove(at: index) == counts.remove(at: index))
      case 3 where !counts.isEmpty:
        let index = Int.random(in: counts.indices, using: &generator)
        counts[index] = count
        sums.update(at: index) { $0 = count }
      default: break
      }
      let index = Int.random(in: 0...counts.count, using: &generator)
      #expect(sums.weight(before: index) == counts[..<index].reduce(0, +))
    }
    try sums.checkInvariants()
    #expect(Array(sums.elements()) == counts)
    #expect(sums.count == counts.count)
    #expect(counts.indices.map { sums[$0] } == counts)
    let owners = counts.enumerated().flatMap { [Int](repeating: $0.offset, count: $0.element) }
    #expect((0..<sums.weight).map { sums.position(containingWeight: $0).position } == owners)
  }

  @Test func emptyingATreeAndFillingItAgainWorks() throws {
    var sums = PrefixSums([Int](repeating: 1, count: 5_000))
    for _ in 0..<5_000 { sums.remove(at: 0) }
    #expect(sums.count == 0)
    for _ in 0..<100 { sums.insert(2, at: 0) }
    #expect(sums.weight == 200)
    #expect(sums.position(containingWeight: 199).position == 99)
    try sums.checkInvariants()
  }

  @Test func aCopyKeepsTheOldState() {
    let old = PrefixSums([1, 2, 3])
    var new = old
    new.update(at: 1) { $0 = 7 }
    new.insert(5, at: 0)
    #expect(Array(old.elements()) == [1, 2, 3])
    #expect(Array(new.elements()) == [5, 1, 7, 3])
  }

  /// A part that counts how often its size is read.
  private struct Probe: CountedElement {
    final class Counter: Sendable {
      let reads = Atomic(0)
    }

    let size: Int
    let counter: Counter

    var weight: Int {
      counter.reads.add(1, ordering: .relaxed)
      return size
    }
  }

  /// The branches have the sums of their children, so only the parts of one leaf are read.
  @Test(arguments: [100, 10_000, 100_000])
  func aLookUpReadsThePartsOfOneLeaf(count: Int) {
    let counter = Probe.Counter()
    let sums = CountedTree((0..<count).lazy.map { Probe(size: $0 % 3, counter: counter) })
    for offset in stride(from: 0, to: sums.weight, by: max(1, count / 100)) {
      counter.reads.store(0, ordering: .relaxed)
      let position = sums.position(containingWeight: offset).position
      #expect(sums.weight(before: position) <= offset)
      // Both look-ups read a leaf, the first of the two each part up to twice.
      #expect(
        counter.reads.load(ordering: .relaxed) <= 3 * CountedTree<Probe>.Node.leafCapacity)
    }
  }
}
