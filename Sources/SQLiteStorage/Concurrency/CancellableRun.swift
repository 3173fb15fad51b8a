internal import CFetchedResultsSQLite

/// One asynchronous use of a connection, which a cancelled task stops.
///
/// The interrupt reaches only this use: before it begins, cancelling keeps it from beginning;
/// after it has ended, the connection may be somebody else's and is left alone.
final class CancellableRun: Sendable {
  private enum Phase {
    case waiting
    case running(Interrupter)
    case cancelled
    case ended
  }

  private let phase = Guarded(Phase.waiting)

  /// Runs `body` on a thread that may block, and waits for it; cancelling the task stops the run.
  ///
  /// - Parameter enqueue: runs what it is given on such a thread.
  static func perform<Result: Sendable>(
    by enqueue: (@escaping @Sendable () -> Void) -> Void,
    _ body: @escaping @Sendable (CancellableRun) throws -> Result
  ) async throws -> Result {
    let run = CancellableRun()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        enqueue { continuation.resume(with: Swift.Result { try body(run) }) }
      }
    } onCancel: {
      run.cancel()
    }
  }

  /// Runs `body` in a transaction, unless the run was cancelled before.
  ///
  /// Only `body` is stopped: a commit that has begun is carried out, and a rollback has to be.
  ///
  /// - Throws: `CancellationError` where the run was cancelled, before or meanwhile; the
  ///   transaction is rolled back then, even where `body` returned.
  func transaction<Result>(
    _ kind: Connection.TransactionKind, on connection: Connection, _ body: () throws -> Result
  ) throws -> Result {
    // BEGIN may wait for a lock, which would be for nothing.
    guard !isCancelled else { throw CancellationError() }
    return try connection.transaction(kind) {
      try run(on: connection) { try body() }
    }
  }

  private func run<Result>(on connection: Connection, _ body: () throws -> Result) throws -> Result
  {
    let interrupter = connection.interrupter
    phase.withLock { if case .waiting = $0 { $0 = .running(interrupter) } }
    guard !isCancelled else { throw CancellationError() }
    // SQLite forgets an interrupt that comes between two statements: the next one asks again.
    sqlite3_progress_handler(
      connection.handle, CancellableRun.checkInterval,
      { context in
        guard let context else { return 0 }
        return Unmanaged<CancellableRun>.fromOpaque(context).takeUnretainedValue().isCancelled
          ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
    let result = Swift.Result { try body() }
    sqlite3_progress_handler(connection.handle, 0, nil, nil)
    let wasCancelled = phase.withLock { phase in
      if case .cancelled = phase { return true }
      phase = .ended
      return false
    }
    guard wasCancelled else { return try result.get() }
    // As long as any statement is under way the interrupt stays, and would stop the rollback.
    connection.resetStatements()
    throw CancellationError()
  }

  private var isCancelled: Bool {
    phase.withLock { if case .cancelled = $0 { true } else { false } }
  }

  /// How many steps of SQLite's virtual machine lie between two looks: some 20 µs.
  private static var checkInterval: Int32 { 1_000 }

  /// Stops the run.
  func cancel() {
    phase.withLock { phase in
      switch phase {
      case .waiting: phase = .cancelled
      case .running(let interrupter):
        // Under the lock, so that the run cannot end and hand the connection on in between.
        interrupter.interrupt()
        phase = .cancelled
      case .cancelled, .ended: break
      }
    }
  }
}
