import Foundation
import TableData
import TableDataTesting
import Testing

struct TableViewTests {
  @Test func aTableIsEmptyUntilItIsLoaded() throws {
    let table = TableView()
    #expect(table.numberOfSections == 0)
    #expect(table.visibleCells.isEmpty)
    #expect(table.indexPathForSelectedRow == nil)
    let source = ListDataSource([["a"]])
    table.dataSource = source
    #expect(table.numberOfSections == 0)
    #expect(source.questions == 0)
  }

  @Test func loadingShowsWhatTheDataSourceHas() throws {
    let table = TableView()
    let source = ListDataSource([["a", "b"], [], ["c"]])
    try source.show(in: table)
    #expect(table.numbersOfRows == [2, 0, 1])
    #expect(try table.numberOfRows(inSection: 2) == 1)
    #expect(source.shown(in: table) == ["a", "b", "c"])
    #expect(table.indexPathsForVisibleRows == [[0, 0], [0, 1], [2, 0]])
  }

  @Test(arguments: [-1, 2, Int.max])
  func aSectionThatIsNotThereThrows(section: Int) throws {
    let table = TableView()
    let source = ListDataSource([["a"], ["b"]])
    try source.show(in: table)
    let error = #expect(throws: TableDataError.self) {
      try table.numberOfRows(inSection: section)
    }
    #expect(error?.code == .sectionOutOfRange)
  }

  @Test func reloadingShowsTheNewContent() throws {
    let table = TableView()
    let source = ListDataSource([["a", "b"]])
    try source.show(in: table)
    source.content = [["x"], ["y"]]
    #expect(source.shown(in: table) == ["a", "b"])
    try table.reloadData()
    #expect(source.shown(in: table) == ["x", "y"])
  }

  @Test func anotherDataSourceEmptiesTheTable() throws {
    let table = TableView()
    let first = ListDataSource([["a", "b"]])
    try first.show(in: table)
    try table.selectRow(at: [0, 1])
    let second = ListDataSource([["x"]])
    table.dataSource = second
    #expect(table.numberOfSections == 0)
    #expect(table.visibleCells.isEmpty)
    #expect(table.indexPathsForSelectedRows == [])
    try table.reloadData()
    #expect(second.shown(in: table) == ["x"])
  }

  @Test func theDataSourceIsNotKeptAlive() throws {
    let table = TableView()
    var source: ListDataSource? = ListDataSource([["a"]])
    try source?.show(in: table)
    weak let released = source
    source = nil
    #expect(released == nil)
    try table.reloadData()
    #expect(table.numberOfSections == 0)
  }

  @Test func anErrorOfTheDataSourceIsThrown() throws {
    struct Failure: Error {}
    let table = TableView()
    let source = ListDataSource([["a"]])
    try source.show(in: table)
    source.onQuestion = { throw Failure() }
    #expect(throws: Failure.self) { try table.reloadData() }
    #expect(throws: Failure.self) { try table.reloadRows(at: [[0, 0]]) }
    source.onQuestion = {}
    try table.reloadData()
    #expect(source.shown(in: table) == ["a"])
  }
}
