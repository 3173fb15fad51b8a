import Foundation
import TableData
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

  // MARK: Refusals

  @Test func anIdentifierNeedsAClass() throws {
    let error = #expect(throws: TableUpdateError.self) {
      try table.dequeueReusableCell(withIdentifier: "other", for: [0, 0])
    }
    #expect(error?.code == .unregisteredCell)
    #expect(
      error?.message
        == "unable to dequeue a cell with identifier other - must register a class for "
        + "the identifier")
  }

  @Test func theLastRegisteredClassCounts() throws {
    final class OtherCell: TableViewCell {}
    let table = TableView()
    table.register(TableViewCell.self, forCellReuseIdentifier: "x")
    table.register(OtherCell.self, forCellReuseIdentifier: "x")
    let cell = try table.dequeueReusableCell(withIdentifier: "x", for: [0, 0])
    #expect(cell is OtherCell)
    #expect(cell.reuseIdentifier == "x")
  }

  /// Gives cells that it keeps.
  final class Hoarder: TableDataSource {
    var cells: [TableViewCell] = []
    var rows = 3
    func numberOfSections(in tableView: TableView) -> Int { 1 }
    func tableView(_ tableView: TableView, numberOfRowsInSection section: Int) -> Int { rows }
    func tableView(_ tableView: TableView, cellForRowAt indexPath: IndexPath) -> TableViewCell {
      cells[indexPath.row % cells.count]
    }
  }

  @Test func oneCellDoesNotShowTwoRows() throws {
    let hoarder = Hoarder()
    hoarder.cells = [TableViewCell(reuseIdentifier: nil)]
    let table = TableView()
    table.dataSource = hoarder
    let error = #expect(throws: TableUpdateError.self) { try table.reloadData() }
    #expect(error?.code == .cellInUse)
    #expect(
      error?.message == "the data source's cell for the row ({length = 2, path = 0 - 1}) already "
        + "shows the row ({length = 2, path = 0 - 0})")
  }

  @Test func aCellThatTheTableHoldsForOthersIsNotGivenByTheDataSource() throws {
    let hoarder = Hoarder()
    hoarder.rows = 1
    hoarder.cells = [TableViewCell(reuseIdentifier: "x")]
    let table = TableView()
    table.dataSource = hoarder
    try table.reloadData()
    let error = #expect(throws: TableUpdateError.self) { try table.reloadData() }
    #expect(error?.code == .cellInUse)
    #expect(
      error?.message
        == "the data source's cell for the row ({length = 2, path = 0 - 0}) was not "
        + "dequeued for it: the table would use it for another row too")
  }

  @Test func aCellWithoutAnIdentifierIsNotHeldForOthers() throws {
    let hoarder = Hoarder()
    hoarder.rows = 1
    hoarder.cells = [TableViewCell(reuseIdentifier: nil)]
    let table = TableView()
    table.dataSource = hoarder
    try table.reloadData()
    try table.reloadData()
    #expect(table.visibleCells.first === hoarder.cells[0])
  }
}
