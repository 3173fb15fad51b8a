internal import Dispatch

/// Where the work between two versions is done: not on the actor of whoever shows them, nor on
/// Swift's own threads, of which there are few and which must not wait for a disk.
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
