import Foundation
import TableData
import TableDataTesting
import Testing

struct TableChangesValidationTests {
  /// Changes that cannot be, and why.
  struct Refusal: CustomTestStringConvertible {
    let changes: TableChanges
    var old = [3, 3]
    var new = [3, 3]
    let code: TableUpdateError.Code
    let message: String

    var testDescription: String { message }
  }

  static let refusals: [Refusal] = [
    // Counts
    Refusal(
      changes: TableChanges(deletedRows: [[0, 0]]), code: .rowCount,
      message: """
        Invalid update: invalid number of rows in section 0. The number of rows contained \
        in an existing section after the update (3) must be equal to the number of rows \
        contained in that section before the update (3), plus or minus the number of rows \
        inserted or deleted from that section (0 inserted, 1 deleted) and plus or minus the \
        number of rows moved into or out of that section (0 moved in, 0 moved out).
        """),
    Refusal(
      changes: TableChanges(movedRows: [.init(from: [0, 0], to: [1, 0])]), code: .rowCount,
      message: """
        Invalid update: invalid number of rows in section 0. The number of rows contained \
        in an existing section after the update (3) must be equal to the number of rows \
        contained in that section before the update (3), plus or minus the number of rows \
        inserted or deleted from that section (0 inserted, 0 deleted) and plus or minus the \
        number of rows moved into or out of that section (0 moved in, 1 moved out).
        """),
    Refusal(
      changes: TableChanges(insertedSections: [0]), code: .sectionCount,
      message: """
        Invalid update: invalid number of sections. The number of sections contained in \
        the table view after the update (2) must be equal to the number of sections contained \
        in the table view before the update (2), plus or minus the number of sections inserted \
        or deleted (1 inserted, 0 deleted).
        """),
    // Ranges
    Refusal(
      changes: TableChanges(deletedSections: [2]), code: .outOfRange,
      message: "attempt to delete section 2, but there are only 2 sections before the update"),
    Refusal(
      changes: TableChanges(insertedSections: [2]), code: .outOfRange,
      message: "attempt to insert section 2 but there are only 2 sections after the update"),
    Refusal(
      changes: TableChanges(deletedRows: [[0, 3]]), code: .outOfRange,
      message: "attempt to delete row 3 from section 0 which only contains 3 rows before the update"
    ),
    Refusal(
      changes: TableChanges(deletedRows: [[2, 0]]), code: .outOfRange,
      message: """
        attempt to delete row 0 from section 2, but there are only 2 sections before the \
        update
        """),
    Refusal(
      changes: TableChanges(insertedRows: [[1, 3]]), code: .outOfRange,
      message:
        """
        attempt to insert row 3 into section 1, but there are only 3 rows in section 1 after \
        the update
        """),
    Refusal(
      changes: TableChanges(insertedRows: [[-1, 0]]), code: .outOfRange,
      message: """
        attempt to insert row 0 into section -1, but there are only 2 sections after the \
        update
        """),
    Refusal(
      changes: TableChanges(movedRows: [.init(from: [0, -1], to: [0, 0])]), code: .outOfRange,
      message: "attempt to move row -1 from section 0 which only contains 3 rows before the update"),
    Refusal(
      changes: TableChanges(movedRows: [.init(from: [0, 0], to: [0, 3])]), code: .outOfRange,
      message:
        """
        attempt to move to row 3 of section 0, but there are only 3 rows in section 0 after \
        the update
        """),
    Refusal(
      changes: TableChanges(updatedRows: [.init(old: [0, 7], new: [0, 7])]), code: .outOfRange,
      message: "attempt to reload row 7 of section 0 which only contains 3 rows before the update"),
    Refusal(
      changes: TableChanges(deletedRows: [[0]]), code: .malformedIndexPath,
      message:
        """
        the index path ({length = 1, path = 0}) does not name a row: it must be a section \
        and a row
        """),
    // Conflicts
    Refusal(
      changes: TableChanges(
        deletedRows: [[0, 1]], insertedRows: [[0, 1]],
        updatedRows: [.init(old: [0, 1], new: [0, 1])]),
      code: .conflict,
      message: "attempt to delete and reload the same index path ({length = 2, path = 0 - 1})"),
    Refusal(
      changes: TableChanges(
        deletedRows: [[0, 1]], insertedRows: [[0, 0]],
        movedRows: [.init(from: [0, 1], to: [0, 1])]),
      code: .conflict,
      message: """
        attempt to perform a delete and a move from the same index path \
        ({length = 2, path = 0 - 1})
        """),
    Refusal(
      changes: TableChanges(
        movedRows: [.init(from: [0, 1], to: [0, 2])],
        updatedRows: [.init(old: [0, 1], new: [0, 2])]),
      code: .conflict,
      message: """
        attempt to perform a delete and a move from the same index path \
        ({length = 2, path = 0 - 1})
        """),
    Refusal(
      changes: TableChanges(
        deletedRows: [[0, 0]], insertedRows: [[0, 2]],
        movedRows: [.init(from: [0, 1], to: [0, 2])]),
      code: .conflict,
      message: """
        attempt to perform an insert and a move to the same index path \
        ({length = 2, path = 0 - 2})
        """),
    Refusal(
      changes: TableChanges(deletedRows: [[0, 1], [0, 1]], insertedRows: [[0, 0], [0, 1]]),
      code: .conflict,
      message: "attempt to perform two deletes of the same index path ({length = 2, path = 0 - 1})"
    ),
    Refusal(
      changes: TableChanges(deletedRows: [[0, 1], [0, 0]], insertedRows: [[0, 0], [0, 0]]),
      code: .conflict,
      message: "attempt to perform two inserts at the same index path ({length = 2, path = 0 - 0})"
    ),
    Refusal(
      changes: TableChanges(
        movedRows: [.init(from: [0, 0], to: [0, 1]), .init(from: [0, 0], to: [0, 2])]),
      code: .conflict,
      message: "attempt to perform two moves from the same index path ({length = 2, path = 0 - 0})"
    ),
    Refusal(
      changes: TableChanges(
        movedRows: [.init(from: [0, 0], to: [0, 1]), .init(from: [0, 1], to: [0, 1])]),
      code: .conflict,
      message: "attempt to perform two moves to the same index path ({length = 2, path = 0 - 1})"),
    Refusal(
      changes: TableChanges(
        updatedRows: [.init(old: [0, 0], new: [0, 0]), .init(old: [0, 0], new: [0, 1])]),
      code: .conflict,
      message: "attempt to perform two reloads of the same index path ({length = 2, path = 0 - 0})"
    ),
    Refusal(
      changes: TableChanges(deletedSections: [0, 0]), new: [], code: .conflict,
      message: "attempt to perform two deletes of the same section (0)"),
    // Borders
    Refusal(
      changes: TableChanges(
        deletedSections: [0], movedRows: [.init(from: [0, 0], to: [0, 0])]),
      new: [4], code: .moveOutOfDeletedSection,
      message: "cannot move a row from a deleted section (0)"),
    Refusal(
      changes: TableChanges(
        insertedSections: [2], movedRows: [.init(from: [0, 0], to: [2, 0])]),
      new: [2, 3, 1], code: .moveIntoInsertedSection,
      message: "cannot move a row into a newly inserted section (2)"),
    Refusal(
      changes: TableChanges(
        deletedSections: [0], updatedRows: [.init(old: [0, 0], new: [0, 0])]),
      new: [3], code: .conflict,
      message: """
        attempt to reload row 0 of section 0, which is deleted or reloaded in the same \
        update
        """),
    // What a table view does not see
    Refusal(
      changes: TableChanges(
        deletedRows: [[0, 0]], updatedRows: [.init(old: [0, 1], new: [0, 1])]),
      new: [2, 3], code: .updatedIndexPath,
      message: """
        the updated row ({length = 2, path = 0 - 1}) is at ({length = 2, path = 0 - 0}) \
        after the update, not at ({length = 2, path = 0 - 1})
        """),
    Refusal(
      changes: TableChanges(deletedSections: [1], deletedRows: [[1, 1], [1, 0]]), new: [3],
      code: .incompleteSection,
      message: "the deleted section 1 has 3 rows, and 2 of them are listed as deleted"),
    Refusal(
      changes: TableChanges(insertedSections: [1], insertedRows: [[1, 0]]), new: [3, 2, 3],
      code: .incompleteSection,
      message:
        "the inserted section 1 has 2 rows, and 1 of them are listed as inserted"),
  ]

  @Test(arguments: refusals)
  func changesThatCannotBeAreRefused(refusal: Refusal) {
    let error = #expect(throws: TableUpdateError.self) {
      try refusal.changes.validate(oldCounts: refusal.old, newCounts: refusal.new)
    }
    #expect(error?.code == refusal.code)
    #expect(error?.message == refusal.message)
  }

  /// Legal changes, but for the order of one list.
  static let disordered: [(TableChanges, [Int], String)] = [
    (TableChanges(deletedSections: [0, 1]), [], "the deleted sections are not descending"),
    (
      TableChanges(insertedSections: [3, 2]), [3, 3, 0, 0],
      "the inserted sections are not ascending"
    ),
    (
      TableChanges(deletedRows: [[0, 0], [0, 1]]), [1, 3], "the deleted rows are not descending"
    ),
    (
      TableChanges(insertedRows: [[1, 0], [0, 0]]), [4, 4], "the inserted rows are not ascending"
    ),
    (
      TableChanges(movedRows: [
        .init(from: [0, 0], to: [0, 2]), .init(from: [0, 1], to: [0, 1]),
      ]),
      [3, 3], "the moved rows are not ascending by target"
    ),
    (
      TableChanges(
        updatedRows: [.init(old: [1, 0], new: [1, 0]), .init(old: [0, 0], new: [0, 0])]),
      [3, 3], "the updated rows are not ascending"
    ),
  ]

  @Test(arguments: disordered)
  func theOrderOfEventsIsPartOfTheContract(changes: TableChanges, new: [Int], message: String) {
    let error = #expect(throws: TableUpdateError.self) {
      try changes.validate(oldCounts: [3, 3], newCounts: new)
    }
    #expect(error?.code == .order)
    #expect(error?.message == "\(message): \(changes)")
  }

  @Test func emptySectionsAreInsertedAndDeleted() throws {
    let changes = TableChanges(deletedSections: [1], insertedSections: [0])
    try changes.validate(oldCounts: [2, 0], newCounts: [0, 2])
  }

  @Test func noChangesAreLegalOnlyWhereNothingChanged() throws {
    try TableChanges().validate(oldCounts: [1, 2], newCounts: [1, 2])
    try TableChanges().validate(oldCounts: [], newCounts: [])
    #expect(throws: TableUpdateError.self) {
      try TableChanges().validate(oldCounts: [1, 2], newCounts: [2, 1])
    }
  }

  @Test func aResetMustKnowTheNumbersOfSections() throws {
    let changes = TableChanges.reset(oldSectionCount: 1, newSectionCount: 2)
    try changes.validate(oldCounts: [9], newCounts: [1, 1])
    let error = #expect(throws: TableUpdateError.self) {
      try changes.validate(oldCounts: [9], newCounts: [1])
    }
    #expect(error?.code == .sectionCount)
    #expect(error?.message == "a reset from 1 to 2 sections, but the list had 1 and now has 1")
  }

  @Test func aResetMustBeTheOnlyEvent() {
    var changes = TableChanges.reset(oldSectionCount: 1, newSectionCount: 1)
    changes.deletedRows = [[0, 0]]
    let error = #expect(throws: TableUpdateError.self) {
      try changes.validate(oldCounts: [1], newCounts: [0])
    }
    #expect(error?.code == .conflict)
    #expect(error?.message == "a reset must be the only event, and this one is not")
  }
}
