import Foundation
import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// Providers of one database that one actor observes move together.
@Suite(.timeLimit(.minutes(5))) struct ObservationGroupTests {
  /// A list and what is written down of all lists, in the order it is told.
  private final class Log: FetchedResultsProviderDelegate {
    static func provider(
      _ database: Database, _ request: FetchRequest<Track>
    ) throws -> FetchedResultsProvider<Track> {
      let provider = try FetchedResultsProvider(database: database, request: request)
      try provider.performFetch()
      return provider
    }

    var providers: [FetchedResultsProvider<Track>] = []
    var lines: [String] = []
    var onWill: ((FetchedResultsProvider<Track>) -> Void)?
    var onEnd: ((FetchedResultsProvider<Track>) -> Void)?
    let onDid: AsyncStream<Void>.Continuation
    private var batches: AsyncStream<Void>.Iterator

    init(_ database: Database, _ requests: FetchRequest<Track>...) throws {
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      onDid = continuation
      batches = stream.makeAsyncIterator()
      providers = try requests.map { try Log.provider(database, $0) }
      for provider in providers { provider.delegate = self }
    }

    func batch(isolation: isolated (any Actor)? = #isolation) async {
      await batches.next(isolation: isolation)
    }

    /// What all lists show.
    var contents: String {
      providers.map { "\($0.fetchedObjects?.count ?? -1)" }.joined(separator: " ")
    }

    /// The versions that the lists show: one.
    var versions: Set<ObjectIdentifier> {
      Set(providers.compactMap { $0.databaseSnapshot.map(ObjectIdentifier.init) })
    }

    func providerWillChangeContent(_ provider: FetchedResultsProvider<Track>) {
      lines.append("will: \(contents)")
      onWill?(provider)
    }

    func provider(_ provider: FetchedResultsProvider<Track>, didChange changes: TableChanges) {
      lines.append("\(changes): \(contents)")
    }

    func providerDidChangeContent(_ provider: FetchedResultsProvider<Track>) {
      lines.append("did: \(contents)")
      onEnd?(provider)
      onDid.yield()
    }

    func provider(_ provider: FetchedResultsProvider<Track>, didFailWith error: any Error) {
      lines.append("failed")
      onDid.yield()
    }
  }

  @Test @MainActor func twoListsNeverShowDifferentVersions() async throws {
    let database = try Track.store()
    let log = try Log(database, Track.all, Track.all.filter("genre NOTNULL"))
    for provider in log.providers { provider.startObserving() }
    try database.run("DELETE FROM track WHERE id = 1")
    for _ in 0..<2 { await log.batch() }
    #expect(
      log.lines == [
        "will: 5 4", "will: 5 4", "-[0,0]: 4 3", "-[0,0]: 4 3", "did: 4 3", "did: 4 3",
      ])
    for provider in log.providers { provider.stopObserving() }
  }

  @Test @MainActor func aListThatStartsDuringAStepOfTheOthersMovesWithThem() async throws {
    let held = HeldFunction("held")
    let database = try Database.store(Track.sample) { $0.functions = [held.function] }
    let log = try Log(database, Track.all.filter("held(id) = id"), Track.all)
    log.providers[0].startObserving()
    held.hold()
    try database.run("DELETE FROM track WHERE id = 1")
    await held.arrival()
    log.providers[1].startObserving()
    held.release()
    for _ in 0..<2 { await log.batch() }
    #expect(
      log.lines == [
        "will: 5 5", "will: 5 5", "-[0,0]: 4 4", "-[0,0]: 4 4", "did: 4 4", "did: 4 4",
      ])
    for provider in log.providers { provider.stopObserving() }
  }

  @Test @MainActor func listsThatAreNotConcernedMoveSilently() async throws {
    let database = try Track.store()
    let log = try Log(database, Track.all, Track.all.filter("id = 2"))
    for provider in log.providers { provider.startObserving() }
    try database.run("DELETE FROM track WHERE id = 1")
    await log.batch()
    #expect(log.lines == ["will: 5 1", "-[0,0]: 4 1", "did: 4 1"])
    let versions = log.providers.map { $0.databaseSnapshot?.version }
    #expect(versions[0] == versions[1])
    for provider in log.providers { provider.stopObserving() }
  }

  /// Two lists, of which one cannot go on since a table is missing.
  @MainActor private func oneThatFails() async throws -> (Database, Log) {
    let database = try Track.store("CREATE TABLE other(id INTEGER PRIMARY KEY)")
    let log = try Log(
      database, Track.all, Track.all.filter("id NOT IN (SELECT id FROM other)"))
    for provider in log.providers { provider.startObserving() }
    try database.run("DROP TABLE other; DELETE FROM track WHERE id = 1")
    for _ in 0..<2 { await log.batch() }
    return (database, log)
  }

  @Test @MainActor func oneThatFailsDoesNotKeepTheOthersBack() async throws {
    let (_, log) = try await oneThatFails()
    #expect(log.lines == ["will: 5 5", "failed", "-[0,0]: 4 5", "did: 4 5"])
    for provider in log.providers { provider.stopObserving() }
  }

  @Test @MainActor func aFailureIsReportedOnceUntilAnUpdateSucceeds() async throws {
    let (database, log) = try await oneThatFails()
    log.lines = []
    // The other list is told after each try.
    try database.run("DELETE FROM track WHERE id = 2")
    await log.batch()
    #expect(log.lines == ["will: 4 5", "-[0,0]: 3 5", "did: 3 5"])
    try database.run("CREATE TABLE other(id INTEGER PRIMARY KEY)")
    await log.batch()
    log.lines = []
    try database.run("DROP TABLE other")
    await log.batch()
    #expect(log.lines == ["failed"])
    for provider in log.providers { provider.stopObserving() }
  }

  @Test @MainActor func aLaterProviderIsNotifiedOfAFailureAndTheOthersNotAgain() async throws {
    let folder = try TestFolder()
    let path = folder.file("store.sqlite")
    try Connection(path: path, access: .readWriteCreate).execute(script: Track.sample)
    let log = try Log(try Database(path: path), Track.all, Track.all)
    try #require(rename(path, folder.file("elsewhere")) == 0)
    for provider in log.providers {
      provider.startObserving()
      await log.batch()
    }
    #expect(log.lines == ["failed", "failed"])
    for provider in log.providers { provider.stopObserving() }
  }

  // MARK: Rule 29: what one of them is asked to do

  /// A call that shows a newer version.
  enum Call: CaseIterable {
    case refresh, fetch, asyncRefresh, asyncFetch, firstScreen

    func run(
      _ provider: FetchedResultsProvider<Track>, isolation: isolated any Actor = #isolation
    ) async throws {
      switch self {
      case .refresh, .fetch: try runOnTheSpot(provider)
      case .asyncRefresh: try await provider.refresh()
      case .asyncFetch: try await provider.performFetch()
      case .firstScreen: try await provider.performFetch(showingFirst: 9)
      }
    }

    /// The forms that are not async: an async function would choose the others.
    func runOnTheSpot(_ provider: FetchedResultsProvider<Track>) throws {
      if self == .refresh { try provider.refresh() } else { try provider.performFetch() }
    }
  }

  @Test(arguments: Call.allCases) @MainActor
  func allMoveWithOneThatIsAsked(call: Call) async throws {
    let database = try Track.store()
    let log = try Log(database, Track.all, Track.all.filter("genre NOTNULL"))
    let recorder = ObserverLog()
    log.providers[0].observer = recorder
    for provider in log.providers { provider.startObserving() }
    try database.run("DELETE FROM track WHERE id = 1")
    try await call.run(log.providers[0])
    #expect(log.versions.count == 1)
    #expect(log.contents == "4 3")
    let refreshLines = [
      "will: 5 4", "will: 5 4", "-[0,0]: 4 3", "-[0,0]: 4 3", "did: 4 3", "did: 4 3",
    ]
    let fetchLines = ["will: 5 4", "-[0,0]: 4 3", "did: 4 3"]
    // The commit may have moved all of them before an asynchronous fetch has.
    let isLate = call == .asyncFetch && recorder.batches.count == 2
    switch call {
    case .refresh, .asyncRefresh:
      #expect(log.lines == refreshLines)
      #expect(recorder.batches == ["-[0,0]"])
    case .fetch, .asyncFetch:
      #expect(log.lines == (isLate ? refreshLines : fetchLines))
      #expect(recorder.batches == (isLate ? ["-[0,0]", "reset 1>1"] : ["reset 1>1"]))
    case .firstScreen:
      // Told as a reset at the end.
      #expect(recorder.batches.last == "reset 1>1")
    }
    // Nothing is left to be told.
    try database.run("DELETE FROM track WHERE id = 2")
    log.lines = []
    try await call.run(log.providers[1])
    #expect(log.versions.count == 1)
    for provider in log.providers { provider.stopObserving() }
  }

  @Test(arguments: [true, false]) @MainActor
  func anotherRequestIsOfTheVersionThatAllShow(isAsync: Bool) async throws {
    let database = try Track.store()
    let log = try Log(database, Track.all, Track.all)
    for provider in log.providers { provider.startObserving() }
    try database.run("DELETE FROM track WHERE id = 1")
    let request = Track.all.filter("id < 3")
    if isAsync {
      try await log.providers[0].setRequest(request, silently: true)
    } else {
      try Self.set(request, log.providers[0])
      #expect(log.contents == "2 5")
    }
    #expect(log.versions.count == 1)
    for provider in log.providers { provider.stopObserving() }
  }

  @Test @MainActor func aRequestSetWhileAllAreOnTheirWayKeepsThemTogether() async throws {
    let database = try Track.store()
    let log = try Log(database, Track.all, Track.all)
    for provider in log.providers { provider.startObserving() }
    let watch = { [log] (_: FetchedResultsProvider<Track>) in
      if log.versions.count != 1 { log.lines.append("torn") }
    }
    log.onWill = watch
    log.onEnd = watch
    for round in 0..<30 {
      try database.run("INSERT INTO track(name, milliseconds) VALUES ('x', \(round))")
      await Task.yield()
      try Self.set(
        Track.all.filter("milliseconds >= \(round % 3)"), log.providers[round % 2])
      watch(log.providers[0])
    }
    #expect(!log.lines.contains("torn"))
    for provider in log.providers { provider.stopObserving() }
  }

  /// Two lists that observe, of which the second cannot reach the newest version.
  @MainActor private func oneThatCannotFollow() throws -> (Database, Log) {
    let database = try Track.store("CREATE TABLE other(id INTEGER PRIMARY KEY)")
    let log = try Log(
      database, Track.all, Track.all.filter("id NOT IN (SELECT id FROM other)"))
    for provider in log.providers { provider.startObserving() }
    try database.run("DROP TABLE other; DELETE FROM track WHERE id = 1")
    return (database, log)
  }

  @Test(arguments: [Call.refresh, .fetch]) @MainActor
  func aCallThatAnotherOneCannotFollowMovesNone(call: Call) async throws {
    let (database, log) = try oneThatCannotFollow()
    #expect(throws: FetchError.self) { try call.runOnTheSpot(log.providers[0]) }
    #expect(log.contents == "5 5")
    #expect(log.versions.count == 1)
    // The one that is why has been told, and keeps no other one back from now on.
    #expect(log.lines == ["failed"])
    try call.runOnTheSpot(log.providers[0])
    #expect(log.contents == "4 5")
    try database.run("DELETE FROM track WHERE id = 2")
    try call.runOnTheSpot(log.providers[0])
    #expect(log.contents == "3 5")
    #expect(log.lines.filter { $0 == "failed" }.count == 1)
    try database.run("CREATE TABLE other(id INTEGER PRIMARY KEY)")
    try call.runOnTheSpot(log.providers[1])
    #expect(log.contents == "3 3")
    #expect(log.versions.count == 1)
    for provider in log.providers { provider.stopObserving() }
  }

  @Test(arguments: [Call.refresh, .fetch]) @MainActor
  func aCallThatFailsMovesNone(call: Call) async throws {
    let (_, log) = try oneThatCannotFollow()
    #expect(throws: FetchError.self) { try call.runOnTheSpot(log.providers[1]) }
    #expect(log.contents == "5 5")
    #expect(log.lines.isEmpty)
    for provider in log.providers { provider.stopObserving() }
  }

  @Test(arguments: [Call.asyncRefresh, .asyncFetch]) @MainActor
  func anAsyncCallIsNeverTornWithoutAnError(call: Call) async throws {
    let (_, log) = try oneThatCannotFollow()
    await #expect(throws: FetchError.self) { try await call.run(log.providers[1]) }
    // It throws, unless the other one has been told meanwhile.
    do { try await call.run(log.providers[0]) } catch is FetchError {}
    #expect(log.versions.count == 1 || log.lines.contains("failed"))
    for provider in log.providers { provider.stopObserving() }
  }

  @Test(arguments: [Call.refresh, .fetch], [true, false]) @MainActor
  func aRequestInACallbackRunsAfterAllWereNotified(call: Call, isInWill: Bool) async throws {
    let database = try Track.store()
    let log = try Log(database, Track.all, Track.all)
    for provider in log.providers { provider.startObserving() }
    let ask = { [log] (provider: FetchedResultsProvider<Track>) in
      guard provider === log.providers[0] else { return }
      (log.onWill, log.onEnd) = (nil, nil)
      do {
        try database.run("DELETE FROM track WHERE id = 2")
        if call == .refresh {
          #expect(try log.providers[1].refresh().isEmpty)
        } else {
          try log.providers[1].performFetch()
        }
        #expect(try log.providers[1].setRequest(Track.all.filter("id < 5")).isEmpty)
      } catch {
        log.lines.append("\(error)")
      }
    }
    if isInWill { log.onWill = ask } else { log.onEnd = ask }
    try database.run("DELETE FROM track WHERE id = 1")
    try await Call.asyncRefresh.run(log.providers[0])
    #expect(
      log.lines == [
        "will: 5 5", "will: 5 5", "-[0,0]: 4 4", "-[0,0]: 4 4", "did: 4 4", "did: 4 4",
        // The other request, and then the newest version.
        "will: 4 4", "-[0,3]: 4 3", "did: 4 3",
        "will: 4 3", "will: 4 3", "-[0,0]: 3 2", "-[0,0]: 3 2", "did: 3 2", "did: 3 2",
      ])
    for provider in log.providers { provider.stopObserving() }
  }

  /// Until the fetch returns, its delegate shows what was before it.
  @Test(arguments: [true, false]) @MainActor
  func aRequestInACallbackDuringAFetchIsNotToldBeforeTheFetchReturns(isInWill: Bool) async throws {
    let database = try Track.store()
    let log = try Log(database, Track.all, Track.all)
    let (fetching, other) = (log.providers[0], log.providers[1])
    let toOther = try Log(database)
    other.delegate = toOther
    for provider in log.providers { provider.startObserving() }
    let ask: (FetchedResultsProvider<Track>) -> Void = { [unowned toOther] _ in
      (toOther.onWill, toOther.onEnd) = (nil, nil)
      do {
        try database.run("DELETE FROM track WHERE id = 2")
        try fetching.setRequest(Track.all.filter("id < 5"))
        try fetching.refresh()
      } catch {
        Issue.record(error)
      }
    }
    if isInWill { toOther.onWill = ask } else { toOther.onEnd = ask }
    try database.run("DELETE FROM track WHERE id = 1")
    try Call.fetch.runOnTheSpot(fetching)
    #expect(log.lines == [])
    #expect(log.contents == "2 3")
    // Then it is told again.
    try database.run("DELETE FROM track WHERE id = 3")
    try Call.refresh.runOnTheSpot(fetching)
    #expect(log.lines == ["will: 2 3", "-[0,0]: 1 2", "did: 1 2"])
    for provider in log.providers { provider.stopObserving() }
  }

  @Test @MainActor func aRequestThatTheObserverSetsDuringAFetchIsNotToldEither() throws {
    let database = try Track.store()
    let log = try Log(database, Track.all)
    let provider = log.providers[0]
    let observer = ObserverLog()
    provider.observer = observer
    for call in 0..<2 {
      observer.onBatch = {
        observer.onBatch = nil
        do {
          try provider.setRequest(Track.all.filter("id < 5"))
        } catch {
          Issue.record(error)
        }
      }
      if call == 0 {
        try provider.performFetch()
      } else {
        try provider.setRequest(Track.all, silently: true)
      }
      #expect(log.lines == [])
      #expect(log.contents == "4")
    }
    #expect(observer.batches == ["reset 1>1", "-[0,4]", "reset 1>1", "-[0,4]"])
  }

  @Test @MainActor func aRequestDuringTheBatchOfARequestRunsAfterIt() async throws {
    let database = try Track.store()
    let log = try Log(database, Track.all, Track.all)
    for provider in log.providers { provider.startObserving() }
    log.onWill = { [log] _ in
      log.onWill = nil
      do {
        try database.run("DELETE FROM track WHERE id = 1")
        #expect(try log.providers[1].refresh().isEmpty)
      } catch {
        log.lines.append("\(error)")
      }
    }
    try Self.set(Track.all.filter("id < 5"), log.providers[0])
    #expect(
      log.lines == [
        "will: 5 5", "-[0,4]: 4 5", "did: 4 5",
        "will: 4 5", "will: 4 5", "-[0,0]: 3 4", "-[0,0]: 3 4", "did: 3 4", "did: 3 4",
      ])
    for provider in log.providers { provider.stopObserving() }
  }

  @Test @MainActor func theFirstFetchOfAMemberMovesAll() async throws {
    let database = try Track.store()
    let log = try Log(database, Track.all)
    let late = try FetchedResultsProvider(database: database, request: Track.all)
    log.providers.append(late)
    for provider in log.providers { provider.startObserving() }
    try database.run("DELETE FROM track WHERE id = 1")
    try Call.fetch.runOnTheSpot(late)
    #expect(log.contents == "4 4")
    #expect(log.versions.count == 1)
    for provider in log.providers { provider.stopObserving() }
  }

  /// On the spot: an async function would choose the other form.
  private static func set(
    _ request: FetchRequest<Track>, _ provider: FetchedResultsProvider<Track>
  ) throws {
    try provider.setRequest(request)
  }

  // MARK: Coming and going

  @Test @MainActor func aProviderStoppedInWillIsNotNotified() async throws {
    let database = try Track.store()
    let log = try Log(database, Track.all, Track.all)
    for provider in log.providers { provider.startObserving() }
    log.onWill = { [log] _ in log.providers[1].stopObserving() }
    try database.run("DELETE FROM track WHERE id = 1")
    await log.batch()
    #expect(log.lines == ["will: 5 5", "-[0,0]: 4 5", "did: 4 5"])
    log.providers[0].stopObserving()
  }

  @Test @MainActor func aDelegateMayThrowTheProviderAway() async throws {
    let database = try Track.store()
    let log = try Log(database, Track.all, Track.all)
    for provider in log.providers { provider.startObserving() }
    weak let first = log.providers[0]
    log.onWill = { [log] _ in log.providers.removeAll() }
    try database.run("DELETE FROM track WHERE id = 1")
    for _ in 0..<2 { await log.batch() }
    #expect(
      log.lines.map { $0.prefix { $0 != ":" } } == [
        "will", "will", "-[0,0]", "-[0,0]", "did", "did",
      ])
    try await wait { first == nil }
  }

  @Test @MainActor func aProviderThatIsReleasedDuringAStepIsNotNotified() async throws {
    let held = HeldFunction("held")
    let database = try Database.store(Track.sample) { $0.functions = [held.function] }
    let log = try Log(database, Track.all.filter("held(id) = id"), Track.all)
    for provider in log.providers { provider.startObserving() }
    weak let second = log.providers[1]
    held.hold()
    try database.run("DELETE FROM track WHERE id = 1")
    await held.arrival()
    log.providers.removeLast()
    #expect(second == nil)
    held.release()
    await log.batch()
    #expect(log.lines == ["will: 5", "-[0,0]: 4", "did: 4"])
    log.providers[0].stopObserving()
  }

  @Test func anActorThatOwnsAnObservingProviderIsNotKept() async throws {
    let database = try Track.store()
    weak var released: Owner?
    do {
      let owner = try Owner(database)
      released = owner
      await owner.observe()
    }
    try await wait { released == nil }
    try database.run("DELETE FROM track")
  }

  @Test @MainActor func aRequestSetMeanwhileLosesNoCommit() async throws {
    let database = try Track.store()
    let log = try Log(database, Track.all)
    let provider = log.providers[0]
    provider.startObserving()
    for round in 0..<50 {
      try database.run("INSERT INTO track(name, milliseconds) VALUES ('x', \(round))")
      await Task.yield()
      try await provider.setRequest(Track.all.filter("milliseconds >= \(round % 3)"))
    }
    let fresh = try FetchedResultsProvider(database: database, request: provider.request)
    let lines = try fresh.fetchedLines()
    try await wait { try provider.lines() == lines }
    provider.stopObserving()
  }

  @Test @MainActor func aCommitWhileTheFirstVersionIsComparedIsNotLost() async throws {
    let held = HeldFunction("held")
    let database = try Database.store(Track.sample) { $0.functions = [held.function] }
    let log = try Log(database, Track.all.filter("held(id) = id"))
    let provider = log.providers[0]
    try database.run("DELETE FROM track WHERE id = 1")
    held.hold()
    provider.startObserving()
    await held.arrival()
    var commits = database.commits.makeAsyncIterator()
    try database.run("DELETE FROM track WHERE id = 2")
    _ = await commits.next()
    // The group hears of it as well, while it is at work.
    for _ in 0..<1_000 { await Task.yield() }
    held.release()
    await expect(3, in: provider)
    provider.stopObserving()
  }

  @Test @MainActor func aCommitWhileARequestOfTheVersionBeforeItIsSetIsNotLost() async throws {
    let old = HeldFunction("held_old")
    let new = HeldFunction("held_new")
    let database = try Database.store(Track.sample) { $0.functions = [old.function, new.function] }
    let log = try Log(database, Track.all.filter("held_old(id) = id"))
    let provider = log.providers[0]
    provider.startObserving()
    try database.run("DELETE FROM track WHERE id = 1")
    await log.batch()
    new.hold()
    let request = Task { try await provider.setRequest(Track.all.filter("held_new(id) = id")) }
    await new.arrival()
    // The group begins to compare what is shown with a newer version than that of the new request.
    var commits = database.commits.makeAsyncIterator()
    old.hold()
    try database.run("DELETE FROM track WHERE id = 2")
    _ = await commits.next()
    for _ in 0..<1_000 { await Task.yield() }
    new.release()
    _ = try await request.value
    old.release()
    await expect(3, in: provider)
    provider.stopObserving()
  }

  @Test @MainActor func aListThatIsMovedInWillOfAnotherDoesNotGoBack() async throws {
    let database = try Track.store()
    let log = try Log(database, Track.all, Track.all.sorted(by: \.id, .descending))
    let (first, second) = (log.providers[0], log.providers[1])
    for provider in log.providers { provider.startObserving() }
    log.onWill = { [unowned log] provider in
      guard provider === first else { return }
      log.onWill = nil
      do {
        try database.run("DELETE FROM track WHERE id = 2")
        second.stopObserving()
        let changes = try second.refresh()
        #expect("\(changes)" == "-[0,4] -[0,3]")
        second.startObserving()
      } catch {
        Issue.record(error)
      }
    }
    try database.run("DELETE FROM track WHERE id = 1")
    await expect(3, in: first)
    await expect(3, in: second)
    #expect(log.lines.filter { $0.contains("-[0,4]") || $0.contains("-[0,3]") }.count == 1)
    for provider in log.providers { provider.stopObserving() }
  }

  /// Waits until a list shows so many rows.
  @MainActor private func expect(
    _ count: Int, in provider: FetchedResultsProvider<Track>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let end = ContinuousClock.now + .seconds(60)
    while provider.fetchedObjects?.count != count, ContinuousClock.now < end {
      // Then the count is compared in any case.
      try? await Task.sleep(for: .milliseconds(1))
    }
    #expect(provider.fetchedObjects?.count == count, sourceLocation: sourceLocation)
  }
}

/// Writes down what an observer is told.
private final class ObserverLog: TableChangesObserver {
  private(set) var batches: [String] = []
  var onBatch: (() -> Void)?

  func contentWillChange(of sender: any TableChangesSender) {}

  func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    batches.append("\(changes)")
    onBatch?()
  }

  func content(of sender: any TableChangesSender, didFailWith error: any Error) {
    batches.append("\(error)")
  }
}

/// An actor that owns a provider.
private actor Owner {
  private let provider: FetchedResultsProvider<Track>

  init(_ database: Database) throws {
    provider = try FetchedResultsProvider(database: database, request: Track.all)
    try provider.performFetch()
  }

  func observe() { provider.startObserving() }
}
