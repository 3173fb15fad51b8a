import Foundation
import TableData
import Testing

struct TableChangesCombiningTests {
  let changes = TableChanges(
    deletedSections: [1], insertedSections: [0], deletedRows: [[1, 0], [0, 2]],
    insertedRows: [[0, 0]], movedRows: [.init(from: [0, 3], to: [1, 0])],
    updatedRows: [.init(old: [0, 0], new: [1, 1])])

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
}
