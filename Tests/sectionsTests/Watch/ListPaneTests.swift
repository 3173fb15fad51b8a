import Foundation
import TableData
import Testing

@testable import sections

@Suite struct ListPaneTests {
  @Test(
    arguments: [
      ([50, 50], 20, [10, 10]), ([50, 50], 21, [11, 10]), ([4, 50], 20, [4, 16]),
      ([4, 3], 20, [4, 3]), ([50, 4, 50, 8], 40, [14, 4, 14, 8]), ([50], 20, [20]),
      // There is hardly space: the focused list, and a line of each other.
      ([50, 50, 50], 12, [1, 10, 1]),
    ] as [([Int], Int, [Int])])
  func listsShareTheScreen(_ wanted: [Int], _ total: Int, _ heights: [Int]) {
    #expect(ListPane.heights(wanted, in: total, focus: min(1, wanted.count - 1)) == heights)
  }

  @Test func changedRowsOfTheNewVersionAreKnown() {
    var changes = TableChanges()
    changes.deletedRows = [[0, 9]]
    changes.insertedRows = [[0, 1], [1, 0], [2, 3]]
    changes.movedRows = [.init(from: [0, 0], to: [1, 1]), .init(from: [5, 0], to: [3, 0])]
    changes.updatedRows = [.init(old: [0, 2], new: [0, 3]), .init(old: [4, 1], new: [4, 0])]
    let places = (0..<6).flatMap { section in (0..<6).map { IndexPath(indexes: [section, $0]) } }
    let expected: [IndexPath] = [[0, 1], [0, 3], [1, 0], [1, 1], [2, 3], [3, 0], [4, 0]]
    #expect(places.filter(changes.leads) == expected)
    #expect(!places.contains(where: TableChanges().leads))
  }
}
