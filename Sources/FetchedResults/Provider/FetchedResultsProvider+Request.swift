public import SQLiteStorage
public import SectionedData

extension FetchedResultsProvider {
  /// Shows the result of another request with the same section key, and notifies the delegate of
  /// the changes.
  ///
  /// ```swift
  /// try provider.setRequest(Track.all.filter(.contains(\.name, text)).sorted(by: \.name))
  /// ```
  ///
  /// Both results are of the version that is shown. Later commits follow as the next batch, also
  /// for providers that observe together with this one.
  ///
  /// Rows with the same key are the same row, so the fewest possible rows are inserted, deleted and
  /// moved. If the requests read different tables, columns or keys, the change is reported as a
  /// `reset`.
  ///
  /// Before the first fetch only the request is replaced. If the delegate calls this method while
  /// it is notified of changes, the request is set at the end of the batch, and its changes follow
  /// as the next batch.
  ///
  /// Complexity: O(n log n) for n rows in both results; as ``performFetch()`` if `silently` is
  /// true.
  ///
  /// - Parameters:
  ///   - silently: whether to replace the content as ``performFetch()`` does, without notifying the
  ///     delegate.
  ///   - limit: the greatest number of row changes to report. If there are more, a `reset` is reported
  ///     instead. It costs less, and a table shows the rows at once instead of animating them.
  /// - Returns: the changes; empty if there are none. A `reset` if `silently` is true, since
  ///   nothing is compared then.
  /// - Throws: `FetchError` and `DatabaseError`. The request and the content are then unchanged.
  @discardableResult
  public func setRequest(
    _ request: FetchRequest<Record>, silently: Bool = false, resetAbove limit: Int = .max
  ) throws -> TableChanges {
    try setRequest(
      request, sectionedBy: fetch.sectionKey, silently: silently, resetAbove: limit)
  }

  /// Shows the result of another request with another section key, and notifies the delegate of the
  /// changes, as ``setRequest(_:silently:resetAbove:)`` does.
  @discardableResult
  public func setRequest(
    _ request: FetchRequest<Record>, sectionedBy sectionKey: SectionKey<Record>?,
    silently: Bool = false, resetAbove limit: Int = .max
  ) throws -> TableChanges {
    let new = ResultLoader(database: database, request: request, sectionKey: sectionKey)
    guard let content else {
      try new.validate()
      engine.begin(.request)
      engine.requestIsSet()
      fetch = new
      return TableChanges()
    }
    guard !isBusy else {
      try new.validate()
      engine.begin(.request)
      postpone { $0.request = (new, silently, limit) }
      return TableChanges()
    }
    let next: ResultUpdate
    do {
      next = try replacement(of: content, by: new, silently: silently, resetAbove: limit)()
    } catch let error as DatabaseError where error.code == .versionExpired {
      // The database was suspended since.
      try refresh()
      return try setRequest(
        request, sectionedBy: sectionKey, silently: silently, resetAbove: limit)
    }
    engine.begin(.request)
    return show(next, of: new, silently: silently)
  }

  /// Shows the result of another request with one section for each value of a property, as
  /// ``setRequest(_:silently:resetAbove:)`` does.
  @discardableResult
  public func setRequest<Key: ColumnValue>(
    _ request: FetchRequest<Record>, sectionedBy keyPath: any KeyPath<Record, Key> & Sendable,
    silently: Bool = false, resetAbove limit: Int = .max
  ) throws -> TableChanges {
    try setRequest(
      request, sectionedBy: .property(keyPath), silently: silently, resetAbove: limit)
  }

  /// Shows the result of another request with the same section key, without blocking the calling
  /// actor.
  ///
  /// - Throws: the same as ``setRequest(_:silently:resetAbove:)``, and `CancellationError` if
  ///   the task was cancelled or another request was set in the meantime. The result of a
  ///   superseded request is never shown.
  @discardableResult
  public func setRequest(
    _ request: FetchRequest<Record>, silently: Bool = false, resetAbove limit: Int = .max,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> TableChanges {
    try await setRequest(
      request, sectionedBy: fetch.sectionKey, silently: silently, resetAbove: limit)
  }

  /// Shows the result of another request with another section key, without blocking the calling
  /// actor.
  ///
  /// - Throws: the same as ``setRequest(_:silently:resetAbove:isolation:)``.
  @discardableResult
  public func setRequest(
    _ request: FetchRequest<Record>, sectionedBy sectionKey: SectionKey<Record>?,
    silently: Bool = false, resetAbove limit: Int = .max,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> TableChanges {
    let new = ResultLoader(database: database, request: request, sectionKey: sectionKey)
    let next: ResultUpdate?
    do {
      next = try await runOnEngineQueue(.request) { content in
        content.map { replacement(of: $0, by: new, silently: silently, resetAbove: limit) }
      }
    } catch let error as DatabaseError where error.code == .versionExpired {
      // The database was suspended since.
      try await refresh()
      return try await setRequest(
        request, sectionedBy: sectionKey, silently: silently, resetAbove: limit)
    }
    guard let next else {
      // Nothing has been fetched yet.
      try new.validate()
      engine.requestIsSet()
      fetch = new
      return TableChanges()
    }
    return show(next, of: new, silently: silently)
  }

  /// Shows the result of another request with one section for each value of a property, without blocking the
  /// calling actor.
  ///
  /// - Throws: the same as ``setRequest(_:silently:resetAbove:isolation:)``.
  @discardableResult
  public func setRequest<Key: ColumnValue>(
    _ request: FetchRequest<Record>, sectionedBy keyPath: any KeyPath<Record, Key> & Sendable,
    silently: Bool = false, resetAbove limit: Int = .max,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> TableChanges {
    try await setRequest(
      request, sectionedBy: .property(keyPath), silently: silently, resetAbove: limit)
  }

  /// The function that computes the result of another request in the version that is shown. It can
  /// run on any thread.
  private func replacement(
    of content: SnapshotReader<Record>, by new: ResultLoader<Record>, silently: Bool,
    resetAbove limit: Int
  ) -> @Sendable () throws -> ResultUpdate {
    let (version, isTracked) = (content.version, isTracked)
    return {
      silently
        ? try new.fetch(from: version.snapshot, isTracked: isTracked)
        : try new.replace(version, isTracked: isTracked, resetAbove: limit)
    }
  }

  private func show(
    _ next: ResultUpdate, of fetch: ResultLoader<Record>, silently: Bool
  ) -> TableChanges {
    defer { if silently { isUnknownToDelegate = false } }
    engine.requestIsSet()
    var next = next
    if silently { next.changes = reset(to: next) }
    deliver(next, of: fetch, silently: silently)
    group?.retry()
    return next.changes
  }
}

// MARK: - The first screen

extension FetchedResultsProvider {
  /// Shows the first rows at once, and the whole result when it has been computed.
  ///
  /// ```swift
  /// try await provider.performFetch(showingFirst: 50)
  /// ```
  ///
  /// Until this method returns, the provider shows the result as if the request had this limit:
  /// later sections are missing, and the last section may be incomplete. Then the delegate and the
  /// observer are notified of a `reset`. The whole result is of the newest version at that time.
  ///
  /// Complexity: O(rowCount) before the first suspension if an SQL index has the order. The rest is as
  /// ``performFetch()`` and does not block the calling actor.
  ///
  /// - Parameter rowCount: the number of rows to show at once. A shorter result is shown
  ///   completely.
  /// - Throws: the same as ``performFetch()``, and `CancellationError` if the task was cancelled, or a later
  ///   fetch has begun or another request was set in the meantime. After an error the first rows stay.
  public func performFetch(
    showingFirst rowCount: Int, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    guard !isBusy else { return postpone { $0.refresh = true } }
    replaceContent(by: try fetchFirst(rowCount), of: fetch)
    isUnknownToDelegate = false
    if try await moveGroup(as: .fetch(silently: false)) != nil { return }
    guard var next = try await fetchOnEngineQueue() else { return }
    next.changes = reset(to: next)
    deliver(next)
  }

  /// Fetches the first rows in the version that the other members of the group show, which move at the end; in the newest
  /// if that has expired.
  private func fetchFirst(_ rowCount: Int) throws -> ResultUpdate {
    let limited = fetch.limited(to: rowCount)
    if let version = group?.shownVersion {
      do {
        return try limited.fetch(from: version, isTracked: false)
      } catch let error as DatabaseError where error.code == .versionExpired {}
    }
    return try limited.fetch(isTracked: false)
  }
}

extension ResultLoader {
  /// The same fetch, limited to the first rows.
  fileprivate func limited(to rowCount: Int) -> ResultLoader {
    var request = request
    request.window = request.window.prefix(max(0, rowCount))
    return ResultLoader(
      database: database, request: request,
      sectionKey: sectionKey)
  }
}

// MARK: - Without blocking the actor

extension FetchedResultsProvider {
  /// Fetches the newest version on the engine queue, with the request that is set when it begins.
  func fetchOnEngineQueue(
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> ResultUpdate? {
    try await runOnEngineQueue(.fetch) { _ in
      let (fetch, isTracked) = (fetch, isTracked)
      return { try fetch.fetch(isTracked: isTracked) }
    }
  }

  /// Computes the next content on the engine queue. Returns it unless a later turn supersedes this one.
  ///
  /// - Parameter work: makes the work from the current content; nil if there is nothing to do.
  func runOnEngineQueue(
    isolation: isolated (any Actor)? = #isolation, _ purpose: EngineQueue.Purpose,
    _ work: (SnapshotReader<Record>?) -> (@Sendable () throws -> ResultUpdate?)?
  ) async throws -> ResultUpdate? {
    let turn = engine.begin(purpose)
    var queue = engine
    var delayed: ObservationGroup?
    defer { delayed?.pendingRequestCount -= 1 }
    while true {
      let base = content
      guard let work = work(base) else { return nil }
      let result = await queue.run { [engine] in
        // If many requests follow each other, as while the user types, only the last is computed.
        try engine.check(turn)
        return try work()
      }
      try Task.checkCancellation()
      try engine.check(turn)
      if base === content { return try result.get() }
      // A commit was shown in the meantime. The next one waits: if commits are faster than the work,
      // it would never end.
      if let group, delayed == nil {
        queue = group.engine
        group.pendingRequestCount += 1
        delayed = group
      }
    }
  }
}
