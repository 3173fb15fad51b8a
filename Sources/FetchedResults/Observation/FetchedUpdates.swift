public import SQLiteStorage
public import TableData

/// The versions of a result, one after the other, for code that has no list to update: a server, a
/// command, a test.
///
/// ```swift
/// let updates = FetchedUpdates(
///   database: database, request: Track.all.sorted(by: \.name), sectionedBy: .property(\.genre))
/// for try await update in updates {
///   print(update.changes, update.new.objects.count)
/// }
/// ```
///
/// The first element is the result as it is, with nothing old and no changes. Each further one
/// leads from the element before it to the newest version at the time it is asked for: a consumer
/// that takes its time gets several transactions as one batch, and never a queue of them. A
/// transaction that changes nothing in the result gives no element. A cancelled task ends the
/// sequence.
///
/// An error ends an iteration, not the sequence: the iterator may be asked again, and goes on from
/// the last element. It tries again with the next commit; where the error may pass without one, as a
/// lack of room does, after a while too.
///
/// Sendable: every iterator observes on its own.
public struct FetchedUpdates<Record: Sendable>: AsyncSequence, Sendable {
  /// A version, and what led to it.
  public struct Element: Sendable {
    /// The version before; nil for the first one.
    public let old: FetchedSnapshot<Record>?
    /// The version.
    public let new: FetchedSnapshot<Record>
    /// What turns the old version into the new one; empty for the first one.
    public let changes: TableChanges
    /// What has told which rows changed; nil for the first element.
    public let source: ChangeSource?
  }

  private let fetch: ResultsFetch<Record>

  /// The versions of a request's result.
  public init(
    database: Database, request: FetchRequest<Record>,
    sectionedBy sectionKey: SectionKey<Record>? = nil
  ) {
    fetch = ResultsFetch(database: database, request: request, sectionKey: sectionKey)
  }

  /// Begins with the result as it is when the first element is asked for.
  public func makeAsyncIterator() -> Iterator { Iterator(fetch) }

  /// Goes from version to version.
  ///
  /// Not Sendable: it belongs to the task that iterates.
  public struct Iterator: AsyncIteratorProtocol {
    private let fetch: ResultsFetch<Record>
    private let engine = EngineQueue()
    private var commits: AsyncStream<Void>.Iterator
    private var current: FetchedSnapshot<Record>?
    /// Why the last element was not reached; nil where it was.
    private var failure: (any Error)?
    private var retryDelay = RetryDelay()

    fileprivate init(_ fetch: ResultsFetch<Record>) {
      self.fetch = fetch
      // From here on, so that no commit after the first fetch is missed.
      commits = fetch.database.commits.makeAsyncIterator()
    }

    /// The next version.
    ///
    /// - Throws: `FetchError` and `DatabaseError`.
    public mutating func next() async throws -> Element? {
      if let failure {
        guard await waitForChance(after: failure) else { return nil }
        self.failure = nil
      }
      do {
        let element = try await nextElement()
        retryDelay = RetryDelay()
        return element
      } catch {
        failure = error
        throw error
      }
    }

    private mutating func nextElement() async throws -> Element? {
      while !Task.isCancelled {
        guard let current else {
          let first = try await engine.run { [fetch] in try fetch.run(isTracked: true) }.get()
          return self.advance(to: first)
        }
        let advance = current.content.advance(by: fetch)
        let step = await engine.run { [fetch] in try advance(try fetch.database.snapshot()) }
        if let next = try step.get() {
          let element = self.advance(to: next)
          if !next.changes.isEmpty { return element }
        } else {
          guard await commits.next() != nil else { return nil }
        }
      }
      return nil
    }

    /// Waits until another try may go better.
    ///
    /// - Returns: false where there is none any more.
    private mutating func waitForChance(after failure: any Error) async -> Bool {
      guard let delay = retryDelay.next(after: [failure]) else {
        return await commits.next() != nil
      }
      // Another stream, since to stop waiting for one ends it.
      let commits = fetch.database.commits
      await withTaskGroup(of: Void.self) { group in
        group.addTask { for await _ in commits { return } }
        group.addTask { try? await Task.sleep(for: delay, clock: .suspending) }
        await group.next()
        group.cancelAll()
      }
      return !Task.isCancelled
    }

    private mutating func advance(to next: NextContent<Record>) -> Element {
      let new = FetchedSnapshot(next)
      defer { current = new }
      return Element(old: current, new: new, changes: next.changes, source: next.source)
    }
  }
}
