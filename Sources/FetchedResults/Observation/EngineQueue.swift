internal import Dispatch
internal import Synchronization

/// A serial queue for the work between two versions, which knows the latest request. The work is not
/// done on the caller's actor, nor on Swift's own threads: there are few of them, and they must not
/// wait for a disk.
///
/// Sendable: a queue and an atomic number.
final class EngineQueue: Sendable {
  private let queue = DispatchQueue(label: "FetchedResults.Engine")
  private let latestRequest = Atomic(0)

  /// Runs `body` after earlier work.
  func run<Success: Sendable>(
    _ body: @escaping @Sendable () throws -> Success
  ) async -> Result<Success, any Error> {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Result { try body() }) }
    }
  }

  /// Begins a request, which supersedes all earlier ones.
  ///
  /// - Returns: its number.
  @discardableResult
  func beginRequest() -> Int { latestRequest.add(1, ordering: .relaxed).newValue }

  /// - Throws: `CancellationError` if a later request has begun. Can be called on any thread.
  func checkIsLatest(_ number: Int) throws {
    if latestRequest.load(ordering: .relaxed) != number { throw CancellationError() }
  }
}
