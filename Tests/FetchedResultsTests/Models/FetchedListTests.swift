import Observation
import Synchronization
import TableData
import Testing

@testable import FetchedResults
@testable import SQLiteStorage

/// A result as observable state.
@Suite(.timeLimit(.minutes(5))) struct FetchedListTests {
  @Test @MainActor func aListIsEmptyBeforeItIsFetched() throws {
    let list = FetchedList(database: try Track.store(), request: Track.all)
    #expect(list.sections.isEmpty && list.rows.isEmpty && list.isLoading)
    try list.fetch()
    #expect(list.rows.compactMap(\.object?.id) == [1, 2, 3, 4, 5])
    #expect(!list.isLoading)
  }

  @Test @MainActor func sectionsAreCollectionsOfIdentifiedRows() throws {
    let database = try Track.store()
    let list = FetchedList(
      database: database, request: Track.all.totals(.count), sectionedBy: .property(\.genre))
    try list.fetch()
    let provider = try FetchedResultsProvider(
      database: database, request: Track.all, sectionedBy: \.genre)
    try provider.performFetch()
    #expect(list.sections.map(\.name) == provider.sections.map(\.name))
    #expect(
      list.sections.map { $0.map { "\($0.id)" }.joined(separator: " ") }
        == provider.sections.indices.map { section in
          (0..<provider.sections[section].numberOfRows).map { row in
            (try? provider.identity(at: [section, row])).map { "\($0)" } ?? "?"
          }.joined(separator: " ")
        })
    #expect(list.sections.map(\.totals.values) == list.sections.map { [.integer(Int64($0.count))] })
    #expect(list.totals?.values == [.integer(5)])
    #expect(Set(list.sections.map(\.id)).count == list.sections.count)
  }

  @Test @MainActor func commitsChangeWhatIsObserved() async throws {
    let screen = try ListScreen(Track.all)
    try await screen.shows([1, 2, 3, 4, 5])
    try screen.database.run("DELETE FROM track WHERE id = 1")
    try await screen.shows([2, 3, 4, 5])
    // By another connection.
    try Database(path: screen.database.path).run("DELETE FROM track WHERE id = 5")
    try await screen.shows([2, 3, 4])
    #expect(screen.list.version == 3)
    await screen.end()
  }

  @Test @MainActor func aCommitThatChangesNothingIsNotObserved() async throws {
    let screen = try ListScreen(Track.all.filter("id < 3"))
    try await screen.shows([1, 2])
    let observed = Atomic(false)
    withObservationTracking {
      _ = (screen.list.rows.count, screen.list.error == nil, screen.list.version)
    } onChange: {
      observed.store(true, ordering: .relaxed)
    }
    let witness = try ListScreen(screen.database, Track.all)
    try await witness.shows([1, 2, 3, 4, 5])
    try screen.database.run("DELETE FROM track WHERE id = 4")
    try await witness.shows([1, 2, 3, 5])
    let wasObserved = observed.load(ordering: .relaxed)
    #expect(!wasObserved)
    await screen.end()
    await witness.end()
  }

  @Test @MainActor func aListThatDoesNotChangeKeepsNoOldVersion() async throws {
    let screen = try ListScreen(Track.all.filter("id < 3"))
    try await screen.shows([1, 2])
    let row = screen.list.rows[0]
    for id in [4, 5] {
      try screen.database.run("DELETE FROM track WHERE id = \(id)")
      let newest = try screen.database.snapshot()
      // Only the newest one is kept in the end.
      while screen.list.provider?.shownVersion?.snapshot !== newest || newest.chain.count > 1 {
        try await Task.sleep(for: .milliseconds(1))
      }
    }
    #expect(row.object?.id == 1)
    #expect(screen.list.rows.compactMap(\.object?.id) == [1, 2])
    await screen.end()
  }

  @Test @MainActor func allListsOfAnActorShowOneVersion() async throws {
    let first = try ListScreen(Track.all)
    let second = try ListScreen(first.database, Track.all.sorted(by: \.id, .descending))
    try await first.shows([1, 2, 3, 4, 5])
    try await second.shows([5, 4, 3, 2, 1])
    for id in 10..<40 {
      try first.database.run("INSERT INTO track VALUES (\(id), 'x', NULL, 1)")
      await first.change { first.list.rows.count == id - 4 }
      #expect(first.list.rows.count == second.list.rows.count)
    }
    await first.end()
    await second.end()
  }

  @Test @MainActor func recordsAreReadOnlyWhenTheyAreShown() throws {
    let database = try Track.store()
    try database.run("UPDATE track SET milliseconds = 'long' WHERE id = 3")
    let list = FetchedList(database: database, request: Track.all)
    try list.fetch()
    #expect(list.rows.map(\.id).count == 5)
    #expect(list.rows.map { $0.object?.id } == [1, 2, nil, 4, 5])
    #expect(throws: DatabaseError.self) { try list.rows[2].read() }
  }

  @Test @MainActor func rowsKeepTheirVersion() throws {
    let database = try Track.store()
    let list = FetchedList(database: database, request: Track.all)
    try list.fetch()
    let rows = list.rows
    try database.run("DELETE FROM track")
    try list.fetch()
    #expect(list.rows.isEmpty)
    #expect(rows.compactMap(\.object?.id) == [1, 2, 3, 4, 5])
  }

  @Test @MainActor func aRowIsFoundByItsIdentity() throws {
    let list = FetchedList(database: try Track.store(), request: Track.all)
    try list.fetch()
    let row = try #require(try list.row(list.rows[3].id))
    #expect(row.object?.id == 4)
    let missing = try list.row(RowIdentity(.integer(99)))
    #expect(missing?.id == nil)
  }

  @Test @MainActor func anErrorIsStateAndEnds() async throws {
    let screen = try ListScreen(Track.all)
    try await screen.shows([1, 2, 3, 4, 5])
    try screen.database.run("ALTER TABLE track RENAME TO gone")
    await screen.change { screen.list.error != nil }
    #expect((screen.list.error as? FetchError)?.code == .noSuchTable)
    #expect(screen.list.rows.count == 5)
    // Nothing in the rows has changed, so that only the recovery is observed.
    try screen.database.run("ALTER TABLE gone RENAME TO track")
    await screen.change { screen.list.error == nil }
    #expect(screen.list.version == 1)
    await screen.end()
  }

  @Test @MainActor func anotherRequestDoesNotEndTheErrorOfAStaleList() async throws {
    let screen = try ListScreen(Track.all)
    try await screen.shows([1, 2, 3, 4, 5])
    try screen.database.run("ALTER TABLE track RENAME TO gone")
    await screen.change { screen.list.error != nil }
    screen.list.request = Track.all.filter("id > 2")
    #expect(screen.list.rows.compactMap(\.object?.id) == [3, 4, 5])
    #expect((screen.list.error as? FetchError)?.code == .noSuchTable)
    await screen.list.setRequest(Track.all.sorted(by: \.id, .descending))
    #expect(screen.list.rows.compactMap(\.object?.id) == [5, 4, 3, 2, 1])
    #expect((screen.list.error as? FetchError)?.code == .noSuchTable)
    // The error of a request ends with the next one.
    screen.list.request = Track.all.filter("nonsense = 1")
    #expect((screen.list.error as? FetchError)?.code != .noSuchTable)
    screen.list.request = Track.all
    #expect((screen.list.error as? FetchError)?.code == .noSuchTable)
    try screen.database.run("ALTER TABLE gone RENAME TO track; DELETE FROM track WHERE id = 1")
    try await screen.shows([2, 3, 4, 5])
    #expect(screen.list.error == nil)
    await screen.end()
  }

  @Test @MainActor func anotherRequestMayShowTheNewestVersion() async throws {
    let screen = try ListScreen(Track.all.totals(.sum(\.milliseconds)))
    try await screen.shows([1, 2, 3, 4, 5])
    try screen.database.run("UPDATE track SET milliseconds = \(Int64.max), id = id + 10")
    await screen.change { screen.list.error != nil }
    #expect((screen.list.error as? FetchError)?.code == .totalOverflow)
    screen.list.request = Track.all
    try await screen.shows([11, 12, 13, 14, 15])
    #expect(screen.list.error == nil)
    await screen.end()
  }

  @Test @MainActor func aFirstFetchThatFailsIsTriedAgainAfterACommit() async throws {
    let database = try Database.inMemory()
    let screen = try ListScreen(database, Track.all)
    await screen.change { screen.list.error != nil }
    #expect(!screen.list.isLoading)
    try database.run(Track.schema)
    try database.run("INSERT INTO track VALUES (1, 'x', NULL, 1)")
    try await screen.shows([1])
    #expect(screen.list.error == nil)
    await screen.end()
  }

  @Test(arguments: [false, true]) @MainActor
  func aRequestThatTakesThePlaceOfAWrongFirstOneIsShown(isAwaited: Bool) async throws {
    let screen = try ListScreen(Track.all.filter("titel = 1"))
    await screen.change { screen.list.error != nil }
    let right = Track.all.filter("id < 3")
    if isAwaited { await screen.list.setRequest(right) } else { screen.list.request = right }
    try await screen.shows([1, 2])
    #expect(screen.list.error == nil)
    await screen.end()
  }

  @Test @MainActor func aListThatIsObservedTwiceIsFetchedOnceAndGoesOnWithEither() async throws {
    let count = Atomic(0)
    let counted = ScalarFunction("counted", argumentCount: 1) { values in
      if values == [1] { count.add(1, ordering: .relaxed) }
      return values[0]
    }
    let database = try Database.store(Track.sample) { $0.functions = [counted] }
    let screen = try ListScreen(database, Track.all.filter("counted(id) > 0"))
    let others = (0..<3).map { _ in Task { [list = screen.list] in await list.observe() } }
    try await screen.shows([1, 2, 3, 4, 5])
    #expect(count.load(ordering: .relaxed) == 1)
    await screen.end()
    for other in others[1...] { other.cancel() }
    try database.run("DELETE FROM track WHERE id = 2")
    try await screen.shows([1, 3, 4, 5])
    others[0].cancel()
    for other in others { await other.value }
  }

  @Test @MainActor func aListWithoutADatabaseIsAnErrorAndNotObserved() async {
    let list = FetchedList(request: Track.all, sectionedBy: nil)
    let other = Task { await list.observe() }
    await list.observe()
    await other.value
    #expect((list.error as? FetchError)?.code == .missingDatabase)
  }

  @Test @MainActor func theNextCallFetchesIfTheFirstIsCancelled() async throws {
    let database = try Database.store(Track.sample)
    let screen = try ListScreen(database, Track.all.filter("nope = 1"))
    await screen.change { screen.list.error != nil }
    let other = Task { [list = screen.list] in await list.observe() }
    await Task.yield()
    await screen.end()
    screen.list.request = Track.all
    try await screen.shows([1, 2, 3, 4, 5])
    other.cancel()
    await other.value
  }

  @Test @MainActor func aPropertyIsASectionKey() throws {
    let list = FetchedList(
      database: try Track.store(), request: Track.all, sectionedBy: \.genre)
    let other = FetchedList(
      database: try Track.store(), request: Track.all, sectionedBy: .property(\.genre))
    try list.fetch()
    try other.fetch()
    #expect(list.sections.map(\.name) == other.sections.map(\.name))
    #expect(list.sections.count > 1)
  }

  @Test @MainActor func aNewRequestShowsTheSameRows() async throws {
    let screen = try ListScreen(Track.all)
    try await screen.shows([1, 2, 3, 4, 5])
    screen.list.request = Track.all.filter("id > 2")
    try await screen.shows([3, 4, 5])
    await screen.list.setRequest(Track.all.sorted(by: \.id, .descending), sectionedBy: nil)
    try await screen.shows([5, 4, 3, 2, 1])
    screen.list.request = Track.all.filter("nonsense = 1")
    #expect(screen.list.error != nil)
    try await screen.shows([5, 4, 3, 2, 1])
    // The old request stays.
    try screen.database.run("DELETE FROM track WHERE id = 4")
    try await screen.shows([5, 3, 2, 1])
    #expect(screen.list.error == nil)
    await screen.end()
  }

  @Test @MainActor func aRequestSetBeforeTheFirstFetchIsFetched() throws {
    let list = FetchedList(database: try Track.store(), request: Track.all)
    list.request = Track.all.filter("id = 2")
    try list.fetch()
    #expect(list.rows.map { $0.object?.id } == [2])
  }

  @Test @MainActor func aListThatIsNotObservedStaysAndContinues() async throws {
    let screen = try ListScreen(Track.all)
    try await screen.shows([1, 2, 3, 4, 5])
    await screen.end()
    try screen.database.run("DELETE FROM track WHERE id = 1")
    #expect(screen.list.rows.count == 5)
    screen.begin()
    try await screen.shows([2, 3, 4, 5])
    await screen.end()
  }

  @Test func aListCanBeObservedOnAnyActor() async throws {
    let owner = ListOwner(try Track.store())
    await owner.begin()
    #expect(try await owner.ids(after: "DELETE FROM track WHERE id = 2") == [1, 3, 4, 5])
    await owner.end()
  }
}

/// Observes a list as a view does: the body is evaluated again after a change.
@MainActor private final class ListScreen {
  let database: Database
  let list: FetchedList<Track>
  private var observing: Task<Void, Never>?

  convenience init(_ request: FetchRequest<Track>) throws {
    try self.init(Track.store(), request)
  }

  init(_ database: Database, _ request: FetchRequest<Track>) throws {
    self.database = database
    list = FetchedList(database: database, request: request)
    begin()
  }

  func begin() { observing = Task { [list] in await list.observe() } }

  func end() async {
    observing?.cancel()
    await observing?.value
  }

  /// Waits, by observation alone, until the rows have these ids.
  func shows(_ ids: [Int64]) async throws {
    await change { self.list.rows.compactMap(\.object?.id) == ids }
    #expect(list.rows.compactMap(\.object?.id) == ids)
  }

  /// Waits until a condition on the list is true.
  func change(_ condition: @escaping () -> Bool) async {
    while true {
      let (changes, change) = AsyncStream<Void>.makeStream()
      let isTrue = withObservationTracking(condition) { change.finish() }
      if isTrue { return }
      for await _ in changes {}
      // What is observed has its new value after the call that announced it.
      await Task.yield()
    }
  }
}

private actor ListOwner {
  private let list: FetchedList<Track>
  private var observing: Task<Void, Never>?
  private let database: Database

  init(_ database: Database) {
    self.database = database
    list = FetchedList(database: database, request: Track.all)
  }

  func begin() { observing = Task { await list.observe() } }

  func end() async {
    observing?.cancel()
    await observing?.value
  }

  func ids(after sql: String) async throws -> [Int64] {
    try await wait { !list.rows.isEmpty }
    let version = list.version
    try database.run(sql)
    try await wait { list.version != version }
    return list.rows.compactMap(\.object?.id)
  }
}
