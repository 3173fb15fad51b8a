import Foundation
import TableData
import TableDataTesting
import Testing

struct TableChangesAppliedTests {
  let old = [["a", "b", "c"], ["d", "e"]]

  /// All that can happen at once, and what it makes.
  let changes = TableChanges(
    deletedSections: [1], insertedSections: [0], deletedRows: [[1, 1], [1, 0], [0, 0]],
    insertedRows: [[0, 0], [1, 2]], movedRows: [.init(from: [0, 2], to: [1, 0])],
    updatedRows: [.init(old: [0, 1], new: [1, 1])])
  let new = [["x"], ["c*", "b*", "y"]]

  @Test func allFormsMakeTheSame() throws {
    let item = { (place: IndexPath) in new[place.section][place.row] }
    #expect(try changes.applied(to: old, newItem: item) == new)
    #expect(try changes.appliedInStages(to: old, newItem: item) == new)
    #expect(try changes.appliedSequentially(to: old, newItem: item) == new)
  }

  @Test func onlyInsertedAndUpdatedRowsAreRead() throws {
    var asked: [IndexPath] = []
    _ = try changes.applied(to: old) { place in
      asked.append(place)
      return ""
    }
    #expect(asked.sorted() == [[0, 0], [1, 0], [1, 1], [1, 2]])
  }

  @Test func sectionsThatListNoRowsAreAskedForAsAWhole() throws {
    let changes = TableChanges(deletedSections: [0], insertedSections: [1])
    let section = { (number: Int) in ["new \(number)"] }
    let item = { (_: IndexPath) in "" }
    let expected = [["d", "e"], ["new 1"]]
    #expect(try changes.applied(to: old, newSection: section, newItem: item) == expected)
    #expect(try changes.appliedInStages(to: old, newSection: section, newItem: item) == expected)
    #expect(
      try changes.appliedSequentially(to: old, newSection: section, newItem: item) == expected)
    #expect(try changes.applied(to: old, newItem: item) == [["d", "e"], []])
  }

  @Test func aResetAsksForAllSections() throws {
    let changes = TableChanges.reset(oldSectionCount: 2, newSectionCount: 3)
    let expected = [["0"], ["1"], ["2"]]
    let section = { (number: Int) in ["\(number)"] }
    let item = { (_: IndexPath) in "" }
    #expect(try changes.applied(to: old, newSection: section, newItem: item) == expected)
    #expect(
      try changes.appliedSequentially(to: old, newSection: section, newItem: item) == expected)
    let error = #expect(throws: TableUpdateError.self) {
      try changes.applied(to: old, newItem: item)
    }
    #expect(error?.code == .incompleteSection)
  }

  static let impossible: [TableChanges] = [
    TableChanges(deletedRows: [[0, 3]]),
    TableChanges(deletedRows: [[2, 0]]),
    TableChanges(deletedSections: [2]),
    TableChanges(insertedSections: [3]),
    TableChanges(insertedRows: [[0, 4]]),
    TableChanges(movedRows: [.init(from: [0, -1], to: [0, 0])]),
    TableChanges(movedRows: [.init(from: [0, 0], to: [3, 0])]),
    TableChanges(updatedRows: [.init(old: [0, 3], new: [0, 3])]),
  ]

  @Test(arguments: impossible)
  func aPlaceThatIsNotThereThrows(changes: TableChanges) {
    for form in [
      { try changes.applied(to: old) { _ in "" } },
      { try changes.appliedInStages(to: old) { _ in "" } },
      { try changes.appliedSequentially(to: old) { _ in "" } },
    ] {
      let error = #expect(throws: TableUpdateError.self) { _ = try form() }
      #expect(error?.code == .outOfRange)
    }
  }

  @Test func aPathThatIsNotOneOfARowThrows() {
    let error = #expect(throws: TableUpdateError.self) {
      try TableChanges(insertedRows: [[0]]).applied(to: old) { _ in "" }
    }
    #expect(error?.code == .malformedIndexPath)
  }
}
