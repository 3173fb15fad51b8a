import Foundation
import TableData
import Testing

struct TableChangesTests {
  @Test func noChangesAreEmpty() {
    #expect(TableChanges().isEmpty)
    #expect(TableChanges().rowCount == 0)
    #expect(TableChanges().description == "no changes")
    #expect(TableChanges().staged == [])
    #expect(TableChanges().sequential == [])
  }

  @Test func aChangeOfAnyKindIsNotEmpty() {
    var totals = TableChanges()
    totals.updatesTotals = true
    let kinds = [
      totals, TableChanges(deletedSections: [0]), TableChanges(insertedSections: [0]),
      TableChanges(updatedSections: [.init(old: 0, new: 0)]), TableChanges(deletedRows: [[0, 0]]),
      TableChanges(insertedRows: [[0, 0]]),
      TableChanges(movedRows: [.init(from: [0, 0], to: [0, 1])]),
      TableChanges(updatedRows: [.init(old: [0, 0], new: [0, 0])]),
    ]
    // A reset is the other one.
    #expect(kinds.count + 1 == Mirror(reflecting: TableChanges()).children.count)
    #expect(kinds.allSatisfy { !$0.isEmpty })
  }

  @Test func aResetIsNotEmptyEvenWithoutSections() {
    let changes = TableChanges.reset(oldSectionCount: 0, newSectionCount: 0)
    #expect(!changes.isEmpty)
    #expect(changes.description == "reset 0>0")
  }

  @Test func theDescriptionListsOneKindAfterTheOther() {
    let changes = TableChanges(
      deletedSections: [3], insertedSections: [0], deletedRows: [[3, 0], [1, 4]],
      insertedRows: [[0, 0]], movedRows: [.init(from: [2, 0], to: [2, 5])],
      updatedRows: [.init(old: [0, 0], new: [1, 0])])
    #expect(changes.description == "-[3] +[0] -[3,0] -[1,4] +[0,0] [2,0]>[2,5] [0,0]=[1,0]")
    #expect(changes.rowCount == 5)
  }

  @Test func theCompactedFormOmitsTheRowsOfInsertedOrDeletedSections() {
    let changes = TableChanges(
      deletedSections: [2], insertedSections: [1], deletedRows: [[2, 1], [2, 0], [1, 3]],
      insertedRows: [[0, 2], [1, 0], [1, 1]])
    #expect(
      changes.compacted
        == TableChanges(
          deletedSections: [2], insertedSections: [1], deletedRows: [[1, 3]],
          insertedRows: [[0, 2]]))
    #expect(changes.compacted.compacted == changes.compacted)
  }

  @Test func aResetIsCompactAlready() {
    let changes = TableChanges.reset(oldSectionCount: 2, newSectionCount: 3)
    #expect(changes.compacted == changes)
  }
}
