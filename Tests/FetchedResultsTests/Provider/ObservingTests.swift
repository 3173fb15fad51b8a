import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// Rule 25, and changes that come by themselves.
@Suite(.timeLimit(.minutes(5))) struct ObservingTests {
  @Test @MainActor func commitsAreReportedOnTheMainActor() async throws {
    let screen = try ScreenContent(Track.store())
    screen.recorder.onDid = { [screen] _ in
      MainActor.assertIsolated()
      screen.onBatch.yield()
    }
    screen.provider.startObserving()
    try screen.database.run("DELETE FROM track WHERE id = 1")
    await screen.nextBatch()
    #expect(screen.recorder.batches.map(\.description) == ["-[0,0]"])
    // By another connection, which tells nobody.
    try Database(path: screen.database.path).run("DELETE FROM track WHERE id = 5")
    await screen.nextBatch()
    #expect(try screen.provider.lines() == ["all: 2 3 4"])
    #expect(screen.recorder.calls.filter { $0 == "will" }.count == 2)
    screen.provider.stopObserving()
  }

  @Test func commitsAreReportedOnTheActorThatObserves() async throws {
    let screen = try Screen()
    #expect(try await screen.batch(after: "DELETE FROM track WHERE id = 2") == "-[0,1]")
    #expect(try await screen.batch(after: "DELETE FROM track WHERE id = 3") == "-[0,1]")
  }

  @Test func callsThatDoNotBlockNotifyOnTheirActor() async throws {
    let batches = try await Screen().batchesOfCalls()
    #expect(batches == ["-[0,1] -[0,0]", "reset"])
  }

  @Test @MainActor func commitsBeforeObservingAreReported() async throws {
    let screen = try ScreenContent(Track.store())
    try screen.database.run("DELETE FROM track WHERE id = 1")
    screen.provider.startObserving()
    await screen.nextBatch()
    #expect(screen.recorder.batches.map(\.description) == ["-[0,0]"])
    screen.provider.stopObserving()
  }

  @Test(arguments: [false, true]) @MainActor
  func aRefreshBeforeTheFirstFetchFetches(isObserving: Bool) async throws {
    let screen = try ScreenContent(Track.store(), isFetched: false)
    if isObserving { screen.provider.startObserving() }
    func refresh() throws -> TableChanges { try screen.provider.refresh() }
    #expect(try refresh() == .reset(oldSectionCount: 0, newSectionCount: 1))
    #expect(try screen.provider.lines() == ["all: 1 2 3 4 5"])
    #expect(screen.recorder.batches == [.reset(oldSectionCount: 0, newSectionCount: 1)])
    try screen.database.run("DELETE FROM track WHERE id = 1")
    #expect(try refresh().description == "-[0,0]")
    screen.provider.stopObserving()
    let other = try ScreenContent(Track.store(), isFetched: false)
    if isObserving { other.provider.startObserving() }
    try await other.provider.refresh()
    #expect(try other.provider.lines() == ["all: 1 2 3 4 5"])
    #expect(other.recorder.batches == [.reset(oldSectionCount: 0, newSectionCount: 1)])
    other.provider.stopObserving()
  }

  @Test @MainActor func observingBeforeTheFirstFetchFetches() async throws {
    let screen = try ScreenContent(Track.store(), isFetched: false)
    screen.provider.startObserving()
    await screen.nextBatch()
    #expect(try screen.provider.lines() == ["all: 1 2 3 4 5"])
    #expect(screen.recorder.batches == [.reset(oldSectionCount: 0, newSectionCount: 1)])
    try screen.database.run("DELETE FROM track WHERE id = 1")
    await screen.nextBatch()
    #expect(screen.recorder.batches.last?.description == "-[0,0]")
    screen.provider.stopObserving()
  }

  @Test @MainActor func aRequestThatIsSetBeforeTheFirstFetchIsTheOneThatIsFetched() async throws {
    let held = HeldFunction("held")
    let database = try Database.store(Track.sample) { $0.functions = [held.function] }
    let screen = try ScreenContent(database, isFetched: false)
    // On the spot: an async function would choose the other form.
    func set(_ request: FetchRequest<Track>) throws { try screen.provider.setRequest(request) }
    try set(Track.all.filter("held(id) = id"))
    held.hold()
    screen.provider.startObserving()
    await held.arrival()
    try set(Track.all.filter("id < 3"))
    held.release()
    await screen.nextBatch()
    #expect(try screen.provider.lines() == ["all: 1 2"])
    #expect(screen.recorder.batches.count == 1)
    screen.provider.stopObserving()
  }

  @Test @MainActor func aFirstFetchThatFailsIsReportedAndTriedAgain() async throws {
    let screen = try ScreenContent(Track.store(), isFetched: false)
    try screen.database.run("ALTER TABLE track RENAME TO gone")
    screen.provider.startObserving()
    try await wait { !screen.recorder.errors.isEmpty }
    #expect(screen.provider.fetchedObjects == nil)
    try screen.database.run("ALTER TABLE gone RENAME TO track")
    await screen.nextBatch()
    #expect(try screen.provider.lines() == ["all: 1 2 3 4 5"])
    screen.provider.stopObserving()
  }

  @Test @MainActor func commitsInARowAreReportedAsFewerBatches() async throws {
    let screen = try ScreenContent(Track.store())
    screen.provider.startObserving()
    for id in 10..<60 {
      try screen.database.run("INSERT INTO track VALUES (\(id), 'x', NULL, 1)")
    }
    while try screen.provider.lines() != ["all: 1 2 3 4 5 " + (10..<60).joinedBySpaces] {
      await screen.nextBatch()
    }
    // The main actor was busy with writing, so nothing could be told meanwhile.
    #expect(screen.recorder.batches.count <= 3)
    #expect(screen.recorder.batches.map(\.insertedRows.count).reduce(0, +) == 50)
    screen.provider.stopObserving()
  }

  @Test @MainActor func nothingIsReportedAfterStopObserving() async throws {
    let screen = try ScreenContent(Track.store())
    let witness = try ScreenContent(screen.database)
    screen.provider.startObserving()
    witness.provider.startObserving()
    try screen.database.run("DELETE FROM track WHERE id = 1")
    await screen.nextBatch()
    await witness.nextBatch()
    // One that may be on its way.
    try screen.database.run("DELETE FROM track WHERE id = 2")
    screen.provider.stopObserving()
    for _ in 0..<3 {
      try screen.database.run("INSERT INTO track VALUES (NULL, 'x', NULL, 1)")
      await witness.nextBatch()
    }
    #expect(screen.recorder.batches.count == 1)
    #expect(try screen.provider.lines() == ["all: 2 3 4 5"])
    // And again from there.
    screen.provider.startObserving()
    await screen.nextBatch()
    #expect(screen.recorder.batches.last?.description == "-[0,0] +[0,3] +[0,4] +[0,5]")
    screen.provider.stopObserving()
    witness.provider.stopObserving()
  }

  @Test @MainActor func anErrorIsReportedAndObservationContinues() async throws {
    let screen = try ScreenContent(Track.store())
    screen.provider.startObserving()
    try screen.database.run("ALTER TABLE track RENAME TO gone")
    try await wait { !screen.recorder.errors.isEmpty }
    #expect((screen.recorder.errors.first as? FetchError)?.code == .noSuchTable)
    #expect(try screen.provider.lines() == ["all: 1 2 3 4 5"])
    try screen.database.run("ALTER TABLE gone RENAME TO track; DELETE FROM track WHERE id = 1")
    await screen.nextBatch()
    #expect(screen.recorder.batches.map(\.description) == ["-[0,0]"])
    screen.provider.stopObserving()
  }

  @Test @MainActor func aWriteInDidIsTheNextBatch() async throws {
    let screen = try ScreenContent(Track.store())
    screen.recorder.onDid = { [screen] provider in
      if provider.fetchedObjects?.count ?? 0 > 2 {
        try provider.database.run("DELETE FROM track WHERE id = (SELECT max(id) FROM track)")
      }
      screen.onBatch.yield()
    }
    screen.provider.startObserving()
    try screen.database.run("DELETE FROM track WHERE id = 1")
    for _ in 0..<3 { await screen.nextBatch() }
    #expect(
      screen.recorder.calls == [
        "will", "delete(at: [0, 0])", "-[0,0]", "did",
        "will", "delete(at: [0, 3])", "-[0,3]", "did",
        "will", "delete(at: [0, 2])", "-[0,2]", "did",
      ])
    screen.provider.stopObserving()
  }

  @Test @MainActor func aReleasedDelegateIsNotKeptAndNotCalled() throws {
    let database = try Track.store()
    let provider = try FetchedResultsProvider(database: database, request: Track.all)
    var recorder: Recorder<Track>? = Recorder()
    provider.delegate = recorder
    try provider.performFetch()
    weak let released = recorder
    recorder = nil
    #expect(released == nil)
    #expect(provider.delegate == nil)
    try database.run("DELETE FROM track WHERE id = 1")
    #expect(try provider.refresh().description == "-[0,0]")
  }

  @Test @MainActor func observingDoesNotKeepTheProvider() async throws {
    let witness = try ScreenContent(Track.store())
    var screen: ScreenContent? = try ScreenContent(witness.database)
    weak let provider = screen?.provider
    screen?.provider.startObserving()
    witness.provider.startObserving()
    try witness.database.run("DELETE FROM track WHERE id = 1")
    await witness.nextBatch()
    await screen?.nextBatch()
    screen = nil
    // It may be looking for changes at the moment; then it goes when it is done.
    try await wait { provider == nil }
    try witness.database.run("DELETE FROM track WHERE id = 2")
    await witness.nextBatch()
    witness.provider.stopObserving()
  }
}

/// A provider with all tracks, and a way to wait for its batches.
private final class ScreenContent {
  let database: Database
  let provider: FetchedResultsProvider<Track>
  let recorder = Recorder<Track>()
  let onBatch: AsyncStream<Void>.Continuation
  private var batches: AsyncStream<Void>.Iterator

  init(_ database: Database, isFetched: Bool = true) throws {
    self.database = database
    provider = try FetchedResultsProvider(database: database, request: Track.all)
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    onBatch = continuation
    batches = stream.makeAsyncIterator()
    provider.delegate = recorder
    recorder.onDid = { _ in continuation.yield() }
    if isFetched { try provider.performFetch() }
  }

  /// Waits until one more batch was told than at the last call.
  func nextBatch(isolation: isolated (any Actor)? = #isolation) async {
    await batches.next(isolation: isolation)
  }
}

/// An actor with a provider.
private actor Screen {
  private let content: ScreenContent

  init() throws { content = try ScreenContent(Track.store()) }

  func batch(after script: String) async throws -> String? {
    content.recorder.onDid = { [content] _ in
      self.assertIsolated()
      content.onBatch.yield()
    }
    content.provider.startObserving()
    try content.database.run(script)
    await content.nextBatch()
    content.provider.stopObserving()
    return content.recorder.batches.last?.description
  }

  func batchesOfCalls() async throws -> [String] {
    content.recorder.onDid = { _ in self.assertIsolated() }
    try await content.provider.setRequest(Track.all.filter("id > 2"))
    try await content.provider.performFetch(showingFirst: 1)
    return content.recorder.batches.map { $0.reset == nil ? $0.description : "reset" }
  }
}

extension Range<Int> {
  fileprivate var joinedBySpaces: String { map(String.init).joined(separator: " ") }
}
