import Foundation
import TableData
import TableDataTesting
import Testing

struct IdentityListTests {
  private func difference(
    _ old: [(id: String, rows: [Int])], _ new: [(id: String, rows: [Int])],
    changed: Set<Int> = []
  ) -> TableChanges {
    let old = IdentityList(old)
    let new = IdentityList(new)
    return old.difference(to: new) { place, _ in
      !changed.contains(old.sections[place.section].rows[place.row])
    }
  }

  @Test func nothingDiffersFromItself() {
    #expect(difference([("A", [1, 2])], [("A", [1, 2])]).isEmpty)
    #expect(difference([], []).isEmpty)
  }

  @Test func displacedRowsHaveNoEvent() {
    #expect(
      difference([("A", [1, 2, 3])], [("A", [0, 2, 3, 4])]).description
        == "-[0,0] +[0,0] +[0,3]")
  }

  @Test func anUnchangedRowLetsTheChangedOneMove() {
    #expect(
      difference([("A", [1, 2])], [("A", [2, 1])], changed: [1]).description == "[0,0]>[0,1]")
    #expect(
      difference([("A", [1, 2])], [("A", [2, 1])], changed: [2]).description == "[0,1]>[0,0]")
  }

  @Test func ofTwoChangedRowsOneMoves() {
    let changes = difference([("A", [1, 2])], [("A", [2, 1])], changed: [1, 2])
    #expect(changes.movedRows.count == 1)
    #expect(changes.updatedRows.count == 1)
  }

  @Test func allButOneMoveWhenChangedRowsAreReversed() {
    let rows = Array(1...6)
    let changes = difference([("A", rows)], [("A", rows.reversed())], changed: Set(rows))
    #expect(changes.movedRows.count == 5)
    #expect(changes.updatedRows.count == 1)
  }

  @Test func oneUnchangedRowOutweighsAllChangedOnes() {
    // 9 stays, though 1 to 4 are a longer run: they have events in any case.
    let changes = difference(
      [("A", [9, 1, 2, 3, 4])], [("A", [1, 2, 3, 4, 9])], changed: [1, 2, 3, 4])
    #expect(changes.movedRows.count == 4)
    #expect(changes.updatedRows == [])
  }

  @Test func aRowMovesBetweenSectionsThatStay() {
    #expect(
      difference([("A", [1, 2]), ("B", [3])], [("A", [1]), ("B", [2, 3])]).description
        == "[0,1]>[1,0]")
  }

  @Test func noRowMovesAcrossTheBorderOfAnInsertedOrDeletedSection() {
    #expect(
      difference([("A", [1]), ("B", [2])], [("B", [1, 2]), ("C", [])]).description
        == "-[0] +[1] -[0,0] +[0,0]")
    #expect(
      difference([("A", [1, 2])], [("A", [1]), ("B", [2])]).description == "+[1] -[0,1] +[1,0]")
  }

  @Test func sectionsThatChangeTheirOrderAreReplacedAsFewAsPossible() {
    let changes = difference(
      [("A", [1]), ("B", [2]), ("C", [3])], [("C", [3]), ("A", [1]), ("B", [2])])
    #expect(changes.description == "-[2] +[0] -[2,0] +[0,0]")
  }

  @Test func ofRepeatedIdentitiesTheFirstStays() {
    #expect(difference([("A", [1, 1])], [("A", [1])]).description == "-[0,1]")
    #expect(difference([("A", [1])], [("A", [1, 1])]).description == "+[0,1]")
    #expect(
      difference([("A", [1]), ("A", [2])], [("A", [1])]).description == "-[1] -[1,0]")
  }

  @Test(arguments: SeededGenerator.seeds(60))
  func changesAreLegalWhateverIsRepeated(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    func list() -> [(id: String, rows: [Int])] {
      (0..<Int.random(in: 0...4, using: &generator)).map { _ in
        (
          id: ["A", "B", "C"].randomElement(using: &generator) ?? "A",
          rows: (0..<Int.random(in: 0...4, using: &generator)).map { _ in
            .random(in: 0..<6, using: &generator)
          }
        )
      }
    }
    let (old, new) = (list(), list())
    try difference(old, new, changed: [1, 2])
      .validate(oldCounts: old.map(\.rows.count), newCounts: new.map(\.rows.count))
  }

  @Test func onlyRowsThatMayStayAreCompared() {
    let old = IdentityList([("A", [1, 2]), ("B", [3, 4])])
    let new = IdentityList([("A", [1, 3]), ("C", [2, 4])])
    var compared: [IndexPath] = []
    _ = old.difference(to: new) { old, _ in
      compared.append(old)
      return true
    }
    #expect(compared == [[0, 0]])
  }

  /// All ways to choose which of the rows stay, tried out.
  @Test(arguments: SeededGenerator.seeds(30))
  func noOtherChoiceOfRowsThatStayHasFewerEvents(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let old = Array(0..<Int.random(in: 1...8, using: &generator))
    let new = old.shuffled(using: &generator)
    let changed = Set(old.filter { _ in Bool.random(using: &generator) })
    let changes = difference([("A", old)], [("A", new)], changed: changed)
    var fewest = [Int.max, Int.max]
    for choice in 0..<(1 << new.count) {
      let staying = new.indices.filter { choice & (1 << $0) != 0 }.map { new[$0] }
      guard staying == staying.sorted() else { continue }
      let moves = new.count - staying.count
      let events = moves + staying.filter(changed.contains).count
      if [events, moves].lexicographicallyPrecedes(fewest) { fewest = [events, moves] }
    }
    #expect(
      [changes.rowCount, changes.movedRows.count] == fewest,
      "\(old) to \(new), changed \(changed.sorted())")
  }
}
