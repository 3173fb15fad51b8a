import SQLiteStorage

/// How many clients follow a list, and when it was asked for last.
///
/// Sendable: a lock protects the state.
final class ListUsage: Sendable {
  private let content = Locked((clientCount: 0, requestCount: 0, lastUse: SuspendingClock.now))

  /// Counts a request, which may wait for the first fetch.
  func beginRequest() { content.withLock { $0.requestCount += 1 } }

  func endRequest() {
    content.withLock { content in
      content.requestCount -= 1
      content.lastUse = .now
    }
  }

  func addClient() { content.withLock { $0.clientCount += 1 } }

  func removeClient() {
    content.withLock { content in
      content.clientCount -= 1
      content.lastUse = .now
    }
  }

  /// Since when the list has not been used; nil if it is.
  var idleSince: SuspendingClock.Instant? {
    content.withLock { content in
      content.clientCount == 0 && content.requestCount == 0 ? content.lastUse : nil
    }
  }
}
