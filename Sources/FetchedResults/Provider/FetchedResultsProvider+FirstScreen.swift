internal import SQLiteStorage
internal import TableData

extension FetchedResultsProvider {
  /// Shows the first rows at once, and the whole result as soon as it is there.
  ///
  /// ```swift
  /// try await provider.performFetch(showingFirst: 50)
  /// ```
  ///
  /// Until it returns, the provider shows the result as if the request were limited to these rows:
  /// sections further down are not there yet, and the last one may be shorter than it will be. Then
  /// the delegate and the observer are told of a `reset`. The whole result is of the newest version at
  /// that time.
  ///
  /// Complexity: O(rows shown first) with an SQL index that has the order before the first suspension,
  /// and the rest as ``performFetch()``, without keeping the calling actor busy.
  ///
  /// - Parameter rowCount: how many rows are shown at once; with fewer in the result, that is all.
  /// - Throws: as ``performFetch()``, and `CancellationError` where the task was cancelled or something
  ///   else was fetched meanwhile. After a failure the first rows stay.
  public func performFetch(
    showingFirst rowCount: Int, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    guard !isBusy else { return postpone { $0.refresh = true } }
    let (fetch, isTracked) = (fetch, isTracked)
    requests.begin()
    // Of the version that others show which observe together with this one: they move at the end.
    let version = try membership?.group.shownVersion ?? database.snapshot()
    replaceContent(
      by: try fetch.limited(to: rowCount).fetch(from: version, isTracked: false), of: fetch)
    if try await moveGroup(by: .fetch(silently: false)) != nil { return }
    guard var next = try await elsewhere({ _ in { try fetch.run(isTracked: isTracked) } }) else {
      return
    }
    next.changes = reset(to: next)
    deliver(next)
  }
}

extension ResultsFetch {
  /// The same for the first rows alone.
  fileprivate func limited(to rowCount: Int) -> ResultsFetch {
    let limit = min(max(0, rowCount), request.limit ?? .max)
    return ResultsFetch(
      database: database, request: request.limited(to: limit, offset: request.offset),
      sectionKey: sectionKey)
  }
}
