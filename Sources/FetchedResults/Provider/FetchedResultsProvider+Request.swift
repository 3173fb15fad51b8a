public import TableData

extension FetchedResultsProvider {
  /// Shows the result of another request, divided as before, and tells the delegate what changed.
  ///
  /// ```swift
  /// try provider.setRequest(Track.all.filter("name LIKE ?", "%\(text)%").sorted(by: \.name))
  /// ```
  ///
  /// Both results are of the version that is shown: what was committed since comes as the next batch,
  /// also to providers that observe together with this one.
  /// Rows are the same where their keys are, so as few as possible come, go and move. Requests that
  /// have nothing to do with each other, since they read other tables, columns or keys, are told as
  /// `reset`.
  ///
  /// Before the first fetch the request is just replaced. Called by the delegate while it is told of
  /// changes, this waits until that is over; what is new then comes as the next batch.
  ///
  /// Complexity: O(n log n) for n rows in both results; as ``performFetch()`` where it is silent.
  ///
  /// - Parameter silently: whether the content is replaced as by ``performFetch()``, which tells
  ///   the delegate nothing.
  /// - Returns: what changed, empty where nothing did; a `reset` where it is silent, since nothing is
  ///   compared then.
  /// - Throws: `FetchError` and `DatabaseError`; then request and content are as they were.
  @discardableResult
  public func setRequest(
    _ request: FetchRequest<Record>, silently: Bool = false
  ) throws -> TableChanges {
    try setRequest(request, sectionedBy: fetch.sectionKey, silently: silently)
  }

  /// Shows the result of another request, divided by another key, and tells the delegate what
  /// changed: as ``setRequest(_:silently:)-(FetchRequest<Record>,_)``.
  @discardableResult
  public func setRequest(
    _ request: FetchRequest<Record>, sectionedBy sectionKey: SectionKey<Record>?,
    silently: Bool = false
  ) throws -> TableChanges {
    let new = ResultsFetch(database: database, request: request, sectionKey: sectionKey)
    requests.begin()
    guard let content else {
      try new.validate()
      fetch = new
      return TableChanges()
    }
    guard !isBusy else {
      try new.validate()
      postpone { $0.request = (new, silently) }
      return TableChanges()
    }
    let next = try replacement(of: content, by: new, silently: silently)()
    return show(next, of: new, silently: silently)
  }

  /// Shows the result of another request, divided as before, without keeping the calling actor busy.
  ///
  /// - Throws: as ``setRequest(_:silently:)-(FetchRequest<Record>,_)``, and `CancellationError` where
  ///   the task was cancelled or another request was set meanwhile: the result of a superseded
  ///   request is never shown.
  @discardableResult
  public func setRequest(
    _ request: FetchRequest<Record>, silently: Bool = false,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> TableChanges {
    try await setRequest(request, sectionedBy: fetch.sectionKey, silently: silently)
  }

  /// Shows the result of another request, divided by another key, without keeping the calling actor
  /// busy.
  ///
  /// - Throws: as ``setRequest(_:silently:isolation:)``.
  @discardableResult
  public func setRequest(
    _ request: FetchRequest<Record>, sectionedBy sectionKey: SectionKey<Record>?,
    silently: Bool = false, isolation: isolated (any Actor)? = #isolation
  ) async throws -> TableChanges {
    let new = ResultsFetch(database: database, request: request, sectionKey: sectionKey)
    let next = try await elsewhere { content in
      content.map { replacement(of: $0, by: new, silently: silently) }
    }
    guard let next else {
      // Nothing has been fetched yet.
      try new.validate()
      fetch = new
      return TableChanges()
    }
    return show(next, of: new, silently: silently)
  }

  /// How to find the result of another request in the version that is shown. It can be done elsewhere.
  private func replacement(
    of content: any ResultsContent<Record>, by new: ResultsFetch<Record>, silently: Bool
  ) -> @Sendable () throws -> NextContent<Record> {
    guard silently else {
      return content.replace(by: new, insteadOf: fetch, isTracked: isTracked)
    }
    let (version, isTracked) = (content.databaseSnapshot, isTracked)
    return { try new.fetch(from: version, isTracked: isTracked) }
  }

  private func show(
    _ next: NextContent<Record>, of fetch: ResultsFetch<Record>, silently: Bool
  ) -> TableChanges {
    var next = next
    if silently { next.changes = reset(to: next) }
    deliver(next, of: fetch, silently: silently)
    return next.changes
  }
}
