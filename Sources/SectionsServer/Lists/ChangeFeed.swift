import FetchedResults
import RowQueries
import SQLiteStorage

/// The rows that were changed last, in all tables.
struct ChangeNews: FeedNews {
  /// As JSON, the oldest first. The number of the last one is `last`.
  private var entries: [[UInt8]] = []
  private var size = 0
  private var last = 0
  /// Why the changes are not known; nil if they are.
  private var problem: String?
  private let limits: ServerLimits

  init(_ limits: ServerLimits) { self.limits = limits }

  mutating func end() {
    (entries, size) = ([], 0)
    last += 1
  }

  /// Notes why the changes are not known.
  ///
  /// - Returns: whether that is new.
  mutating func show(problem: String?) -> Bool {
    guard self.problem != problem else { return false }
    self.problem = problem
    // Changes may have been missed: the entries before do not lead to those after.
    end()
    return true
  }

  mutating func add(_ new: [ChangeEntry]) {
    for entry in new {
      last += 1
      let json = entry.json(number: last)
      entries.append(json)
      size += json.count
    }
    while entries.count > limits.changes || size > limits.changesSize, !entries.isEmpty {
      size -= entries.removeFirst().count
    }
  }

  /// Appends the members of a JSON object with the entries after the one with a number.
  func append(after known: Int?, _ run: RunName, to buffer: OutputBuffer) {
    let first = last - entries.count + 1
    // A later one is of a server that has ended.
    let start = known.map { $0 > last ? first : max(first, $0 + 1) } ?? first
    buffer.member("before", run.text(start - 1))
    buffer.member("last", run.text(last))
    if let problem { buffer.member("problem", problem) }
    buffer.member("entries")
    buffer.append(array: entries.suffix(max(0, last - start + 1))) { buffer.append(bytes: $0) }
  }

  func event(after known: Int?, _ run: RunName) -> (number: Int, bytes: [UInt8])? {
    (last, WindowEvent.log { append(after: known, run, to: $0) })
  }
}

typealias ChangeFeed = NewsFeed<ChangeNews>

extension ChangeFeed {
  convenience init(_ context: ServedList.Context) {
    let follower = ChangeFollower(context)
    self.init(ChangeNews(context.limits), context.run, idleTime: context.limits.changesTime) {
      await follower.follow($0)
    }
  }
}

/// Follows the changes of a file for the feed.
private struct ChangeFollower: Sendable {
  private let context: ServedList.Context
  private let reader: ChangeReader

  init(_ context: ServedList.Context) {
    self.context = context
    reader = ChangeReader(limit: context.limits.changesOfBatch)
  }

  /// Follows the file that is at the path, until the task is cancelled.
  func follow(_ change: ChangeFeed.Change) async {
    while !Task.isCancelled {
      do {
        try await followFile(change)
      } catch {
        let error = RequestError(error, context.terms)
        change { $0.show(problem: "\(error.message). \(error.nextStep)") }
        // What lasts is not asked for again so soon.
        let pause = error.status == 400 ? Duration.seconds(5) : .milliseconds(500)
        try? await Task.sleep(for: pause, clock: .suspending)
      }
    }
  }

  private func followFile(_ change: ChangeFeed.Change) async throws {
    let database = try await reader.database(context.opener)
    guard database.snapshotKind == .pinned else {
      // Each batch would be a copy of the file, while which writers wait.
      throw RequestError(
        400, "the changes of a file that is not in WAL mode are not followed",
        nextStep: "Run PRAGMA journal_mode = WAL")
    }
    var log = database.changes().makeAsyncIterator()
    _ = try await log.begin()
    change { $0.show(problem: nil) }
    while let changes = try await log.next() {
      let entries = try await reader.entries(of: changes)
      change { news in
        news.add(entries)
        return true
      }
    }
  }
}
