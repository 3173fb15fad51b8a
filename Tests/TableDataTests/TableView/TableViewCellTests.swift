import Foundation
import TableData
import TableDataTesting
import Testing

struct TableViewCellTests {
  let table = TableView(height: 3)
  let source = ListDataSource([Array(0..<10), [], Array(10..<12)])

  init() throws {
    try source.show(in: table)
  }

  // MARK: Window

  @Test func onlyTheRowsInTheWindowHaveCells() throws {
    #expect(source.shown(in: table) == [0, 1, 2])
    try table.setContentOffset(8)
    #expect(source.shown(in: table) == [8, 9, 10])
    #expect(table.indexPathsForVisibleRows == [[0, 8], [0, 9], [2, 0]])
    #expect(table.cellForRow(at: [0, 0]) == nil)
  }

  @Test(arguments: [(-4, 0), (9, 9), (100, 9), (Int.max, 9)])
  func scrollingEndsAtTheBorders(rows: Int, offset: Int) throws {
    try table.setContentOffset(rows)
    #expect(table.contentOffset == offset)
    #expect(table.visibleCells.count == 3)
  }

  @Test func aRowIsScrolledTo() throws {
    try table.scrollToRow(at: [0, 5])
    #expect(source.shown(in: table) == [5, 6, 7])
    try table.scrollToRow(at: [2, 1])
    #expect(source.shown(in: table) == [9, 10, 11])
    let error = #expect(throws: TableUpdateError.self) { try table.scrollToRow(at: [1, 0]) }
    #expect(error?.code == .outOfRange)
    #expect(
      error?.message == "attempt to scroll to the row ({length = 2, path = 1 - 0}), which does "
        + "not exist: the sections have [10, 0, 2] rows")
  }

  @Test func theWindowGrowsAndShrinks() throws {
    try table.setHeight(20)
    #expect(table.visibleCells.count == 12)
    try table.setHeight(-1)
    #expect(table.height == 0)
    #expect(table.visibleCells.isEmpty)
  }

  @Test func theOffsetStaysWhenRowsAreInsertedAboveAndEndsWithTheContent() throws {
    try table.setContentOffset(9)
    source.content[0].insert(-1, at: 0)
    try table.insertRows(at: [[0, 0]])
    #expect(table.contentOffset == 9)
    #expect(source.shown(in: table) == [8, 9, 10])
    source.content = [[0], []]
    try table.performBatchUpdates {
      try table.deleteSections([2])
      try table.deleteRows(at: (0..<11).filter { $0 != 1 }.map { [0, $0] })
    }
    #expect(table.contentOffset == 0)
    #expect(source.shown(in: table) == [0])
  }

  // MARK: Reuse

  @Test func cellsThatLeaveTheWindowAreUsedAgain() throws {
    let cells = table.visibleCells
    try table.setContentOffset(5)
    let others = table.visibleCells
    #expect(Set(cells.map(ObjectIdentifier.init)) == Set(others.map(ObjectIdentifier.init)))
    #expect(others.allSatisfy { ($0 as? ListCell<Int>)?.reuses == 1 })
    #expect(source.shown(in: table) == [5, 6, 7])
  }

  @Test func cellsThatStayInTheWindowAreNotAskedForAgain() throws {
    let cell = try #require(table.cellForRow(at: [0, 2]))
    let before = source.questions
    try table.setContentOffset(1)
    #expect(table.cellForRow(at: [0, 2]) === cell)
    #expect(source.questions == before + 1)
  }

  @Test func aCellKnowsItsRowAsLongAsItShowsOne() throws {
    let cell = try #require(table.cellForRow(at: [0, 1]))
    #expect(cell.indexPath == [0, 1])
    source.content.insert([], at: 0)
    try table.insertSections([0])
    #expect(cell.indexPath == [1, 1])
    source.content[1].remove(at: 1)
    try table.deleteRows(at: [[1, 1]])
    #expect(cell.indexPath == nil)
  }

  @Test func aCellThatMovesOutOfTheWindowIsUsedAgain() throws {
    let cell = try #require(table.cellForRow(at: [0, 0]))
    source.content[0] = Array(1..<10) + [0]
    try table.moveRow(at: [0, 0], to: [0, 9])
    #expect(cell.indexPath != [0, 9])
    #expect(source.shown(in: table) == [1, 2, 3])
  }

  // MARK: Reconfiguring

  @Test func aReconfiguredRowKeepsItsCellAndItsPlace() throws {
    let cell = try #require(table.cellForRow(at: [0, 1]) as? ListCell<Int>)
    source.content[0][1] = 77
    try table.reconfigureRows(at: [[0, 1], [2, 1]])
    #expect(table.cellForRow(at: [0, 1]) === cell)
    #expect(cell.item == 77)
    #expect(cell.reuses == 0)
    #expect(cell.indexPath == [0, 1])
    let error = #expect(throws: TableUpdateError.self) { try table.reconfigureRows(at: [[1, 0]]) }
    #expect(error?.code == .outOfRange)
  }

  private final class FirstCell: TableViewCell, Configurable {
    func configure(with viewModel: String) {}
  }
  private final class OtherCell: TableViewCell, Configurable {
    func configure(with viewModel: Int) {}
  }

  /// UITableView raises an exception. Changes that are applied reload such a row.
  @Test func aRowWithAnotherKindOfCellIsNotReconfigured() throws {
    let list = try ArrayDataProvider(items: ["a"] as [Any], identity: { _ in 0 as Int? })
    let source = try TableViewDataSource(dataProvider: list)
    source.registerCell(FirstCell.self)
    source.registerCell(OtherCell.self)
    let table = TableView()
    table.dataSource = source
    try table.reloadData()
    let error = #expect(throws: TableUpdateError.self) {
      try list.replace(at: 0, with: 2)
      try table.reconfigureRows(at: [[0, 0]])
    }
    #expect(error?.code == .reconfiguredCell)
    try table.apply(TableChanges(updatedRows: [.init(old: [0, 0], new: [0, 0])]))
    #expect(table.cellForRow(at: [0, 0]) is OtherCell)
  }

  // MARK: Refusals

  /// A cell of UIKit, say.
  private final class ForeignCell: Configurable {
    func configure(with viewModel: Int) {}
  }

  @Test func aCellOfAnotherSystemIsAnError() throws {
    let source = try TableViewDataSource(
      dataProvider: try ArrayDataProvider(items: [1], identity: { (item: Int) in item }))
    source.registerCell(ForeignCell.self)
    table.dataSource = source
    let error = #expect(throws: TableDataError.self) { try table.reloadData() }
    #expect(error?.code == .missingCell)
    #expect(error?.message == "ForeignCell is not a cell of a headless table")
  }
}
