import SQLiteStorage
import Testing

@testable import sections

@Suite struct TableLayoutTests {
  /// The widths of columns whose widest cells take `natural`.
  private func widths(_ natural: [Int], fit width: Int?) -> [Int] {
    let names = natural.map { String(repeating: "x", count: $0) }
    return TableLayout(columns: names, rows: [], width: width).columns.map(\.width)
  }

  @Test func columnsAreAsWideAsTheirWidestCell() {
    let layout = TableLayout(
      columns: ["name", "n"], rows: [[.init("日本語"), .init(12345)], [.init(nil), .init(1)]],
      width: nil)
    #expect(layout.columns.map(\.width) == [6, 5])
    #expect(layout.columns.map(\.limit) == [nil, nil])
    #expect(layout.totalWidth == 14)
  }

  @Test func columnsOfNumbersAreOnTheRightWhateverPlaceholdersTheyHave() {
    let row: [DisplayCell] = [
      .init(1), .init(1.5), .init("1"), .init(nil), .init(blobOfSize: 1),
    ]
    let other: [DisplayCell] = [
      .init(nil), .init(blobOfSize: 1), .init(1), .init(nil), .init(nil),
    ]
    let layout = TableLayout(columns: ["a", "b", "c", "d", "e"], rows: [row, other], width: nil)
    #expect(layout.columns.map(\.alignment) == [.right, .right, .left, .left, .left])
  }

  @Test func whatFitsIsLeftAlone() {
    #expect(widths([5, 10], fit: 18) == [5, 10])
    #expect(widths([5, 10], fit: nil) == [5, 10])
  }

  @Test func theWidestShrinkFirst() {
    #expect(widths([5, 20, 8], fit: 29) == [5, 10, 8])
    #expect(widths([5, 20, 30], fit: 31) == [5, 10, 10])
    #expect(widths([20, 20, 20], fit: 24) == [6, 6, 6])
  }

  @Test func theRemainderIsTakenFromTheLast() {
    #expect(widths([20, 20, 20], fit: 26) == [7, 7, 6])
    #expect(widths([20, 20, 20], fit: 25) == [7, 6, 6])
  }

  @Test func noColumnIsMadeNarrowerThanTheMinimum() {
    #expect(widths([20, 2, 20], fit: 10) == [3, 2, 3])
    #expect(widths([1, 2], fit: 1) == [1, 2])
  }

  @Test(arguments: [7, 12, 30, 79, 80, 81, 300])
  func theTableTakesAllTheRoomItMay(_ width: Int) {
    let natural = [3, 100, 17, 44, 44, 9]
    let minimum = 6 * 3 + 15
    let total = natural.reduce(0, +) + 15
    let layout = widths(natural, fit: width).reduce(0, +) + 15
    #expect(layout == min(max(width, minimum), total))
  }
}
