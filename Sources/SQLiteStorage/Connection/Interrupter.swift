internal import CFetchedResultsSQLite

/// Interrupts a connection: its running statement fails with `.interrupted` at its next step.
///
/// Sendable: it may be called from any thread, even after the connection was closed.
public final class Interrupter: Sendable {
  /// The address of the handle; 0 after the connection is closed. The lock keeps the handle open
  /// during `interrupt`, the only call that SQLite allows on another thread.
  private let handle: Locked<UInt>

  init(handle: OpaquePointer) { self.handle = Locked(UInt(bitPattern: handle)) }

  /// Interrupts the connection; has no effect if it runs nothing or is closed.
  public func interrupt() {
    handle.withLock { address in
      if let handle = OpaquePointer(bitPattern: address) { sqlite3_interrupt(handle) }
    }
  }

  func invalidate() { handle.withLock { $0 = 0 } }
}

/// The interrupters of all open connections of a database.
final class InterrupterRegistry: Sendable {
  private struct Entry: Sendable {
    weak var interrupter: Interrupter?
  }

  private let entries = Locked<[Entry]>([])

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
