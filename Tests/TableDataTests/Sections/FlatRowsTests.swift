import Foundation
import TableDataTesting
import Testing

@testable import TableData

struct FlatRowsTests {
  @Test func headersAndRowsAreCountedThroughAllSections() throws {
    let rows = FlatRows(rowCounts: [2, 0, 1, 0], headers: ["a", "b", nil, nil])
    #expect(rows.count == 5)
    let all: [FlatRows<String>.Line] = [
      .header(0), .row([0, 0]), .row([0, 1]), .header(1), .row([2, 0]),
    ]
    #expect((0..<5).map { rows.line(at: $0) } == all)
    #expect(all.map { rows.position(of: $0) } == [0, 1, 2, 3, 4])
    #expect(rows.line(at: 5) == nil)
    #expect(rows.line(at: -1) == nil)
    #expect(rows.position(of: .row([0, 2])) == nil)
    #expect(rows.position(of: .row([4, 0])) == nil)
    #expect(rows.position(of: .header(2)) == nil)
    #expect((0..<5).map { rows.header(of: $0) } == ["a", "b", nil, nil, nil])
    #expect(FlatRows<String>().line(at: 0) == nil)
    try rows.checkInvariants()
  }

  @Test func anEmptySectionWithAHeaderHasOneLine() {
    let rows = FlatRows(rowCounts: [2, 0, 1], headers: [(), (), ()])
    #expect(rows.count == 6)
    #expect(
      (0..<6).map { rows.line(at: $0) } == [
        .header(0), .row([0, 0]), .row([0, 1]), .header(1), .header(2), .row([2, 0]),
      ])
    #expect(rows.position(of: [2, 0]) == 5)
  }

  @Test func anEmptySectionWithoutAHeaderHasNoLine() {
    let rows = FlatRows<Never>(rowCounts: [2, 0, 1])
    #expect((0..<3).map { rows.line(at: $0) } == [.row([0, 0]), .row([0, 1]), .row([2, 0])])
    #expect(rows.position(of: [2, 0]) == 2)
  }

  @Test(arguments: SeededGenerator.seeds(20))
  func changedRowsAreCountedAsNewOnes(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var rows = FlatRows<String>()
    var sections: [(count: Int, header: String?)] = []
    for _ in 0..<60 {
      let section = sections.indices.randomElement(using: &generator)
      switch (Int.random(in: 0..<6, using: &generator), section) {
      case (2...3, let section?):
        let row = Int.random(in: 0...sections[section].count, using: &generator)
        sections[section].count += 1
        let position = rows.insertRow(at: [section, row])
        #expect(rows.line(at: position) == .row([section, row]))
      case (4, let section?) where sections[section].count > 0:
        let row = Int.random(in: 0..<sections[section].count, using: &generator)
        let expected = rows.position(of: .row([section, row]))
        sections[section].count -= 1
        #expect(rows.removeRow(at: [section, row]) == expected)
      case (5, let section?):
        let removed = sections.remove(at: section)
        let lines = rows.removeSection(section)
        #expect(lines.count == removed.count + (removed.header == nil ? 0 : 1))
      default:
        let section = Int.random(in: 0...sections.count, using: &generator)
        let new = (
          count: Int.random(in: 0...3, using: &generator),
          header: Bool.random(using: &generator) ? "h" : nil
        )
        sections.insert(new, at: section)
        let lines = rows.insertSection(section, rowCount: new.count, header: new.header)
        #expect(lines.count == new.count + (new.header == nil ? 0 : 1))
      }
      try rows.checkInvariants()
      let expected = FlatRows(
        rowCounts: sections.map(\.count), headers: sections.map(\.header))
      #expect(
        (0..<rows.count).map { rows.line(at: $0) }
          == (0..<expected.count).map { expected.line(at: $0) })
    }
  }
}
