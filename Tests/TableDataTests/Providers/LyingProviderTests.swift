import Foundation
import TableData
import Testing

/// A provider that breaks its promises does not break what is made on top of it.
struct LyingProviderTests {
  let base = LyingProvider([[1, 2, 3], [4]])

  @Test(arguments: LyingProvider.lies + LyingProvider.liesAboutRows)
  func aFilterReadsEverythingAnewWhereTheChangesCannotBeTrue(lie: TableChanges) throws {
    let filtered = try FilteredDataProvider(base) { !$0.id.isMultiple(of: 2) }
    let log = ObservationLog()
    filtered.observer = log
    base.tell(lie)
    #expect(log.entries == ["will", "did reset 2>2"])
    #expect(filtered.sections.map(\.numberOfRows) == [2, 0])
  }

  @Test(arguments: LyingProvider.lies.filter { $0.deletedRows != [[0, 7]] })
  func aFoldedListReadsEverythingAnewWhereTheSectionsCannotBeTrue(lie: TableChanges) throws {
    let folded = try FoldedDataProvider(base)
    try folded.setFolded(true, section: 0)
    let log = ObservationLog()
    folded.observer = log
    base.tell(lie)
    #expect(log.entries == ["will", "did reset 2>2"])
    // A section that has its identity stays folded.
    #expect(folded.sections.map(\.numberOfRows) == [0, 1])
  }

  @Test func aListIsNotifiedOfAComponentThatDoesNotReportWillChange() throws {
    let list = try ComposedTableViewDataSource([try TableViewDataSource.showing(base)])
    let screen = try Screen(list)
    base.content[1] = []
    base.tell(TableChanges(deletedRows: [[1, 0]]), isPaired: false)
    #expect(screen.shown == ["1", "2", "3"])
    #expect(screen.errors.isEmpty)
  }

  @Test func aComponentThatSaysTwiceThatItWillChangeIsWaitedForOnce() throws {
    let list = try ComposedTableViewDataSource([try TableViewDataSource.showing(base)])
    let log = ObservationLog()
    list.observer = log
    base.observer?.contentWillChange(of: base)
    base.content[1] = []
    base.tell(TableChanges(deletedRows: [[1, 0]]))
    #expect(log.entries == ["will", "did -[1,0]"])
    // Nothing is open any more.
    try list.append(try TableViewDataSource.showing(try ArrayDataProvider(items: items([9]))))
    #expect(log.entries.last == "did +[2]")
  }
}
