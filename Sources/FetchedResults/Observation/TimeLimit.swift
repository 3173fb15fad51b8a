package import SQLiteStorage

/// Interrupts statements from a time on, until it is ended.
///
/// Sendable: a task, and a lock.
package final class TimeLimit: Sendable {
  private let task: Task<Void, Never>
  private let hasEnded: Locked<Bool>

  /// Interrupts all statements of a database.
  package convenience init(_ limit: Duration, _ database: Database) {
    self.init(limit) { [weak database] in database?.interrupt() }
  }

  /// Interrupts the statements of a connection. After ``end()`` it interrupts no later one.
  package convenience init(_ limit: Duration, _ connection: Connection) {
    self.init(limit) { [interrupter = connection.interrupter] in interrupter.interrupt() }
  }

  private init(_ limit: Duration, interrupt: @escaping @Sendable () -> Void) {
    let hasEnded = Locked(false)
    self.hasEnded = hasEnded
    task = Task {
      guard (try? await Task.sleep(for: limit, clock: .suspending)) != nil else { return }
      // SQLite ignores an interrupt between two statements, so one call is not enough.
      while !Task.isCancelled {
        hasEnded.withLock { if !$0 { interrupt() } }
        try? await Task.sleep(for: .milliseconds(50), clock: .suspending)
      }
    }
  }

  package func end() {
    hasEnded.withLock { $0 = true }
    task.cancel()
  }

  deinit { task.cancel() }
}
