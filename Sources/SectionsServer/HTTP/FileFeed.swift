import SQLiteStorage

/// That the file has changed, and what its tables and views are then, for all clients. The file is followed as long as there
/// are some.
///
/// Sendable: a lock protects the state.
final class FileFeed: Sendable {
  private struct Content {
    /// What was read last. Its number names the version.
    var sources: SourceList.Content?
    /// The number of the first version with the same sources.
    var sourcesSince = 0
    /// Whether it was read since the file is followed.
    var isCurrent = false
    var senders: Set<EventInbox.Sender> = []
    var following: Task<Void, Never>?
  }

  /// What a client is told.
  struct News {
    /// The number of the version.
    let number: Int
    let event: [UInt8]
  }

  private let content = Locked(Content())
  private let list: SourceList
  private let run: RunName
  private let pause: Duration

  init(_ list: SourceList, _ context: ServedList.Context) {
    self.list = list
    run = context.run
    pause = context.limits.filePause
  }

  /// Tells a client of changes from now on.
  func add(_ sender: EventInbox.Sender) {
    content.withLock { content in
      content.senders.insert(sender)
      if content.following == nil {
        content.following = Task { [weak self, list, pause] in
          await list.follow(pause: pause) { [weak self] in self?.show($0) }
        }
      }
    }
  }

  func remove(_ sender: EventInbox.Sender) {
    content.withLock { content in
      content.senders.remove(sender)
      if content.senders.isEmpty { Self.end(&content) }
    }
  }

  /// Ends for good.
  func end() { content.withLock { Self.end(&$0) } }

  private static func end(_ content: inout Content) {
    content.following?.cancel()
    content.following = nil
    content.isCurrent = false
  }

  private func show(_ sources: SourceList.Content) {
    let senders = content.withLock { content -> Set<EventInbox.Sender> in
      // It was ended meanwhile, or was followed anew and knows more.
      guard content.following != nil, sources.number >= content.sources?.number ?? 0 else {
        return []
      }
      let isNew = !content.isCurrent || content.sources?.number != sources.number
      if content.sources?.json != sources.json { content.sourcesSince = sources.number }
      content.sources = sources
      content.isCurrent = true
      return isNew ? content.senders : []
    }
    for sender in senders { sender.send() }
  }

  /// What a client is to be told, which knows a version; nil while nothing is known.
  func news(after known: Int?) -> News? {
    content.withLock { content in
      guard content.isCurrent, let sources = content.sources else { return nil }
      // A later one is of a server that has ended.
      let isKnown = known.map { content.sourcesSince...sources.number ~= $0 } ?? false
      let event = WindowEvent.file(
        version: run.text(sources.number), schema: sources.schema,
        sources: isKnown ? nil : sources.json)
      return News(number: sources.number, event: event)
    }
  }

  /// The number of a version, if the name is of this server.
  func number(_ name: String) -> Int? { run.number(name) }
}

/// The changes of the file as a part of a stream.
///
/// Sendable: a lock protects the state.
final class FileClient: StreamWindow {
  let sender: EventInbox.Sender
  private let feed: FileFeed
  private let id: [UInt8]
  /// The number of the version that the client knows, and that of the last event.
  private let state: Locked<(known: Int?, told: Int?)>

  /// - Parameter name: the name of the version that the client knows; nil if it knows none.
  init(_ window: String, of feed: FileFeed, after name: String?, sender: EventInbox.Sender) {
    self.feed = feed
    self.sender = sender
    state = Locked((known: name.flatMap(feed.number), told: nil))
    id = WindowEvent.id(window, move: 0)
    feed.add(sender)
  }

  deinit { feed.remove(sender) }

  func nextEvent() -> [UInt8]? {
    state.withLock { state in
      guard let news = feed.news(after: state.known), news.number != state.told else { return nil }
      state = (news.number, news.number)
      return id + news.event
    }
  }
}
