import Foundation
import TableData
import TableDataTesting
import Testing

struct TableChangesStagedTests {
  @Test func deletesComeFirstArrivalsSecondAndUpdatesLast() {
    // [a b c] [d e] -> [x] [b* e c] [y], of which [x] and [y] are new sections.
    let changes = TableChanges(
      insertedSections: [0, 2], deletedRows: [[1, 0], [0, 0]], insertedRows: [[0, 0], [2, 0]],
      movedRows: [.init(from: [1, 1], to: [1, 1])], updatedRows: [.init(old: [0, 1], new: [1, 0])])
    #expect(
      changes.staged == [
        TableChanges(deletedRows: [[1, 0], [0, 0]]),
        TableChanges(
          insertedSections: [0, 2], insertedRows: [[0, 0], [2, 0]],
          movedRows: [.init(from: [1, 0], to: [1, 1])]),
        TableChanges(updatedRows: [.init(old: [1, 0], new: [1, 0])]),
      ])
  }

  @Test func aMoveComesFromWhereTheDeletesLeaveIt() {
    // [gone] [a b c d] -> [d b]
    let changes = TableChanges(
      deletedSections: [0], deletedRows: [[1, 2], [1, 0], [0, 0]],
      movedRows: [.init(from: [1, 3], to: [0, 0])])
    #expect(changes.staged.last?.movedRows == [.init(from: [0, 1], to: [0, 0])])
  }

  @Test(arguments: [
    TableChanges(deletedRows: [[0, 0]]), TableChanges(insertedSections: [0]),
    TableChanges(updatedRows: [.init(old: [0, 0], new: [0, 0])]),
  ])
  func aStageWithoutEventsIsLeftOut(changes: TableChanges) {
    #expect(changes.staged == [changes])
  }

  @Test func aResetIsTheOnlyStage() {
    let changes = TableChanges.reset(oldSectionCount: 2, newSectionCount: 3)
    #expect(changes.staged == [changes])
  }
}
