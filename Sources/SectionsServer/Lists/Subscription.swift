import SQLiteStorage

/// One client of a window: its first event, and then those that follow what it shows.
///
/// Sendable: a lock protects the state. The client is counted until the subscription is released.
final class Subscription: Sendable {
  private let window: SharedWindow
  private let usage: ListUsage
  /// What the client shows, and the event that leads to it if it was not sent yet.
  private let content: Locked<(shown: SharedWindow.State, first: [UInt8]?)>

  /// - Parameters:
  ///   - first: the event that leads to `shown`; nil if the client shows it already.
  init(
    _ window: SharedWindow, showing shown: SharedWindow.State, first: [UInt8]?, usage: ListUsage
  ) {
    self.window = window
    content = Locked((shown, first))
    self.usage = usage
    window.addClient()
    usage.addClient()
  }

  deinit {
    window.removeClient()
    usage.removeClient()
  }

  /// The next bytes to send; nil at the end.
  func next() async -> [UInt8]? {
    let (shown, first) = content.withLock { content in
      defer { content.first = nil }
      return content
    }
    if let first { return first }
    switch await window.next(after: shown) {
    case .event(let bytes, let state):
      content.withLock { $0.shown = state }
      return bytes
    case .error(let bytes): return bytes
    case .comment: return WindowEvent.comment
    case .end: return nil
    }
  }
}
