internal import SQLiteStorage
public import TableData

extension FetchedResultsProvider {
  /// What is being told to the delegate, and what waits for that to end.
  struct Delivery {
    /// Whether the delegate is being told of a batch.
    var isRunning = false
    /// What was shown before the batch, from the first change until *did* is over.
    var previous: (any ResultsContent<Record>)?
    /// What has told of the batch, for as long.
    var source: ChangeSource?
    /// Whether a fetch was asked for meanwhile.
    var pendingRefresh = false
    /// The request that was set meanwhile.
    var pendingRequest: (fetch: ResultsFetch<Record>, silently: Bool)?
  }

  /// Goes to the newest version and tells the delegate what changed, on the spot.
  ///
  /// Before the first fetch it does nothing. Called by the delegate while it is told of changes, it
  /// waits until that is over: what is new then comes as the next batch, to the delegate alone.
  ///
  /// Complexity: O(k log n) for k changed rows; O(n) where ``maintenance`` is a comparison, or more
  /// than about one row in thirty was touched.
  ///
  /// - Returns: what changed; empty where nothing did.
  /// - Throws: `FetchError` and `DatabaseError`; then the content is as it was, and the next success
  ///   goes on from there.
  @discardableResult
  public func refresh() throws -> TableChanges {
    guard !delivery.isRunning else {
      delivery.pendingRefresh = true
      return TableChanges()
    }
    guard let content, let next = try content.advance(by: fetch)(try database.snapshot()) else {
      return TableChanges()
    }
    deliver(next)
    return next.changes
  }

  /// Goes to the newest version, as ``refresh()`` does, without keeping the calling actor busy.
  ///
  /// - Throws: as ``refresh()``, and `CancellationError` where the task was cancelled or another
  ///   request was set meanwhile.
  @discardableResult
  public func refresh(isolation: isolated (any Actor)? = #isolation) async throws -> TableChanges {
    let next = try await elsewhere { [fetch, database] content in
      guard let advance = content?.advance(by: fetch) else { return nil }
      return { try advance(try database.snapshot()) }
    }
    guard let next else { return TableChanges() }
    deliver(next)
    return next.changes
  }

  /// Shows what is next, and tells of it: will, sections, rows, all of it, did.
  ///
  /// - Parameter fetch: that of another request, where there is one.
  func deliver(_ next: NextContent<Record>, of fetch: ResultsFetch<Record>? = nil) {
    guard !next.changes.isEmpty else { return show(next, of: fetch) }
    tellWill()
    showDelivered(next, of: fetch)
    tellChanges(next.changes)
    tellDid(next.changes)
    endDelivery()
  }

  // MARK: - The phases of a batch

  // Several providers that move together are in the same phase at the same time.

  /// Tells that the content is about to change.
  func tellWill() {
    delivery.isRunning = true
    delegate?.providerWillChangeContent(self)
    observer?.contentWillChange(of: self)
  }

  /// Shows the new content, and keeps the old one at hand.
  func showDelivered(_ next: NextContent<Record>, of fetch: ResultsFetch<Record>? = nil) {
    delivery.previous = content
    delivery.source = next.source
    show(next, of: fetch)
  }

  /// Tells the delegate what happened.
  func tellChanges(_ changes: TableChanges) {
    guard let delegate else { return }
    for section in changes.deletedSections {
      delegate.provider(self, didChangeSectionAt: section, for: .delete)
    }
    for section in changes.insertedSections {
      delegate.provider(self, didChangeSectionAt: section, for: .insert)
    }
    for change in changes.rowChanges { delegate.provider(self, didChange: change) }
    delegate.provider(self, didChange: changes)
  }

  /// Tells that the content has changed.
  func tellDid(_ changes: TableChanges) {
    observer?.contentDidChange(of: self, by: changes)
    delegate?.providerDidChangeContent(self)
  }

  /// Lets go of the old content, and does what was asked for meanwhile.
  func endDelivery() {
    let ended = delivery
    delivery = Delivery()
    do {
      if let request = ended.pendingRequest {
        try setRequest(
          request.fetch.request, sectionedBy: request.fetch.sectionKey, silently: request.silently)
      }
      // Not a fetch: the delegate shows what it was told, and must be told how to go on.
      if ended.pendingRefresh { try refresh() }
    } catch {
      tellFailure(error)
    }
  }

  /// Tells that the content could not be brought up to date.
  func tellFailure(_ error: any Error) {
    delegate?.provider(self, didFailWith: error)
    observer?.content(of: self, didFailWith: error)
  }
}
