import Dispatch
import Foundation
import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// A delegate runs the other work of its actor while it is notified, as a dialog does that runs the main run loop.
@Suite(.timeLimit(.minutes(1))) struct NestedWorkTests {
  @Test func aRequestIsSetAfterTheBatch() async throws {
    let screen = try NestingScreen(Track.store())
    #expect(
      try await screen.setRequestDuringRefresh()
        == ["will", "-[0,0]", "did", "will", "-[0,3]", "did"])
  }

  @Test(arguments: [false, true])
  func aRequestIsSetAfterTheFirstBatch(isAsync: Bool) async throws {
    let screen = try NestingScreen(Track.store(), isFetched: false)
    let (lines, rowCount) = try await screen.setRequestDuringFirstRefresh(isAsync: isAsync)
    try #require(lines.count == 6, "\(lines)")
    #expect(lines[3...] == ["will", "-[0,4]", "did"])
    #expect(rowCount == 4)
  }

  @Test func aCommitWaitsForTheEndOfTheBatch() async throws {
    let screen = try NestingScreen(Track.store())
    let (jobCount, lines) = try await screen.commitDuringRequest()
    #expect(jobCount < 20)
    #expect(lines == ["will", "-[0,4]", "did", "will", "-[0,1]", "did"])
  }

  @Test func aRefreshWaitsForTheEndOfTheBatch() async throws {
    let screen = try NestingScreen(Track.store())
    #expect(
      try await screen.refreshDuringRequest()
        == ["will", "-[0,4]", "did", "will", "-[0,1]", "did"])
  }
}

/// An actor with a list, whose delegate runs the actor's jobs in *will*.
private actor NestingScreen {
  private final class Log: FetchedResultsProviderDelegate {
    var lines: [String] = []
    var onWill: (() -> Void)?

    func providerWillChangeContent(_ provider: FetchedResultsProvider<Track>) {
      lines.append("will")
      let onWill = onWill
      self.onWill = nil
      onWill?()
    }

    func provider(_ provider: FetchedResultsProvider<Track>, didChange changes: TableChanges) {
      lines.append("\(changes)")
    }

    func providerDidChangeContent(_ provider: FetchedResultsProvider<Track>) {
      lines.append("did")
    }
  }

  private let executor = NestingExecutor()
  private let database: Database
  private let provider: FetchedResultsProvider<Track>
  private let log = Log()
  /// The call that was made in *will*.
  private var call: Task<Void, any Error>?
  /// The number of jobs that have run in *will*.
  private var jobCount = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ database: Database, isFetched: Bool = true) throws {
    self.database = database
    provider = try FetchedResultsProvider(database: database, request: Track.all)
    if isFetched { try provider.performFetch() }
    provider.delegate = log
  }

  func setRequestDuringFirstRefresh(
    isAsync: Bool
  ) async throws -> (lines: [String], rowCount: Int) {
    log.onWill = {
      if isAsync {
        self.call = Task { _ = try await self.provider.setRequest(Track.all.filter("id < 5")) }
        // It begins, and continues when the request is compiled.
        self.executor.run(2)
      } else {
        do { try self.setOnTheSpot("id < 5") } catch { Issue.record(error) }
      }
    }
    try refreshOnTheSpot()
    try await call?.value
    return (log.lines, provider.sections.map(\.numberOfRows).reduce(0, +))
  }

  func setRequestDuringRefresh() async throws -> [String] {
    try database.run("DELETE FROM track WHERE id = 1")
    log.onWill = {
      self.call = Task { _ = try await self.provider.setRequest(Track.all.filter("id < 5")) }
      // It begins, and continues when its result is computed.
      self.executor.run(2)
    }
    try refreshOnTheSpot()
    try await call?.value
    return log.lines
  }

  func refreshDuringRequest() async throws -> [String] {
    log.onWill = {
      self.call = Task { _ = try await self.provider.refresh() }
      self.executor.run(2)
    }
    try database.run("DELETE FROM track WHERE id = 2")
    try setOnTheSpot("id < 5")
    try await call?.value
    return log.lines
  }

  func commitDuringRequest() async throws -> (jobCount: Int, lines: [String]) {
    provider.startObserving()
    log.onWill = {
      do { try self.database.run("DELETE FROM track WHERE id = 2") } catch { Issue.record(error) }
      self.jobCount = self.executor.run(100, within: .milliseconds(300))
    }
    try setOnTheSpot("id < 5")
    while log.lines.count < 6 { await Task.yield() }
    provider.stopObserving()
    return (jobCount, log.lines)
  }

  private func refreshOnTheSpot() throws { try provider.refresh() }

  private func setOnTheSpot(_ condition: SQLFragment<Track>) throws {
    try provider.setRequest(Track.all.filter(condition))
  }
}

/// Runs the jobs of an actor on a queue, or inside one of them.
private final class NestingExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "NestingExecutor")
  private let jobs = Locked<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    queue.async { _ = self.runNext() }
  }

  /// Runs so many jobs inside the one that runs, as long as they come in time.
  ///
  /// - Returns: the number of jobs that have run.
  @discardableResult
  func run(_ count: Int, within limit: Duration = .seconds(20)) -> Int {
    let end = ContinuousClock.now + limit
    var done = 0
    while done < count, ContinuousClock.now < end {
      if runNext() { done += 1 } else { usleep(500) }
    }
    return done
  }

  private func runNext() -> Bool {
    guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
    job.runSynchronously(on: asUnownedSerialExecutor())
    return true
  }
}
