internal import SQLiteStorage
internal import Synchronization

/// Wakes an observer when it may reach a newer version: after each commit, when it is asked to look,
/// and some time after an error that may end without a commit.
///
/// ```swift
/// for await _ in signals.stream {
///   let errors = moveToNewest()
///   signals.attemptEnded(with: errors)
/// }
/// ```
///
/// Signals that arrive while the observer is busy become one: it reads the newest version anyway.
///
/// Sendable: a lock protects the retry.
final class ObservationSignals: Sendable {
  /// The signals, for one observer. The stream ends when its task is cancelled or the database is
  /// released.
  let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let retry = Locked((delay: RetryDelay(), task: Task<Void, Never>?.none))

  /// Begins to observe the commits of a database, which is not kept alive.
  init(of database: Database) { (stream, continuation) = database.observeCommits() }

  deinit { retry.withLock { $0.task?.cancel() } }

  /// Wakes the observer.
  func signal() { continuation.yield() }

  /// Schedules a retry if an error may end without a commit. An earlier retry is cancelled.
  ///
  /// - Parameter errors: all errors of the attempt; empty if it succeeded.
  func attemptEnded(with errors: [any Error]) {
    retry.withLock { retry in
      retry.task?.cancel()
      retry.task = retry.delay.next(after: errors).map { delay in
        Task { [continuation] in
          guard (try? await Task.sleep(for: delay, clock: .suspending)) != nil else { return }
          continuation.yield()
        }
      }
    }
  }
}

/// The attempts of one loop to reach the next version, each after a signal if the one before has failed.
///
/// Not Sendable: it belongs to the task of the loop.
struct ObservationAttempts {
  private let signals: ObservationSignals
  private var wakeUps: AsyncStream<Void>.Iterator
  private var hasFailed = false

  /// Begins to observe the commits of a database. To miss no commit, it begins before the first fetch.
  init(of database: Database) {
    signals = ObservationSignals(of: database)
    wakeUps = signals.stream.makeAsyncIterator()
  }

  /// Begins an attempt. After an error it waits for a signal first.
  ///
  /// - Returns: false if there will be no signal any more.
  mutating func begin() async -> Bool {
    guard hasFailed else { return true }
    guard await waitForSignal() else { return false }
    hasFailed = false
    return true
  }

  /// Waits for the next signal.
  ///
  /// - Returns: false if there will be none any more.
  mutating func waitForSignal() async -> Bool { await wakeUps.next() != nil }

  /// Ends an attempt.
  ///
  /// - Parameter errors: empty if it succeeded.
  mutating func end(with errors: [any Error] = []) {
    hasFailed = !errors.isEmpty
    signals.attemptEnded(with: errors)
  }
}

/// The back-off after failed attempts to reach the newest version. Each delay is twice the previous
/// one, up to eight seconds.
struct RetryDelay {
  /// The number of consecutive attempts with an error that may end without a commit.
  private var failureCount = 0

  /// The delay after one more attempt.
  ///
  /// - Parameter errors: all errors of the attempt; empty if it succeeded.
  /// - Returns: nil if no error may end without a commit.
  mutating func next(after errors: [any Error]) -> Duration? {
    guard errors.contains(where: RetryDelay.mayPass) else {
      failureCount = 0
      return nil
    }
    defer { failureCount += 1 }
    return RetryDelay.first * (1 << min(failureCount, 5))
  }

  /// Whether the error may end without a commit, as a lack of memory, descriptors or permissions
  /// may.
  private static func mayPass(_ error: any Error) -> Bool {
    guard let error = error as? DatabaseError, error.code == .sqlite else { return false }
    // An SQL error stays until the schema changes.
    return !(.error ~= error.resultCode)
  }

  private static var first: Duration { .milliseconds(250) }
}

/// A serial queue for the work between two versions, which knows the latest request. The work is not
/// done on the caller's actor, nor on Swift's own threads: there are few of them, and they must not
/// wait for a disk. All queues of a database share a few threads.
///
/// Sendable: a lock protects the work, and the number is atomic.
final class EngineQueue: Sendable {
  private struct State {
    var waiting: [@Sendable () -> Void] = []
    var isRunning = false
  }

  private let threads: ReadQueue
  private let state = Locked(State())
  private let latestRequest = Atomic(0)
  /// The latest request when one was last set.
  private let setRequest = Atomic(0)
  private let latestFetch = Atomic(0)

  /// Makes a queue, which does not keep the database alive.
  init(of database: Database) { threads = database.engineThreads }

  /// Runs `body` after the work of earlier calls.
  func run<Success: Sendable>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @Sendable () throws -> Success
  ) async -> Result<Success, any Error> {
    await withCheckedContinuation { continuation in
      enqueue { continuation.resume(returning: Result { try body() }) }
    }
  }

  /// Releases a value after earlier work. If the caller holds it no longer, it is freed there.
  func release(_ value: some Sendable) {
    enqueue { withExtendedLifetime(value) {} }
  }

  private func enqueue(_ work: @escaping @Sendable () -> Void) {
    let isIdle = state.withLock { state in
      defer { state.isRunning = true }
      state.waiting.append(work)
      return !state.isRunning
    }
    // One thread does all that is waiting: with another one for each piece of work, they would take
    // turns.
    if isIdle { threads.async { [self] in while let work = next() { work() } } }
  }

  /// The next piece of work; nil if there is none, and then the queue is idle.
  private func next() -> (@Sendable () -> Void)? {
    state.withLock { state in
      state.isRunning = !state.waiting.isEmpty
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }
  }

  /// What a caller waits for.
  enum Purpose {
    /// The result of another request. It supersedes earlier requests at once, and everything earlier when it
    /// is set: the fetch of the present request goes on if the new one fails.
    case request
    /// The newest version of the whole result. It supersedes earlier fetches.
    case fetch
    /// The changes up to the newest version. They supersede nothing.
    case refresh
  }

  /// A piece of work that later work may supersede.
  struct Turn: Sendable {
    fileprivate let request: Int
    fileprivate let purpose: Purpose
    /// Nil if no fetch supersedes it.
    fileprivate let fetch: Int?
  }

  /// Begins a turn.
  @discardableResult
  func begin(_ purpose: Purpose) -> Turn {
    let request =
      purpose == .request
      ? latestRequest.add(1, ordering: .relaxed).newValue : latestRequest.load(ordering: .relaxed)
    return Turn(
      request: request, purpose: purpose,
      fetch: purpose == .fetch ? latestFetch.add(1, ordering: .relaxed).newValue : nil)
  }

  /// The latest request is set. What began before it is superseded.
  func requestIsSet() {
    setRequest.store(latestRequest.load(ordering: .relaxed), ordering: .relaxed)
  }

  /// - Throws: `CancellationError` if a later turn supersedes this one. Can be called on any thread.
  func check(_ turn: Turn) throws {
    let newest =
      turn.purpose == .request
      ? latestRequest.load(ordering: .relaxed) : setRequest.load(ordering: .relaxed)
    guard turn.request >= newest,
      turn.fetch == nil || turn.fetch == latestFetch.load(ordering: .relaxed)
    else { throw CancellationError() }
  }
}
