import Foundation
import TableData
import TableDataTesting
import Testing

struct TableViewUpdatesTests {
  let table = TableView()
  let source: ListDataSource<String>

  init() throws {
    source = ListDataSource([["a", "b", "c"], ["d", "e"]])
    try source.show(in: table)
  }

  @Test func rowsAreInsertedAndDeletedOneCallAtATime() throws {
    source.content[0].remove(at: 1)
    try table.deleteRows(at: [[0, 1]])
    source.content[1].insert("x", at: 0)
    try table.insertRows(at: [[1, 0]])
    #expect(table.numbersOfRows == [2, 3])
    #expect(source.shown(in: table) == ["a", "c", "x", "d", "e"])
  }

  @Test func sectionsAreInsertedAndDeletedWithTheirRows() throws {
    source.content = [["x", "y"], ["d", "e"], []]
    try table.performBatchUpdates {
      try table.deleteSections([0])
      try table.insertSections([0, 2])
    }
    #expect(source.shown(in: table) == ["x", "y", "d", "e"])
  }

  @Test func theOrderOfCallsDoesNotMatter() throws {
    source.content = [["d", "x", "c*"], ["b"]]
    try table.performBatchUpdates {
      try table.insertRows(at: [[0, 1]])
      try table.reloadRows(at: [[0, 2]])
      try table.moveRow(at: [0, 1], to: [1, 0])
      try table.deleteRows(at: [[0, 0]])
      try table.moveRow(at: [1, 0], to: [0, 0])
      try table.deleteRows(at: [[1, 1]])
    }
    #expect(source.shown(in: table) == ["d", "x", "c*", "b"])
  }

  @Test func aMovedRowKeepsItsCellAndAReloadedOneGetsAnother() throws {
    let moved = try #require(table.cellForRow(at: [0, 0]))
    let reloaded = try #require(table.cellForRow(at: [0, 1]))
    let displaced = try #require(table.cellForRow(at: [0, 2]))
    source.content = [["b*", "c"], ["d", "e", "a*"]]
    try table.performBatchUpdates {
      try table.moveRow(at: [0, 0], to: [1, 2])
      try table.reloadRows(at: [[0, 1]])
    }
    #expect(table.cellForRow(at: [1, 2]) === moved)
    #expect(moved.indexPath == [1, 2])
    #expect(source.shown(in: moved) == "a")
    #expect(table.cellForRow(at: [0, 0]) !== reloaded)
    #expect(reloaded.indexPath == nil)
    #expect(source.shown(in: table.cellForRow(at: [0, 0])) == "b*")
    #expect(table.cellForRow(at: [0, 1]) === displaced)
    #expect(displaced.indexPath == [0, 1])
  }

  @Test func sectionsMoveWithTheirCells() throws {
    let cell = try #require(table.cellForRow(at: [1, 1]))
    source.content = [["d", "e"], ["x"], ["a", "b", "c"]]
    try table.performBatchUpdates {
      try table.moveSection(1, toSection: 0)
      try table.insertSections([1])
    }
    #expect(table.cellForRow(at: [0, 1]) === cell)
    #expect(cell.indexPath == [0, 1])
    #expect(source.shown(in: table) == ["d", "e", "x", "a", "b", "c"])
  }

  @Test func aMovedSectionMayGetRows() throws {
    source.content = [["d", "x", "e"], ["a", "b", "c"]]
    try table.performBatchUpdates {
      try table.moveSection(1, toSection: 0)
      try table.insertRows(at: [[0, 1]])
    }
    #expect(source.shown(in: table) == ["d", "x", "e", "a", "b", "c"])
  }

  @Test func aReloadedSectionMayHaveAnyNumberOfRows() throws {
    source.content = [["d", "e"], ["x"]]
    try table.performBatchUpdates {
      try table.reloadSections([0])
      try table.moveSection(1, toSection: 0)
    }
    #expect(source.shown(in: table) == ["d", "e", "x"])
  }

  @Test func theDataSourceIsAskedOnlyBetweenUpdates() throws {
    let before = source.questions
    try table.beginUpdates()
    source.content[0] = ["a", "b"]
    try table.deleteRows(at: [[0, 2]])
    #expect(table.numbersOfRows == [3, 2])
    #expect(source.questions == before)
    try table.endUpdates()
    #expect(table.numbersOfRows == [2, 2])
    #expect(source.questions > before)
  }

  @Test func anInnerBatchIsAPartOfTheOuterOne() throws {
    source.content = [["b"], ["d", "e"]]
    try table.beginUpdates()
    try table.deleteRows(at: [[0, 0]])
    try table.performBatchUpdates { try table.deleteRows(at: [[0, 2]]) }
    #expect(table.numbersOfRows == [3, 2])
    try table.endUpdates()
    #expect(table.numbersOfRows == [1, 2])
  }

  @Test func aTableThatWasNotLoadedTakesTheContentAtTheBeginAsTheOldState() throws {
    let fresh = TableView()
    fresh.dataSource = source
    try fresh.beginUpdates()
    source.content[0].append("x")
    try fresh.insertRows(at: [[0, 3]])
    try fresh.endUpdates()
    #expect(fresh.numbersOfRows == [4, 2])
    #expect(source.shown(in: fresh) == ["a", "b", "c", "x", "d", "e"])
  }

  @Test func anUnloadedTableLoadsWhenItIsNotifiedOfChanges() throws {
    let fresh = TableView()
    fresh.dataSource = source
    try fresh.apply(TableChanges(deletedRows: [[0, 3]]))
    #expect(fresh.numbersOfRows == [3, 2])
  }

  @Test func aRefusedBatchLeavesTheOldState() throws {
    source.content = [["x"]]
    #expect(throws: TableUpdateError.self) { try table.deleteRows(at: [[0, 0]]) }
    #expect(table.numbersOfRows == [3, 2])
    #expect(source.shown(in: table) == ["a", "b", "c", "d", "e"])
    // And it is over: the next one begins anew.
    source.content = [["a", "b", "c"], ["e"]]
    try table.deleteRows(at: [[1, 0]])
    #expect(source.shown(in: table) == ["a", "b", "c", "e"])
  }

  @Test func aBatchWhoseBodyThrowsIsNotCarriedOut() throws {
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      try table.performBatchUpdates {
        try table.deleteRows(at: [[0, 0]])
        throw Failure()
      }
    }
    try table.performBatchUpdates {}
    #expect(table.numbersOfRows == [3, 2])
  }

  // MARK: apply

  @Test func changesAreAppliedAsAWhole() throws {
    source.content = [["c*", "x"], ["new"], ["a*"]]
    try table.apply(
      TableChanges(
        insertedSections: [1], deletedRows: [[1, 1], [1, 0], [0, 1]],
        insertedRows: [[0, 1], [1, 0]],
        movedRows: [.init(from: [0, 0], to: [2, 0])],
        updatedRows: [.init(old: [0, 2], new: [0, 0])]))
    #expect(source.shown(in: table) == ["c*", "x", "new", "a*"])
  }

  @Test func noChangesAskNothing() throws {
    let before = source.questions
    try table.apply(TableChanges())
    #expect(source.questions == before)
  }

  @Test func aResetReadsEverythingAnew() throws {
    source.content = [["x"], ["y"], ["z"]]
    try table.apply(.reset(oldSectionCount: 2, newSectionCount: 3))
    #expect(source.shown(in: table) == ["x", "y", "z"])
  }

  @Test func aResetWithWrongNumbersIsRefused() throws {
    let error = #expect(throws: TableUpdateError.self) {
      try table.apply(.reset(oldSectionCount: 1, newSectionCount: 2))
    }
    #expect(error?.code == .sectionCount)
  }

  @Test func changesWhoseRowsDoNotFitAreRefusedBeforeTheyAreShown() throws {
    source.content[0] = ["b*", "c"]
    let error = #expect(throws: TableUpdateError.self) {
      try table.apply(
        TableChanges(deletedRows: [[0, 0]], updatedRows: [.init(old: [0, 1], new: [0, 1])]))
    }
    #expect(error?.code == .updatedIndexPath)
    #expect(table.numbersOfRows == [3, 2])
  }
}
