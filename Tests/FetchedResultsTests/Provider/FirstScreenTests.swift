import Foundation
import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

@MainActor @Suite struct FirstScreenTests {
  @Test func theFirstRowsAreThereBeforeTheRest() async throws {
    let (provider, recorder) = try list(of: 5_000)
    try await provider.performFetch(showingFirst: 3)
    let reset = TableChanges.reset(oldSectionCount: 1, newSectionCount: 5)
    #expect(recorder.batches == [reset])
    #expect(recorder.contents.first == ["\"s0\": 1 6 11"])
    let whole = try fresh(provider).lines()
    #expect(provider.fetchedObjects?.count == 5_000)
    #expect(try provider.lines() == whole)
  }

  @Test func theFirstRowsAreReadWithoutTheRest() throws {
    let (provider, _) = try list(of: 5_000)
    let first = ResultLoader(
      database: provider.database, request: provider.request.limited(to: 50),
      sectionKey: .property(\Row["section"]))
    let source = try first.fetch(isTracked: false).version.source
    let steps = try source.snapshot.read {
      try $0.cachedStatement(source.plan.statements.scan.text).counter(.virtualMachineSteps)
    }
    // Some steps for each row that the scan comes to.
    #expect(1..<1_000 ~= steps)
  }

  @Test func changesAfterItAreOfTheWholeResult() async throws {
    let (provider, recorder) = try list(of: 100)
    try await provider.performFetch(showingFirst: 3)
    recorder.clear()
    try provider.database.run("DELETE FROM item WHERE id = 100")
    try await provider.refresh()
    #expect(recorder.batches.map(\.deletedRows) == [[[4, 19]]])
    #expect(try provider.lines() == fresh(provider).lines())
  }

  @Test func aLimitOfTheRequestHolds() async throws {
    let (provider, recorder) = try list(of: 100, limit: 2, offset: 1)
    try await provider.performFetch(showingFirst: 50)
    #expect(recorder.contents.first == ["\"s0\": 6 11"])
    #expect(try provider.lines() == ["\"s0\": 6 11"])
  }

  @Test func whatIsFetchedMeanwhileSupersedesTheRest() async throws {
    let (provider, recorder) = try list(of: 100)
    // The rest is not begun before something else has been fetched.
    let engine = await HeldEngine(provider.engine)
    let rest = Task { try await provider.performFetch(showingFirst: 3) }
    while provider.numberOfSections == 0 { await Task.yield() }
    try fetchOnTheSpot(provider)
    await engine.release()
    try await rest.value
    #expect(recorder.calls.isEmpty)
    #expect(try provider.lines() == fresh(provider).lines())
  }

  @Test func aRefreshMeanwhileDoesNotKeepTheRestAway() async throws {
    let (provider, _) = try list(of: 100)
    let engine = await HeldEngine(provider.engine)
    let rest = Task { try await provider.performFetch(showingFirst: 3) }
    while provider.numberOfSections == 0 { await Task.yield() }
    let refresh = Task { try await provider.refresh() }
    await Task.yield()
    await engine.release()
    try await rest.value
    _ = try await refresh.value
    #expect(try provider.lines() == fresh(provider).lines())
  }

  /// A request that fails leaves the request as it is: the first rows must not stay alone.
  @Test(arguments: [false, true])
  func aRequestThatFailsMeanwhileDoesNotKeepTheRestAway(isAsync: Bool) async throws {
    let (provider, _) = try list(of: 100)
    let engine = await HeldEngine(provider.engine)
    let rest = Task { try await provider.performFetch(showingFirst: 3) }
    while provider.numberOfSections == 0 { await Task.yield() }
    let wrong = FetchRequest<Row>(table: "item").filter("nothing = 1")
    if isAsync {
      let request = Task { try await provider.setRequest(wrong) }
      await Task.yield()
      await engine.release()
      await #expect(throws: DatabaseError.self) { try await request.value }
    } else {
      #expect(throws: DatabaseError.self) { try setOnTheSpot(wrong, provider) }
      await engine.release()
    }
    try await rest.value
    #expect(try provider.lines() == fresh(provider).lines())
  }

  @Test func aRequestThatIsSetMeanwhileSupersedesTheRest() async throws {
    let (provider, _) = try list(of: 100)
    let engine = await HeldEngine(provider.engine)
    let rest = Task { try await provider.performFetch(showingFirst: 3) }
    while provider.numberOfSections == 0 { await Task.yield() }
    try setOnTheSpot(FetchRequest(table: "item").filter("id > 50"), provider)
    await engine.release()
    try await rest.value
    #expect(provider.fetchedObjects?.count == 50)
  }

  /// The first rows are those of one section, but later ones tear it.
  private func tornList() throws -> FetchedResultsProvider<Row> {
    let database = try Database.store(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, s TEXT);
      INSERT INTO item VALUES (1, 'a'), (2, 'a'), (3, 'b'), (4, 'a');
      """)
    return try FetchedResultsProvider(
      database: database, request: FetchRequest(table: "item"),
      sectionedBy: .expression("s", order: .by(\Row["id"])))
  }

  @Test func aStepFromTheFirstRowsStillLacksTheRest() async throws {
    let provider = try tornList()
    provider.startObserving()
    while provider.group.isCatchingUp { await Task.yield() }
    // The group begins its step before the fetch of the rest fails, and ends it afterwards.
    let engine = await HeldEngine(provider.group.engine)
    let rest = Task { try await provider.performFetch(showingFirst: 2) }
    while provider.numberOfSections == 0 { await Task.yield() }
    try provider.database.run("INSERT INTO item VALUES (5, 'c')")
    while !provider.group.isCatchingUp { await Task.yield() }
    await engine.release()
    await #expect(throws: FetchError.self) { try await rest.value }
    while provider.group.isCatchingUp { await Task.yield() }
    try provider.database.run("DELETE FROM item WHERE id = 4")
    try await provider.refresh()
    #expect(try provider.lines() == ["\"a\": 1 2", "\"b\": 3", "\"c\": 5"])
    provider.stopObserving()
  }

  @Test(arguments: [false, true]) @MainActor
  func theRestIsShownWhenItCanBe(isObserving: Bool) async throws {
    let provider = try tornList()
    let database = provider.database
    let recorder = Recorder<Row>()
    provider.delegate = recorder
    if isObserving { provider.startObserving() }
    await #expect(throws: FetchError.self) { try await provider.performFetch(showingFirst: 2) }
    #expect(try provider.lines() == ["\"a\": 1 2"])
    recorder.clear()
    try database.run("DELETE FROM item WHERE id = 4")
    // While it observes, the group may have moved it before.
    try await provider.refresh()
    #expect(try provider.lines() == ["\"a\": 1 2", "\"b\": 3"])
    #expect(recorder.batches == [.reset(oldSectionCount: 1, newSectionCount: 2)])
    try database.run("INSERT INTO item VALUES (5, 'c')")
    try await provider.refresh()
    #expect(recorder.batches.dropFirst().map(\.insertedSections) == [[2]])
    provider.stopObserving()
  }

  @Test func aRequestWithAnotherLimitShowsAllItsRows() async throws {
    let provider = try tornList()
    await #expect(throws: FetchError.self) { try await provider.performFetch(showingFirst: 2) }
    try setOnTheSpot(FetchRequest(table: "item").filter("id < 4").limited(to: 5), provider)
    #expect(try provider.lines() == ["\"a\": 1 2", "\"b\": 3"])
    try provider.database.run("DELETE FROM item WHERE id = 2")
    // Not a reset: no rows were missing.
    #expect(try await provider.refresh().description == "-[0,1]")
  }

  // MARK: Keys that may repeat

  @Test func keysBeyondTheFirstRowsAreNotRead() throws {
    let database = try Database.store(
      """
      CREATE TABLE item(k TEXT PRIMARY KEY, n INTEGER); CREATE INDEX item_n ON item(n);
      WITH RECURSIVE number(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 5000)
      INSERT INTO item SELECT 'k' || i, i FROM number;
      """)
    let loader = ResultLoader(
      database: database, request: FetchRequest(table: "item").sorted(by: \Row["n"]))
    for (first, runCount) in [(3, 0), (nil, 1)] {
      try database.withSnapshot { snapshot in
        let version = try loader.fetch(from: snapshot, isTracked: false, first: first).version
        #expect(version.layout.count == first ?? 5_000)
        let runs = try snapshot.read {
          try $0.cachedStatement(version.plan.parts.duplicates.text).counter(.runs)
        }
        #expect(runs == runCount)
      }
    }
  }

  @Test(arguments: 1...5) func aKeyThatRepeatsIsNoticedAtLast(rowCount: Int) async throws {
    let database = try Database.store(
      """
      CREATE TABLE item(k TEXT PRIMARY KEY, n INTEGER);
      INSERT INTO item VALUES ('a', 1), (NULL, 2), (NULL, 3), ('b', 4), ('c', 5);
      """)
    let provider = try FetchedResultsProvider(
      database: database, request: FetchRequest(table: "item").sorted(by: \Row["n"]))
    try await provider.performFetch(showingFirst: rowCount)
    let numbers = try provider.fetchedObjects?.map { try $0.decode(Int.self, "n") }
    #expect(numbers == [1, 2, 3, 4, 5])
  }

  /// As synchronous code does.
  private func setOnTheSpot(
    _ request: FetchRequest<Row>, _ provider: FetchedResultsProvider<Row>
  ) throws { try provider.setRequest(request) }

  /// As synchronous code does.
  private func fetchOnTheSpot(_ provider: FetchedResultsProvider<Row>) throws {
    try provider.performFetch()
  }

  private func list(
    of count: Int, limit: Int? = nil, offset: Int = 0
  ) throws -> (FetchedResultsProvider<Row>, Recorder<Row>) {
    let database = try Database.store(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, section TEXT NOT NULL);
      CREATE INDEX item_section ON item(section);
      WITH RECURSIVE number(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < \(count))
      INSERT INTO item SELECT i, 's' || ((i - 1) % 5) FROM number;
      """)
    let provider = try FetchedResultsProvider(
      database: database,
      request: FetchRequest(table: "item").limited(to: limit, offset: offset),
      sectionedBy: .property(\Row["section"]))
    let recorder = Recorder<Row>()
    provider.delegate = recorder
    return (provider, recorder)
  }

  private func fresh(
    _ provider: FetchedResultsProvider<Row>
  ) throws -> FetchedResultsProvider<Row> {
    let fresh = try FetchedResultsProvider(
      database: provider.database, request: provider.request,
      sectionedBy: .property(\Row["section"]))
    try fresh.performFetch()
    return fresh
  }
}
