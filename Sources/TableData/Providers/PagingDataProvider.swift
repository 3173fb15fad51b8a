/// A provider of another provider's rows that loads more of them, page by page, when the user reaches an end of the
/// list.
///
/// ```swift
/// let posts = try ArrayDataProvider<Post>(items: [])
/// let feed = try PagingDataProvider(posts, edges: [.start, .end]) { (request: PageRequest<Int>) in
///   let answer = try await api.posts(request.edge, from: request.cursor)
///   return LoadedPage(answer.posts, cursor: answer.next, isLast: answer.next == nil)
/// }
/// feed.start()
/// ```
///
/// An item is an item of the base or a ``PageStatus``. The sections are those of the base, and at each end where
/// pages are loaded a section without a title, whose one row is the status.
///
/// A page is loaded when the status row is displayed, or a row of the base near it. At each end one page is loaded at
/// a time. What a page changes in the base, and the new status, are one batch.
///
/// It is the observer of the base, which may be any. If the pages are written to a store, and the base is a fetched
/// list of it, the store is the cache of the pages. Not Sendable: use it on the actor of its base, in an app on the
/// main actor.
public final class PagingDataProvider<Base: ViewModelDataProvider>: DerivedDataProvider {
  /// An item of the base, or a ``PageStatus``.
  public typealias Item = Any

  /// Notified of changes. The reference is weak.
  public weak var observer: (any TableChangesObserver)?
  /// The provider of the rows.
  public let base: Base
  /// The number of rows of the base, counted from an end, that load the next page when one of them is displayed. By
  /// default it is 0: only the status row does.
  public var prefetchDistance = 0 {
    didSet { loadIfNeeded() }
  }
  /// Whether pages are loaded when rows are displayed. If it is false, only ``load(_:)`` loads them.
  package var loadsAutomatically = true {
    didSet { loadIfNeeded() }
  }

  private typealias Answer = (edge: PageEdge, ticket: Int, page: Result<any Sendable, any Error>)

  struct Edge {
    var status: PageStatus
    /// The number of the load that is waited for; nil for none.
    var ticket: Int?
    var task: Task<Void, Never>?
    var error: (any Error)?
  }

  /// The changes between `contentWillChange` and `contentDidChange`.
  struct Batch: ChangesBatch {
    let statuses: [PageEdge: PageStatus]
    let baseSectionCount: Int
    var baseChanges = TableChanges()
    /// Whether the base has sent `contentWillChange` and not yet `contentDidChange`.
    var isBaseChanging = false
    var depth = 0
    var hasNotified = false
  }

  let showsStatus: (PageStatus) -> Bool
  private let makeLoad: (PageEdge) -> @Sendable () async throws -> any Sendable
  /// Stores a page. Returns whether it is the last.
  private let takePage: (PageEdge, any Sendable) throws -> Bool
  var edges: [PageEdge: Edge]
  var batch: Batch? {
    didSet { sectionCache = nil }
  }
  var sectionCache: [SectionInfo]?
  /// The identities of the displayed rows, of the base and status rows.
  var displayed: Set<AnyHashable> = []
  private var lastTicket = 0
  private let answers: AsyncStream<Answer>
  private let continuation: AsyncStream<Answer>.Continuation
  private var delivery: Task<Void, Never>?

  /// Makes a provider that loads pages into any base.
  ///
  /// - Parameters:
  ///   - cursors: where the rows that are already there stop, at each end.
  ///   - showsStatus: whether a status has a row; each has by default.
  ///   - store: changes the base, or what it is based on, on the actor of the base. It must not add an item that is
  ///     already there. If it throws an error, the page counts as not loaded.
  ///   - load: loads a page. It is called on no actor, and its task may be cancelled.
  /// - Throws: `TableDataError` with code `.alreadyObserved` if the base has an observer.
  public init<Element: Sendable, Cursor: Sendable>(
    _ base: Base, edges: Set<PageEdge> = [.end], cursors: [PageEdge: Cursor] = [:],
    showsStatus: @escaping (PageStatus) -> Bool = { _ in true },
    store: @escaping (LoadedPage<Element, Cursor>, PageEdge) throws -> Void,
    load: @escaping @Sendable (PageRequest<Cursor>) async throws -> LoadedPage<Element, Cursor>
  ) throws {
    self.base = base
    self.showsStatus = showsStatus
    self.edges = Dictionary(
      uniqueKeysWithValues: edges.map { ($0, Edge(status: PageStatus($0, .ready))) })
    var cursors = cursors
    makeLoad = { edge in
      let request = PageRequest(edge, after: cursors[edge])
      return { try await load(request) }
    }
    takePage = { edge, page in
      // `load` returns no other type.
      guard let page = page as? LoadedPage<Element, Cursor> else { return false }
      try store(page, edge)
      if let cursor = page.cursor { cursors[edge] = cursor }
      return page.isLast
    }
    (answers, continuation) = AsyncStream.makeStream()
    try base.setObserver(self)
  }

  deinit {
    continuation.finish()
    delivery?.cancel()
    for edge in edges.values { edge.task?.cancel() }
  }

  /// Shows pages when they are loaded, on the actor that this is called from, and loads them as rows are displayed.
  public func start(isolation: isolated (any Actor) = #isolation) {
    loadsAutomatically = true
    guard delivery == nil else { return }
    // The task ends with the stream, which ends when `self` is released: the task must not retain `self`.
    delivery = Task { [weak self, answers] in
      _ = isolation
      for await answer in answers { self?.deliver(answer) }
    }
  }

  /// Waits for the next answer of the loader, and shows it; returns false if the task was cancelled. For code on no
  /// actor, such as a test.
  @discardableResult
  package func deliverNext(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    var iterator = answers.makeAsyncIterator()
    guard let answer = await iterator.next(isolation: isolation) else { return false }
    deliver(answer)
    return true
  }

  /// Loads the next page at an end: to try again, or to look for new rows after the last page. It does nothing if a
  /// page is being loaded there, or if no pages are loaded at this end.
  public func load(_ edge: PageEdge) {
    guard edges[edge]?.ticket == nil, edges[edge] != nil else { return }
    lastTicket += 1
    let ticket = lastTicket
    edges[edge]?.ticket = ticket
    edges[edge]?.error = nil
    setState(.loading, at: edge)
    // The observer may have cancelled it.
    guard edges[edge]?.ticket == ticket else { return }
    edges[edge]?.task = Task { [load = makeLoad(edge), continuation] in
      let page: Result<any Sendable, any Error>
      do { page = .success(try await load()) } catch { page = .failure(error) }
      continuation.yield((edge, ticket, page))
    }
  }

  /// Cancels the page that is being loaded at an end. It is not stored, even if the loader has loaded it.
  public func cancel(_ edge: PageEdge) {
    guard abandon(edge) else { return }
    setState(.cancelled, at: edge)
  }

  /// Cancels all pages that are being loaded, and loads none automatically until ``start(isolation:)``: for a screen
  /// that disappears.
  public func stop() {
    loadsAutomatically = false
    for edge in PageEdge.allCases where abandon(edge) { setState(.ready, at: edge) }
  }

  /// What happens at an end; nil if no pages are loaded there.
  public func status(at edge: PageEdge) -> PageStatus? { edges[edge]?.status }

  /// The error that the last page failed with; nil if it did not fail.
  public func error(at edge: PageEdge) -> (any Error)? { edges[edge]?.error }

  /// Returns whether a page was being loaded.
  private func abandon(_ edge: PageEdge) -> Bool {
    guard edges[edge]?.ticket != nil else { return false }
    edges[edge]?.task?.cancel()
    edges[edge]?.task = nil
    edges[edge]?.ticket = nil
    return true
  }

  private func deliver(_ answer: Answer) {
    // Another ticket, or none, if the load was cancelled.
    guard edges[answer.edge]?.ticket == answer.ticket else { return }
    edges[answer.edge]?.ticket = nil
    edges[answer.edge]?.task = nil
    beginBatch()
    do {
      let isLast = try takePage(answer.edge, try answer.page.get())
      setState(isLast ? .finished : .ready, at: answer.edge)
    } catch {
      edges[answer.edge]?.error = error
      setState(.failed(message: error.message), at: answer.edge)
    }
    endBatch()
  }

  /// Loads a page at each end that is ready and near a displayed row.
  func loadIfNeeded() {
    do {
      for edge in PageEdge.allCases where edges[edge]?.status.state == .ready {
        if try loadsAutomatically && batch == nil && isDisplayed(near: edge) { load(edge) }
      }
    } catch {
      observer?.content(of: self, didFailWith: error)
    }
  }

  private func isDisplayed(near edge: PageEdge) throws -> Bool {
    if displayed.contains(AnyHashable(edge)) { return true }
    guard prefetchDistance > 0, !displayed.isEmpty else { return false }
    var remaining = prefetchDistance
    let sections = 0..<base.numberOfSections
    for section in edge == .start ? Array(sections) : sections.reversed() {
      let count = try base.numberOfRows(inSection: section)
      for path in IndexPath.rows(min(count, remaining), inSection: section) {
        let row = edge == .start ? path.row : count - 1 - path.row
        let id = try base.identityForRow(at: IndexPath(row: row, section: section))
        if let id, displayed.contains(id) { return true }
      }
      remaining -= max(0, count)
      if remaining <= 0 { break }
    }
    return false
  }

  private func setState(_ state: PageStatus.State, at edge: PageEdge) {
    guard let old = edges[edge]?.status, old.state != state else { return }
    let new = PageStatus(edge, state)
    beginBatch()
    if showsStatus(old) || showsStatus(new) { notifyWillChange() }
    edges[edge]?.status = new
    endBatch()
  }

  func makeBatch() -> Batch {
    Batch(statuses: edges.mapValues(\.status), baseSectionCount: base.numberOfSections)
  }

  func didEnd(_ batch: Batch) {
    if batch.hasNotified { observer?.contentDidChange(of: self, by: changes(of: batch)) }
    loadIfNeeded()
  }

  func changes(of batch: Batch) -> TableChanges {
    let start = baseSections.lowerBound
    var parts = [batch.baseChanges.offset(old: start, new: start)]
    for (edge, old) in batch.statuses {
      guard let new = edges[edge]?.status, new != old else { continue }
      let isStart = edge == .start
      let oldPath = IndexPath(row: 0, section: isStart ? 0 : start + batch.baseSectionCount)
      let newPath = IndexPath(row: 0, section: isStart ? 0 : baseSections.upperBound)
      switch (showsStatus(old), showsStatus(new)) {
      case (true, true):
        parts.append(TableChanges(updatedRows: [.init(old: oldPath, new: newPath)]))
      case (true, false): parts.append(TableChanges(deletedRows: [oldPath]))
      case (false, true): parts.append(TableChanges(insertedRows: [newPath]))
      case (false, false): break
      }
    }
    return TableChanges.combined(parts)
  }

  package func checkInvariants() throws {
    for edge in edges.values {
      let isLoading = edge.status.state == .loading
      guard (edge.ticket != nil) == isLoading, batch == nil else {
        throw TableDataError(.changeInProgress, "\(edge.status) waits for \(edge.ticket ?? 0)")
      }
    }
  }
}
