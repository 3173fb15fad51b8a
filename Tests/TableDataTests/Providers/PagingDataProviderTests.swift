import Foundation
import TableData
import TableDataTesting
import Testing

struct PagingDataProviderTests {
  typealias Paging = PagingDataProvider<ArrayDataProvider<Item>>

  final class StatusCell: TableViewCell, Configurable {
    private(set) var text = ""
    func configure(with status: PageStatus) { text = "\(status.edge) \(status.state)" }
  }

  let list: ArrayDataProvider<Item>
  let server = PageServer()
  private let serverEnd: ServerEnd
  let paging: Paging
  let source: TableViewDataSource<Paging>
  let screen: Screen

  /// Ends the server with the test.
  private final class ServerEnd {
    let server: PageServer
    init(of server: PageServer) { self.server = server }
    deinit { server.end() }
  }

  init() throws {
    serverEnd = ServerEnd(of: server)
    list = try ArrayDataProvider(title: "Posts", items: [])
    paging = try PagingDataProvider(
      list, edges: [.start, .end], cursors: [.start: 0], load: server.load)
    paging.loadsAutomatically = false
    source = try TableViewDataSource(dataProvider: paging)
    source.registerCell(ItemCell.self, identifier: "item", for: Item.self)
    source.registerCell(StatusCell.self, identifier: "status", for: PageStatus.self)
    screen = try Screen(source)
    try screen.table.setHeight(4)
  }

  private var shown: [String] {
    screen.table.visibleCells.map { ($0 as? ItemCell)?.text ?? ($0 as? StatusCell)?.text ?? "?" }
  }

  /// Answers the first request that waits, and shows it.
  private func answer(_ page: Range<Int>, cursor: Int? = nil, isLast: Bool = false) async {
    await server.waitForRequests(1)
    server.answer { _ in .success(.init(items(page), cursor: cursor, isLast: isLast)) }
    await paging.deliverNext()
  }

  // MARK: Rows of status

  @Test func eachEndHasARowThatSaysWhatHappens() async throws {
    #expect(shown == ["start ready", "end ready"])
    #expect(paging.sections.map(\.numberOfRows) == [1, 0, 1])
    paging.load(.end)
    #expect(shown == ["start ready", "end loading"])
    await answer(0..<2, isLast: true)
    #expect(shown == ["start ready", "0", "1", "end finished"])
    #expect(
      screen.batches.map(\.description) == [
        "[2,0]=[2,0]", "+[1,0] +[1,1] [2,0]=[2,0]",
      ])
    #expect(screen.errors.isEmpty)
  }

  /// Its identity was its title.
  @Test func aSectionHasTheIdentityThatTheBaseGives() throws {
    let base = try SectionDataProvider(sections: [Section(id: "a", name: "A", items: items(0..<2))])
    let paging = try PagingDataProvider(
      base, edges: [.start, .end], store: { (_: LoadedPage<Item, Int>, _) in }, load: server.load)
    try base.setTitle("Z", ofSection: 0)
    #expect(try paging.title(forSection: 1) == "Z")
    #expect(
      try (0..<3).map(paging.identityForSection)
        == [PageEdge.start, SectionID("a"), PageEdge.end] as [AnyHashable])
    #expect(throws: TableDataError.self) { try paging.identityForSection(3) }
  }

  @Test func aFailedPageIsLoadedAgainOnRequest() async throws {
    paging.load(.end)
    await server.waitForRequests(1)
    server.answer { _ in .failure(PageServer.Failure()) }
    await paging.deliverNext()
    #expect(paging.status(at: .end)?.state == .failed(message: "Failure()"))
    #expect(paging.error(at: .end) is PageServer.Failure)
    source.registerActions(for: PageStatus.self) { [paging] status in
      RowActions(select: RowAction("Try again") { paging.load(status.edge) })
    }
    try source.row(at: [2, 0]).select()
    #expect(paging.status(at: .end)?.state == .loading)
    #expect(paging.error(at: .end) == nil)
    await answer(0..<2)
    #expect(list.items.count == 2)
  }

  @Test func aPageThatCannotBeStoredHasFailed() async throws {
    struct Full: Error {}
    var isFull = true
    let list = try ArrayDataProvider<Item>(items: [])
    let paging = try PagingDataProvider(
      list,
      store: { page, edge in
        if isFull { throw Full() }
        try list.insertPage(page.items, at: edge)
      }, load: server.load)
    for _ in 0..<2 {
      paging.load(.end)
      await server.waitForRequests(1)
      server.answer { _ in .success(.init(items(0..<3), cursor: 3)) }
      await paging.deliverNext()
      isFull = false
    }
    // The cursor of the page that was not stored does not count.
    #expect(server.requests.map(\.cursor) == [nil, nil])
    #expect(list.items.count == 3)
  }

  @Test func aStatusMayHaveNoRow() async throws {
    let list = try ArrayDataProvider(items: items(0..<2))
    let paging = try PagingDataProvider(
      list, showsStatus: { $0.state != .finished && $0.state != .ready }, load: server.load)
    let harness = try ProviderHarness(
      paging, id: { "\(($0 as? Item)?.id ?? -1)" }, isUnchanged: { "\($0)" == "\($1)" })
    harness.requiresMinimalChanges = false
    harness.observe()
    paging.load(.end)
    await server.waitForRequests(1)
    server.answer { _ in .success(.init([])) }
    await paging.deliverNext()
    try harness.checkObserved()
    #expect(harness.batches.map(\.description) == ["+[1,0]", "-[1,0]"])
    #expect(paging.numberOfSections == 2)
  }

  // MARK: Loading

  @Test func thePagesFollowTheDisplay() async throws {
    paging.loadsAutomatically = true
    // Both ends are displayed.
    #expect(shown == ["start loading", "end loading"])
    await server.waitForRequests(2)
    if server.edge(at: 0) == .end {
      server.answer(1) { _ in .success(.init([])) }
    } else {
      server.answer(0) { _ in .success(.init([])) }
    }
    await paging.deliverNext()
    await answer(0..<2, cursor: 2)
    // The window is not full yet.
    #expect(shown == ["start finished", "0", "1", "end loading"])
    await answer(2..<6, cursor: 6)
    #expect(shown == ["start finished", "0", "1", "2"])
    #expect(paging.status(at: .end)?.state == .ready)
    #expect(server.waitingCount == 0)
    try screen.table.setContentOffset(10)
    #expect(paging.status(at: .end)?.state == .loading)
    await answer(6..<7, isLast: true)
    #expect(server.requests.filter { $0.edge == .end }.map(\.cursor) == [nil, 2, 6])
    #expect(list.items.map(\.id) == Array(0..<7))
    #expect(screen.errors.isEmpty)
  }

  @Test func aPageIsLoadedBeforeTheEndIsDisplayed() async throws {
    try list.insert(items(0..<20), at: 0)
    try screen.table.setContentOffset(5)
    paging.loadsAutomatically = true
    #expect(paging.status(at: .end)?.state == .ready)
    paging.prefetchDistance = 3
    try screen.table.setContentOffset(14)
    #expect(shown == ["13", "14", "15", "16"])
    #expect(paging.status(at: .end)?.state == .ready)
    try screen.table.setContentOffset(15)
    #expect(paging.status(at: .end)?.state == .loading)
    // Rows that are deleted bring the end near, too.
    paging.stop()
    try screen.table.setContentOffset(10)
    paging.loadsAutomatically = true
    #expect(paging.status(at: .end)?.state == .ready)
    try list.performBatch { $0.removeLast(6) }
    #expect(paging.status(at: .end)?.state == .loading)
    #expect(screen.errors.isEmpty)
  }

  @Test func aPageIsNotLoadedTwice() async throws {
    paging.load(.end)
    paging.load(.end)
    paging.loadsAutomatically = true
    try screen.table.reloadData()
    await server.waitForRequests(2)
    for _ in 0..<10 { await Task.yield() }
    #expect(server.requests.filter { $0.edge == .end }.count == 1)
  }

  @Test func aRowThatIsAlreadyThereIsUpdatedAtItsPlace() async throws {
    try list.insert(items(0..<3), at: 0)
    screen.clear()
    paging.load(.end)
    await server.waitForRequests(1)
    server.answer { _ in
      .success(.init([Item(id: 3), Item(id: 1, text: "new"), Item(id: 3, text: "!"), Item(id: 4)]))
    }
    await paging.deliverNext()
    #expect(list.items.map { "\($0.id)\($0.text)" } == ["0", "1new", "2", "3!", "4"])
    paging.load(.start)
    await answer(-2..<1)
    #expect(list.items.map(\.id) == [-2, -1, 0, 1, 2, 3, 4])
    #expect(screen.errors.isEmpty)
  }

  @Test func anAnswerAfterACancellationIsDropped() async throws {
    paging.load(.end)
    await server.waitForRequests(1)
    paging.cancel(.end)
    #expect(paging.status(at: .end)?.state == .cancelled)
    paging.load(.end)
    await server.waitForRequests(2)
    server.answer(0) { _ in .success(.init(items(0..<5), cursor: 5)) }
    await paging.deliverNext()
    #expect(list.items.isEmpty)
    #expect(server.cancelledCount == 1)
    await answer(10..<12)
    #expect(list.items.map(\.id) == [10, 11])
    #expect(server.requests.map(\.cursor) == [nil, nil])
    paging.cancel(.end)
    #expect(paging.status(at: .end)?.state == .ready)
  }

  @Test func aStoppedProviderLoadsNothing() async throws {
    paging.loadsAutomatically = true
    paging.stop()
    #expect(shown == ["start ready", "end ready"])
    try screen.table.reloadData()
    #expect(shown == ["start ready", "end ready"])
    await server.waitForRequests(2)
    for _ in 0..<2 { server.answer { _ in .success(.init(items(0..<2))) } }
    for _ in 0..<2 { await paging.deliverNext() }
    #expect(list.items.isEmpty)
  }

  @Test @MainActor func pagesAreShownOnTheActor() async throws {
    let list = try ArrayDataProvider<Item>(items: [])
    let paging = try PagingDataProvider(list, load: server.load)
    paging.start()
    paging.load(.end)
    await server.waitForRequests(1)
    server.answer { _ in .success(.init(items(0..<2), isLast: true)) }
    while paging.status(at: .end)?.state == .loading { await Task.yield() }
    #expect(list.items.count == 2)
  }

  @Test func aReleasedProviderCancelsItsLoad() async throws {
    weak var released: Paging?
    do {
      let paging = try PagingDataProvider(try ArrayDataProvider<Item>(items: []), load: server.load)
      released = paging
      paging.load(.end)
      await server.waitForRequests(1)
    }
    #expect(released == nil)
    server.answer { _ in .success(.init([])) }
    while server.cancelledCount == 0 { await Task.yield() }
  }

  // MARK: Editing

  @Test func rowsOfTheBaseAreEditedAndStatusRowsAreNot() throws {
    try list.insert(items(0..<3), at: 0)
    #expect(try source.row(at: [1, 0]).canDelete)
    #expect(try !source.row(at: [0, 0]).canDelete)
    #expect(try !source.row(at: [2, 0]).canMove)
    try source.perform(.move([1, 0], to: [1, 2]))
    try source.perform(.delete([1, 0]))
    #expect(list.items.map(\.id) == [2, 0])
    for path in [[0, 0], [2, 0]] as [IndexPath] {
      let error = #expect(throws: TableDataError.self) {
        try source.perform(.move([1, 0], to: path))
      }
      #expect(error?.code == .notEditable)
      #expect(throws: TableDataError.self) { try paging.removeRow(at: path) }
    }
    #expect(throws: TableDataError.self) { try source.perform(.insert("x", at: [1, 0])) }
    try source.perform(.insert(Item(id: 9), at: [1, 1]))
    #expect(try source.destination(of: .move([1, 0], to: [2, 0])) == [1, 2])
    #expect(try source.destination(of: .move([1, 1], to: [0, 0])) == [1, 0])
    paging.observer = nil
    let folded = try FoldedDataProvider(paging)
    #expect(try folded.destination(of: .move([1, 0], to: [2, 0])) == [1, 2])
    paging.observer = nil
    let filtered = try FilteredDataProvider(paging) { ($0 as? Item)?.id != 9 }
    // The row 9, which is hidden, is the second.
    #expect(try filtered.destination(of: .move([1, 0], to: [2, 0])) == [1, 1])
    #expect(try filtered.destination(of: .move([1, 0], to: [1, 1])) == [1, 1])
    #expect(screen.errors.isEmpty)
  }

  @Test func theContentIsThatOfTheBaseWithARowAtEachEnd() throws {
    try list.insert(items(0..<3), at: 0)
    try paging.checkConformance(id: { ($0 as? Item).map { "\($0.id)" } ?? "\($0)" })
    #expect(paging.sectionIndexTitles() == ["P"])
    #expect(try paging.section(forSectionIndexTitle: "P", at: 0) == 1)
    #expect(try paging.title(forSection: 1) == "Posts")
    #expect(try paging.title(forSection: 2) == nil)
    #expect(try paging.indexPath(forIdentity: 2) == [1, 2])
    #expect(try paging.indexPath(forIdentity: PageEdge.end) == [2, 0])
  }

  // MARK: At random

  /// Loads, failures, late answers, cancellations, edits and scrolling: the table shows the list, every
  /// stored row once, and no page is asked for twice or lost.
  @Test(arguments: SeededGenerator.seeds(10))
  func randomLoadsAreFollowed(seed: UInt64) async throws {
    var edits = RandomEdits(seed: seed)
    /// The items of both directions that the server has: page n of an edge starts at a cursor.
    func page(_ request: PageRequest<Int>, overlap: Int) -> PageServer.Page {
      let cursor = request.cursor ?? 0
      if request.edge == .end {
        return .init(
          items(max(0, cursor - overlap)..<cursor + 3), cursor: cursor + 3, isLast: cursor > 20)
      }
      return .init(
        items(cursor - 3..<min(0, cursor + overlap)), cursor: cursor - 3, isLast: cursor < -9)
    }
    paging.loadsAutomatically = true
    paging.prefetchDistance = edits.number(in: 0..<3)
    var deleted: Set<Int> = []
    for step in 0..<80 {
      let waiting = server.waitingCount
      switch edits.number(in: 0..<10) {
      case 0 where waiting > 0, 1 where waiting > 0, 2 where waiting > 0:
        let overlap = edits.number(in: 0..<3)
        server.answer(edits.number(in: 0..<waiting)) { .success(page($0, overlap: overlap)) }
        await paging.deliverNext()
      case 3 where waiting > 0:
        server.answer(edits.number(in: 0..<waiting)) { _ in .failure(PageServer.Failure()) }
        await paging.deliverNext()
      case 4: paging.cancel(edits.number(in: 0..<2) == 0 ? .start : .end)
      case 5: paging.load(edits.number(in: 0..<2) == 0 ? .start : .end)
      case 6 where edits.number(in: 0..<4) == 0:
        paging.stop()
        paging.loadsAutomatically = true
      case 7 where !list.items.isEmpty:
        let row = edits.number(in: 0..<list.items.count)
        deleted.insert(list.items[row].id)
        try list.remove(at: row)
      case 8 where !list.items.isEmpty:
        let row = edits.number(in: 0..<list.items.count)
        try list.replace(at: row, with: Item(id: list.items[row].id, text: "\(step)"))
      default: try screen.table.setContentOffset(edits.number(in: 0..<40))
      }
      // Requests start in tasks of their own.
      let loading = PageEdge.allCases.filter { paging.status(at: $0)?.state == .loading }.count
      await server.waitForRequests(loading)
      try paging.checkInvariants()
      let ids = list.items.map(\.id)
      #expect(Set(ids).count == ids.count, "seed \(seed), step \(step)")
      #expect(screen.errors.isEmpty, "seed \(seed), step \(step)")
      #expect(screen.table.numbersOfRows == [1, ids.count, 1], "seed \(seed), step \(step)")
      var all = ["start \(paging.status(at: .start)?.state ?? .ready)"]
      all += list.items.map { "\($0.id)\($0.text)" }
      all.append("end \(paging.status(at: .end)?.state ?? .ready)")
      #expect(
        shown == Array(all[screen.table.contentOffset...].prefix(4)), "seed \(seed), step \(step)")
    }
    // Without gaps: what is missing was deleted.
    let ids = Set(list.items.map(\.id))
    let range = (ids.min() ?? 0)...(ids.max() ?? 0)
    #expect(ids.isEmpty || Set(range).subtracting(ids).isSubset(of: deleted), "seed \(seed)")
    while server.waitingCount > 0 { server.answer { _ in .failure(PageServer.Failure()) } }
  }
}
