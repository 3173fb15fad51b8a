internal import SQLiteStorage
public import SectionedData

extension FetchedResultsProvider {
  /// The state of a batch between *will* and *did*.
  struct Delivery {
    /// Whether a batch is being delivered.
    var isRunning = false
    /// Whether only the observer is notified.
    var isSilent = false
    /// The group that the provider was in at *will*.
    var group: ObservationGroup?
    /// The old content, from the first change until *did* has returned.
    var previous: SnapshotReader<Record>?
    /// How the changed rows were detected; set as long as `previous`.
    var source: ChangeSource?
  }

  /// The calls made during a batch, which are done after it.
  struct Postponed {
    /// Whether to show the newest version.
    var refresh = false
    /// The request to set.
    var request: Request?

    var isEmpty: Bool { !refresh && request == nil }

    struct Request {
      let fetch: ResultLoader<Record>
      let silently: Bool
      let limit: Int
      /// For the calls that it supersedes.
      let call: SupersedingCalls<SetRequest>.Call
    }
  }

  /// Moves to the newest version and notifies the delegate of the changes before it returns.
  ///
  /// Before the first fetch it fetches, and notifies the delegate of a `reset`. If the delegate calls it while it is
  /// notified of changes, the refresh waits for the end of the batch and the call returns no changes. Newer changes then
  /// follow as the next batch.
  ///
  /// All providers that observe together with this one move with it: see
  /// ``startObserving(isolation:)``. While one of them delivers a batch, this refresh waits too.
  ///
  /// Complexity: O(k log n) for k changed rows; O(n) if ``maintenance`` is a comparison, or if more than
  /// 64 rows and more than about one row in sixty were touched.
  ///
  /// - Returns: the changes; empty if there are none.
  /// - Throws: `FetchError` and `DatabaseError`. The content is then unchanged, and the next success continues from it.
  ///   It also throws the error of another provider that cannot move and has not failed before: then no provider has
  ///   moved, and that provider reports the error too.
  @discardableResult
  public func refresh() throws -> TableChanges {
    guard !isBusy else {
      postpone { $0.refresh = true }
      return TableChanges()
    }
    let step = advancing()
    try group.move(by: step)
    return step.changes
  }

  /// Moves to the newest version, as ``refresh()`` does, without blocking the calling actor.
  ///
  /// Concurrent calls each read the changed rows; one of them shows the changes. If another request is set in the
  /// meantime, the changes are those of its result.
  ///
  /// - Throws: the same as ``refresh()``, and `CancellationError` if the task was cancelled.
  @discardableResult
  public func refresh(isolation: isolated (any Actor)? = #isolation) async throws -> TableChanges {
    try await moveGroup(by: .advance).changes
  }

  /// Shows the next version and notifies: will, sections, rows, the batch as a whole, did.
  func deliver(_ next: ResultUpdate, by way: Way) {
    if next.changes.isEmpty { return enter(.show, of: next, by: way) }
    for phase in BatchPhase.allCases { enter(phase, of: next, by: way) }
  }

  /// Moves all providers of the group, this one in the given way, without blocking the calling actor.
  ///
  /// - Returns: the step of this provider.
  /// - Throws: the error that prevents the move; `CancellationError`; ``Superseded``, unless it advances: then the step begins
  ///   again from the content that was set meanwhile.
  func moveGroup(
    by way: Way, isolation: isolated (any Actor)? = #isolation
  ) async throws -> ProviderStep {
    let turn = way.purpose.map(engine.begin)
    let step = step(way)
    // It may begin or end to observe meanwhile, and is then in another group.
    while try await !group.move(by: step, { [engine] in if let turn { try engine.check(turn) } }) {}
    return step
  }

  // MARK: - The phases of a batch

  /// Enters a phase of a batch. Without changes only *show* is entered.
  func enter(_ phase: BatchPhase, of next: ResultUpdate, by way: Way) {
    switch phase {
    case .show: show(next, by: way, isDelivered: delivery.isRunning)
    case .will: notifyWill(silently: way.isSilent)
    case .changes: notify(of: next.changes)
    case .did: notifyDid(next.changes)
    case .end: endDelivery(by: way)
    }
  }

  private func notifyWill(silently: Bool) {
    if silently { isUnknownToDelegate = true }
    let silently = isUnknownToDelegate
    delivery.isRunning = true
    delivery.isSilent = silently
    delivery.group = group
    if !silently { delegate?.providerWillChangeContent(self) }
    observer?.contentWillChange(of: self)
  }

  private func notify(of changes: TableChanges) {
    guard let delegate, !delivery.isSilent else { return }
    for section in changes.deletedSections {
      delegate.provider(self, didChangeSectionAt: section, for: .delete)
    }
    for section in changes.insertedSections {
      delegate.provider(self, didChangeSectionAt: section, for: .insert)
    }
    for section in changes.updatedSections {
      delegate.provider(self, didChangeSectionAt: section.new, for: .update)
    }
    changes.forEachRowChange { delegate.provider(self, didChange: $0) }
    delegate.provider(self, didChange: changes)
  }

  private func notifyDid(_ changes: TableChanges) {
    observer?.contentDidChange(of: self, by: changes)
    if !delivery.isSilent { delegate?.providerDidChangeContent(self) }
  }

  private func endDelivery(by way: Way) {
    let ended = delivery
    delivery = Delivery()
    release(ended.previous, replacedBy: way)
    let old = ended.group ?? group
    if postponed.isEmpty { old.settle() } else { old.settle(self) }
    if old !== group { group.settle() }
  }

  // MARK: - Postponed calls

  /// Whether this provider, or a provider that moves together with it, is delivering a batch.
  var isBusy: Bool { delivery.isRunning || group.isDelivering }

  /// Notes what to do at the end of the batch.
  func postpone(_ note: (inout Postponed) -> Void) {
    note(&postponed)
    // A provider that is delivering settles at the end of its batch.
    if !delivery.isRunning { group.settle(self) }
  }

  /// Does the calls that were postponed during a batch.
  func doPostponed() {
    guard !delivery.isRunning else { return }
    let asked = postponed
    postponed = Postponed()
    if let request = asked.request {
      do {
        let changes = try setRequest(
          request.fetch.request, sectionedBy: request.fetch.sectionKey,
          silently: request.silently, resetAbove: request.limit)
        let set = SetRequest(fetch: request.fetch, changes: changes)
        requests.end(request.call, with: .success(set))
      } catch {
        report(error)
        requests.end(request.call, with: .failure(error))
      }
    }
    guard asked.refresh else { return }
    do {
      // Not a fetch: the delegate shows the last batch and needs the changes from there.
      try refresh()
    } catch {
      report(error)
    }
  }

  /// Reports why the content could not be updated; nil if the newest version is reached again.
  func report(_ error: (any Error)?) {
    guard let error else {
      delegate?.providerDidRecover(self)
      return
    }
    delegate?.provider(self, didFailWith: error)
    observer?.content(of: self, didFailWith: error)
  }
}
