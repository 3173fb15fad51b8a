import CountedTrees
import Testing

@testable import TableData

struct PositionSetTests {
  @Test func theRankCountsThePositionsOutsideOfTheSet() {
    let set = PositionSet([7, 1, 2])
    #expect(set.positions == [1, 2, 7])
    #expect((0..<10).map(set.rank(of:)) == [0, 1, 1, 1, 2, 3, 4, 5, 5, 6])
    #expect((0..<10).map(set.count(before:)) == [0, 0, 1, 2, 2, 2, 2, 2, 3, 3])
    #expect((0..<7).map(set.position(ofRank:)) == [0, 3, 4, 5, 6, 8, 9])
    #expect(set.contains(7) && !set.contains(6) && !set.contains(8))
  }

  @Test func inAnEmptySetTheRankIsThePosition() {
    let set = PositionSet()
    #expect(set.rank(of: 5) == 5)
    #expect(set.position(ofRank: 5) == 5)
    #expect(!set.contains(0))
  }

  @Test func aPartitionPointIsAnIndexOfTheCollection() {
    let numbers = [1, 2, 2, 5, 8]
    #expect(
      (0...9).map { n in numbers.partitionPoint { $0 < n } } == [0, 0, 1, 3, 3, 3, 4, 4, 4, 5])
    #expect(numbers[2...].partitionPoint { $0 < 5 } == 3)
    #expect(numbers[2...].partitionPoint { _ in false } == 2)
    #expect([Int]().partitionPoint { _ in true } == 0)
  }
}
