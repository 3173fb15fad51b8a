import Foundation
import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

/// Lists of a database that is suspended while another process writes.
@Suite(.timeLimit(.minutes(5))) struct SuspendedListTests {
  private let folder: TestFolder
  private let path: String

  init() throws {
    folder = try TestFolder()
    path = try FaultStore.make(in: folder, rows: 50)
  }

  private func other(_ sql: String) throws {
    try FaultStore.other(at: path).execute(script: sql)
  }

  @MainActor @Test func aListGetsOneBatchWhenItIsResumed() async throws {
    let screen = try FaultScreen(path)
    await screen.settle()
    try screen.database.suspend()
    let rows = try FaultStore.rows(at: path)
    try other("UPDATE item SET n = 7 WHERE id = 3")
    try other(
      "DELETE FROM item WHERE id = 5; INSERT INTO item(id, name, n) VALUES (1000, 'new', 1)")
    #expect(screen.provider.fetchedObjects?.count == rows.count)
    try screen.database.resume()
    try await screen.waitForTruth()
    #expect(screen.batchCount == 1)
    #expect(screen.sources == [.comparison(reason: "the version before was released")])
    #expect(screen.errors.isEmpty)
    // And the next commit is found by the rows that it touches.
    try other("UPDATE item SET n = 8 WHERE id = 3")
    try await screen.waitForTruth()
    #expect(screen.sources.last == .pages)
    screen.stop()
  }

  @MainActor @Test func aListWithoutChangesGetsNone() async throws {
    let screen = try FaultScreen(path)
    await screen.settle()
    for _ in 0..<3 {
      try screen.database.suspend()
      try other("CREATE TABLE IF NOT EXISTS more(x); INSERT INTO more VALUES (1)")
      try screen.database.resume()
      await screen.settle()
    }
    try other("UPDATE item SET n = 8 WHERE id = 3")
    try await screen.waitForTruth()
    #expect(screen.batchCount == 1)
    #expect(screen.errors.isEmpty)
    screen.stop()
  }

  /// The cell of a row that could not be read stays empty until it is told that it can.
  @MainActor @Test func aRowThatCouldNotBeReadIsUpdated() async throws {
    var request = FetchRequest(table: "item")
    // So that few rows are cached.
    request.fetchBatchSize = 1
    let screen = try FaultScreen(path, request)
    await screen.settle()
    try screen.database.suspend()
    let error = #expect(throws: DatabaseError.self) { try screen.provider.object(at: [0, 30]) }
    #expect(error?.code == .versionExpired)
    try screen.database.resume()
    await screen.wait { screen.batchCount > 0 }
    #expect(screen.lastChanges?.updatedRows == [.init(old: [0, 30], new: [0, 30])])
    #expect(try screen.provider.object(at: [0, 30]).values.first == 31)
    screen.stop()
  }

  /// The rows of the list are those of the content that it showed last, without a batch too.
  @MainActor @Test func aFetchedListReadsItsRowsAgain() async throws {
    let database = try Database(path: path)
    var request = FetchRequest(table: "item")
    request.fetchBatchSize = 1
    let list = FetchedList(database: database, request: request)
    let observing = Task { await list.observe() }
    try await wait { !list.rows.isEmpty }
    let version = list.version
    try database.suspend()
    let shown = list.provider?.shownVersion
    try database.resume()
    try await wait { list.provider?.shownVersion !== shown }
    #expect(list.rows[30].object != nil)
    #expect(list.version == version)
    #expect(list.error == nil)
    observing.cancel()
    await observing.value
  }

  /// What a refresh returns is what the delegate is told.
  @Test func aRefreshReturnsTheUpdatesOfUnreadRows() throws {
    let database = try Database(path: path)
    var request = FetchRequest(table: "item")
    request.fetchBatchSize = 1
    let provider = try FetchedResultsProvider(database: database, request: request)
    let recorder = Recorder<Row>()
    recorder.readsOldContent = false
    provider.delegate = recorder
    try provider.performFetch()
    try database.suspend()
    for row in [30, 40] {
      #expect(throws: DatabaseError.self) { try provider.object(at: [0, row]) }
    }
    try other("DELETE FROM item WHERE id IN (10, 41)")
    try database.resume()
    let changes = try provider.refresh()
    #expect(changes.deletedRows == [[0, 40], [0, 9]])
    #expect(changes.updatedRows == [.init(old: [0, 30], new: [0, 29])])
    #expect(recorder.batches == [changes])
  }

  /// The caller sets another request because the present one has become wrong.
  @Test func aRequestThatCannotFollowIsReplaced() throws {
    let database = try Database(path: path)
    let provider = try FetchedResultsProvider(
      database: database, request: FetchRequest(table: "item"))
    let recorder = Recorder<Row>()
    recorder.readsOldContent = false
    provider.delegate = recorder
    try provider.performFetch()
    try database.suspend()
    try other("ALTER TABLE item RENAME TO thing")
    try database.resume()
    let error = #expect(throws: FetchError.self) {
      try provider.setRequest(FetchRequest(table: "gone"))
    }
    #expect(error?.message.contains("gone") == true)
    #expect(provider.request.sourceName == "item")
    let changes = try provider.setRequest(FetchRequest(table: "thing"))
    #expect(changes == .reset(oldSectionCount: 1, newSectionCount: 1))
    #expect(recorder.batches == [changes])
    #expect(provider.request.sourceName == "thing")
    #expect(try provider.object(at: [0, 49]).values.first == 50)
    try other("DELETE FROM thing WHERE id = 50")
    #expect(try provider.refresh().deletedRows == [[0, 49]])
  }

  /// The others move to that version with it.
  @MainActor @Test(arguments: [false, true])
  func anObservedRequestThatCannotFollowIsReplaced(isAwaited: Bool) async throws {
    try other("CREATE TABLE more(x); INSERT INTO more VALUES (1)")
    let database = try Database(path: path)
    let providers = try ["item", "more"].map {
      try FetchedResultsProvider(database: database, request: FetchRequest(table: $0))
    }
    for provider in providers {
      try await provider.performFetch()
      provider.startObserving()
    }
    while providers[0].group.isCatchingUp { await Task.yield() }
    try database.suspend()
    try other("ALTER TABLE item RENAME TO thing; INSERT INTO more VALUES (2)")
    try database.resume()
    func set() throws -> TableChanges {
      try providers[0].setRequest(FetchRequest(table: "thing"))
    }
    let changes =
      isAwaited
      ? try await providers[0].setRequest(FetchRequest(table: "thing")) : try set()
    #expect(changes.reset != nil)
    #expect(try providers[0].object(at: [0, 49]).values.first == 50)
    #expect(providers[1].fetchedObjects?.count == 2)
    let snapshots = providers.map { $0.shownVersion?.snapshot }
    #expect(snapshots[0] === snapshots[1])
    for provider in providers { provider.stopObserving() }
  }

  @Test func aRequestCanBeSetBeforeTheListHasMoved() throws {
    let database = try Database(path: path)
    let provider = try FetchedResultsProvider(
      database: database, request: FetchRequest(table: "item"))
    try provider.performFetch()
    try database.suspend()
    let suspended = #expect(throws: DatabaseError.self) {
      try provider.setRequest(FetchRequest(table: "item").filter("id > 10"))
    }
    #expect(suspended?.code == .closed)
    #expect(provider.fetchedObjects?.count == 50)
    try other("DELETE FROM item WHERE id = 20")
    try database.resume()
    try provider.setRequest(FetchRequest(table: "item").filter("id > 10"))
    #expect(provider.fetchedObjects?.count == 39)
  }

  @Test func aSequenceWaitsAndGoesOn() async throws {
    let database = try Database(path: path)
    var updates = FetchedUpdates(database: database, request: FetchRequest(table: "item"))
      .makeAsyncIterator()
    let first = try #require(try await updates.next())
    try database.suspend()
    try other("DELETE FROM item WHERE id < 11")
    let resume = Task {
      try await Task.sleep(for: .milliseconds(50))
      try database.resume()
    }
    let next = try #require(try await updates.next())
    try await resume.value
    #expect(next.changes.deletedRows.count == 10)
    #expect(next.changes.reset == nil)
    #expect(next.new.objects.count == 40)
    let error = #expect(throws: DatabaseError.self) { try first.new.object(at: 30) }
    #expect(error?.code == .versionExpired)
    try database.close()
    #expect(try await updates.next() == nil)
  }

  private func values(_ provider: FetchedResultsProvider<Row>) throws -> [[Value]] {
    try (0..<provider.numberOfRows(inSection: 0)).map { try provider.object(at: [0, $0]).values }
  }

  /// Each kind of list, with random writes while its database is suspended.
  @Test(arguments: [
    "SELECT * FROM item", "SELECT id, name FROM item ORDER BY n",
    "SELECT n % 5 AS g, count(*) AS c, sum(n) FROM item GROUP BY g", "SELECT name, n FROM item",
    "SELECT count(*) AS c, max(n) FROM item",
    "SELECT a.id, b.name FROM item a JOIN item b ON b.id = a.n % 50 + 1",
    "SELECT id, n, row_number() OVER (PARTITION BY n % 3 ORDER BY n, id) AS r FROM item",
  ])
  func allThatChangedIsFound(_ select: String) throws {
    let database = try Database(path: path)
    var generator = SeededGenerator(seed: 7)
    let provider = try FetchedResultsProvider(
      database: database, request: FetchRequest(select: SQL(verbatim: select)))
    try provider.performFetch()
    let harness = try ProviderHarness(IdentifiedRows(provider))
    harness.requiresMinimalChanges = false
    for _ in 0..<SeededGenerator.scaled(30) {
      let id = Int.random(in: 1...60, using: &generator)
      let n = Int.random(in: 0...30, using: &generator)
      try database.suspend()
      try other(
        [
          "UPDATE item SET n = \(n) WHERE id = \(id)", "DELETE FROM item WHERE id = \(id)",
          "INSERT OR REPLACE INTO item(id, name, n) VALUES (\(id), 'name \(n % 4)', \(n))",
          "UPDATE item SET n = n + 1",
        ][Int.random(in: 0..<4, using: &generator)])
      try database.resume()
      let changes = try provider.refresh()
      #expect(changes.reset == nil)
      if changes.isEmpty { try harness.checkNothingChanged() } else { try harness.follow(changes) }
      let fresh = try FetchedResultsProvider(
        database: database, request: FetchRequest(select: SQL(verbatim: select)))
      try fresh.performFetch()
      #expect(try values(provider) == values(fresh))
    }
  }
}
