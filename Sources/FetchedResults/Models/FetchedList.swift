public import Observation
public import SQLiteStorage
internal import SectionedData

/// A fetched result as observable state: for SwiftUI, and for any code that tracks changes with
/// `withObservationTracking`.
///
/// ```swift
/// struct TrackScreen: View {
///   @State var tracks = FetchedList(
///     database: library, request: Track.all.sorted(by: \.name), sectionedBy: \.genre)
///
///   var body: some View {
///     List(tracks.sections) { section in
///       Section(section.name ?? "") {
///         ForEach(section) { row in Text(row.object?.name ?? "") }
///       }
///     }
///     .task { await tracks.observe() }
///   }
/// }
/// ```
///
/// Nothing is read before ``observe(isolation:)`` or ``fetch()``. After that only the row order is
/// kept in memory: a row that is not on screen costs nothing but its identity. All lists that are
/// observed on one actor show the same version of the database.
///
/// Errors are state too: ``error`` has the reason why the newest version is not shown, and becomes nil once it is
/// shown, no matter what is requested in the meantime.
///
/// Not Sendable: a list belongs to the code that made it, in an app to the main actor.
@Observable
public final class FetchedList<Record: Sendable> {
  /// The database; nil if the view has none.
  @ObservationIgnored var database: Database?
  /// The request and its section key before there is a provider, and after that those of the
  /// provider.
  private var asked: (request: FetchRequest<Record>, sectionKey: SectionKey<Record>?)
  /// The content that is shown; nil before the first fetch.
  private var content: SnapshotReader<Record>?

  /// Why the last request that was set, or the newest version, is not shown; nil if both are. The content stays what
  /// it was.
  public var error: (any Error)? { requestError ?? staleness?.error }
  /// Why the last request that was set is not shown. It ends with the next request or content.
  private var requestError: (any Error)?
  /// Why the newest version is not shown, and the version of the database that is. It ends when a newer one is
  /// shown: another request shows the same version.
  private var staleness: (error: any Error, shown: Snapshot?)?
  /// The number of times that the content has changed, for an animation:
  /// `.animation(.default, value: tracks.version)`.
  public private(set) var version = 0

  /// Runs each change of the content, so that it can be animated.
  @ObservationIgnored var animate: ((() -> Void) -> Void)?
  /// The provider of the content, to move and edit its rows; nil before the first fetch. Do not replace its delegate:
  /// the list uses it.
  @ObservationIgnored public private(set) var provider: FetchedResultsProvider<Record>?
  @ObservationIgnored private var link: Link?
  /// The first fetch, while a call of ``observe(isolation:)`` does it.
  @ObservationIgnored private var firstFetch: FirstFetch?
  /// The number of calls of ``observe(isolation:)`` that have not ended.
  @ObservationIgnored private var observerCount = 0

  /// Makes a list without content.
  ///
  /// - Parameter sectionKey: the key that divides the result into sections; nil for one section.
  public init(
    database: Database, request: FetchRequest<Record>,
    sectionedBy sectionKey: SectionKey<Record>? = nil
  ) {
    self.database = database
    asked = (request, sectionKey)
  }

  /// Makes a list without content, with the sections of a property: a shorter form of
  /// ``SectionKey/property(_:)``.
  public convenience init<Key: ColumnValue>(
    database: Database, request: FetchRequest<Record>,
    sectionedBy keyPath: any KeyPath<Record, Key> & Sendable
  ) { self.init(database: database, request: request, sectionedBy: .property(keyPath)) }

  /// Makes a list that gets its database before it is observed.
  init(request: FetchRequest<Record>, sectionedBy sectionKey: SectionKey<Record>?) {
    asked = (request, sectionKey)
  }

  /// A list without content of the same request, in another database.
  func anew(in database: Database?) -> FetchedList {
    let list = FetchedList(request: asked.request, sectionedBy: asked.sectionKey)
    list.database = database
    return list
  }

  /// Passes the provider's notifications on, so that they are not methods of the list.
  private final class Link: FetchedResultsProviderDelegate {
    private weak var list: FetchedList?

    init(_ list: FetchedList) { self.list = list }

    func provider(_ provider: FetchedResultsProvider<Record>, didChange changes: TableChanges) {}

    func providerDidChangeContent(_ provider: FetchedResultsProvider<Record>) { list?.show() }

    func provider(
      _ provider: FetchedResultsProvider<Record>, didFailWith error: any Error
    ) {
      list?.staleness = (error, provider.shownVersion?.snapshot)
      // A request that was set during a batch may have failed after it. One that is still to be set has not.
      if provider.postponed.request == nil {
        list?.asked = (provider.request, provider.sectionKey)
      }
    }

    func providerDidRecover(_ provider: FetchedResultsProvider<Record>) { list?.staleness = nil }
  }

  /// The first fetch, by one call of ``observe(isolation:)``, with the other calls that wait for it.
  private final class FirstFetch {
    /// What the next attempt waits for if one has failed; nil without a database.
    let signals: ObservationSignals?
    private var waiting: [AsyncStream<Never>.Continuation] = []

    init(_ signals: ObservationSignals?) { self.signals = signals }

    /// Waits until it has succeeded, or its call or this one was cancelled.
    func waitForEnd(isolation: isolated (any Actor) = #isolation) async {
      let (stream, continuation) = AsyncStream<Never>.makeStream()
      waiting.append(continuation)
      for await _ in stream {}
    }

    func end() { for continuation in waiting { continuation.finish() } }
  }

  /// The provider, made at its first use.
  ///
  /// - Throws: `FetchError` and `DatabaseError` if the request is not valid for this database.
  private func madeProvider() throws -> FetchedResultsProvider<Record> {
    if let provider { return provider }
    guard let database else {
      throw FetchError.missingDatabase
    }
    let provider = try FetchedResultsProvider(
      database: database, request: asked.request, sectionedBy: asked.sectionKey)
    let link = Link(self)
    provider.delegate = link
    (self.provider, self.link) = (provider, link)
    return provider
  }

  private func show() {
    if requestError != nil { requestError = nil }
    if let staleness, staleness.shown !== provider?.shownVersion?.snapshot { self.staleness = nil }
    guard let new = provider?.content, new !== content else { return }
    func change() {
      content = new
      version += 1
    }
    if let animate { animate(change) } else { change() }
  }
}

// MARK: - Content

extension FetchedList {
  /// The sections, in order; empty before the first fetch.
  ///
  /// Complexity: O(1); each section O(log n).
  public var sections: FetchedSections<Record> { FetchedSections(content) }

  /// The rows of all sections, in order; empty before the first fetch.
  ///
  /// Complexity: O(1); each row as `FetchedResultsProvider.identity(at:)`.
  public var rows: FetchedRows<Record> { FetchedRows(content) }

  /// The totals of all rows; nil before the first fetch.
  public var totals: SectionTotals<Record>? { content?.listTotals }

  /// Whether nothing has been fetched yet, and nothing has failed.
  public var isLoading: Bool { content == nil && error == nil }

  /// The row with an identity; nil if it is not in the result.
  ///
  /// Complexity: O(log n) look-ups of single rows.
  ///
  /// - Throws: `DatabaseError`.
  public func row(_ identity: RowIdentity) throws -> FetchedRow<Record>? {
    guard let content, let position = try content.version.position(of: identity) else { return nil }
    return FetchedRow(content, position)
  }
}

// MARK: - Fetching and observing

extension FetchedList {
  /// Fetches the result, and shows each later version until the task is cancelled.
  ///
  /// A SwiftUI view calls it in `task`, which is cancelled when the view disappears. The content
  /// stays, and the next call continues from it. If the first fetch fails, ``error`` has the reason,
  /// and the fetch is tried again after the next commit; if the error may end without a commit, such
  /// as a full disk, also after a delay.
  ///
  /// The result is computed without blocking the actor. If the list has no database, the call returns at once.
  public func observe(isolation: isolated (any Actor) = #isolation) async {
    guard await hasFetched(), let provider else { return }
    observerCount += 1
    provider.startObserving()
    // Ends when the task is cancelled.
    for await _ in AsyncStream<Never>.makeStream().stream {}
    observerCount -= 1
    if observerCount == 0 { provider.stopObserving() }
  }

  /// Waits for the first fetch, by this call or by another one.
  ///
  /// - Returns: false if the task was cancelled, or there is no database.
  private func hasFetched(isolation: isolated (any Actor) = #isolation) async -> Bool {
    while !Task.isCancelled, content == nil {
      if let firstFetch {
        await firstFetch.waitForEnd()
      } else {
        await fetchFirst()
        // Nothing would wake it: there is no database, or it has been released.
        if content == nil { return false }
      }
    }
    return !Task.isCancelled
  }

  /// Fetches until it succeeds or the task is cancelled.
  private func fetchFirst(isolation: isolated (any Actor) = #isolation) async {
    // Signals that nothing waits for would observe the commits as long as the list exists.
    let first = FirstFetch(database.map(ObservationSignals.init(of:)))
    firstFetch = first
    defer {
      firstFetch = nil
      first.end()
    }
    var wakeUps = first.signals?.stream.makeAsyncIterator()
    while !Task.isCancelled, content == nil {
      do {
        try await madeProvider().performFetch()
        show()
      } catch is CancellationError {
        // The loop ends.
      } catch {
        staleness = (error, nil)
        first.signals?.attemptEnded(with: [error])
        guard await wakeUps?.next(isolation: isolation) != nil else { return }
      }
    }
  }

  /// Fetches the newest version before it returns, for a test, a preview or a pull to refresh.
  ///
  /// - Throws: the same as `FetchedResultsProvider.performFetch()`. If it throws, ``error`` does not change.
  public func fetch() throws {
    let provider = try madeProvider()
    try provider.refresh()
    if staleness != nil { staleness = nil }
    show()
  }

  /// The request. A new one is shown at once: rows with the same key are the same row, so an
  /// animation shows what a filter or another order changes.
  ///
  /// ```swift
  /// withAnimation { tracks.request = Track.all.filter(.contains(\.name, text)) }
  /// ```
  ///
  /// If the new request fails, ``error`` has the reason, and the old request and the content stay.
  ///
  /// Complexity: the same as `FetchedResultsProvider.setRequest(_:silently:resetAbove:)`, on the calling actor. For
  /// long results use ``setRequest(_:isolation:)``.
  public var request: FetchRequest<Record> {
    get { asked.request }
    set {
      do {
        try provider?.setRequest(newValue, resetAbove: 0)
        accept(newValue, asked.sectionKey)
      } catch {
        requestError = error
      }
    }
  }

  /// Shows the result of another request with the same section key, without blocking the actor.
  ///
  /// If another request is set in the meantime, this one is never shown, and the call returns when the other one is.
  public func setRequest(
    _ request: FetchRequest<Record>, isolation: isolated (any Actor)? = #isolation
  ) async {
    await setRequest(request, sectionedBy: asked.sectionKey)
  }

  /// Shows the result of another request with one section for each value of a property, without blocking the actor.
  public func setRequest<Key: ColumnValue>(
    _ request: FetchRequest<Record>, sectionedBy keyPath: any KeyPath<Record, Key> & Sendable,
    isolation: isolated (any Actor)? = #isolation
  ) async {
    await setRequest(request, sectionedBy: .property(keyPath))
  }

  /// Shows the result of another request with another section key, without blocking the actor.
  public func setRequest(
    _ request: FetchRequest<Record>, sectionedBy sectionKey: SectionKey<Record>?,
    isolation: isolated (any Actor)? = #isolation
  ) async {
    guard let provider else { return accept(request, sectionKey) }
    do {
      let new = ResultLoader(
        database: provider.database, request: request, sectionKey: sectionKey)
      // It may be a later one.
      let set = try await provider.setOrFollow(new, resetAbove: 0).fetch
      accept(set.request, set.sectionKey)
    } catch is CancellationError {
      // The content stays.
    } catch {
      requestError = error
    }
  }

  private func accept(_ request: FetchRequest<Record>, _ sectionKey: SectionKey<Record>?) {
    asked = (request, sectionKey)
    // The delegate is not notified if the rows stay the same.
    guard content == nil else { return show() }
    (requestError, staleness) = (nil, nil)
    firstFetch?.signals?.signal()
  }
}
