import Foundation
import Testing

@testable import sections

@Suite struct ResultLinesTests {
  static func lines(_ counts: [Int], headings: Bool = true, totals: Bool = false) -> ResultLines {
    let starts = counts.indices.map { counts[..<$0].reduce(0, +) }
    return ResultLines(
      sectionCount: counts.count, rowCount: counts.reduce(0, +), hasHeadings: headings,
      hasTotals: totals, rows: { starts[$0]..<(starts[$0] + counts[$0]) })
  }

  private func all(_ lines: ResultLines) -> [ResultLines.Line] {
    (0..<lines.count).map(lines.line(at:))
  }

  @Test func aSectionIsItsHeadingItsRowsAndAnEmptyLine() {
    let lines = all(ResultLinesTests.lines([2, 1]))
    #expect(
      lines == [.heading(0), .row([0, 0]), .row([0, 1]), .empty, .heading(1), .row([1, 0])])
  }

  @Test func totalsFollowTheRows() {
    let lines = all(ResultLinesTests.lines([1, 1], totals: true))
    #expect(
      lines == [
        .heading(0), .row([0, 0]), .totals(0), .empty, .heading(1), .row([1, 0]), .totals(1),
        .empty, .wholeTotals,
      ])
    #expect(all(ResultLinesTests.lines([], totals: true)) == [.wholeTotals])
  }

  @Test func withoutSectionsThereAreRowsOnly() {
    #expect(all(ResultLinesTests.lines([2], headings: false)) == [.row([0, 0]), .row([0, 1])])
    #expect(
      all(ResultLinesTests.lines([1], headings: false, totals: true)) == [
        .row([0, 0]), .wholeTotals,
      ])
    #expect(all(ResultLinesTests.lines([0], headings: false)) == [])
    #expect(all(ResultLinesTests.lines([])) == [])
  }

  @Test(arguments: [(true, false), (true, true), (false, false), (false, true)])
  func thePositionOfARowIsThatOfItsLine(headings: Bool, totals: Bool) {
    let counts = headings ? (0..<40).map { $0 % 4 + 1 } : [100]
    let lines = ResultLinesTests.lines(counts, headings: headings, totals: totals)
    var found = 0
    for position in 0..<lines.count {
      switch lines.line(at: position) {
      case .row(let row):
        #expect(lines.position(of: row) == position)
        found += 1
      case .heading(let section): #expect(lines.start(ofSection: section) == position)
      default: break
      }
    }
    #expect(found == 100)
  }
}
