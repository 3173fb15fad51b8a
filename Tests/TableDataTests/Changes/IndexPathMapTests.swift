import Foundation
import Testing

@testable import TableData

struct IndexPathMapTests {
  @Test func rowsShiftByTheEvents() {
    let map = IndexPathMap(
      TableChanges(
        deletedSections: [0], insertedSections: [1], deletedRows: [[1, 0]], insertedRows: [[0, 1]],
        movedRows: [.init(from: [2, 0], to: [0, 2])]))
    #expect((0..<4).map(map.newSection(of:)) == [nil, 0, 2, 3])
    // [1]: a b c -> [0]: b x m c
    #expect((0..<3).map { map.newIndexPath(of: [1, $0]) } == [nil, [0, 0], [0, 3]])
    #expect(map.newIndexPath(of: [2, 0]) == [0, 2])
    #expect(map.newIndexPath(of: [2, 5]) == [2, 4])
    #expect(map.newIndexPath(of: [0, 0]) == nil)
  }

  @Test func rowsMoveWithTheirSection() {
    let map = IndexPathMap(
      TableChanges(), movedSections: [(from: 0, to: 2)], reloadedSections: [1])
    #expect((0..<4).map(map.newSection(of:)) == [2, 0, 1, 3])
    #expect(map.newIndexPath(of: [0, 4]) == [2, 4])
    #expect(map.newIndexPath(of: [1, 4]) == nil)
    #expect(map.newIndexPath(of: [2, 4]) == [1, 4])
  }
}
