internal import CSQLite
internal import Synchronization

/// Stops what a connection is doing: its statement fails with `.interrupted` at its next step.
///
/// Sendable: it may be called from any thread, also after the connection was closed.
public final class Interrupter: Sendable {
  /// The handle, until the connection closes it. The lock keeps it open for as long as
  /// `interrupt` looks at it; SQLite allows this one call from another thread.
  private let handle: Mutex<UInt>

  init(handle: OpaquePointer) { self.handle = Mutex(UInt(bitPattern: handle)) }

  /// Interrupts the connection; without effect where it does nothing or is closed.
  public func interrupt() {
    handle.withLock { address in
      if let handle = OpaquePointer(bitPattern: address) { sqlite3_interrupt(handle) }
    }
  }

  func invalidate() { handle.withLock { $0 = 0 } }
}
