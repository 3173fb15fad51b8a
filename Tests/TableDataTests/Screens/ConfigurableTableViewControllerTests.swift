import Foundation
import TableData
import TableDataTesting
import Testing

struct ConfigurableTableViewControllerTests {
  private struct Flat: TableViewDataSourceFactory {
    func makeDataSource() throws -> any ComposableTableViewDataSource {
      try TableViewDataSource.showing(try ArrayDataProvider(items: items([1, 2])))
    }
  }

  private struct Sectioned: TableViewDataSourceFactory {
    func makeDataSource() throws -> any ComposableTableViewDataSource {
      try TableViewDataSource.showing(
        try SectionDataProvider(sections: [Section("A", [3]), Section("B", [2, 4])]))
    }
  }

  private struct Broken: TableViewDataSourceFactory {
    struct Failure: Error {}
    func makeDataSource() throws -> any ComposableTableViewDataSource { throw Failure() }
  }

  private let screen = ConfigurableTableViewController(factory: Flat(), height: 20) { error in
    Issue.record(error)
  }

  @Test func theRowsAreLoadedWhenTheScreenIsFirstShown() throws {
    #expect(screen.dataSource == nil)
    try screen.loadDataSource()
    let source = screen.dataSource
    #expect(screen.tableView.numbersOfRows == [2])
    try screen.loadDataSource()
    #expect(screen.dataSource === source)
  }

  @Test func anotherFactoryBringsOtherRowsToTheSameScreen() throws {
    try screen.loadDataSource()
    try screen.selectRow(at: [0, 1])
    try screen.configure(with: Sectioned())
    #expect(screen.tableView.numbersOfRows == [1, 2])
    // The item is there too.
    #expect(screen.tableView.indexPathForSelectedRow == [1, 0])
    try screen.configure(with: Flat())
    #expect(screen.tableView.numbersOfRows == [2])
  }

  @Test func aFactoryThatFailsLeavesTheRowsAsTheyAre() throws {
    try screen.loadDataSource()
    #expect(throws: Broken.Failure.self) { try screen.configure(with: Broken()) }
    #expect(screen.factory is Flat)
    #expect(screen.tableView.numbersOfRows == [2])
  }

  @Test func whatTheFactoryThrowsIsNotAnEmptyList() {
    let screen = ConfigurableTableViewController(factory: Broken()) { _ in }
    #expect(throws: Broken.Failure.self) { try screen.loadDataSource() }
  }
}
