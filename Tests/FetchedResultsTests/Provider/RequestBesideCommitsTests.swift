import Dispatch
import SQLiteStorage
import Testing

@testable import FetchedResults

/// Another request is computed while commits are shown.
@MainActor @Suite(.timeLimit(.minutes(1))) struct RequestBesideCommitsTests {
  /// The commit changes no row that is shown, but one that the next request shows.
  @Test func aCommitThatOnlyTheNextRequestShowsIsNotLost() async throws {
    let database = try Track.store()
    let provider = try FetchedResultsProvider(
      database: database, request: Track.all.filter("id < 3"))
    try await provider.performFetch()
    provider.startObserving()
    let gate = DispatchSemaphore(value: 0)
    let held = Task.detached { [engine = provider.engine] in _ = await engine.run { gate.wait() } }
    let isSet = Task { try await provider.setRequest(Track.all) }
    for _ in 0..<10 { await Task.yield() }
    try database.run("DELETE FROM track WHERE id = 5")
    let newest = try database.snapshot()
    // The group has a queue of its own.
    while provider.shownVersion?.snapshot !== newest { try await Task.sleep(for: .milliseconds(1)) }
    gate.signal()
    await held.value
    _ = try await isSet.value
    #expect(provider.shownVersion?.snapshot === newest)
    #expect(provider.fetchedObjects?.map(\.id) == [1, 2, 3, 4])
    provider.stopObserving()
  }

  @Test func aRequestIsCompiledOffTheActorBeforeTheFirstFetchToo() async throws {
    let database = try Track.store()
    let provider = try FetchedResultsProvider(database: database, request: Track.all)
    let recorder = Recorder<Track>()
    provider.delegate = recorder
    // All threads for reading are busy.
    let gate = DispatchSemaphore(value: 0)
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    let reads = (0..<4).map { _ in
      Task.detached {
        try await database.read { _ in
          arrival.yield()
          gate.wait()
        }
      }
    }
    var arrived = arrivals.makeAsyncIterator()
    for _ in reads { await arrived.next() }
    let isSet = Task { try await provider.setRequest(Track.all.filter("id < 3")) }
    for _ in 0..<10 { await Task.yield() }
    try fetchOnTheSpot(provider)
    #expect(provider.fetchedObjects?.count == 5)
    for _ in reads { gate.signal() }
    for read in reads { try await read.value }
    #expect(try await isSet.value.description == "-[0,4] -[0,3] -[0,2]")
    #expect(recorder.batches.count == 1)
    #expect(provider.fetchedObjects?.map(\.id) == [1, 2])
  }

  /// As synchronous code does.
  private func fetchOnTheSpot(_ provider: FetchedResultsProvider<Track>) throws {
    try provider.performFetch()
  }
}
