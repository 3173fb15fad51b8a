internal import Dispatch

/// The one connection that writes, used by one block of work after the other.
///
/// `@unchecked Sendable`: the connection is touched only on `queue`, which is serial.
final class Writer: @unchecked Sendable {
  private let queue = DispatchQueue(label: "FetchedResults.Writer")
  private let onQueue = DispatchSpecificKey<Bool>()
  private let connection: Connection

  init(_ connection: Connection) {
    self.connection = connection
    queue.setSpecific(key: onQueue, value: true)
  }

  /// Runs `body` on the calling thread once earlier work is done.
  ///
  /// - Throws: `DatabaseError` of code `.nestedWrite` when called from inside such a body, where
  ///   waiting would never end.
  func sync<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    if DispatchQueue.getSpecific(key: onQueue) == true {
      throw DatabaseError(
        .nestedWrite, "write was called from inside write",
        nextStep: "Use the connection that the outer closure received")
    }
    return try queue.sync { try body(connection) }
  }

  /// Runs `body` on the queue once earlier work is done; a cancelled task stops it.
  func async<Result: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    let run = CancellableRun()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.async {
          continuation.resume(
            with: Swift.Result { try run.run(on: self.connection) { try body(self.connection) } })
        }
      }
    } onCancel: {
      run.cancel()
    }
  }
}
