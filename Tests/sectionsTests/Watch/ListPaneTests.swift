import Testing

@testable import sections

@Suite struct ListPaneTests {
  @Test(arguments: [
    ([50, 50], 20, [10, 10]), ([50, 50], 21, [11, 10]), ([4, 50], 20, [4, 16]),
    ([4, 3], 20, [4, 3]), ([50, 4, 50, 8], 40, [14, 4, 14, 8]), ([50], 20, [20]),
    // There is hardly space: the focused list, and a line of each other.
    ([50, 50, 50], 12, [1, 10, 1]),
  ])
  func listsShareTheScreen(_ wanted: [Int], _ total: Int, _ heights: [Int]) {
    #expect(ListPane.heights(wanted, in: total, focus: min(1, wanted.count - 1)) == heights)
  }
}
