import Foundation
import TableData
import TableDataTesting
import Testing

struct TableViewSelectionTests {
  let table = TableView()
  let source = ListDataSource([["a", "b", "c"], ["d", "e"]])

  init() throws {
    try source.show(in: table)
  }

  @Test func oneRowIsSelectedAtATimeUnlessMoreAreAllowed() throws {
    try table.selectRow(at: [0, 0])
    try table.selectRow(at: [1, 1])
    #expect(table.indexPathsForSelectedRows == [[1, 1]])
    table.allowsMultipleSelection = true
    try table.selectRow(at: [0, 2])
    try table.selectRow(at: [0, 2])
    #expect(table.indexPathsForSelectedRows == [[0, 2], [1, 1]])
    #expect(table.indexPathForSelectedRow == [0, 2])
    try table.deselectRow(at: [0, 2])
    try table.deselectRow(at: [0, 0])
    #expect(table.indexPathsForSelectedRows == [[1, 1]])
  }

  @Test func aRowThatIsNotThereIsNotSelected() throws {
    for path: IndexPath in [[0, 3], [2, 0], [0, -1], [0]] {
      let error = #expect(throws: TableUpdateError.self) { try table.selectRow(at: path) }
      #expect(error?.code == .outOfRange)
    }
    #expect(table.indexPathsForSelectedRows == [])
  }

  @Test func cellsKnowWhetherTheyAreSelected() throws {
    try table.selectRow(at: [0, 1])
    #expect(table.visibleCells.map(\.isSelected) == [false, true, false, false, false])
    source.content[0].insert("x", at: 0)
    try table.insertRows(at: [[0, 0]])
    #expect(table.visibleCells.map(\.isSelected) == [false, false, true, false, false, false])
    try table.setHeight(2)
    #expect(table.visibleCells.map(\.isSelected) == [false, false])
    try table.setContentOffset(1)
    #expect(table.visibleCells.map(\.isSelected) == [false, true])
    try table.deselectRow(at: [0, 2])
    #expect(table.visibleCells.map(\.isSelected) == [false, false])
  }

  @Test(arguments: [true, false])
  func theSelectionFollowsItsRows(knowsIdentities: Bool) throws {
    source.knowsIdentities = knowsIdentities
    table.allowsMultipleSelection = true
    try table.selectRow(at: [0, 1])
    try table.selectRow(at: [0, 2])
    try table.selectRow(at: [1, 0])
    source.content = [["new"], ["b"], ["e", "c"]]
    // b is displaced, c moves, d goes.
    try table.apply(
      TableChanges(
        insertedSections: [0], deletedRows: [[1, 0], [0, 0]], insertedRows: [[0, 0]],
        movedRows: [.init(from: [0, 2], to: [2, 1])]))
    #expect(table.indexPathsForSelectedRows == [[1, 0], [2, 1]])
  }

  @Test func aReloadedRowStaysSelected() throws {
    try table.selectRow(at: [0, 1])
    try table.reloadRows(at: [[0, 1]])
    #expect(table.indexPathForSelectedRow == [0, 1])
    #expect(table.cellForRow(at: [0, 1])?.isSelected == true)
  }

  @Test(arguments: [true, false])
  func aReloadKeepsTheSelectionOnlyByIdentity(knowsIdentities: Bool) throws {
    source.knowsIdentities = knowsIdentities
    table.allowsMultipleSelection = true
    try table.selectRow(at: [0, 0])
    try table.selectRow(at: [1, 1])
    source.content = [["x"], ["y"], ["z", "e"]]
    try table.reloadData()
    #expect(table.indexPathsForSelectedRows == (knowsIdentities ? [[2, 1]] : []))
  }

  @Test func aRowReinsertedInANewSectionIsStillSelected() throws {
    source.knowsIdentities = true
    try table.selectRow(at: [1, 0])
    source.content = [["a", "b", "c"], ["e"], ["d"]]
    // No row moves into a new section: it is deleted and comes with the section.
    try table.apply(
      TableChanges(insertedSections: [2], deletedRows: [[1, 0]], insertedRows: [[2, 0]]))
    #expect(table.indexPathForSelectedRow == [2, 0])
  }

  @Test func theIdentityWinsOverThePlace() throws {
    source.knowsIdentities = true
    try table.selectRow(at: [0, 0])
    source.content[0] = ["c", "b", "a"]
    // A reload of rows that have changed places: no event says where "a" went.
    try table.reloadRows(at: [[0, 0], [0, 2]])
    #expect(table.indexPathForSelectedRow == [0, 2])
  }
}
