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

  /// The program ended, or the rows that are not listed were not shown.
  @Test(arguments: LyingProvider.liesAboutInsertedSections)
  func aFilterReadsAnInsertedSectionOfWhichOnlySomeRowsAreListed(lie: TableChanges) throws {
    let filtered = try FilteredDataProvider(base) { !$0.id.isMultiple(of: 2) }
    let log = ObservationLog()
    filtered.observer = log
    base.content = [[1, 2, 3], [4, 5, 7], [9]]
    base.tell(lie)
    #expect(log.entries == ["will", "did reset 2>3"])
    #expect(filtered.sections.map(\.numberOfRows) == [2, 2, 1])
  }

  /// The program ended, or the table got deletes of sections that it did not have.
  @Test func theNumbersOfAResetAreNotTakenOnTrust() throws {
    let list = try ComposedTableViewDataSource([try TableViewDataSource.showing(base)])
    let screen = try Screen(list)
    base.content = [[1], [2], [3]]
    base.tell(.reset(oldSectionCount: 3, newSectionCount: -3))
    #expect(screen.shown == ["1", "2", "3"])
    #expect(screen.errors.isEmpty)
    #expect(screen.batches.map(\.description) == ["-[1] -[0] +[0] +[1] +[2]"])
  }

  /// A provider that shows the sections of its base has the new ones when the base says what has changed.
  @Test func aListWithoutSectionsOfItsOwnMayFail() throws {
    struct Failure: Error {}
    final class Failing: DerivedDataProvider {
      weak var observer: (any TableChangesObserver)?
      let base: LyingProvider
      init(_ base: LyingProvider) throws {
        self.base = base
        try base.setObserver(self)
      }
      func item(at indexPath: IndexPath) -> Item { base.item(at: indexPath) }
      func follow(_ changes: TableChanges) throws -> TableChanges { throw Failure() }
    }
    let source = try TableViewDataSource.showing(try Failing(base))
    let list = try ComposedTableViewDataSource([source])
    let screen = try Screen(list)
    base.content = [[1], [2], [3]]
    base.tell(TableChanges(insertedSections: [2]))
    #expect(screen.shown == ["1", "2", "3"])
    #expect(screen.errors.count == 1 && screen.errors[0] is Failure)
  }

  @Test func deletesOfMoreSectionsThanThereAreGiveNoNegativeNumber() {
    let lie = TableChanges(deletedSections: [2, 1, 0])
    let reset = TableChanges.reset(oldSectionCount: 1, newSectionCount: 1)
    #expect(reset.followed(by: lie).reset?.newSectionCount == 0)
    #expect(TableChanges(insertedSections: [0, 1]).followed(by: reset).reset?.oldSectionCount == 0)
  }

  /// The batch never ended: no later change was shown.
  @Test func aBaseThatSaysTwiceThatItWillChangeIsWaitedForOnce() throws {
    let paging = try base.paged()
    let log = ObservationLog()
    paging.observer = log
    base.observer?.contentWillChange(of: base)
    base.content[1] = []
    base.tell(TableChanges(deletedRows: [[1, 0]]))
    #expect(log.entries == ["will", "did -[2,0]"])
    base.content[1] = [4]
    base.tell(TableChanges(insertedRows: [[1, 0]]))
    #expect(log.entries[2...] == ["will", "did +[2,0]"])
    try paging.checkInvariants()
  }

  /// The batch of the page ended with the change, and the observer was not notified.
  @Test func aPageMayChangeABaseThatDoesNotReportWillChange() async throws {
    let base = base
    let paging = try PagingDataProvider(
      try base.map(\.id),
      store: { (page: LoadedPage<Int, Int>, _) in
        base.content[1] += page.items
        base.tell(TableChanges(insertedRows: [[1, 1]]), isPaired: false)
      },
      load: { (_: PageRequest<Int>) in LoadedPage([5], isLast: false) })
    paging.loadsAutomatically = false
    let log = ObservationLog()
    paging.observer = log
    paging.load(.end)
    #expect(log.entries == ["will", "did [2,0]=[2,0]"])
    await paging.deliverNext()
    #expect(log.entries[2...] == ["will", "did +[1,1] [2,0]=[2,0]"])
    try paging.checkInvariants()
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

  /// These ended the program.
  static let malformed = [
    TableChanges(deletedRows: [[]]), TableChanges(insertedRows: [[0]]),
    TableChanges(deletedRows: [[0, -1]]), TableChanges(insertedRows: [[-1, 0]]),
    TableChanges(movedRows: [.init(from: [], to: [0])]),
    TableChanges(updatedRows: [.init(old: [0, 0], new: [])]),
  ]

  @Test(arguments: malformed)
  func indexPathsThatCannotBeThoseOfRowsAreAReset(lie: TableChanges) throws {
    let paging = try PagingDataProvider(
      try base.map(\.id), edges: [.start],
      store: { (_: LoadedPage<Int, Int>, _) in },
      load: { (_: PageRequest<Int>) in LoadedPage([Int]()) })
    paging.loadsAutomatically = false
    let list = try ComposedTableViewDataSource([try TableViewDataSource(dataProvider: paging)])
    let log = ObservationLog()
    list.observer = log
    _ = try paging.itemForRow(at: [1, 0])
    list.performBatch {
      base.tell(lie)
      base.tell(TableChanges(deletedRows: [[0, 0]]))
    }
    #expect(log.entries == ["will", "did -[2] -[1] +[1] +[2]"])
    #expect(try list.row(at: [1, 2]).viewModel as? Int == 3)
  }

  @Test(arguments: malformed)
  func suchIndexPathsCanBeCombined(lie: TableChanges) {
    let next = TableChanges(deletedRows: [[0, 0]])
    _ = (lie.offset(old: 1, new: 2), lie.compacted)
    #expect(lie.followed(by: next).reset != nil)
    #expect(next.followed(by: lie).reset != nil)
    #expect(IndexPathMap(next).newIndexPath(of: []) == nil)
  }

  @Test(arguments: [[], [0], [0, 0, 0], [-1, 0], [0, -1], [-1, -1]] as [IndexPath])
  func anIndexPathThatCannotBeThatOfARowIsAnErrorOrNil(path: IndexPath) throws {
    let list = try SectionDataProvider(sections: [Section("A", [1, 2]), Section("B", [3])])
    let mapped = try list.map(\.id)
    let paging = try PagingDataProvider(
      mapped, edges: [.start], store: { (_: LoadedPage<Int, Int>, _) in },
      load: { (_: PageRequest<Int>) in LoadedPage([Int]()) })
    let source = try TableViewDataSource(dataProvider: paging)
    let composed = try ComposedTableViewDataSource([source])
    #expect(paging.indexPath(forBase: path) == nil)
    #expect(composed.indexPath(of: path, in: source) == nil)
    for edit in [.delete(path), .move(path, to: [1, 0]), .move([1, 0], to: path)] as [TableEdit] {
      for list in [source, composed] as [any ComposableTableViewDataSource] {
        #expect(throws: TableDataError.self) { try list.perform(edit) }
      }
    }
    for list in [source, composed] as [any ComposableTableViewDataSource] {
      #expect(throws: TableDataError.self) { try list.row(at: path) }
      #expect(throws: TableDataError.self) { try list.destination(of: .insert(1, at: path)) }
    }
  }

  @Test func countsBelowZeroAreNoRows() throws {
    final class Negative: ViewModelDataProvider {
      weak var observer: (any TableChangesObserver)?
      var sections: [SectionInfo] { [SectionInfo(name: nil, numberOfRows: -1)] }
      func item(at indexPath: IndexPath) -> Item { Item(id: 0) }
    }
    #expect(throws: TableDataError.self) { try Negative().itemForRow(at: [0, 0]) }
    #expect(try Negative().indexPath(forIdentity: 1) == nil)
    let folded = try FoldedDataProvider(Negative())
    #expect(try folded.setFolded(true, section: 0).isEmpty)
    #expect(try FilteredDataProvider(Negative()) { _ in true }.sections[0].numberOfRows == 0)
    let paging = try PagingDataProvider(
      try Negative().map(\.id), edges: [.start], store: { (_: LoadedPage<Int, Int>, _) in },
      load: { (_: PageRequest<Int>) in LoadedPage([Int]()) })
    paging.loadsAutomatically = false
    paging.prefetchDistance = 1
    let source = try TableViewDataSource(dataProvider: paging)
    let list = try ComposedTableViewDataSource([source])
    try paging.willDisplayRow(at: [0, 0])
    #expect(throws: TableDataError.self) { try list.row(at: [1, 0]) }
    #expect(throws: TableDataError.self) { try list.destination(of: .insert(1, at: [1, 0])) }
    #expect(try list.indexPath(forIdentity: 1) == nil)
    try list.append(try TableViewDataSource(dataProvider: Negative()))
    try list.move(source, to: 1)
  }
}

extension LyingProvider {
  /// The provider with a status row above it, which loads no pages.
  fileprivate func paged() throws -> PagingDataProvider<MappedDataProvider<LyingProvider, Int>> {
    let paging = try PagingDataProvider(
      try map(\.id), edges: [.start], store: { (_: LoadedPage<Int, Int>, _) in },
      load: { (_: PageRequest<Int>) in LoadedPage([Int]()) })
    paging.loadsAutomatically = false
    return paging
  }
}
