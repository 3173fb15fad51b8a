internal import Dispatch

/// A serial queue for the work between two versions. It is not done on the caller's actor, nor on
/// Swift's own threads: there are few of them, and they must not wait for a disk.
struct EngineQueue: Sendable {
  private let queue = DispatchQueue(label: "FetchedResults.Engine")

  /// Runs `body` after earlier work.
  func run<Success: Sendable>(
    _ body: @escaping @Sendable () throws -> Success
  ) async -> Result<Success, any Error> {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Result { try body() }) }
    }
  }
}
