import SQLiteStorage
import Testing

@testable import FetchedResults

struct ResultsIndexTests {
  /// An index of sections with these numbers of rows, numbered through.
  private func index(
    _ sizes: [Int], offset: Int = 0, limit: Int? = nil, isDivided: Bool = true
  ) -> ResultsIndex<Int64> {
    var rows = CountedTree<Int64>.Builder()
    var sections = CountedTree<SectionEntry>.Builder()
    for (section, size) in sizes.enumerated() {
      sections.append(
        SectionEntry(key: isDivided ? KeyTuple([.integer(Int64(section))]) : nil, rowCount: size))
    }
    for row in 0..<sizes.reduce(0, +) { rows.append(Int64(row)) }
    return ResultsIndex(
      rows: rows.finish(), sections: sections.finish(), offset: offset, limit: limit)
  }

  /// The rows of each section, and a check that places and positions agree.
  private func rows(_ index: ResultsIndex<Int64>) -> [[Int64]] {
    var position = 0
    return (0..<index.sectionCount).map { section in
      let rows = index.rows(inSection: section)
      #expect(rows.lowerBound == position)
      #expect(index.section(at: section).rowCount == rows.count)
      for row in rows {
        #expect(index.place(of: row).section == section)
        #expect(index.place(of: row).row == row - rows.lowerBound)
      }
      position = rows.upperBound
      return index.keys(at: rows)
    }
  }

  @Test func placesAndPositionsAgreeInEveryWindow() {
    for sizes in [[], [1], [3], [1, 1, 1], [2, 3, 1, 4], Array(repeating: 7, count: 40)] {
      let total = sizes.reduce(0, +)
      var all: [[Int64]] = []
      for size in sizes {
        let start = all.reduce(0) { $0 + $1.count }
        all.append((start..<(start + size)).map(Int64.init))
      }
      for offset in [0, 1, 2, 3, 5, total, total + 9] {
        for limit in [nil, 0, 1, 2, 4, total, total + 9] as [Int?] {
          let window = Array((0..<Int64(total)).dropFirst(offset).prefix(limit ?? total))
          let expected = all.map { $0.filter(window.contains) }.filter { !$0.isEmpty }
          let index = index(sizes, offset: offset, limit: limit)
          #expect(rows(index) == expected, "\(sizes) \(offset) \(String(describing: limit))")
          #expect(index.count == window.count)
        }
      }
    }
  }

  @Test func aResultThatIsNotDividedKeepsItsOneSection() {
    for (size, offset, limit) in [(0, 0, nil), (5, 0, 0), (5, 9, nil), (5, 5, 2)]
      as [(Int, Int, Int?)]
    {
      let index = index([size], offset: offset, limit: limit, isDivided: false)
      #expect(rows(index) == [[]])
      #expect(index.section(at: 0).name == nil)
    }
  }
}
