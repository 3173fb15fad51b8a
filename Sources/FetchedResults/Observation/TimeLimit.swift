package import SQLiteStorage

/// Interrupts the statements of a database from a time on, until it is ended.
///
/// Sendable: a task.
package final class TimeLimit: Sendable {
  private let task: Task<Void, Never>

  package init(_ limit: Duration, _ database: Database) {
    task = Task { [weak database] in
      guard (try? await Task.sleep(for: limit, clock: .suspending)) != nil else { return }
      // SQLite ignores an interrupt between two statements, so one call is not enough.
      while !Task.isCancelled {
        database?.interrupt()
        try? await Task.sleep(for: .milliseconds(50), clock: .suspending)
      }
    }
  }

  package func end() { task.cancel() }

  deinit { task.cancel() }
}
