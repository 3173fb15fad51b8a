internal import SQLiteStorage
internal import TableData

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
  /// Complexity: O(rows shown first) before the first suspension if an SQL index has the order. The
  /// rest is as ``performFetch()`` and does not block the calling actor.
  ///
  /// - Parameter rowCount: the number of rows to show at once. A shorter result is shown
  ///   completely.
  /// - Throws: as ``performFetch()``, and `CancellationError` if the task was cancelled or a later
  ///   fetch has begun. After an error the first rows stay.
  public func performFetch(
    showingFirst rowCount: Int, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    guard !isBusy else { return postpone { $0.refresh = true } }
    let (fetch, isTracked) = (fetch, isTracked)
    engine.beginRequest()
    // Use the version that the other members of the group show. They move at the end.
    let version = try group?.shownVersion ?? database.snapshot()
    replaceContent(
      by: try fetch.limited(to: rowCount).fetch(from: version, isTracked: false), of: fetch)
    if try await moveGroup(by: .fetch(silently: false)) != nil { return }
    guard var next = try await runOnEngineQueue({ _ in { try fetch.fetch(isTracked: isTracked) } })
    else {
      return
    }
    next.changes = reset(to: next)
    deliver(next)
  }
}

extension ResultLoader {
  /// The same fetch, limited to the first rows.
  fileprivate func limited(to rowCount: Int) -> ResultLoader {
    let limit = min(max(0, rowCount), request.limit ?? .max)
    return ResultLoader(
      database: database, request: request.limited(to: limit, offset: request.offset),
      sectionKey: sectionKey)
  }
}
