import SQLiteStorage

/// What a feed tells of a file.
protocol FeedNews: Sendable {
  /// Forgets what does not lead to what comes later, when the file is no longer followed.
  mutating func end()

  /// What a client is to be told, which knows the news up to a number; nil while nothing is known.
  ///
  /// - Parameter run: names the numbers.
  func event(after known: Int?, _ run: RunName) -> (number: Int, bytes: [UInt8])?
}

/// News that all clients share. The file is followed as long as there are clients, and for some time after.
///
/// Sendable: a lock protects the state.
final class NewsFeed<Content: FeedNews>: Sendable {
  /// Changes the news, and tells all clients if its argument returns true. It does nothing after the file is no longer followed.
  typealias Change = @Sendable (_ body: (inout Content) -> Bool) -> Void

  private struct State {
    var content: Content
    var senders: Set<EventInbox.Sender> = []
    var following: Task<Void, Never>?
    /// How often the file was begun to be followed.
    var beginCount = 0
    /// Ends to follow the file when nobody has asked for some time.
    var ending: Task<Void, Never>?
  }

  private let state: Locked<State>
  fileprivate let run: RunName
  private let idleTime: Duration
  private let follow: @Sendable (@escaping Change) async -> Void

  /// - Parameters:
  ///   - idleTime: how long the file is followed after the last client has gone.
  ///   - follow: follows the file until its task is cancelled.
  init(
    _ content: Content, _ run: RunName, idleTime: Duration,
    follow: @escaping @Sendable (@escaping Change) async -> Void
  ) {
    state = Locked(State(content: content))
    self.run = run
    self.idleTime = idleTime
    self.follow = follow
  }

  var content: Content { state.withLock { $0.content } }

  /// Tells a client of what happens from now on.
  func add(_ sender: EventInbox.Sender) {
    state.withLock { state in
      state.senders.insert(sender)
      begin(&state)
    }
  }

  func remove(_ sender: EventInbox.Sender) {
    state.withLock { state in
      state.senders.remove(sender)
      endLater(&state)
    }
  }

  /// Follows the file for some time, for who asks now and then.
  func touch() {
    state.withLock { state in
      begin(&state)
      endLater(&state)
    }
  }

  /// Ends for good.
  func end() {
    state.withLock { state in
      state.ending?.cancel()
      Self.end(&state)
    }
  }

  private static func end(_ state: inout State) {
    state.following?.cancel()
    state.following = nil
    state.content.end()
  }

  private func begin(_ state: inout State) {
    state.ending?.cancel()
    state.ending = nil
    guard state.following == nil else { return }
    state.beginCount += 1
    let change: Change = { [weak self, number = state.beginCount] in self?.change(number, $0) }
    state.following = Task { [follow] in await follow(change) }
  }

  private func endLater(_ state: inout State) {
    guard state.senders.isEmpty else { return }
    state.ending?.cancel()
    state.ending = Task { [weak self, idleTime] in
      guard (try? await Task.sleep(for: idleTime, clock: .suspending)) != nil else { return }
      self?.endUnused()
    }
  }

  private func endUnused() {
    state.withLock { state in
      if state.senders.isEmpty, !Task.isCancelled { Self.end(&state) }
    }
  }

  /// - Parameter number: which following of the file has found the change.
  private func change(_ number: Int, _ body: (inout Content) -> Bool) {
    let senders = state.withLock { state -> Set<EventInbox.Sender> in
      // It was ended meanwhile.
      guard state.following != nil, state.beginCount == number, body(&state.content) else {
        return []
      }
      return state.senders
    }
    for sender in senders { sender.send() }
  }
}

/// The news of a feed as a part of a stream.
///
/// Sendable: a lock protects the state.
final class NewsClient<Content: FeedNews>: StreamWindow {
  let sender: EventInbox.Sender
  private let feed: NewsFeed<Content>
  private let id: [UInt8]
  /// The number up to which the client knows the news, and that of the last event.
  private let state: Locked<(known: Int?, told: Int?)>

  /// - Parameter name: the name of the last news that the client knows; nil if it knows none.
  init(
    _ window: String, of feed: NewsFeed<Content>, after name: String?, sender: EventInbox.Sender
  ) {
    self.feed = feed
    self.sender = sender
    state = Locked((known: name.flatMap(feed.run.number), told: nil))
    id = WindowEvent.id(window, move: 0)
    feed.add(sender)
  }

  deinit { feed.remove(sender) }

  func nextEvent() -> [UInt8]? {
    state.withLock { state in
      guard let event = feed.content.event(after: state.known, feed.run),
        event.number != state.told
      else { return nil }
      state = (event.number, event.number)
      return id + event.bytes
    }
  }
}
