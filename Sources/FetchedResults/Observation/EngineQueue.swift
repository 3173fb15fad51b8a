internal import SQLiteStorage
internal import Synchronization

/// A serial queue for the work between two versions, which knows the latest request. The work is not
/// done on the caller's actor, nor on Swift's own threads: there are few of them, and they must not
/// wait for a disk. All queues of a database share a few threads.
///
/// Sendable: the numbers are atomic.
final class EngineQueue: Sendable {
  private let queue: ReadQueue
  private let latestRequest = Atomic(0)
  /// The latest request when one was last set.
  private let setRequest = Atomic(0)
  private let latestFetch = Atomic(0)

  /// Makes a queue, which does not keep the database alive.
  init(of database: Database) { queue = ReadQueue(limit: 1, on: database.engineThreads) }

  /// Runs `body` after the work of earlier calls.
  func run<Success: Sendable>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @Sendable () throws -> Success
  ) async -> Result<Success, any Error> {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Result { try body() }) }
    }
  }

  /// Releases a value after earlier work. If the caller holds it no longer, it is freed there.
  func release(_ value: some Sendable) {
    queue.async { withExtendedLifetime(value) {} }
  }

  /// What a caller waits for.
  enum Purpose {
    /// The result of another request. It supersedes earlier requests at once, and everything earlier when it
    /// is set: the fetch of the present request continues if the new one fails.
    case request
    /// The newest version of the whole result. It supersedes earlier fetches.
    case fetch
  }

  /// A piece of work that later work may supersede.
  struct Turn: Sendable {
    fileprivate let request: Int
    fileprivate let purpose: Purpose
    /// Nil if no fetch supersedes it.
    fileprivate let fetch: Int?
  }

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

  /// - Throws: ``Superseded`` if a later turn supersedes this one. Can be called on any thread.
  func check(_ turn: Turn) throws {
    let newest =
      turn.purpose == .request
      ? latestRequest.load(ordering: .relaxed) : setRequest.load(ordering: .relaxed)
    if turn.request < newest { throw Superseded.byRequest }
    if let fetch = turn.fetch, fetch != latestFetch.load(ordering: .relaxed) {
      throw Superseded.byFetch
    }
  }
}
