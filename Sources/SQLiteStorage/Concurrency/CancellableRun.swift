internal import Synchronization

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

  private let phase = Mutex(Phase.waiting)

  /// Runs `body`, unless the run was cancelled before.
  ///
  /// - Throws: `CancellationError` where the run was cancelled, before or meanwhile.
  func run<Result>(on connection: Connection, _ body: () throws -> Result) throws -> Result {
    let interrupter = connection.interrupter
    let mayBegin = phase.withLock { phase in
      guard case .waiting = phase else { return false }
      phase = .running(interrupter)
      return true
    }
    guard mayBegin else { throw CancellationError() }
    defer { phase.withLock { if case .running = $0 { $0 = .ended } } }
    do {
      return try body()
    } catch let error as DatabaseError where .interrupted ~= error.resultCode {
      let wasCancelled = phase.withLock { if case .cancelled = $0 { true } else { false } }
      throw wasCancelled ? CancellationError() : error
    }
  }

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
