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
    guard !isBusy else {
      try new.validate()
      engine.begin(.request)
      postpone { [requests] in
        let call = $0.request?.call ?? requests.begin()
        $0.request = Postponed.Request(
          fetch: new, silently: silently, limit: limit, call: call)
      }
      return TableChanges()
    }
    guard let content else {
      try new.validate()
      engine.begin(.request)
      engine.requestIsSet()
      fetch = new
      group.retry()
      requests.supersede(by: SetRequest(fetch: new, changes: TableChanges()))
      return TableChanges()
    }
    let next: ResultUpdate
    do {
      next = try replacement(of: content.version, by: new, silently: silently, resetAbove: limit)()
    } catch let error as DatabaseError where error.code == .versionExpired {
      // The database was suspended since, or does not pin versions.
      do { try refresh() } catch { return try setInNewestVersion(new, silently: silently) }
      return try setRequest(
        request, sectionedBy: sectionKey, silently: silently, resetAbove: limit)
    }
    engine.begin(.request)
    let changes = show(next, of: new, silently: silently)
    requests.supersede(by: SetRequest(fetch: new, changes: changes))
    return changes
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
  /// If another request is set in the meantime, this one is never shown. The call then ends as the later one does: it
  /// returns its changes, or throws its error.
  ///
  /// - Throws: the same as ``setRequest(_:silently:resetAbove:)``, and `CancellationError` if the task was cancelled.
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
    return try await setOrFollow(new, silently: silently, resetAbove: limit).changes
  }

  /// A request that was set, and the changes that led to its result.
  struct SetRequest: Sendable {
    let fetch: ResultLoader<Record>
    let changes: TableChanges
  }

  /// Sets a request, or waits for the one that supersedes it, without blocking the calling actor.
  ///
  /// - Returns: the request that is set at the end.
  func setOrFollow(
    _ new: ResultLoader<Record>, silently: Bool = false, resetAbove limit: Int,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> SetRequest {
    try await requests.run {
      do {
        let changes = try await set(new, silently: silently, resetAbove: limit)
        return SetRequest(fetch: new, changes: changes)
      } catch is Superseded {
        return nil
      } catch let error as DatabaseError where error.code == .versionExpired {
        // The database was suspended since, or does not pin versions.
        do { _ = try await refresh() } catch is CancellationError {
          throw CancellationError()
        } catch {
          return try await setInNewestVersion(new, silently: silently)
        }
        return nil
      }
    }
  }

  /// Sets a request if the version that is shown can neither be read nor followed to the newest one by the present
  /// request, whose error the caller wants to leave behind. The change is a reset.
  private func setInNewestVersion(
    _ new: ResultLoader<Record>, silently: Bool
  ) throws -> TableChanges {
    let step = step(.set(new, silently: silently))
    try group.move(by: step)
    engine.begin(.request)
    let changes = didSet(step, silently: silently)
    requests.supersede(by: SetRequest(fetch: new, changes: changes))
    return changes
  }

  /// The same without blocking the calling actor.
  ///
  /// - Returns: nil if another request was set meanwhile.
  private func setInNewestVersion(
    _ new: ResultLoader<Record>, silently: Bool, isolation: isolated (any Actor)? = #isolation
  ) async throws -> SetRequest? {
    do {
      let step = try await moveGroup(by: .set(new, silently: silently))
      return SetRequest(fetch: new, changes: didSet(step, silently: silently))
    } catch is Superseded {
      return nil
    }
  }

  /// A step has set another request.
  private func didSet(_ step: ProviderStep, silently: Bool) -> TableChanges {
    if silently { isUnknownToDelegate = false }
    engine.requestIsSet()
    return step.changes
  }

  /// Sets a request without blocking the calling actor.
  ///
  /// - Throws: ``Superseded`` if another one was set meanwhile.
  private func set(
    _ new: ResultLoader<Record>, silently: Bool, resetAbove limit: Int,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> TableChanges {
    let turn = engine.begin(.request)
    var queue = engine
    var delayed: ObservationGroup?
    defer { delayed?.pendingRequestCount -= 1 }
    while true {
      guard let base = content?.version else {
        // Nothing has been fetched yet.
        do { try await new.validate() } catch {
          try engine.check(turn)
          throw error
        }
        // The first batch may run.
        while isBusy { await group.settled() }
        try engine.check(turn)
        guard content == nil else { continue }
        engine.requestIsSet()
        fetch = new
        group.retry()
        return TableChanges()
      }
      let work = replacement(of: base, by: new, silently: silently, resetAbove: limit)
      let result = await queue.run { [engine] in
        // If many requests follow each other, as while the user types, only the last is computed.
        try engine.check(turn)
        return try work()
      }
      // A delegate that is notified may run the actor's other work. The batch must not begin inside another one.
      while isBusy { await group.settled() }
      try Task.checkCancellation()
      try engine.check(turn)
      if base === content?.version { return show(try result.get(), of: new, silently: silently) }
      // A commit was shown in the meantime. The next one waits: if commits are faster than the work,
      // it would never end.
      if delayed == nil {
        queue = group.engine
        group.pendingRequestCount += 1
        delayed = group
      }
    }
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
    of version: ResultsVersion, by new: ResultLoader<Record>, silently: Bool, resetAbove limit: Int
  ) -> @Sendable () throws -> ResultUpdate {
    let isTracked = isTracked
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
    let next = silently ? asReset(next) : next
    deliver(next, by: .set(fetch, silently: silently))
    group.retry()
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
  /// If a later fetch begins in the meantime, this call ends as that one does. If another request is set, its whole result
  /// is shown, and the call returns.
  ///
  /// - Parameter rowCount: the number of rows to show at once. A shorter result is shown
  ///   completely.
  /// - Throws: the same as ``performFetch()``, and `CancellationError` if the task was cancelled. After an error the first
  ///   rows stay, until a refresh or a commit shows the whole result.
  public func performFetch(
    showingFirst rowCount: Int, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    guard !isBusy else { return postpone { $0.refresh = true } }
    deliver(asReset(try fetchFirst(rowCount)), by: .fetch(silently: true))
    isUnknownToDelegate = false
    do {
      try await fetchOrFollow(silently: false)
    } catch {
      // Else they would be moved to later versions as if the request had the limit.
      lacksRows = content.map { !hasAllRows($0.version) } ?? false
      throw error
    }
  }

  /// Fetches the first rows in the version that the other members of the group show, which move at the end; in the newest
  /// if that has expired.
  private func fetchFirst(_ rowCount: Int) throws -> ResultUpdate {
    if let version = group.versionShown(beside: self) {
      do {
        return try fetch.fetch(from: version, isTracked: false, first: rowCount)
      } catch let error as DatabaseError where error.code == .versionExpired {}
    }
    return try database.withSnapshot {
      try fetch.fetch(from: $0, isTracked: false, first: rowCount)
    }
  }
}

// MARK: - Without blocking the actor

extension FetchedResultsProvider {
  /// Fetches the newest version, or waits for the fetch that supersedes this one.
  ///
  /// - Parameter silently: whether only the observer is notified. If not, a result of another request that is set
  ///   meanwhile is enough.
  func fetchOrFollow(
    silently: Bool, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await fetches.run {
      do {
        return .some(_ = try await moveGroup(by: .fetch(silently: silently)))
      } catch Superseded.byRequest {
        // Its result is of the version that was shown: the newest is still to be fetched.
        return silently ? nil : ()
      } catch Superseded.byFetch {
        return nil
      }
    }
  }
}
