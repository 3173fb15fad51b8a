internal import CSQLite
internal import Synchronization

/// Interrupts a connection: its running statement fails with `.interrupted` at its next step.
///
/// Sendable: it may be called from any thread, even after the connection was closed.
package final class Interrupter: Sendable {
  /// The address of the handle; 0 after the connection is closed. The lock keeps the handle open
  /// during `interrupt`, the only call that SQLite allows on another thread.
  private let handle: Locked<UInt>
  private let calls = Atomic<Int>(0)

  /// How many times it was called. A call of SQLite during which it grows may fail because of that.
  var count: Int { calls.load(ordering: .acquiring) }

  init(handle: OpaquePointer) { self.handle = Locked(UInt(bitPattern: handle)) }

  /// Interrupts the connection; has no effect if it runs nothing or is closed.
  package func interrupt() {
    handle.withLock { address in
      guard let handle = OpaquePointer(bitPattern: address) else { return }
      // First, so that it is counted when SQLite notices.
      calls.add(1, ordering: .releasing)
      sqlite3_interrupt(handle)
    }
  }

  func invalidate() { handle.withLock { $0 = 0 } }
}
