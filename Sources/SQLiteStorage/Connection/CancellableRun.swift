internal import CSQLite

/// The interrupters of all open connections of a database.
final class InterrupterRegistry: Sendable {
  private let entries = Locked<[Weak<Interrupter>]>([])

  func add(_ interrupter: Interrupter) {
    entries.withLock { entries in
      entries.removeAll { $0.object == nil }
      entries.append(Weak(interrupter))
    }
  }

  func interruptAll() {
    for entry in entries.withLock({ $0 }) { entry.object?.interrupt() }
  }
}

/// One asynchronous use of a connection, which is interrupted if the task is cancelled.
///
/// The interrupt affects only this use. Cancelling before the use prevents it. Cancelling after the
/// use has no effect, since the connection may have another user then.
final class CancellableRun: Sendable {
  private enum Phase {
    case waiting
    case running(Interrupter)
    case cancelled
    case ended
  }

  private let phase = Locked(Phase.waiting)

  /// Runs `body` on a thread that may block, and waits for it. Cancelling the task interrupts it.
  ///
  /// - Parameter enqueue: runs its argument on such a thread.
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

  /// Runs `body` in a transaction, unless the run is already cancelled.
  ///
  /// Only `body` is interrupted: a commit or rollback that has begun is completed.
  ///
  /// - Throws: `CancellationError` if the run was cancelled before or during `body`. The
  ///   transaction is rolled back then, even if `body` returned.
  func transaction<Result>(
    _ kind: Connection.TransactionKind, on connection: Connection, _ body: () throws -> Result
  ) throws -> Result {
    // BEGIN may wait for a lock, which would be useless.
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
    // SQLite ignores an interrupt between two statements, so the next statement checks again.
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
    // The interrupt applies while any statement runs, and would also interrupt the rollback.
    connection.resetStatements()
    throw CancellationError()
  }

  private var isCancelled: Bool {
    phase.withLock { if case .cancelled = $0 { true } else { false } }
  }

  /// The number of virtual machine instructions between two checks: some 20 µs.
  private static var checkInterval: Int32 { 1_000 }

  func cancel() {
    phase.withLock { phase in
      switch phase {
      case .waiting: phase = .cancelled
      case .running(let interrupter):
        // Under the lock, so that the run cannot end before the interrupt and release the
        // connection.
        interrupter.interrupt()
        phase = .cancelled
      case .cancelled, .ended: break
      }
    }
  }
}
