import SQLiteStorage

/// One client of a window: its first event, and then those that follow what it shows.
///
/// Sendable: a lock protects the state. The client is counted until the subscription is released.
final class Subscription: Sendable {
  private let window: SharedWindow
  private let usage: ListUsage
  /// What the client shows: a version, and the event of an error if it shows one.
  private struct Content {
    var shown: SharedWindow.State
    var error: [UInt8]?
    /// The event that leads to the version if it was not sent yet.
    var first: [UInt8]?
  }

  private let content: Locked<Content>

  /// - Parameters:
  ///   - first: the event that leads to `shown`; nil if the client shows it already.
  init(
    _ window: SharedWindow, showing shown: SharedWindow.State, first: [UInt8]?, usage: ListUsage
  ) {
    self.window = window
    content = Locked(Content(shown: shown, first: first))
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
    let client = content.withLock { content in
      defer { content.first = nil }
      return content
    }
    if let first = client.first { return first }
    switch await window.next(after: client.shown, error: client.error) {
    case .event(let bytes, let state):
      content.withLock { $0 = Content(shown: state) }
      return bytes
    case .error(let bytes):
      content.withLock { $0.error = bytes }
      return bytes
    case .comment: return WindowEvent.comment
    case .end: return nil
    }
  }
}
