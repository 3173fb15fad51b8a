import SQLiteStorage

/// What a stream of events is to look at, when it has sent what it had before.
///
/// It holds no events: so a slow client has no queue, and gets one event for several changes.
///
/// Sendable: a lock protects the state.
final class EventInbox: Sendable {
  enum Message: Sendable {
    /// The window with this number has something new.
    case window(Int)
    /// Nothing was sent for some time.
    case comment
    case end
  }

  /// One window of the stream.
  struct Sender: Sendable, Hashable {
    let inbox: EventInbox
    let window: Int

    func send() { inbox.add(window) }
    func end() { inbox.end() }

    static func == (one: Sender, other: Sender) -> Bool {
      one.inbox === other.inbox && one.window == other.window
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(ObjectIdentifier(inbox))
      hasher.combine(window)
    }
  }

  private struct Content {
    /// The windows with something new, the one that waits longest first.
    var windows: [Int] = []
    var wantsComment = false
    var isEnded = false
    var waiter: CheckedContinuation<Message, Never>?

    var next: Message? {
      mutating get {
        if isEnded { return .end }
        if !windows.isEmpty { return .window(windows.removeFirst()) }
        defer { wantsComment = false }
        return wantsComment ? .comment : nil
      }
    }
  }

  private let content = Locked(Content())

  /// The next message; waits for it. It is `end` if the task is cancelled.
  func next() async -> Message {
    if let message = content.withLock({ $0.next }) { return message }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        change { content in
          if Task.isCancelled { content.isEnded = true }
          content.waiter = waiter
        }
      }
    } onCancel: {
      end()
    }
  }

  private func add(_ window: Int) {
    change { content in
      if !content.windows.contains(window) { content.windows.append(window) }
      content.wantsComment = false
    }
  }

  /// Asks for a comment, unless there is something else to send.
  func addComment() { change { $0.wantsComment = $0.windows.isEmpty } }

  func end() { change { $0.isEnded = true } }

  /// Changes the content, and wakes who waits if there is a message now.
  private func change(_ body: (inout Content) -> Void) {
    let wake = content.withLock {
      content -> (waiter: CheckedContinuation<Message, Never>, message: Message)? in
      body(&content)
      guard let waiter = content.waiter, let message = content.next else { return nil }
      content.waiter = nil
      return (waiter, message)
    }
    if let wake { wake.waiter.resume(returning: wake.message) }
  }
}
