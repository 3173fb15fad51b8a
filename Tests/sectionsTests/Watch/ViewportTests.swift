import Foundation
import TableData
import TableDataTesting
import Testing

@testable import sections

@Suite struct ViewportTests {
  private func viewport(top: Int, height: Int, lineCount: Int) -> Viewport {
    var viewport = Viewport()
    viewport.resize(height: height, lineCount: lineCount)
    viewport.scroll(to: top)
    return viewport
  }

  @Test func itScrollsAsFarAsThereAreLines() {
    var viewport = viewport(top: 0, height: 10, lineCount: 25)
    viewport.scroll(by: -3)
    #expect(viewport.lines == 0..<10)
    viewport.scroll(byPages: 1)
    #expect(viewport.lines == 9..<19)
    viewport.scroll(byPages: 1)
    #expect(viewport.lines == 15..<25)
    #expect(viewport.percentage == 100)
    viewport.scroll(byPages: -5)
    #expect(viewport.lines == 0..<10)
    #expect(viewport.percentage == 0)
  }

  @Test func aShortListIsAllOnTheScreen() {
    var viewport = viewport(top: 3, height: 10, lineCount: 4)
    #expect(viewport.lines == 0..<4)
    #expect(viewport.percentage == nil)
    viewport.resize(height: 0, lineCount: 0)
    #expect(viewport.lines == 0..<0)
  }

  @Test func aLargerScreenShowsMoreLinesAboveTheEnd() {
    var viewport = viewport(top: 15, height: 10, lineCount: 25)
    viewport.resize(height: 20, lineCount: 25)
    #expect(viewport.lines == 5..<25)
  }

  @Test func theStartStaysOnTheScreen() {
    let (old, new) = (ResultLinesTests.lines([30]), ResultLinesTests.lines([31]))
    var viewport = viewport(top: 0, height: 10, lineCount: old.count)
    var changes = TableChanges()
    changes.insertedRows = [[0, 0]]
    viewport.follow(IndexPathMap(changes), from: old, to: new)
    #expect(viewport.top == 0)
  }

  @Test func afterAResetThePositionStays() {
    let (old, new) = (ResultLinesTests.lines([30]), ResultLinesTests.lines([15]))
    var viewport = viewport(top: 4, height: 10, lineCount: old.count)
    viewport.resize(height: 10, lineCount: new.count)
    #expect(viewport.top == 4)
    viewport.resize(height: 10, lineCount: 2)
    #expect(viewport.top == 0)
  }

  @Test func theFirstRowThatStaysKeepsItsLine() {
    let old = ResultLinesTests.lines([10, 10])
    // A section with two rows comes above; the row at the top is deleted, and the next one moves.
    let new = ResultLinesTests.lines([2, 9, 10])
    var viewport = viewport(top: 4, height: 6, lineCount: old.count)
    #expect(old.line(at: 4) == .row([0, 3]))
    var changes = TableChanges()
    changes.insertedSections = [0]
    changes.insertedRows = [[0, 0], [0, 1]]
    changes.deletedRows = [[0, 3]]
    changes.movedRows = [TableChanges.Move(from: [0, 4], to: [2, 9])]
    viewport.follow(IndexPathMap(changes), from: old, to: new)
    #expect(new.line(at: viewport.top + 2) == .row([1, 3]))
  }

  /// A list of numbers in sections, changed at random: the rows that stay are known by their numbers.
  @Test func randomChangesKeepTheFirstRowThatStays() {
    let seed = UInt64.random(in: 0...9_999)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<400 {
      let old = Content.random(&generator)
      let (new, changes, moved) = old.changed(&generator)
      let (oldLines, newLines) = (old.lines, new.lines)
      let height = Int.random(in: 1...12, using: &generator)
      var viewport = viewport(
        top: Int.random(in: 0...20, using: &generator), height: height, lineCount: oldLines.count)
      let before = viewport
      viewport.follow(IndexPathMap(changes), from: oldLines, to: newLines)
      let staying = before.lines.lazy.compactMap { position -> (Int, IndexPath)? in
        guard case .row(let row) = oldLines.line(at: position) else { return nil }
        let number = old.sections[row.section].rows[row.row]
        guard !moved.contains(number), let place = new.place(of: number) else { return nil }
        return (position - before.top, place)
      }.first
      var expected = before.top
      if before.top > 0, let (offset, place) = staying {
        expected = newLines.position(of: place) - offset
      }
      expected = max(0, min(expected, newLines.count - height))
      #expect(viewport.top == expected, "seed \(seed)")
    }
  }

  private struct Content {
    var sections: [(id: Int, rows: [Int])]

    var lines: ResultLines { ResultLinesTests.lines(sections.map(\.rows.count)) }

    func place(of number: Int) -> IndexPath? {
      for (section, content) in sections.enumerated() {
        if let row = content.rows.firstIndex(of: number) { return [section, row] }
      }
      return nil
    }

    static func random(_ generator: inout SeededGenerator) -> Content {
      var number = 0
      return Content(
        sections: (0..<Int.random(in: 1...6, using: &generator)).map { id in
          let rows = (0..<Int.random(in: 1...8, using: &generator)).map { _ in
            number += 1
            return number
          }
          return (id, rows)
        })
    }

    /// Another list, the changes that lead to it, and the rows that they move.
    func changed(_ generator: inout SeededGenerator) -> (Content, TableChanges, moved: Set<Int>) {
      var next = self
      var moved: Set<Int> = []
      var fresh = 1_000
      for index in next.sections.indices {
        let isEmptied = Int.random(in: 0..<5, using: &generator) == 0
        let rows = next.sections[index].rows
        next.sections[index].rows = rows.filter { number in
          if isEmptied || Int.random(in: 0..<4, using: &generator) == 0 {
            if Bool.random(using: &generator) { moved.insert(number) }
            return false
          }
          return true
        }
      }
      next.sections.removeAll { $0.rows.isEmpty }
      for _ in 0..<Int.random(in: 0...2, using: &generator) {
        fresh += 1
        next.sections.insert(
          (fresh, [fresh]), at: Int.random(in: 0...next.sections.count, using: &generator))
      }
      if next.sections.isEmpty { next.sections = [(1_500, [1_500])] }
      for number in moved.sorted()
        + (0..<Int.random(in: 0...5, using: &generator)).map({ 2_000 + $0 })
      {
        let section = Int.random(in: next.sections.indices, using: &generator)
        next.sections[section].rows.insert(
          number, at: Int.random(in: 0...next.sections[section].rows.count, using: &generator))
      }
      return (next, changes(to: next, moved), moved)
    }

    private func changes(to next: Content, _ moved: Set<Int>) -> TableChanges {
      var changes = TableChanges()
      let (oldIDs, newIDs) = (Set(sections.map(\.id)), Set(next.sections.map(\.id)))
      changes.deletedSections = sections.indices.reversed().filter {
        !newIDs.contains(sections[$0].id)
      }
      changes.insertedSections = next.sections.indices.filter {
        !oldIDs.contains(next.sections[$0].id)
      }
      for (section, content) in sections.enumerated().reversed() {
        for (row, number) in content.rows.enumerated().reversed() {
          if moved.contains(number), let place = next.place(of: number) {
            changes.movedRows.append(TableChanges.Move(from: [section, row], to: place))
          } else if next.place(of: number) == nil {
            changes.deletedRows.append([section, row])
          }
        }
      }
      for (section, content) in next.sections.enumerated() {
        for (row, number) in content.rows.enumerated() where place(of: number) == nil {
          changes.insertedRows.append([section, row])
        }
      }
      return changes
    }
  }
}
