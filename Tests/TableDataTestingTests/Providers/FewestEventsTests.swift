import Foundation
import TableData
import TestLists
import Testing

@testable import TableDataTesting

struct FewestEventsTests {
  private func fewest(
    _ old: [[Int]], _ new: [[Int]], keeping kept: [(before: Int, after: Int)],
    changed: Set<Int> = []
  ) -> FewestEvents {
    FewestEvents(from: old, to: new, keeping: kept) { before, _ in
      !changed.contains(old[before.section][before.row])
    }
  }

  @Test func theSameListTakesNone() {
    let events = fewest([[1, 2], [3]], [[1, 2], [3]], keeping: [(0, 0), (1, 1)])
    #expect(events.rows == 0)
    #expect(events.moves == 0)
  }

  @Test func insertedDeletedMovedAndUpdatedRowsAreOneEventEach() {
    let events = fewest(
      [[1, 2, 3], [4, 5]], [[2, 6, 3], [5, 1]], keeping: [(0, 0), (1, 1)], changed: [3])
    // 4 goes, 6 comes, 1 moves, 3 is updated.
    #expect(events.rows == 4)
    #expect(events.moves == 1)
  }

  @Test func anUnchangedRowStaysRatherThanTwoChangedOnes() {
    let events = fewest([[1, 2, 3]], [[2, 3, 1]], keeping: [(0, 0)], changed: [2, 3])
    #expect(events.rows == 2)
    #expect(events.moves == 2)
  }

  @Test func rowsOfInsertedOrDeletedSectionsAreNotCounted() {
    // 1 goes into a new section, 3 comes out of an old one.
    let events = fewest([[1, 2], [3]], [[2, 3], [1]], keeping: [(0, 0)])
    #expect(events.rows == 2)
    #expect(events.moves == 0)
  }

  @Test func asManySectionsStayAsAreInTheSameOrder() {
    #expect(FewestEvents.mostKept(from: ["A", "B", "C"], to: ["C", "A", "B"]) == 2)
    #expect(FewestEvents.mostKept(from: ["", "", "A"], to: ["A", ""]) == 1)
    #expect(FewestEvents.mostKept(from: [String](), to: ["A"]) == 0)
  }

  /// Two ways to find them, which have nothing in common.
  @Test(arguments: SeededGenerator.seeds(100))
  func theLibraryReportsAsMany(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let old = RandomList(
      rowCount: .random(in: 0...20, using: &generator), rankCount: 6, using: &generator)
    var new = old
    for _ in 0..<3 { _ = new.commit(using: &generator) }
    let changes = old.changes(to: new)
    let (oldRows, newRows) = (old.sections, new.sections)
    let kept = zip(
      oldRows.indices.filter { !changes.deletedSections.contains($0) },
      newRows.indices.filter { !changes.insertedSections.contains($0) }
    ).map { (before: $0, after: $1) }
    let fewest = FewestEvents(
      from: oldRows.map { $0.items.map(\.id) }, to: newRows.map { $0.items.map(\.id) },
      keeping: kept
    ) { before, after in
      oldRows[before.section].items[before.row] == newRows[after.section].items[after.row]
    }
    #expect(changes.compacted.rowCount == fewest.rows)
    #expect(changes.movedRows.count == fewest.moves)
    #expect(
      kept.count == FewestEvents.mostKept(from: oldRows.map(\.name), to: newRows.map(\.name)))
  }
}
