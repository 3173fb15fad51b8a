internal import SQLiteStorage
public import TableData

extension FetchedResultsProvider {
  /// What is between *will* and *did*.
  struct Delivery {
    /// Whether a batch is being told.
    var isRunning = false
    /// Whether the observer alone is told.
    var isSilent = false
    /// The group that the provider was in at *will*.
    var group: ObservationGroup?
    /// What was shown before the batch, from the first change until *did* is over.
    var previous: (any ResultsContent<Record>)?
    /// What has told of the batch, for as long.
    var source: ChangeSource?
  }

  /// What was asked for while a batch was told, and is done when that is over.
  struct Postponed {
    /// Whether the newest version is to be shown.
    var refresh = false
    /// The request to set.
    var request: (fetch: ResultsFetch<Record>, silently: Bool)?
  }

  /// Goes to the newest version and tells the delegate what changed, on the spot.
  ///
  /// Before the first fetch it does nothing. Called by the delegate while it is told of changes, it
  /// waits until that is over: what is new then comes as the next batch, to the delegate alone.
  ///
  /// All providers that observe together with this one move with it: see
  /// ``startObserving(isolation:)``. While one of them tells of a batch, this waits too.
  ///
  /// Complexity: O(k log n) for k changed rows; O(n) where ``maintenance`` is a comparison, or more
  /// than about one row in thirty was touched.
  ///
  /// - Returns: what changed; empty where nothing did.
  /// - Throws: `FetchError` and `DatabaseError`; then the content is as it was, and the next success
  ///   goes on from there. Also what keeps another provider from moving along, if it has not failed
  ///   before: then none has moved, and that one is told too.
  @discardableResult
  public func refresh() throws -> TableChanges {
    guard !isBusy else {
      postpone { $0.refresh = true }
      return TableChanges()
    }
    if let group = membership?.group, content != nil {
      let step = ProviderStep(of: self, by: .advance)
      try group.move(by: step)
      return step.changes
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
    if content != nil, let step = try await moveGroup(by: .advance) { return step.changes }
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
  /// - Parameters:
  ///   - fetch: that of another request, where there is one.
  ///   - silently: whether the observer alone is told.
  func deliver(
    _ next: NextContent<Record>, of fetch: ResultsFetch<Record>? = nil, silently: Bool = false
  ) {
    guard !next.changes.isEmpty else { return show(next, of: fetch) }
    tellWill(silently: silently)
    showDelivered(next, of: fetch)
    tellChanges(next.changes)
    tellDid(next.changes)
    endDelivery()
  }

  /// Moves all providers that observe together with this one, without keeping the calling actor busy.
  ///
  /// - Returns: the step of this one; nil where it does not observe.
  /// - Throws: what keeps them from it, and `CancellationError`.
  func moveGroup(
    by way: ProviderStep<Record>.Way, isolation: isolated (any Actor)? = #isolation
  ) async throws -> ProviderStep<Record>? {
    guard let group = membership?.group else { return nil }
    let number = requests.begin()
    let step = ProviderStep(of: self, by: way)
    return try await group.move(by: step) { [requests] in try requests.checkIsLatest(number) }
      ? step : nil
  }

  // MARK: - The phases of a batch

  // Several providers that move together are in the same phase at the same time.

  /// Tells that the content is about to change.
  func tellWill(silently: Bool = false) {
    delivery.isRunning = true
    delivery.isSilent = silently
    delivery.group = membership?.group
    if !silently { delegate?.providerWillChangeContent(self) }
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
    guard let delegate, !delivery.isSilent else { return }
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
    if !delivery.isSilent { delegate?.providerDidChangeContent(self) }
  }

  /// Lets go of the old content, and does what was asked for meanwhile.
  func endDelivery() {
    let group = delivery.group ?? membership?.group
    delivery = Delivery()
    if let group { group.settle(self) } else { doPostponed() }
  }

  // MARK: - What is asked for meanwhile

  /// Whether a batch is being told, by this provider or by one that moves together with it.
  var isBusy: Bool { delivery.isRunning || membership?.group.isTelling == true }

  /// Notes what to do when the batch is over.
  func postpone(_ note: (inout Postponed) -> Void) {
    note(&postponed)
    // One that is telling does it by itself in the end.
    if !delivery.isRunning { membership?.group.settle(self) }
  }

  /// Does what was asked for while a batch was told.
  func doPostponed() {
    guard !delivery.isRunning else { return }
    let asked = postponed
    postponed = Postponed()
    do {
      if let request = asked.request {
        try setRequest(
          request.fetch.request, sectionedBy: request.fetch.sectionKey, silently: request.silently)
      }
      guard asked.refresh else { return }
      // Not a fetch: the delegate shows what it was told, and must be told how to go on.
      if content == nil { try performFetch() } else { try refresh() }
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
