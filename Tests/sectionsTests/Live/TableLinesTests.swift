import Foundation
import TableData
import Testing

@testable import sections

@Suite struct TableLinesTests {
  @Test func headingsAndRowsAreCountedThroughAllSections() {
    let lines = TableLines(rowCounts: [2, 0, 1, 0], headings: ["a", "b", nil, nil])
    #expect(lines.count == 5)
    let all: [TableLines.Line] = [
      .heading(0), .row([0, 0]), .row([0, 1]), .heading(1), .row([2, 0]),
    ]
    #expect((0..<5).map { lines.line(at: $0) } == all)
    #expect(all.map { lines.position(of: $0) } == [0, 1, 2, 3, 4])
    #expect(lines.line(at: 5) == nil)
    #expect(lines.line(at: -1) == nil)
    #expect(lines.position(of: .row([0, 2])) == nil)
    #expect(lines.position(of: .row([4, 0])) == nil)
    #expect(lines.position(of: .heading(2)) == nil)
    #expect(TableLines(rowCounts: [], headings: []).line(at: 0) == nil)
  }

  /// A window of lines is a window of rows, however the sections lie in it.
  @Test func theRowsOfAWindowAreThoseOfItsLines() {
    let lines = TableLines(rowCounts: [3, 0, 2, 1], headings: ["a", "b", nil, "d"])
    for start in 0...lines.count {
      for end in start...lines.count {
        let isRow = { (position: Int) in
          if case .row? = lines.line(at: position) { true } else { false }
        }
        let rows = lines.rows(in: start..<end)
        #expect(rows.offset == (0..<start).filter(isRow).count)
        #expect(rows.count == (start..<end).filter(isRow).count)
      }
    }
  }
}
