internal import CFetchedResultsSQLite

/// Stops what a connection is doing: its statement fails with `.interrupted` at its next step.
///
/// Sendable: it may be called from any thread, also after the connection was closed.
public final class Interrupter: Sendable {
  /// The handle, until the connection closes it. The lock keeps it open for as long as
  /// `interrupt` looks at it; SQLite allows this one call from another thread.
  private let handle: Guarded<UInt>

  init(handle: OpaquePointer) { self.handle = Guarded(UInt(bitPattern: handle)) }

  /// Interrupts the connection; without effect where it does nothing or is closed.
  public func interrupt() {
    handle.withLock { address in
      if let handle = OpaquePointer(bitPattern: address) { sqlite3_interrupt(handle) }
    }
  }

  func invalidate() { handle.withLock { $0 = 0 } }
}

/// The interrupters of all connections that a database has open.
final class InterrupterRegistry: Sendable {
  private struct Entry: Sendable {
    weak var interrupter: Interrupter?
  }

  private let entries = Guarded<[Entry]>([])

  func add(_ interrupter: Interrupter) {
    entries.withLock { entries in
      entries.removeAll { $0.interrupter == nil }
      entries.append(Entry(interrupter: interrupter))
    }
  }

  func interruptAll() {
    for entry in entries.withLock({ $0 }) { entry.interrupter?.interrupt() }
  }
}
