internal import SQLiteStorage

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

/// The reason of an error that was reported or thrown. While attempts fail for the same reason, it is not reported again.
/// The next step does not count: it may list the tables of the file, and these change.
struct ToldError: Equatable {
  private let reason: String

  init(_ error: any Error) { reason = (error as? any DescribedError)?.message ?? "\(error)" }
}

/// The attempts of one loop to reach the next version, each after a signal if the one before has failed.
///
/// Not Sendable: it belongs to the task of the loop.
final class ObservationAttempts {
  private let signals: ObservationSignals
  private var wakeUps: AsyncStream<Void>.Iterator
  private var hasFailed = false
  /// The error that was thrown last; nil if an attempt has succeeded since.
  private var thrownError: ToldError?

  /// Begins to observe the commits of a database. To miss no commit, it begins before the first fetch.
  init(of database: Database) {
    signals = ObservationSignals(of: database)
    wakeUps = signals.stream.makeAsyncIterator()
  }

  /// Attempts to make an element, until one is made or an attempt fails for another reason than the one before: as a list
  /// reports an error once, however often it tries again, so does a loop.
  ///
  /// - Parameter attempt: makes the element, and returns the errors that did not prevent it; nil at the end of the loop.
  func element<Element>(
    by attempt: () async throws -> (Element, errors: [any Error])?
  ) async throws -> Element? {
    while await begin() {
      do {
        guard let (element, errors) = try await attempt() else { return nil }
        end(with: errors)
        return element
      } catch {
        let known = thrownError
        end(with: [error])
        thrownError = ToldError(error)
        if thrownError != known { throw error }
      }
    }
    return nil
  }

  /// Takes a step, as soon as there is one. A database that is suspended or closed has none; when it is resumed, there is a
  /// signal.
  ///
  /// - Returns: nil if the task was cancelled, or no more signals will come.
  func step<Step>(_ step: () async throws -> Step?) async throws -> Step? {
    while !Task.isCancelled {
      do {
        if let step = try await step() { return step }
      } catch let error as DatabaseError where error.code == .closed {}
      guard await waitForSignal() else { return nil }
    }
    return nil
  }

  /// Begins an attempt. After an error it waits for a signal first.
  ///
  /// - Returns: false if no more signals will come.
  private func begin() async -> Bool {
    guard hasFailed else { return true }
    guard await waitForSignal() else { return false }
    hasFailed = false
    return true
  }

  private func waitForSignal() async -> Bool { await wakeUps.next() != nil }

  /// Ends an attempt.
  ///
  /// - Parameter errors: empty if it succeeded.
  private func end(with errors: [any Error]) {
    hasFailed = !errors.isEmpty
    thrownError = nil
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
