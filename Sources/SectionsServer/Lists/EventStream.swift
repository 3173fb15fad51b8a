import FetchedResults
import RowQueries
import SQLiteStorage

/// One connection that receives events: all that its windows show, in order.
///
/// Sendable: a lock protects the state.
final class EventStream: Sendable {
  /// Names the stream. Who knows it may move its windows, so it cannot be guessed.
  let name: String
  private let inbox = EventInbox()
  /// The windows by their numbers, and how many there were. A window that replaces another one is told apart from it.
  private let windows = Locked((clients: [Int: any StreamWindow](), count: 0))
  private let onEnd: @Sendable () -> Void

  /// - Parameter onEnd: called when the stream is released.
  init(name: String, onEnd: @escaping @Sendable () -> Void) {
    self.name = name
    self.onEnd = onEnd
  }

  deinit { onEnd() }

  /// Opens a window of a list, in place of one with the same number.
  ///
  /// - Throws: what the list throws: see ``ServedList/show(_:for:move:)``; `RequestError` if there are too many windows.
  func open(_ number: Int, at place: WindowPlace, of list: ServedList, limit: Int) async throws {
    let client = WindowClient("\(name).\(number)", of: list, sender: makeSender())
    try await list.show(place, for: client)
    try add(client, as: number, limit: limit)
  }

  /// Opens a part that is no window of a list, in place of one with the same number. `make` makes it, with its name.
  ///
  /// - Throws: `RequestError` if there are too many windows.
  func open(
    _ number: Int, limit: Int, _ make: (String, EventInbox.Sender) -> any StreamWindow
  ) throws {
    try add(make("\(name).\(number)", makeSender()), as: number, limit: limit)
  }

  private func makeSender() -> EventInbox.Sender {
    let serial = windows.withLock { windows in
      windows.count += 1
      return windows.count
    }
    return EventInbox.Sender(inbox: inbox, window: serial)
  }

  private func add(_ client: any StreamWindow, as number: Int, limit: Int) throws {
    let old = try windows.withLock { windows in
      guard windows.clients.count < limit || windows.clients[number] != nil else {
        throw RequestError.full(
          "\(limit) windows of this stream are open", nextStep: "Close some of them",
          retryAfter: 5)
      }
      return windows.clients.updateValue(client, forKey: number)
    }
    // Released outside of the lock.
    withExtendedLifetime(old) {}
    client.sender.send()
  }

  /// The window of a list with a number.
  func client(_ number: Int) -> WindowClient? {
    windows.withLock { $0.clients[number] as? WindowClient }
  }

  /// - Returns: whether there was such a window.
  func close(_ number: Int) -> Bool {
    windows.withLock { $0.clients.removeValue(forKey: number) } != nil
  }

  /// The next bytes to send; nil at the end. A client that does not ask for long gets the changes of that time as one.
  func next() async -> [UInt8]? {
    while true {
      switch await inbox.next() {
      case .window(let serial):
        let client = windows.withLock { $0.clients.values.first { $0.sender.window == serial } }
        guard let client, let event = client.nextEvent() else { continue }
        return event
      case .comment: return WindowEvent.comment
      case .end: return nil
      }
    }
  }

  func addComment() { inbox.addComment() }
}

/// One window of a stream of events.
///
/// Sendable: a lock protects the state. The window is counted until the client is released.
final class WindowClient: StreamWindow {
  /// Names the window in requests and events.
  let name: String
  let list: ServedList
  let sender: EventInbox.Sender

  private struct Content {
    /// What the client is to show; nil before the first window.
    var window: SharedWindow?
    /// The number of the last move that led there, and the line of an event that says so.
    var move: Int
    var id: [UInt8]
    var shown: SharedWindow.Shown?
    var shownMove = 0
    /// The event of an error, if the client shows one.
    var shownError: [UInt8]?
  }

  private let content: Locked<Content>

  init(_ name: String, of list: ServedList, sender: EventInbox.Sender) {
    self.name = name
    self.list = list
    self.sender = sender
    content = Locked(Content(move: 0, id: WindowEvent.id(name, move: 0)))
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
      defer {
        (content.window, content.move) = (window, move)
        content.id = WindowEvent.id(name, move: move)
      }
      return content.window
    }
    if let old, old !== window { old.remove(sender) }
    sender.send()
  }

  func nextEvent() -> [UInt8]? {
    content.withLock { content in
      guard let window = content.window else { return nil }
      let news = window.news(
        after: content.shown, isAnswered: content.shownMove == content.move,
        error: content.shownError)
      switch news {
      case .event(let event, let state, let isError):
        content.shown = SharedWindow.Shown(window: window, state: state)
        content.shownMove = content.move
        content.shownError = nil
        // The error that prevents a newer version follows.
        if isError { sender.send() }
        return content.id + event
      case .error(let event):
        content.shownError = event
        return content.id + event
      case nil: return nil
      }
    }
  }
}
