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
    private var contents: String {
      providers.map { "\($0.fetchedObjects?.count ?? -1)" }.joined(separator: " ")
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

  @Test @MainActor func aFailureIsToldOnceUntilSomethingSucceeds() async throws {
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

  @Test @MainActor func whoComesLaterIsToldOfAFailureAndNobodyElseAgain() async throws {
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

  @Test @MainActor func oneThatMovesByItselfInWillIsLeftOut() async throws {
    let database = try Track.store()
    let log = try Log(database, Track.all, Track.all)
    for provider in log.providers { provider.startObserving() }
    log.onWill = { [log] provider in
      guard provider === log.providers[0] else { return }
      do { try log.providers[1].refresh() } catch { log.lines.append("\(error)") }
    }
    try database.run("DELETE FROM track WHERE id = 1")
    for _ in 0..<2 { await log.batch() }
    #expect(
      log.lines == [
        "will: 5 5", "will: 5 5", "-[0,0]: 5 4", "did: 5 4", "-[0,0]: 4 4", "did: 4 4",
      ])
    for provider in log.providers { provider.stopObserving() }
  }

  @Test @MainActor func oneThatIsStoppedInWillIsNotTold() async throws {
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
    while first != nil { await Task.yield() }
  }

  @Test func anActorThatOwnsAnObservingProviderIsNotKept() async throws {
    let database = try Track.store()
    weak var released: Owner?
    do {
      let owner = try Owner(database)
      released = owner
      await owner.observe()
    }
    while released != nil { await Task.yield() }
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
    while try provider.lines() != lines { await Task.yield() }
    provider.stopObserving()
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
