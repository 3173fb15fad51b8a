import Foundation
import TableDataTesting
import TestLists
import Testing

@testable import TableData

struct TableChangesCombiningTests {
  let changes = TableChanges(
    deletedSections: [1], insertedSections: [0], deletedRows: [[1, 0], [0, 2]],
    insertedRows: [[0, 0]], movedRows: [.init(from: [0, 3], to: [1, 0])],
    updatedRows: [.init(old: [0, 0], new: [1, 1])])

  @Test func aRowThatMovesAwayAndBackWithItsContentHasNoEvent() {
    func move(_ old: IndexPath, _ new: IndexPath, keepsContent: Bool) -> TableChanges {
      TableChanges(movedRows: [.init(from: old, to: new, keepsContent: keepsContent)])
    }
    func followed(_ first: Bool, _ second: Bool) -> String {
      move([0, 0], [0, 1], keepsContent: first)
        .followed(by: move([0, 1], [0, 0], keepsContent: second)).description
    }
    #expect(followed(true, true) == "no changes")
    for (first, second) in [(true, false), (false, true), (false, false)] {
      #expect(followed(first, second) == "[0,0]=[0,0]")
    }
    // An update is one, before a move or after it.
    let away = move([0, 0], [0, 1], keepsContent: true)
    let update = TableChanges(updatedRows: [.init(old: [0, 0], new: [0, 0])])
    let moved = update.followed(by: away)
    #expect(moved.description == "[0,0]>[0,1]")
    #expect(moved.movedRows.map(\.keepsContent) == [false])
    let kept = away.followed(by: TableChanges(insertedRows: [[0, 0]]))
    #expect(kept.movedRows.map(\.keepsContent) == [true])
  }

  @Test func oldPlacesShiftByTheOldOffsetAndNewPlacesByTheNewOne() {
    #expect(
      changes.offset(old: 2, new: 5)
        == TableChanges(
          deletedSections: [3], insertedSections: [5], deletedRows: [[3, 0], [2, 2]],
          insertedRows: [[5, 0]], movedRows: [.init(from: [2, 3], to: [6, 0])],
          updatedRows: [.init(old: [2, 0], new: [6, 1])]))
  }

  @Test func noOffsetChangesNothing() {
    #expect(changes.offset(old: 0, new: 0) == changes)
    #expect(TableChanges().offset(old: 3, new: 4).isEmpty)
  }

  @Test func theResetOfAPartReplacesItsSections() {
    let reset = TableChanges.reset(oldSectionCount: 2, newSectionCount: 3)
    #expect(
      reset.offset(old: 4, new: 1)
        == TableChanges(deletedSections: [5, 4], insertedSections: [1, 2, 3]))
    #expect(
      reset.offset(old: 0, new: 0)
        == TableChanges(deletedSections: [1, 0], insertedSections: [0, 1, 2]))
  }

  @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
  func severalPartsMakeOneBatchInTheOrderOfEvents(order: [Int]) throws {
    let parts = [
      changes,
      TableChanges(deletedRows: [[0, 1]], insertedRows: [[0, 4]]).offset(old: 2, new: 2),
      TableChanges.reset(oldSectionCount: 1, newSectionCount: 2).offset(old: 3, new: 3),
    ]
    let batch = TableChanges.combined(order.map { parts[$0] })
    #expect(batch.deletedSections == [3, 1])
    #expect(batch.insertedSections == [0, 3, 4])
    #expect(batch.deletedRows == [[2, 1], [1, 0], [0, 2]])
    #expect(batch.insertedRows == [[0, 0], [2, 4]])
    try batch.validate(oldCounts: [4, 1, 5, 9], newCounts: [1, 3, 5, 0, 7])
  }

  @Test func noPartsMakeNoChanges() {
    #expect(TableChanges.combined([]).isEmpty)
    #expect(TableChanges.combined([TableChanges(), TableChanges()]).isEmpty)
  }

  @Test func aRowInsertedAndDeletedAgainIsNotReported() {
    let first = TableChanges(insertedSections: [1], insertedRows: [[0, 2], [1, 0]])
    let second = TableChanges(deletedSections: [1], deletedRows: [[1, 0], [0, 2]])
    #expect(first.followed(by: second).isEmpty)
  }

  @Test func aRowThatMovedAwayAndBackIsUpdated() {
    let away = TableChanges(movedRows: [.init(from: [0, 0], to: [1, 3])])
    let back = TableChanges(movedRows: [.init(from: [1, 3], to: [0, 0])])
    #expect(away.followed(by: back).description == "[0,0]=[0,0]")
  }

  @Test func aRowMovedOutOfASectionBeforeItsDeletionIsDeletedAndInserted() {
    let move = TableChanges(movedRows: [.init(from: [0, 0], to: [1, 0])])
    let changes = move.followed(by: TableChanges(deletedSections: [0]))
    #expect(changes.description == "-[0] +[0,0]")
  }

  @Test func rowsThatStayInTwoSectionsAreUpdated() {
    let first = TableChanges(updatedRows: [.init(old: [0, 5], new: [0, 5])])
    let second = TableChanges(updatedRows: [.init(old: [1, 0], new: [1, 0])])
    #expect(first.followed(by: second).description == "[0,5]=[0,5] [1,0]=[1,0]")
  }

  @Test func aMoveIntoAnInsertedSectionIsADelete() {
    let section = TableChanges(insertedSections: [1])
    let move = TableChanges(movedRows: [.init(from: [0, 0], to: [1, 0])])
    #expect(section.followed(by: move).description == "+[1] -[0,0]")
  }

  @Test func aRowThatLeavesAnInsertedSectionIsInserted() {
    let section = TableChanges(insertedSections: [1])
    let move = TableChanges(movedRows: [.init(from: [1, 0], to: [0, 2])])
    #expect(section.followed(by: move).description == "+[1] +[0,2]")
    // And where the section goes again.
    let gone = section.followed(by: move).followed(by: TableChanges(deletedSections: [1]))
    #expect(gone.description == "+[0,2]")
  }

  @Test func aRowUpdatedInAnInsertedSectionIsNotReported() {
    let section = TableChanges(insertedSections: [1])
    let update = TableChanges(updatedRows: [.init(old: [1, 0], new: [1, 0])])
    #expect(section.followed(by: update).description == "+[1]")
  }

  @Test func aResetOnEitherSideIsAReset() {
    let section = TableChanges(insertedSections: [0])
    let reset = TableChanges.reset(oldSectionCount: 3, newSectionCount: 5)
    #expect(
      section.followed(by: reset) == .reset(oldSectionCount: 2, newSectionCount: 5))
    #expect(
      reset.followed(by: section) == .reset(oldSectionCount: 3, newSectionCount: 6))
  }

  @Test(arguments: SeededGenerator.seeds(100))
  func severalBatchesAsOneLeadToTheSameContent(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    // Few rows, so that sections come and go.
    let rowCount = Int.random(in: 0...25, using: &generator)
    var list = RandomList(rowCount: rowCount, rankCount: 8, using: &generator)
    let old = list.sections.map(\.items)
    var changes = TableChanges()
    for _ in 0..<Int.random(in: 1...5, using: &generator) {
      let before = list
      _ = list.commit(using: &generator)
      let next = before.changes(to: list)
      changes = changes.followed(by: Bool.random(using: &generator) ? next : next.compacted)
    }
    let new = list.sections.map(\.items)
    try changes.validate(oldCounts: old.map(\.count), newCounts: new.map(\.count))
    for result in [
      try changes.applied(to: old, newSection: { new[$0] }) { new[$0.section][$0.row] },
      try changes.appliedSequentially(to: old, newSection: { new[$0] }) {
        new[$0.section][$0.row]
      },
    ] {
      #expect(result == new, "\(changes)")
    }
  }
}
