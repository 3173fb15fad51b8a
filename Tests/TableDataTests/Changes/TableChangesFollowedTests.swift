import Foundation
import TableData
import TableDataTesting
import Testing

struct TableChangesFollowedTests {
  @Test func whatComesAndGoesAgainIsNotTold() {
    let first = TableChanges(insertedSections: [1], insertedRows: [[0, 2], [1, 0]])
    let second = TableChanges(deletedSections: [1], deletedRows: [[1, 0], [0, 2]])
    #expect(first.followed(by: second).isEmpty)
  }

  @Test func aRowThatMovedAwayAndBackIsUpdated() {
    let away = TableChanges(movedRows: [.init(from: [0, 0], to: [1, 3])])
    let back = TableChanges(movedRows: [.init(from: [1, 3], to: [0, 0])])
    #expect(away.followed(by: back).description == "[0,0]=[0,0]")
  }

  @Test func aRowThatMovedOutOfASectionBeforeItWentIsDeletedAndInserted() {
    let move = TableChanges(movedRows: [.init(from: [0, 0], to: [1, 0])])
    let changes = move.followed(by: TableChanges(deletedSections: [0]))
    #expect(changes.description == "-[0] +[0,0]")
  }

  @Test func aRowThatLeavesASectionThatHasComeIsInserted() {
    let section = TableChanges(insertedSections: [1])
    let move = TableChanges(movedRows: [.init(from: [1, 0], to: [0, 2])])
    #expect(section.followed(by: move).description == "+[1] +[0,2]")
    // And where the section goes again.
    let gone = section.followed(by: move).followed(by: TableChanges(deletedSections: [1]))
    #expect(gone.description == "+[0,2]")
  }

  @Test func aRowThatChangesInASectionThatHasComeIsNotTold() {
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
