import SQLiteStorage

/// One connection that receives events: all that its windows show, in order.
///
/// Sendable: a lock protects the state.
final class EventStream: Sendable {
  /// Names the stream. Who knows it may move its windows, so it cannot be guessed.
  let name: String
  private let inbox = EventInbox()
  private let windows = Locked((clients: [Int: WindowClient](), count: 0))
  private let onEnd: @Sendable () -> Void

  /// - Parameter onEnd: called when the stream is released.
  init(name: String, onEnd: @escaping @Sendable () -> Void) {
    self.name = name
    self.onEnd = onEnd
  }

  deinit { onEnd() }

  /// Adds a window of a list.
  ///
  /// - Throws: what the list throws: see ``ServedList/show(_:for:)``; `RequestError` if there are too many windows.
  @discardableResult
  func open(_ place: WindowPlace, of list: ServedList, limit: Int) async throws -> WindowClient {
    let number = try windows.withLock { windows in
      guard windows.clients.count < limit else {
        throw RequestError(
          503, "\(limit) windows of this stream are open", nextStep: "Close some of them",
          retryAfter: 5)
      }
      windows.count += 1
      return windows.count
    }
    let client = WindowClient(
      "\(name).\(number)", of: list, sender: EventInbox.Sender(inbox: inbox, window: number))
    try await list.show(place, for: client)
    windows.withLock { $0.clients[number] = client }
    client.sender.send()
    return client
  }

  func client(_ number: Int) -> WindowClient? { windows.withLock { $0.clients[number] } }

  func close(_ client: WindowClient) {
    // Released outside of the lock.
    let removed = windows.withLock { $0.clients.removeValue(forKey: client.sender.window) }
    withExtendedLifetime(removed) {}
  }

  /// The next bytes to send; nil at the end. A client that does not ask for long gets the changes of that time as one.
  func next() async -> [UInt8]? {
    while true {
      switch await inbox.next() {
      case .window(let number):
        guard let client = client(number), let event = client.nextEvent() else { continue }
        // An error may follow.
        client.sender.send()
        return event
      case .comment: return WindowEvent.comment
      case .end: return nil
      }
    }
  }

  func addComment() { inbox.addComment() }
  func end() { inbox.end() }
}

/// A part of a list, by the number of its first line. If the row with `key` is there, it is in the middle instead.
struct WindowPlace: Sendable {
  let from: Int
  let size: Int
  var key: String?
}

/// One window of a stream of events.
///
/// Sendable: a lock protects the state. The window is counted until the client is released.
final class WindowClient: Sendable {
  /// Names the window in requests and events.
  let name: String
  let list: ServedList
  let sender: EventInbox.Sender

  private struct Content {
    /// What the client is to show; nil before the first window.
    var window: SharedWindow?
    /// The number of the last move that led there.
    var move = 0
    var shown: SharedWindow.Shown?
    var shownMove = 0
    /// The event of an error, if the client shows one.
    var shownError: [UInt8]?
  }

  private let content = Locked(Content())

  init(_ name: String, of list: ServedList, sender: EventInbox.Sender) {
    self.name = name
    self.list = list
    self.sender = sender
    list.usage.addClient()
  }

  deinit {
    content.withLock { $0.window }?.remove(sender)
    list.usage.removeClient()
  }

  /// Whether a later move was made already: requests of one client may overtake each other.
  func hasMoved(beyond move: Int) -> Bool { content.withLock { $0.move > move } }

  /// Shows a window from now on.
  func show(_ window: SharedWindow, move: Int) {
    window.add(sender)
    let old = content.withLock { content in
      defer { (content.window, content.move) = (window, move) }
      return content.window
    }
    if let old, old !== window { old.remove(sender) }
    sender.send()
  }

  /// The event that leads from what the client shows to what it is to show; nil if that is the same.
  func nextEvent() -> [UInt8]? {
    content.withLock { content in
      guard let window = content.window else { return nil }
      let isSame =
        content.shown.map { $0.window === window && $0.state.version == window.state.version }
      if isSame == true, content.shownMove == content.move {
        guard let error = window.error, error != content.shownError else { return nil }
        content.shownError = error
        return WindowEvent.id(name, move: content.move) + error
      }
      let (event, state) = window.event(from: content.shown)
      content.shown = SharedWindow.Shown(window: window, state: state)
      content.shownMove = content.move
      content.shownError = nil
      return WindowEvent.id(name, move: content.move) + event
    }
  }
}
