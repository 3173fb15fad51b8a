import FetchedResults
import RowQueries
import SQLiteStorage

/// The rows that were changed last, in all tables, which all clients share. The file is followed as long as somebody asks.
///
/// Sendable: a lock protects the state.
final class ChangeFeed: Sendable {
  private struct Content {
    /// As JSON, the oldest first. The number of the last one is `last`.
    var entries: [[UInt8]] = []
    var size = 0
    var last = 0
    /// Why the changes are not known; nil if they are.
    var problem: String?
    var senders: Set<EventInbox.Sender> = []
    var following: Task<Void, Never>?
    /// Ends to follow the file when nobody has asked for some time.
    var ending: Task<Void, Never>?
  }

  private let content = Locked(Content())
  private let reader: ChangeReader
  private let opener: DatabaseOpener
  private let run: RunName
  private let limits: ServerLimits
  private let terms: RequestError.Terms

  init(_ context: ServedList.Context) {
    opener = context.opener
    run = context.run
    limits = context.limits
    terms = context.terms
    reader = ChangeReader(limit: context.limits.changesOfBatch)
  }

  // MARK: - Clients

  /// Tells a client of changes from now on.
  func add(_ sender: EventInbox.Sender) {
    content.withLock { content in
      content.senders.insert(sender)
      begin(&content)
    }
  }

  func remove(_ sender: EventInbox.Sender) {
    content.withLock { content in
      content.senders.remove(sender)
      endLater(&content)
    }
  }

  /// Follows the changes for some time, for who asks now and then.
  func touch() {
    content.withLock { content in
      begin(&content)
      endLater(&content)
    }
  }

  /// The entries after the one with a name, which is another server's if it is not known; with the name of the last one.
  func entries(after name: String?) -> (last: String, members: (OutputBuffer) -> Void) {
    let (entries, first, last, problem) = content.withLock { content in
      let first = content.last - content.entries.count + 1
      let known = name.flatMap(run.number) ?? 0
      // A later one is of a server that has ended.
      let start = known > content.last ? first : max(first, known + 1)
      let entries = Array(content.entries.suffix(max(0, content.last - start + 1)))
      return (entries, start, content.last, content.problem)
    }
    let (name, before) = (run.text(last), run.text(first - 1))
    return (
      name,
      { buffer in
        buffer.member("before", before)
        buffer.member("last", name)
        if let problem { buffer.member("problem", problem) }
        buffer.member("entries")
        buffer.append(array: entries) { buffer.append(bytes: $0) }
      }
    )
  }

  /// Ends for good.
  func end() {
    content.withLock { content in
      content.ending?.cancel()
      content.following?.cancel()
      content.following = nil
    }
  }

  private func begin(_ content: inout Content) {
    content.ending?.cancel()
    content.ending = nil
    guard content.following == nil else { return }
    content.following = Task { [weak self] in await self?.follow() }
  }

  private func endLater(_ content: inout Content) {
    guard content.senders.isEmpty else { return }
    content.ending?.cancel()
    content.ending = Task { [weak self, time = limits.changesTime] in
      guard (try? await Task.sleep(for: time, clock: .suspending)) != nil else { return }
      self?.endUnused()
    }
  }

  private func endUnused() {
    content.withLock { content in
      guard content.senders.isEmpty, !Task.isCancelled else { return }
      content.following?.cancel()
      content.following = nil
      // What happens from now on is not known: so what comes later does not follow these.
      (content.entries, content.size) = ([], 0)
      content.last += 1
    }
  }

  // MARK: - Following

  private func follow() async {
    while !Task.isCancelled {
      do {
        try await followFile()
      } catch {
        let error = RequestError(error, terms)
        show(problem: "\(error.message). \(error.nextStep)")
        // What lasts is not asked for again so soon.
        let pause = error.status == 400 ? Duration.seconds(5) : .milliseconds(500)
        try? await Task.sleep(for: pause, clock: .suspending)
      }
    }
  }

  private func followFile() async throws {
    let database = try await reader.database(opener)
    guard database.snapshotKind == .pinned else {
      // Each batch would be a copy of the file, while which writers wait.
      throw RequestError(
        400, "the changes of a file that is not in WAL mode are not followed",
        nextStep: "Run PRAGMA journal_mode = WAL")
    }
    var log = database.changes().makeAsyncIterator()
    _ = try await log.begin()
    show(problem: nil)
    while let changes = try await log.next() { add(try await reader.entries(of: changes)) }
  }

  private func show(problem: String?) {
    let senders = content.withLock { content -> Set<EventInbox.Sender> in
      guard content.problem != problem else { return [] }
      content.problem = problem
      // Changes may have been missed: the entries before do not lead to those after.
      (content.entries, content.size) = ([], 0)
      content.last += 1
      return content.senders
    }
    for sender in senders { sender.send() }
  }

  private func add(_ entries: [ChangeEntry]) {
    let senders = content.withLock { content in
      for entry in entries {
        content.last += 1
        let json = entry.json(number: content.last)
        content.entries.append(json)
        content.size += json.count
      }
      let isKept = { (content: Content) in
        content.entries.count <= self.limits.changes && content.size <= self.limits.changesSize
      }
      while !isKept(content), !content.entries.isEmpty {
        content.size -= content.entries.removeFirst().count
      }
      return content.senders
    }
    for sender in senders { sender.send() }
  }
}

/// The changes as a part of a stream.
///
/// Sendable: a lock protects the state.
final class FeedClient: StreamWindow {
  let sender: EventInbox.Sender
  private let feed: ChangeFeed
  private let id: [UInt8]
  /// The name of the last entry that the client has.
  private let last: Locked<String?>

  init(_ name: String, of feed: ChangeFeed, after last: String?, sender: EventInbox.Sender) {
    self.feed = feed
    self.sender = sender
    self.last = Locked(last)
    id = WindowEvent.id(name, move: 0)
    feed.add(sender)
  }

  deinit { feed.remove(sender) }

  func nextEvent() -> [UInt8]? {
    last.withLock { last in
      let news = feed.entries(after: last)
      last = news.last
      return id + WindowEvent.log(news.members)
    }
  }
}
