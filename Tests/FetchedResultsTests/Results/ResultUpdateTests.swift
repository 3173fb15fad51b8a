import TableData
import Testing

@testable import FetchedResults
@testable import SQLiteStorage

@Suite struct ResultUpdateTests {
  private let folder: TestFolder
  private let database: Database
  private let other: Connection

  init() throws {
    folder = try TestFolder()
    database = try Database(path: try FaultStore.make(in: folder))
    other = try FaultStore.other(at: database.path)
  }

  /// What each batch was told by while `body` ran.
  private func sources(
    of request: FetchRequest<Row> = FetchRequest(table: "item"),
    _ body: (FetchedResultsProvider<Row>) throws -> Void
  ) throws -> [ChangeSource?] {
    let provider = try FetchedResultsProvider(database: database, request: request)
    let delegate = SourceRecorder()
    provider.delegate = delegate
    try provider.performFetch()
    try body(provider)
    #expect(provider.changeSource == nil)
    return delegate.sources
  }

  @Test(.enabled(if: Connection.supportsPreupdateHook)) func ownWritesAreCaptured() throws {
    let sources = try sources { provider in
      try database.run("DELETE FROM item WHERE id = 1")
      try provider.refresh()
    }
    #expect(sources == [.capture])
  }

  @Test func writesOfOthersAreFoundInThePages() throws {
    let sources = try sources { provider in
      try other.execute("DELETE FROM item WHERE id = 1")
      try provider.refresh()
      try database.run("DELETE FROM item WHERE id = 2")
      try other.execute("DELETE FROM item WHERE id = 3")
      try provider.refresh()
    }
    #expect(sources == [.pages, .pages])
  }

  /// Beside a writer that never pauses, each version leaves the file.
  @Test func rowsThatDifferBetweenPrivateCopiesAreLookedUp() throws {
    let loader = ResultLoader(
      database: database, request: FetchRequest<Row>(table: "item").sorted(by: \Row["name"]))
    func leavingVersion() throws -> Snapshot {
      let snapshot = try database.snapshot()
      try snapshot.leaveFile { try database.configuration.privateCopy(of: $0, at: snapshot.stamp) }
      return snapshot
    }
    let first = try loader.fetch(from: leavingVersion(), isTracked: true).version
    try other.execute("UPDATE item SET name = 'x' WHERE id = 2")
    let second = try #require(try loader.advance(first, to: leavingVersion()))
    #expect(second.source == .pages)
    #expect(second.changes.rowCount == 1)
    try other.execute("CREATE TABLE another(x)")
    try other.execute("INSERT INTO another VALUES (1)")
    let third = try #require(try loader.advance(second.version, to: leavingVersion()))
    try other.execute("INSERT INTO another VALUES (2)")
    let fourth = try #require(try loader.advance(third.version, to: leavingVersion()))
    #expect(fourth.source == .pages)
    #expect(fourth.changes.isEmpty)
  }

  /// Rows are read when they are shown, so a list can have a row that cannot be read.
  @Test(arguments: ["SELECT id, abs(n) AS size FROM t", "SELECT abs(n) AS size FROM t"])
  func aRowThatCannotBeReadDoesNotStopTheListForEver(_ select: String) throws {
    try database.run(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, n); INSERT INTO t VALUES (1, -1), (2, -2)
      """)
    let provider = try FetchedResultsProvider(
      database: database, request: FetchRequest<Row>(select: SQL(verbatim: select)))
    try provider.performFetch()
    try other.execute("INSERT INTO t VALUES (3, -9223372036854775808)")
    #expect(throws: DatabaseError.self) { try provider.refresh() }
    #expect(provider.fetchedObjects?.count == 2)
    guard select.contains("id") else { return }
    try provider.performFetch()
    #expect(provider.fetchedObjects?.count == 3)
    // The new version has the row as well: the list keeps the old one.
    try other.execute("UPDATE t SET n = -9223372036854775808 WHERE id = 1")
    #expect(throws: DatabaseError.self) { try provider.refresh() }
    try other.execute(script: "DELETE FROM t; INSERT INTO t VALUES (4, -4)")
    let changes = try provider.refresh()
    #expect(changes.reset != nil)
    #expect(try provider.item(at: [0, 0])["size"] == 4)
    try other.execute("UPDATE t SET n = -5")
    #expect(try provider.refresh().updatedRows.count == 1)
  }

  @Test func aChangeOfTheSchemaIsAComparison() throws {
    let sources = try sources { provider in
      try other.execute(script: "CREATE TABLE more(a); DELETE FROM item WHERE id = 1;")
      try provider.refresh()
    }
    #expect(sources == [.comparison(reason: "the schema has changed")])
  }

  @Test(.enabled(if: Connection.supportsPreupdateHook))
  func aFifthOfTheRowsIsLookedUpAndMoreAreCompared() throws {
    try database.run(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, n);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
      INSERT INTO t SELECT i, i FROM n
      """)
    let sources = try sources(of: FetchRequest(table: "t")) { provider in
      for limit in [80, 81] {
        try database.run("UPDATE t SET n = -n WHERE id <= \(limit)")
        try provider.refresh()
      }
    }
    let reason = "so many rows were touched that reading all costs less"
    #expect(sources == [.capture, .comparison(reason: reason)])
  }

  @Test(.enabled(if: Connection.supportsPreupdateHook))
  func ofAJoinFewerRowsAreLookedUp() throws {
    try database.run(
      """
      CREATE TABLE a(id INTEGER PRIMARY KEY, n); CREATE TABLE b(id INTEGER PRIMARY KEY, n);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
      INSERT INTO a SELECT i, i FROM n; INSERT INTO b SELECT id, n FROM a;
      """)
    let select = "SELECT a.id, a.n, b.n AS m FROM a JOIN b ON b.id = a.id"
    let sources = try sources(of: FetchRequest(select: SQL(verbatim: select), key: ["id"])) {
      provider in
      for limit in [64, 65] {
        try database.run("UPDATE b SET n = -n WHERE id <= \(limit)")
        try provider.refresh()
      }
    }
    let reason = "so many rows were touched that reading all costs less"
    #expect(sources == [.capture, .comparison(reason: reason)])
  }

  @Test func aRequestWithoutTouchedRowsIsAComparison() throws {
    let request = FetchRequest<Row>(select: "SELECT n, count(*) AS c FROM item GROUP BY n")
    let sources = try sources(of: request) { provider in
      guard case .comparison(let reason)? = provider.maintenance else {
        Issue.record("\(String(describing: provider.maintenance))")
        return
      }
      #expect(!reason.isEmpty)
      try other.execute("DELETE FROM item WHERE id = 1")
      try provider.refresh()
    }
    guard case .comparison? = sources.first ?? nil else {
      Issue.record("\(sources)")
      return
    }
    #expect(sources.count == 1)
  }

  @Test func anotherRequestInTheSameVersionHasNone() throws {
    let sources = try sources { provider in
      try provider.setRequest(FetchRequest(table: "item").filter("id > \(5)"))
    }
    #expect(sources == [nil])
  }

  @Test func updatesHaveASourceToo() async throws {
    var updates = FetchedUpdates(database: database, request: FetchRequest(table: "item"))
      .makeAsyncIterator()
    #expect(try await updates.next()?.source == nil)
    try other.execute("DELETE FROM item WHERE id = 1")
    let update = try #require(try await updates.next())
    #expect(update.source == .pages)
    #expect(update.source.map { "\($0)" } == "pages")
    #expect("\(ChangeSource.comparison(reason: "why"))" == "comparison (why)")
  }
}

private final class SourceRecorder: FetchedResultsProviderDelegate {
  private(set) var sources: [ChangeSource?] = []

  func providerWillChangeContent(_ provider: FetchedResultsProvider<Row>) {
    #expect(provider.changeSource == nil)
  }

  func provider(_ provider: FetchedResultsProvider<Row>, didChange changes: TableChanges) {
    sources.append(provider.changeSource)
  }

  func providerDidChangeContent(_ provider: FetchedResultsProvider<Row>) {
    #expect(provider.changeSource == sources.last)
  }
}
